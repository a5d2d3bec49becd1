import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Batcher from "../../events/Batcher.js"
import type { ViewError } from "../../projections/view/build.js"
import type { View } from "../../projections/view/Views.js"
import { Overloaded } from "../model/errors.js"
import type { AnyCommand, Command } from "./Command.js"
import { type CarryingOut, type CommandError, carryOut, nothingTold, type Outcome, type ToldOf } from "./carryOut.js"

export type { CommandError } from "./carryOut.js"

/** One agent: its view, and a mailbox that carries out its commands in order. */
export interface Actor {
  readonly view: View
  /** Answered once the events are in the log and in the view. */
  readonly run: <A, E>(command: Command<A, E>) => Effect.Effect<A, E | CommandError>
  /** Many commands in one transaction, each decided on top of those before it; a refused one leaves the others alone. */
  readonly runAll: <A, E>(
    commands: ReadonlyArray<Command<A, E>>
  ) => Effect.Effect<ReadonlyArray<Either.Either<A, E | CommandError>>, CommandError>
}

export interface ActorOptions extends CarryingOut {
  /** Commands that may wait. */
  readonly waiting: number
  /** Around work that no caller's fiber does: keeps the view open. */
  readonly background: (work: Effect.Effect<void>) => Effect.Effect<void>
  /** Commands that are to be carried out in the same transaction as these, after them; null where there are none. */
  readonly beside: (commands: ReadonlyArray<AnyCommand>) => Effect.Effect<ReadonlyArray<AnyCommand>> | null
  /** Milliseconds after which what was told in vain is not told anew: a slow model holds up those who wait no longer. */
  readonly patience: number
  /** What commands have to be told before their turn, given what they were told before; null where there is nothing. */
  readonly consult: Consult
}

/** Asks what commands have to know before their turn, given what is known already; null where there is nothing to ask. */
export type Consult = (commands: ReadonlyArray<AnyCommand>, told: ToldOf) => Effect.Effect<ToldOf, ViewError> | null

/** Commands that are carried out together, and what each came to. */
type Job = ReadonlyArray<AnyCommand>
/** What one command came to: its outcome, or what ended it. */
type Ended = Exit.Exit<Outcome>
type Answer = Exit.Exit<ReadonlyArray<Outcome>, CommandError>

/** Jobs that share one transaction of the view and one append to the log. */
const drained = 100

/** After a version conflict the commands are decided again, at most this often. */
const tries = 5

/** An agent's actor on its open view. */
export const make = (view: View, options: ActorOptions): Actor => {
  let deadline = Number.POSITIVE_INFINITY

  /** A version conflict means that the view lags behind, after a crash, say. */
  const decided = (commands: Job, told: ToldOf, left: number): Effect.Effect<ReadonlyArray<Ended>, CommandError> =>
    Effect.matchEffect(carryOut(view, commands, told, left > 0 && performance.now() < deadline, options), {
      onFailure: (error) =>
        error._tag === "VersionConflict" && left > 0
          ? Effect.zipRight(options.views.follow(view), decided(commands, told, left - 1))
          : Effect.fail(error),
      onSuccess: (outcomes) => {
        if (outcomes.length === commands.length) return Effect.succeed(outcomes.map(Exit.succeed))
        const rest = commands.slice(outcomes.length)
        // Those that were carried out made room for another try.
        const more = consulted(rest, told, outcomes.length > 0 ? tries : left - 1)
        if (outcomes.length === 0) return more
        // What is in the log already is answered, whatever becomes of those behind it.
        return Effect.map(apart(rest, more), (others) => [...outcomes.map(Exit.succeed), ...others])
      }
    })

  /** Commands behind others that are in the log already: what ends them ends nobody else. */
  const apart = (
    commands: Job,
    all: Effect.Effect<ReadonlyArray<Ended>, CommandError>
  ): Effect.Effect<ReadonlyArray<Ended>> =>
    Effect.matchCauseEffect(all, {
      onSuccess: Effect.succeed,
      onFailure: (cause): Effect.Effect<ReadonlyArray<Ended>> => {
        const error = Option.getOrUndefined(Cause.failureOption(cause))
        if (error !== undefined) return Effect.succeed(commands.map(() => Exit.succeed(Either.left(error))))
        if (commands.length === 1) return Effect.succeed([Exit.failCause(cause as Cause.Cause<never>)])
        const alone = (command: AnyCommand) => apart([command], consulted([command], nothingTold, tries))
        return Effect.map(Effect.forEach(commands, alone), (ended) => ended.flat())
      }
    })

  const consulted = (commands: Job, told: ToldOf, left: number): Effect.Effect<ReadonlyArray<Ended>, CommandError> => {
    const consulting = options.consult(commands, told)
    return consulting === null
      ? decided(commands, told, left)
      : Effect.flatMap(consulting, (now) => decided(commands, now, left))
  }

  const settle = (jobs: ReadonlyArray<Job>): Effect.Effect<ReadonlyArray<Answer>> =>
    Effect.suspend(() => {
      deadline = performance.now() + options.patience
      const commands = jobs.flat()
      const beside = options.beside(commands)
      return Effect.matchCauseEffect(
        beside === null
          ? consulted(commands, nothingTold, tries)
          : Effect.flatMap(beside, (more) => consulted([...commands, ...more], nothingTold, tries)),
        {
          onFailure: (cause) =>
            // A command whose decider breaks must not take the others with it.
            jobs.length > 1 && Cause.isDie(cause)
              ? Effect.map(
                  Effect.forEach(jobs, (job) => settle([job])),
                  (answers) => answers.flat()
                )
              : Effect.succeed(jobs.map((): Answer => Exit.failCause(cause))),
          onSuccess: (outcomes) => {
            let from = 0
            return Effect.succeed(
              jobs.map((job): Answer => {
                from += job.length
                return Exit.all(outcomes.slice(from - job.length, from)).pipe(Option.getOrElse(() => Exit.succeed([])))
              })
            )
          }
        }
      )
    })

  const mailbox = Batcher.make({
    most: drained,
    capacity: { waiting: options.waiting, full: Exit.fail(new Overloaded({ agent: view.agent })) },
    run: settle,
    background: options.background
  })

  return {
    view,
    run: (command) => Effect.flatMap(mailbox.submit([command]), ([outcome]) => outcome!),
    runAll: mailbox.submit
  }
}

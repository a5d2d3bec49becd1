import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Batcher from "../events/Batcher.js"
import type { Codec } from "../events/Codec.js"
import type { DaybookEvent } from "../events/catalogue.js"
import type { CachedVector, EventLog, NewCommand, NewEvent } from "../events/EventLog.js"
import { type AlreadyErased, CommandConflict, VersionConflict } from "../events/errors.js"
import { makeLookup, type ViewError } from "../projections/build.js"
import type { Poisoned } from "../projections/ViewFile.js"
import type { Transaction, View, Views } from "../projections/Views.js"
import type { Command, DecidedEvent } from "./commands/Command.js"
import { Overloaded } from "./errors.js"
import { randomId } from "./ids.js"

/** Why a command of a sound request could still not be carried out. */
export type CommandError = ViewError | CommandConflict | AlreadyErased | VersionConflict | Overloaded

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

export interface ActorOptions {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly views: Context.Tag.Service<Views>
  /** Commands that may wait. */
  readonly waiting: number
  /** Around work that no caller's fiber does: keeps the view open. */
  readonly background: (work: Effect.Effect<void>) => Effect.Effect<void>
  /** Commands that are to be carried out in the same transaction as these, after them; null where there are none. */
  readonly beside: (commands: ReadonlyArray<AnyCommand>) => Effect.Effect<ReadonlyArray<AnyCommand>> | null
  /** Told after each commit what was written. */
  readonly onCommit: (events: ReadonlyArray<DecidedEvent>) => void
}

// biome-ignore lint/suspicious/noExplicitAny: a mailbox holds commands of every kind; each answers to its own caller.
export type AnyCommand = Command<any, any>
// biome-ignore lint/suspicious/noExplicitAny: as above.
type Outcome = Either.Either<any, any>

/** Commands that are carried out together, and what each came to. */
type Job = ReadonlyArray<AnyCommand>
type Answer = Exit.Exit<ReadonlyArray<Outcome>, CommandError>

/** Jobs that share one transaction of the view and one append to the log. */
const drained = 100

/** After a version conflict the commands are decided again, at most this often. */
const tries = 5

/** An agent's actor on its open view. */
export const make = (view: View, options: ActorOptions): Actor => {
  /** A version conflict means that the view lags behind, after a crash, say. */
  const decided = (commands: Job, left: number): Effect.Effect<ReadonlyArray<Outcome>, CommandError> =>
    Effect.catchAll(carryOut(view, commands, options), (error) =>
      error._tag === "VersionConflict" && left > 0
        ? Effect.zipRight(options.views.follow(view), decided(commands, left - 1))
        : Effect.fail(error)
    )

  const settle = (jobs: ReadonlyArray<Job>): Effect.Effect<ReadonlyArray<Answer>> =>
    Effect.suspend(() => {
      const commands = jobs.flat()
      const beside = options.beside(commands)
      return Effect.matchCauseEffect(
        beside === null
          ? decided(commands, tries)
          : Effect.flatMap(beside, (more) => decided([...commands, ...more], tries)),
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
                return Exit.succeed(outcomes.slice(from - job.length, from))
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

/** Decides and applies each command on top of the ones before it, then stores all events with one append. */
const carryOut = (
  view: View,
  commands: ReadonlyArray<AnyCommand>,
  { codec, log, onCommit, views }: ActorOptions
): Effect.Effect<ReadonlyArray<Outcome>, CommandError> =>
  views.write(view, (transaction) => {
    const expected = transaction.head.position
    type Carried = Effect.Effect<ReadonlyArray<Outcome>, CommandError | Poisoned>
    const decideOn = (earlier: Answered): Carried =>
      Effect.clockWith((clock): Carried => {
        const now = Math.max(clock.unsafeCurrentTimeMillis(), transaction.head.recordedAt)
        const tried = transaction.run(() => decideAll(view.agent, commands, earlier, transaction, now, codec))
        if (Exit.isFailure(tried)) return Effect.failCause(tried.cause)
        const { decided, fresh, outcomes, vectors } = tried.value
        if (fresh.length === 0) {
          // Nothing is stored, so no expected version shows whether the view had everything that it was asked about.
          return Effect.flatMap(log.head(view.agent), ({ version }) =>
            version === expected
              ? Effect.succeed(outcomes)
              : Effect.fail(new VersionConflict({ stream: view.agent, expected, actual: version }))
          )
        }
        return Effect.flatMap(
          log.append({ stream: view.agent, expected, now, commands: fresh, vectors }),
          (appended): Effect.Effect<ReadonlyArray<Outcome>, VersionConflict> => {
            if (appended.some(({ repeated }) => repeated)) {
              // Another process carried out one of these command ids in between: its first answer is the one to give.
              return Effect.fail(new VersionConflict({ stream: view.agent, expected, actual: expected }))
            }
            transaction.moveTo(appended.at(-1)!.events.at(-1)!)
            onCommit(decided)
            return Effect.succeed(outcomes)
          }
        )
      })
    return commands.some(({ commandId }) => commandId !== undefined)
      ? Effect.flatMap(answeredBefore(view.agent, commands, codec, log), decideOn)
      : decideOn(noAnswers)
  })

type Answered = ReadonlyMap<AnyCommand, Outcome>
const noAnswers: Answered = new Map()

/** What the log says to the command ids among these: the first answer's events, or why there is none. */
const answeredBefore = (
  agent: string,
  commands: ReadonlyArray<AnyCommand>,
  codec: Codec,
  log: Context.Tag.Service<EventLog>
) =>
  Effect.gen(function* () {
    const answered = new Map<AnyCommand, Outcome>()
    for (const command of commands) {
      if (command.commandId === undefined) continue
      const before = yield* Effect.either(log.command(agent, command.commandId, command.request()))
      if (Either.isLeft(before)) {
        if (before.left._tag === "StorageError") return yield* before.left
        answered.set(command, before)
      } else if (Option.isSome(before.right)) {
        const events: Array<DaybookEvent> = []
        for (const row of before.right.value.events) events.push((yield* codec.decode(row)) as DaybookEvent)
        answered.set(command, Either.right(command.answer(events, true)))
      }
    }
    return answered
  })

const noVectors = makeLookup(() => undefined)

const lookupIn = (vectors: ReadonlyArray<CachedVector>) => {
  const cached = new Map(vectors.map((one) => [one.digest, one.vector]))
  return makeLookup((_model, _dimensions, digest) => cached.get(digest))
}

/** Synchronous, so that a thousand commands cost no more than what they do to the view. */
const decideAll = (
  agent: string,
  commands: ReadonlyArray<AnyCommand>,
  answered: ReadonlyMap<AnyCommand, Outcome>,
  { apply, db, head }: Transaction,
  now: number,
  codec: Codec
) => {
  let version = head.position
  const fresh: Array<NewCommand> = []
  const vectors: Array<CachedVector> = []
  const decided: Array<DecidedEvent> = []
  const inBatch = new Map<string, { readonly request: string; readonly events: ReadonlyArray<DaybookEvent> }>()

  const carry = (command: AnyCommand): Outcome => {
    const { actor, commandId } = command
    const before = answered.get(command)
    if (before !== undefined) return before
    const twin = commandId === undefined ? undefined : inBatch.get(commandId)
    if (twin !== undefined) {
      return twin.request === command.request()
        ? Either.right(command.answer(twin.events, true))
        : Either.left(new CommandConflict({ stream: agent, commandId: commandId! }))
    }
    const decision = command.decide({ db, now, version: version + 1, newId: randomId, decided })
    if (Either.isLeft(decision)) return decision
    if ("answer" in decision.right) return Either.right(decision.right.answer)
    const lookup = command.vectors === undefined ? noVectors : lookupIn(command.vectors)
    const events: Array<DaybookEvent> = []
    const stored: Array<NewEvent> = []
    for (const event of decision.right.events) {
      const { payload, schema, value } = codec.encode(event.type, event.payload)
      const whole = {
        // The log alone gives sequences; no projection may use them.
        sequence: 0,
        stream: agent,
        version: ++version,
        commandId: commandId ?? null,
        actor,
        cause: event.cause ?? null,
        occurredAt: event.occurredAt ?? now,
        recordedAt: now,
        type: event.type,
        payload: value
      } as DaybookEvent
      apply(whole, lookup)
      events.push(whole)
      decided.push(event)
      stored.push({
        type: event.type,
        schema,
        payload,
        ...(event.occurredAt === undefined ? {} : { occurredAt: event.occurredAt }),
        ...(event.cause === undefined ? {} : { cause: event.cause })
      })
    }
    const request = commandId === undefined ? undefined : command.request()
    if (commandId !== undefined) inBatch.set(commandId, { request: request!, events })
    fresh.push({ ...(commandId === undefined ? {} : { commandId, request: request! }), actor, events: stored })
    if (command.vectors !== undefined) vectors.push(...command.vectors)
    return Either.right(command.answer(events, false))
  }

  return { outcomes: commands.map(carry), fresh, vectors, decided }
}

import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type { Codec } from "../events/Codec.js"
import type { DaybookEvent } from "../events/catalogue.js"
import type { CachedVector, EventLog, NewCommand, NewEvent } from "../events/EventLog.js"
import { type AlreadyErased, CommandConflict, type VersionConflict } from "../events/errors.js"
import { makeLookup, type ViewError } from "../projections/build.js"
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
  /** Told after each commit what was written. */
  readonly onCommit: (events: ReadonlyArray<DecidedEvent>) => void
}

type AnyCommand = Command<any, any>
type Outcome = Either.Either<any, any>

interface Job {
  readonly commands: ReadonlyArray<AnyCommand>
  readonly answer: Deferred.Deferred<ReadonlyArray<Outcome>, CommandError>
}

/** Jobs that share one transaction of the view and one append to the log. */
const drained = 100

/** A version conflict means that the log moved under an open view: the commands are decided again, at most this often. */
const tries = 5

/** Starts an agent's actor in the current scope. */
export const make = (view: View, options: ActorOptions) =>
  Effect.gen(function* () {
    const mailbox = yield* Queue.dropping<Job>(options.waiting)

    const settle = (jobs: ReadonlyArray<Job>): Effect.Effect<void> =>
      carryOut(
        view,
        jobs.flatMap(({ commands }) => commands),
        options
      ).pipe(
        Effect.retry({ times: tries, while: (error) => error._tag === "VersionConflict" }),
        Effect.flatMap((outcomes) => {
          let from = 0
          return Effect.forEach(
            jobs,
            ({ answer, commands }) => {
              const own = outcomes.slice(from, from + commands.length)
              from += commands.length
              return Deferred.succeed(answer, own)
            },
            { discard: true }
          )
        }),
        Effect.catchAllCause((cause) =>
          // A command whose decider breaks must not take the others with it.
          jobs.length > 1 && Cause.isDie(cause)
            ? Effect.forEach(jobs, (job) => settle([job]), { discard: true })
            : Effect.forEach(jobs, ({ answer }) => Deferred.failCause(answer, cause), { discard: true })
        )
      )

    yield* Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(Queue.takeBetween(mailbox, 1, drained)), (jobs) => settle([...jobs]))
    ).pipe(Effect.forever, Effect.interruptible, Effect.forkScoped)

    const submit = (commands: ReadonlyArray<AnyCommand>) =>
      Effect.gen(function* () {
        const answer = yield* Deferred.make<ReadonlyArray<Outcome>, CommandError>()
        const taken = yield* Queue.offer(mailbox, { commands, answer })
        if (!taken) return yield* new Overloaded({ agent: view.agent })
        return yield* Deferred.await(answer)
      })

    return {
      view,
      run: (command) => Effect.flatMap(submit([command]), ([outcome]) => outcome!),
      runAll: submit
    } satisfies Actor
  })

/** Decides and applies each command on top of the ones before it, then stores all events with one append. */
const carryOut = (
  view: View,
  commands: ReadonlyArray<AnyCommand>,
  { codec, log, onCommit, views }: ActorOptions
): Effect.Effect<ReadonlyArray<Outcome>, CommandError> =>
  Effect.flatMap(Clock.currentTimeMillis, (clock) =>
    views.write(view, (transaction) =>
      Effect.gen(function* () {
        const now = Math.max(clock, transaction.head.recordedAt)
        const batch = yield* decideAll(view.agent, commands, transaction, now, codec, log)
        if (batch.fresh.length === 0) return batch.outcomes
        const appended = yield* log.append({
          stream: view.agent,
          expected: transaction.head.position,
          now,
          commands: batch.fresh,
          vectors: batch.vectors
        })
        yield* transaction.moveTo(appended.at(-1)!.events.at(-1)!)
        onCommit(batch.decided)
        return batch.outcomes
      })
    )
  )

const decideAll = (
  agent: string,
  commands: ReadonlyArray<AnyCommand>,
  transaction: Transaction,
  now: number,
  codec: Codec,
  log: Context.Tag.Service<EventLog>
) =>
  Effect.gen(function* () {
    let version = transaction.head.position
    const outcomes: Array<Outcome> = []
    const fresh: Array<NewCommand> = []
    const vectors: Array<CachedVector> = []
    const decided: Array<DecidedEvent> = []
    const inBatch = new Map<string, { readonly request: string; readonly events: ReadonlyArray<DaybookEvent> }>()
    for (const command of commands) {
      const { actor, commandId } = command
      if (commandId !== undefined) {
        const earlier = inBatch.get(commandId)
        if (earlier !== undefined && earlier.request === command.request) {
          outcomes.push(Either.right(command.answer(earlier.events, true)))
          continue
        }
        if (earlier !== undefined) {
          outcomes.push(Either.left(new CommandConflict({ stream: agent, commandId })))
          continue
        }
        const before = yield* Effect.either(log.command(agent, commandId, command.request))
        if (Either.isLeft(before)) {
          if (before.left._tag === "StorageError") return yield* before.left
          outcomes.push(before)
          continue
        }
        if (Option.isSome(before.right)) {
          const events: Array<DaybookEvent> = []
          for (const row of before.right.value.events) events.push((yield* codec.decode(row)) as DaybookEvent)
          outcomes.push(Either.right(command.answer(events, true)))
          continue
        }
      }
      const decision = command.decide({ db: transaction.db, now, version: version + 1, newId: randomId })
      if (Either.isLeft(decision)) {
        outcomes.push(decision)
        continue
      }
      if ("answer" in decision.right) {
        outcomes.push(Either.right(decision.right.answer))
        continue
      }
      const cached = new Map(command.vectors?.map((one) => [one.digest, one.vector]))
      const lookup = makeLookup((_model, _dimensions, digest) => cached.get(digest))
      const events: Array<DaybookEvent> = []
      const stored: Array<NewEvent> = []
      for (const event of decision.right.events) {
        const envelope = {
          // The log alone gives sequences; no projection may use them.
          sequence: 0,
          stream: agent,
          version: ++version,
          commandId: commandId ?? null,
          actor,
          cause: event.cause ?? null,
          occurredAt: event.occurredAt ?? now,
          recordedAt: now
        }
        const whole = { ...envelope, type: event.type, payload: event.payload } as DaybookEvent
        yield* transaction.apply(whole, lookup)
        events.push(whole)
        decided.push(event)
        stored.push({
          type: event.type,
          ...codec.encode(event.type, event.payload),
          ...(event.occurredAt === undefined ? {} : { occurredAt: event.occurredAt }),
          ...(event.cause === undefined ? {} : { cause: event.cause })
        })
      }
      if (commandId !== undefined) inBatch.set(commandId, { request: command.request, events })
      fresh.push({ ...(commandId === undefined ? {} : { commandId, request: command.request }), actor, events: stored })
      vectors.push(...(command.vectors ?? []))
      outcomes.push(Either.right(command.answer(events, false)))
    }
    return { outcomes, fresh, vectors, decided }
  })

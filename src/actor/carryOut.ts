import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent } from "../../events/catalogue.js"
import type { CachedVector, EventLog, NewCommand, NewEvent } from "../../events/EventLog.js"
import { type AlreadyErased, CommandConflict, VersionConflict } from "../../events/errors.js"
import { firstDue } from "../../projections/scheduleReads.js"
import { makeLookup, type ViewError } from "../../projections/view/build.js"
import type { Poisoned } from "../../projections/view/ViewFile.js"
import type { Transaction, View, Views } from "../../projections/view/Views.js"
import type { Overloaded } from "../model/errors.js"
import { randomId } from "../model/ids.js"
import type { AnyCommand, DecidedEvent } from "./Command.js"
import { configureCommand } from "./configure.js"
import type { Configuring } from "./policyInForce.js"
import type { Told } from "./Told.js"

/** Why a command of a sound request could still not be carried out. */
export type CommandError = ViewError | CommandConflict | AlreadyErased | VersionConflict | Overloaded

// biome-ignore lint/suspicious/noExplicitAny: commands of every kind are carried out together; each answers to its own caller.
export type Outcome = Either.Either<any, any>

/** What commands are carried out with. */
export interface CarryingOut {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly views: Context.Tag.Service<Views>
  /** Told after each commit what was written, behind one version up to another. */
  readonly onCommit: (events: ReadonlyArray<DecidedEvent>, after: number, to: number) => void
  /** The policy that all is decided under: where the last one of the history is another, the first event says so. */
  readonly configuring?: Configuring | undefined
}

/** What commands were told before their turn. */
export type ToldOf = ReadonlyMap<AnyCommand, Told>
export const nothingTold: ToldOf = new Map()

/**
 * Decides and applies each command on top of the ones before it, then stores all
 * events with one append. Fewer outcomes than commands: the next one has to be
 * told anew before it can be decided.
 */
export const carryOut = (
  view: View,
  commands: ReadonlyArray<AnyCommand>,
  told: ToldOf,
  again: boolean,
  { codec, configuring, log, onCommit, views }: CarryingOut
): Effect.Effect<ReadonlyArray<Outcome>, CommandError> =>
  views.write(view, (transaction) => {
    const expected = transaction.head.position
    type Carried = Effect.Effect<ReadonlyArray<Outcome>, CommandError | Poisoned>
    const decideOn = (earlier: Answered): Carried =>
      Effect.clockWith((clock): Carried => {
        const now = Math.max(Math.floor(clock.unsafeCurrentTimeMillis()), transaction.head.recordedAt)
        const tried = transaction.run(() =>
          decideAll(view.agent, commands, earlier, transaction, now, codec, told, again, configuring)
        )
        if (Exit.isFailure(tried)) return Effect.failCause(tried.cause)
        const { decided, due, fresh, outcomes, vectors } = tried.value
        if (fresh.length === 0) {
          // Nothing is stored, so no expected version shows whether the view had everything that it was asked about.
          return Effect.flatMap(log.head(view.agent), ({ version }) =>
            version === expected
              ? Effect.succeed(outcomes)
              : Effect.fail(new VersionConflict({ stream: view.agent, expected, actual: version }))
          )
        }
        return Effect.flatMap(
          log.append({
            stream: view.agent,
            expected,
            now,
            commands: fresh,
            vectors,
            ...(due === undefined ? {} : { due })
          }),
          (appended): Effect.Effect<ReadonlyArray<Outcome>, VersionConflict> => {
            if (appended.some(({ repeated }) => repeated)) {
              // Another process carried out one of these command ids in between: its first answer is the one to give.
              return Effect.fail(new VersionConflict({ stream: view.agent, expected, actual: expected }))
            }
            const last = appended.at(-1)!.events.at(-1)!
            transaction.moveTo(last)
            onCommit(decided, expected, last.version)
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
  codec: Codec,
  told: ToldOf,
  again: boolean,
  configuring: Configuring | undefined
) => {
  let version = head.position
  const fresh: Array<NewCommand> = []
  const vectors: Array<CachedVector> = []
  const decided: Array<DecidedEvent> = []
  const inBatch = new Map<string, { readonly request: string; readonly events: ReadonlyArray<DaybookEvent> }>()

  /** Gives events their places and applies them. */
  const place = (
    { actor, cause, commandId }: AnyCommand,
    given: ReadonlyArray<DecidedEvent>,
    lookup: ReturnType<typeof lookupIn>
  ) => {
    const events: Array<DaybookEvent> = []
    const stored: Array<NewEvent> = []
    for (const event of given) {
      const { payload, schema, value } = codec.encode(event.type, event.payload)
      const whole = {
        // The log alone gives sequences; no projection may use them.
        sequence: 0,
        stream: agent,
        version: ++version,
        commandId: commandId ?? null,
        actor,
        cause: event.cause ?? cause ?? null,
        occurredAt: event.occurredAt ?? now,
        recordedAt: now,
        type: event.type,
        payload: value
      } as DaybookEvent
      apply(whole, lookup)
      events.push(whole)
      stored.push({
        type: event.type,
        schema,
        payload,
        ...(event.occurredAt === undefined ? {} : { occurredAt: event.occurredAt }),
        ...(whole.cause === null ? {} : { cause: whole.cause })
      })
    }
    return { events, stored }
  }

  const carry = (command: AnyCommand): Outcome | "again" => {
    const { actor, commandId } = command
    const before = answered.get(command)
    if (before !== undefined) return before
    const twin = commandId === undefined ? undefined : inBatch.get(commandId)
    if (twin !== undefined) {
      return twin.request === command.request()
        ? Either.right(command.answer(twin.events, true))
        : Either.left(new CommandConflict({ stream: agent, commandId: commandId! }))
    }
    const decision = command.decide({
      db,
      now,
      version: version + 1,
      newId: randomId,
      decided,
      told: told.get(command),
      again
    })
    if (Either.isLeft(decision)) return decision
    if ("again" in decision.right) return "again"
    if ("answer" in decision.right) return Either.right(decision.right.answer)
    const lookup = command.vectors === undefined ? noVectors : lookupIn(command.vectors)
    const { events, stored } = place(command, decision.right.events, lookup)
    decided.push(...decision.right.events)
    const request = commandId === undefined ? undefined : command.request()
    if (commandId !== undefined) inBatch.set(commandId, { request: request!, events })
    fresh.push({ ...(commandId === undefined ? {} : { commandId, request: request! }), actor, events: stored })
    if (command.vectors !== undefined) vectors.push(...command.vectors)
    return Either.right(command.answer(events, false))
  }

  const configure = configuring === undefined ? undefined : configureCommand(db, configuring, commands[0]!.actor)
  const configured = configure === undefined ? [] : place(configure, [configure.event], noVectors).stored
  const outcomes: Array<Outcome> = []
  for (const command of commands) {
    const outcome = carry(command)
    if (outcome === "again") break
    outcomes.push(outcome)
  }
  if (fresh.length > 0 && configured.length > 0) fresh.unshift({ actor: commands[0]!.actor, events: configured })
  // The log is told when somebody is to look at this agent next: what is due is found without opening any.
  const due = decided.some(({ type }) => type === "SCHEDULE" || type === "RUN") ? firstDue(db) : undefined
  return { outcomes, fresh, vectors, decided, due }
}

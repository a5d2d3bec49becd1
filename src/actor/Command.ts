import * as Either from "effect/Either"
import type { DaybookEvent, Decision, EventType, Payload } from "../../events/catalogue.js"
import type { CachedVector, ReadAt } from "../../events/EventLog.js"
import { levels, type TrustLevel } from "../../events/Trust.js"
import type { Steps } from "../../events/turns.js"
import type { Db } from "../../projections/Projection.js"
import { findParkedProjections } from "../../projections/view/ViewFile.js"
import { type InvalidInput, ProjectionParked } from "../model/errors.js"
import { decodeKey } from "../model/input.js"
import type { Advice, WeighedStatement } from "./Advice.js"

/** An event that a decider returns. The log gives it its version and its recording time. */
export type DecidedEvent = {
  readonly [T in EventType]: {
    readonly type: T
    readonly payload: Payload<T>
    /** When it happened, milliseconds since the epoch; the recording time if absent. */
    readonly occurredAt?: number
    readonly cause?: string
  }
}[EventType]

/**
 * The input of a decision: the view after all earlier commands, a fixed time, and a source of ids instead of
 * randomness.
 */
export interface Situation {
  readonly db: Db
  /** The clock's reading, milliseconds since the epoch; if the clock is wrong, the newest event's time. */
  readonly now: number
  /** The version that the first event will get. */
  readonly version: number
  readonly newId: () => string
  /** The events of the earlier commands in the same transaction. */
  readonly decided: ReadonlyArray<DecidedEvent>
  /** The models' advice, for a command that weighs a statement. */
  readonly advice?: Advice | undefined
  /**
   * For a command with parts: the events of each part, in order; null for a refused part. Absent if the parts were not
   * due.
   */
  readonly parts?: ReadonlyArray<ReadonlyArray<DaybookEvent> | null>
  /**
   * Whether the command may wait for new advice. Retries are bounded, because other writers can keep changing the
   * candidates.
   */
  readonly mayRedecide: boolean
}

/**
 * A decision is one of three: events to store; the answer alone, if nothing changes; or `redecide`, if the advice is
 * stale and the command must be decided again with new advice.
 */
export type CommandDecision<A> =
  | { readonly events: readonly [DecidedEvent, ...ReadonlyArray<DecidedEvent>] }
  | { readonly answer: A }
  | { readonly redecide: true }

/**
 * The parts of a command. They are commands themselves, and are decided before the whole command, each on top of the
 * previous part.
 */
export interface CommandParts {
  readonly commands: ReadonlyArray<AnyCommand>
  /** Whether the parts still apply. Otherwise none is decided. */
  readonly areDue: (situation: Situation) => boolean
}

/**
 * A command changes an agent's memory. Each kind of command is a file in its feature's folder. `decide` loads what it
 * needs and passes it to a pure function. `answer` derives the answer from the events, so that a repeated command id
 * gets the first answer again, except the content that the caller may no longer read.
 */
export interface Command<A, E> {
  readonly actor: string
  readonly commandId?: string | undefined
  /**
   * The cause of the command's events: the run that the command belongs to, in the form of `runCause`. Undo can revert
   * a whole run.
   */
  readonly cause?: string | undefined
  /** The request as canonical text. It is compared when a command id is repeated, and computed only for commands with an id. */
  readonly request: () => string
  /** The text that will be embedded if the command adds a memory. */
  readonly text?: () => string
  readonly vectors?: ReadonlyArray<CachedVector>
  /** The statement to compare with stored memories. */
  readonly statement?: WeighedStatement
  /**
   * The newest event at the time when the text of the command was read from this agent's memory. If events were erased
   * after that, the command is refused with `ErasedMeanwhile`. Absent for text that came from the caller.
   */
  readonly readAt?: ReadAt | undefined
  /**
   * One append stores the events of all parts and of this command. If the parts made events, this command must make
   * events too.
   */
  readonly parts?: CommandParts
  readonly decide: (situation: Situation) => Either.Either<CommandDecision<A>, E>
  /** Decides like `decide`, but lets the event loop run in between. For a decision that may take long. */
  readonly decideInSteps?: (situation: Situation) => Steps<Either.Either<CommandDecision<A>, E>>
  /** `present` is the current state. It is passed only if the command id is repeated. */
  readonly answer: (
    events: ReadonlyArray<DaybookEvent>,
    repeated: boolean,
    present?: Pick<Situation, "db" | "now">
  ) => A
}

// biome-ignore lint/suspicious/noExplicitAny: a mailbox contains commands of every kind; each has its own answer type.
export type AnyCommand = Command<any, any>

// biome-ignore lint/suspicious/noExplicitAny: the answer or the refusal of a command of any kind.
export type Outcome = Either.Either<any, any>

/** The cause of events that belong to a run, such as an import or an undo. */
export const runCause = (run: string): string => `run:${run}`

/** The run that a cause names; undefined if it names none. */
export const runFromCause = (cause: string | null): string | undefined =>
  cause?.startsWith("run:") === true ? cause.slice("run:".length) : undefined

/** The cause of events that follow from another event of the same stream. */
export const eventCause = (version: number): string => `event:${version}`

/** A decision made by a rule. */
export const ruleDecision = (action: Decision["action"], name: string, reason: string): Decision => ({
  action,
  by: { kind: "rule", name },
  reason,
  candidates: []
})

/** A decision made by the caller. */
export const callerDecision = (action: Decision["action"], name: string, reason: string): Decision => ({
  action,
  by: { kind: "caller", name },
  reason,
  candidates: []
})

/** The defined fields, sorted by name, to compare two requests. */
export const definedFields = (fields: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))

/**
 * The command id as the log stores it. Below full trust it has the level as a prefix, so that no level learns which ids
 * a higher level uses.
 */
export const commandIdOf = (
  level: TrustLevel,
  commandId: string | undefined
): Either.Either<string | undefined, InvalidInput> =>
  commandId === undefined
    ? Either.right(undefined)
    : Either.map(decodeKey("commandId", commandId), (id) =>
        level === "full" && !levels.some((prefix) => id.startsWith(`${prefix}/`)) ? id : `${level}/${id}`
      )

/** Refuses a decision that needs a parked projection, because its tables miss all events since it was parked. */
export const requireUnparked = (db: Db, projection: string): Either.Either<void, ProjectionParked> => {
  const parked = findParkedProjections(db).find((entry) => entry.projection === projection)
  return parked === undefined ? Either.void : Either.left(new ProjectionParked({ projection, reason: parked.reason }))
}

/** Returns the version only at full trust, because versions count the writes of all levels. */
export const visibleVersion = (level: TrustLevel, version: number): { readonly version?: number } =>
  level === "full" ? { version } : {}

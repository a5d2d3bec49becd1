import * as Either from "effect/Either"
import type { DaybookEvent, Decision, EventType, Payload } from "../../events/catalogue.js"
import type { CachedVector } from "../../events/EventLog.js"
import { levels, type TrustLevel } from "../../events/Trust.js"
import type { Db } from "../../projections/Projection.js"
import { parkedOf } from "../../projections/view/ViewFile.js"
import { type InvalidInput, ProjectionParked } from "../model/errors.js"
import { decodeKey } from "../model/input.js"
import type { Told, Weighed } from "./Told.js"

/** An event that a decider asks for; the log gives it its place. */
export type DecidedEvent = {
  readonly [T in EventType]: {
    readonly type: T
    readonly payload: Payload<T>
    /** Milliseconds since the epoch; the recording time where absent. */
    readonly occurredAt?: number
    readonly cause?: string
  }
}[EventType]

/** What a command finds when its turn comes: the view on top of every command before it, and nothing that moves. */
export interface Situation {
  readonly db: Db
  /** The time that the events will be recorded at, milliseconds since the epoch. */
  readonly now: number
  /** The version that the first event will get. */
  readonly version: number
  readonly newId: () => string
  /** What the commands before it in the same transaction came to. */
  readonly decided: ReadonlyArray<DecidedEvent>
  /** What it was told before its turn, where it weighs something. */
  readonly told?: Told | undefined
  /** Whether it may be told anew: not for ever, should others keep changing what it is weighed against. */
  readonly again: boolean
}

/**
 * Events to store; or, where nothing is to change, the answer straight away; or
 * that what it was told no longer holds: it is to be told anew.
 */
export type Decided<A> =
  | { readonly events: readonly [DecidedEvent, ...ReadonlyArray<DecidedEvent>] }
  | { readonly answer: A }
  | { readonly again: true }

/**
 * Something that changes an agent's memory: a new one is a file in this
 * folder. `decide` loads what it needs and hands it to a pure function;
 * `answer` tells the caller what happened from the events alone, so that a
 * repeated command id is answered as the first time.
 */
export interface Command<A, E> {
  readonly actor: string
  readonly commandId?: string | undefined
  /** The run that it is a part of, as `runCause` names it: what is done by one run can be undone as one. */
  readonly cause?: string | undefined
  /** What is asked, as canonical text: two requests under one command id are told apart by it. Asked for only then. */
  readonly request: () => string
  /** The text that will be embedded where it adds a memory. */
  readonly text?: () => string
  readonly vectors?: ReadonlyArray<CachedVector>
  /** What is weighed against what is there already, where it is. */
  readonly weighs?: Weighed
  readonly decide: (situation: Situation) => Either.Either<Decided<A>, E>
  readonly answer: (events: ReadonlyArray<DaybookEvent>, repeated: boolean) => A
}

// biome-ignore lint/suspicious/noExplicitAny: a mailbox holds commands of every kind; each answers to its own caller.
export type AnyCommand = Command<any, any>

/** The cause of events that belong to a run: an import, an undoing. */
export const runCause = (run: string): string => `run:${run}`

/** The run that a cause names; undefined where it names none. */
export const runOf = (cause: string | null): string | undefined =>
  cause?.startsWith("run:") === true ? cause.slice("run:".length) : undefined

/** The cause of events that follow from another one of the same stream. */
export const eventCause = (version: number): string => `event:${version}`

/** A decision that needed nobody's judgement. */
export const ruled = (action: Decision["action"], name: string, reason: string): Decision => ({
  action,
  by: { kind: "rule", name },
  reason,
  candidates: []
})

/** A decision that the caller took. */
export const asked = (action: Decision["action"], name: string, reason: string): Decision => ({
  action,
  by: { kind: "caller", name },
  reason,
  candidates: []
})

/** The fields that are given, by name: what makes two requests the same. */
export const given = (fields: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))

/**
 * The command id as the log keeps it. Below full trust it belongs to its level:
 * that an id is taken by somebody above is not for a level to know.
 */
export const commandIdOf = (
  level: TrustLevel,
  commandId: string | undefined
): Either.Either<string | undefined, InvalidInput> =>
  commandId === undefined
    ? Either.right(undefined)
    : Either.map(decodeKey("commandId", commandId), (id) =>
        level === "full" && !levels.some((one) => id.startsWith(`${one}/`)) ? id : `${level}/${id}`
      )

/** Refuses to decide on the tables of a projection that has stopped: it has not seen what was written since. */
export const whileSound = (db: Db, projection: string): Either.Either<void, ProjectionParked> => {
  const parked = parkedOf(db).find((one) => one.projection === projection)
  return parked === undefined ? Either.void : Either.left(new ProjectionParked({ projection, reason: parked.reason }))
}

/** Versions count what everybody wrote: only full trust is told. */
export const versionAt = (level: TrustLevel, version: number): { readonly version?: number } =>
  level === "full" ? { version } : {}

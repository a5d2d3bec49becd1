import { isDeepStrictEqual } from "node:util"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Codec } from "../../events/Codec.js"
import { afterImages, catalogue, type DaybookEvent, type EventType } from "../../events/catalogue.js"
import type { EventLog } from "../../events/EventLog.js"
import type { Memory } from "../../events/Memory.js"
import { levelOf, minOpennessOf, type Store } from "../../events/Trust.js"
import { yieldIfDue } from "../../events/turns.js"
import { findFileRow } from "../../projections/files.js"
import { findRow, findRowNumberById, rowMatchesMemory, rowMatchesPayload } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { findSchedule } from "../../projections/scheduleReads.js"
import { findLastTurn, findSessionRows, findTurnAt } from "../../projections/sessionReads.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import { findParkedProjections } from "../../projections/view/ViewFile.js"
import { splitArray } from "../model/chunksOf.js"
import { type Base, type LogEvent, type StateType, stateBase } from "./stateBase.js"

/** A view has rows that do not match the log. The view is rebuilt, and the commands are decided again. */
export class ViewDiffers extends Data.TaggedError("ViewDiffers")<{ readonly agent: string }> {}

/**
 * The view rows that a batch of commands reads to make its events. Events copy values from these rows, so the values of
 * an edited row would get into the log.
 */
export interface BaseRows {
  /** Records the rows that an event changes. Call it before the event is applied to the view. */
  readonly note: (event: DaybookEvent) => void
  readonly isEmpty: () => boolean
  /** Fails with `ViewDiffers` if these rows do not match the log's newest events. */
  readonly check: Effect.Effect<void, ViewDiffers | ViewError>
}

interface BaseRowsOptions {
  readonly db: Db
  readonly agent: string
  readonly projections: ReadonlySet<string>
  /**
   * Keys of rows that need no check, because no other process has changed the view since these rows were checked or
   * written.
   */
  readonly verified: Set<RowKey>
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
}

/** The row number of a memory, or a name for rows of another kind. */
type RowKey = number | string

/** Rows that are compared with the log at a time. The event loop runs in between. */
const basesPerRead = 500

/** Maximum keys in `verified`, about 60 bytes each. */
const maxVerified = 20_000

// Longer than 80 lines: its functions share the rows that were read.
export const make = ({ agent, codec, db, log, projections, verified }: BaseRowsOptions): BaseRows => {
  if (verified.size > maxVerified) verified.clear()
  const bases = new Map<RowKey, Base>()
  /** The row numbers that the batch itself adds. The log does not contain their events yet. */
  const added = new Set<number>()
  const add = (key: RowKey, projection: string, read: () => Omit<Base, "projection"> | undefined) => {
    if (verified.has(key) || bases.has(key) || !projections.has(projection)) return
    const base = read()
    if (base !== undefined) bases.set(key, { projection, ...base })
  }
  const addMemory = (born: number) => {
    if (!added.has(born)) add(born, "observations", () => memoryBase(db, born))
  }
  const addSession = (session: string, store: Store) =>
    add(`session ${store} ${session}`, "conversation", () => sessionBase(db, session, store, added))
  const addState = (type: StateType, session: string, store: Store) =>
    add(`${type} ${store} ${session}`, type === "SUMMARIZE" ? "summaries" : "scratchpads", () =>
      stateBase(db, { type, session, store }, added)
    )
  const addFile = (born: number) => {
    if (!added.has(born)) add(`file ${born}`, "conversation", () => fileBase(db, born))
  }
  const addTurn = (born: number) => {
    if (!added.has(born)) add(`text of turn ${born}`, "conversation", () => turnBase(db, born))
  }
  const addSchedule = (id: string, base: () => Omit<Base, "projection">) => add(`schedule ${id}`, "schedules", base)

  return {
    note: (event) => {
      added.add(event.version)
      switch (event.type) {
        case "TURN": {
          const { session, store } = event.payload.turn
          return add(`turn ${store} ${session}`, "conversation", () => lastTurnBase(db, session, store, added))
        }
        case "FILE":
          return event.payload.replaces === undefined ? undefined : addFile(event.payload.replaces)
        case "FORGET": {
          for (const store of event.payload.stores) {
            if (event.payload.session !== undefined) addSession(event.payload.session, store)
          }
          for (const store of event.payload.scratchpads === undefined ? [] : event.payload.stores) {
            addState("SCRATCHPAD", event.payload.session!, store)
          }
          return event.payload.files.forEach(addFile)
        }
        case "SUMMARIZE": {
          const { session, store } = event.payload
          addSession(session, store)
          return addState("SUMMARIZE", session, store)
        }
        case "EXTRACT":
          for (const { turns } of event.payload.captured) for (const born of turns) addTurn(born)
          return
        case "SCRATCHPAD":
          return addState("SCRATCHPAD", event.payload.session, event.payload.store)
        case "SCHEDULE": {
          const { change, schedule } = event.payload
          return addSchedule(schedule, () => (change === "created" ? newBase : scheduleBase(db, schedule)))
        }
        case "RUN": {
          const { kind, name } = event.payload
          return kind === "schedule" ? addSchedule(name, () => scheduleBase(db, name)) : undefined
        }
        case "EMBED":
          for (const { born } of event.payload.entries) addMemory(born)
          return
        default: {
          for (const image of afterImages(event)) {
            if (image === addedBy(event)) verified.add(image.born)
            else addMemory(image.born)
          }
          for (const id of candidatesOf(event)) {
            // If the id has no row, the id or the row was forged.
            const born = projections.has("observations") ? findRowNumberById(db, id) : 0
            if (born === undefined) add(`candidate ${id}`, "observations", () => unknownBase)
            else addMemory(born)
          }
        }
      }
    },
    isEmpty: () => bases.size === 0,
    check: Effect.suspend(() => check({ agent, codec, db, log, verified }, bases))
  }
}

const check = Effect.fnUntraced(function* (
  { agent, codec, db, log, verified }: Omit<BaseRowsOptions, "projections">,
  bases: ReadonlyMap<RowKey, Base>
) {
  for (const page of splitArray([...bases.values()], basesPerRead)) {
    const rows = yield* log.newest(
      agent,
      page.flatMap(({ subjects }) => subjects)
    )
    let first = 0
    for (const { equals, follows, projection, subjects } of page) {
      const own = rows.slice(first, first + subjects.length)
      first += subjects.length
      // The content of an erased event is unknown.
      if (own.some((row) => row?.payload === null) || equals?.(own)) continue
      const events: Array<LogEvent> = []
      for (const row of own) events.push(row === undefined ? undefined : yield* codec.decode(row))
      if (follows(events)) continue
      // A parked projection lags behind its events. While it is parked, only memories may change.
      if (projection !== "observations" && findParkedProjections(db).some((parked) => parked.projection === projection))
        continue
      return yield* new ViewDiffers({ agent })
    }
    yield* yieldIfDue
  }
  for (const key of bases.keys()) verified.add(key)
})

/** The memories that a reconciler compared. The event contains their ids and revisions. */
const candidatesOf = ({ payload }: DaybookEvent): ReadonlyArray<string> =>
  payload !== null && "decision" in payload && payload.decision.threshold !== undefined
    ? payload.decision.candidates.map(({ id }) => id)
    : []

/** A subject that the batch adds itself. */
const newBase: Omit<Base, "projection"> = { subjects: [], follows: () => true }
const unknownBase: Omit<Base, "projection"> = { subjects: [], follows: () => false }

/** The stored form of the memory that an event adds; undefined if the event adds none. */
const addedBy = ({ payload, type, version }: DaybookEvent): Memory | undefined => {
  const image =
    type === "DELETE" ? payload.replacement : type === "ADD" || type === "COMPRESS" ? payload.memory : undefined
  return image?.born === version ? image : undefined
}

const memoryBase = (db: Db, born: number): Omit<Base, "projection"> => {
  const row = findRow(db, born)
  return {
    subjects: [{ kind: "row", subject: born }],
    follows: ([event]) => {
      const memory = event && afterImages(event as DaybookEvent).find((image) => image.born === born)
      return memory !== undefined && rowMatchesMemory(row, memory, event!.version)
    },
    equals: ([event]) =>
      event?.schema === catalogue[event?.type as EventType]?.version &&
      rowMatchesPayload(row, event!.payload!, event!.version)
  }
}

const fileBase = (db: Db, born: number): Omit<Base, "projection"> => {
  const row = findFileRow(db, born)
  return {
    subjects: [{ kind: "row", subject: born }],
    follows: ([event]) => {
      if (event?.type !== "FILE" || event.payload === null) return false
      const { digest, id, path, session = null, store } = event.payload.file
      const level = minOpennessOf(levelOf(event.payload.file))
      return isDeepStrictEqual(row, { digest, id, level, path, session, store })
    }
  }
}

/** The text of a turn. Memories are extracted from it. */
const turnBase = (db: Db, born: number): Omit<Base, "projection"> => {
  const turn = findTurnAt(db, born)
  return {
    subjects: [{ kind: "row", subject: born }],
    follows: ([event]) => event?.type === "TURN" && isDeepStrictEqual(event.payload?.turn, turn)
  }
}

/** The newest turn of a session. It determines the number of the next turn. */
const lastTurnBase = (
  db: Db,
  session: string,
  store: Store,
  added: ReadonlySet<number>
): Omit<Base, "projection"> | undefined => {
  const row = findLastTurn(db, session, store)
  if (row === undefined || added.has(row.born)) return undefined
  return {
    subjects: [{ kind: "row", subject: row.born }],
    follows: ([event]) => {
      const turn = event?.type === "TURN" ? event.payload?.turn : undefined
      return turn?.session === session && turn.store === store && turn.sequence === row.sequence
    }
  }
}

/** All turns of a session, and the session's totals. */
const sessionBase = (db: Db, session: string, store: Store, added: ReadonlySet<number>): Omit<Base, "projection"> => {
  const { totals, turns: all } = findSessionRows(db, session, store)
  const turns = all.filter(({ born }) => !added.has(born))
  return {
    subjects: turns.map(({ born }) => ({ kind: "row", subject: born })),
    follows: (events) => {
      const stored = events.flatMap((event) => (event?.type === "TURN" && event.payload ? [event.payload.turn] : []))
      return (
        stored.length === turns.length &&
        stored.every((turn, index) => {
          const { id, occurredAt, sequence } = turn
          const { born, ...row } = turns[index]!
          const same = turn.session === session && turn.store === store
          return same && isDeepStrictEqual(row, { id, sequence, occurredAt, turn })
        }) &&
        (turns.length < all.length ||
          (totals === undefined
            ? stored.length === 0
            : isDeepStrictEqual(totals, {
                turns: stored.length,
                tokens: stored.reduce((sum, { tokens }) => sum + tokens, 0),
                sequence: stored.at(-1)?.sequence,
                startedAt: stored[0]?.occurredAt,
                lastAt: Math.max(...stored.map(({ occurredAt }) => occurredAt)),
                lastBorn: turns.at(-1)?.born
              })))
      )
    }
  }
}

const scheduleBase = (db: Db, id: string): Omit<Base, "projection"> => {
  const row = findSchedule(db, id)
  return {
    subjects: (["schedule", "definition", "run"] as const).map((kind) => ({ kind, subject: id })),
    follows: ([changed, defined, run]) => {
      if (changed?.type !== "SCHEDULE" || changed.payload?.state === undefined) return row === undefined
      const definition = defined?.type === "SCHEDULE" ? defined.payload?.definition : undefined
      const last = run?.type === "RUN" ? run.payload : undefined
      return (
        row !== undefined &&
        isDeepStrictEqual([row.definition, row.state], [definition, changed.payload.state]) &&
        row.run === (last?.phase === "started" ? last.run : null) &&
        row.occurrence === (last?.occurrence ?? null) &&
        row.attempt === (last === undefined || last === null ? 0 : (last.attempt ?? 1))
      )
    }
  }
}

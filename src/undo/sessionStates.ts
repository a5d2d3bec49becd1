import type { DaybookEvent } from "../../events/catalogue.js"
import type { RollingSummary } from "../../events/RollingSummary.js"
import type { Scratchpad } from "../../events/Scratchpad.js"
import type { SessionSummary } from "../../events/SessionSummary.js"
import type { Store } from "../../events/Trust.js"
import type { Db } from "../../projections/Projection.js"
import { findRollingSummary, hasAllSourceTurns } from "../../projections/rollingSummaries.js"
import { findScratchpad } from "../../projections/scratchpads.js"
import { findSummary, hasAllSources } from "../../projections/summaries.js"
import { callerDecision, type DecidedEvent } from "../actor/Command.js"
import type { Conflict } from "./plan.js"

/** The value of a session's state: a summary, a rolling summary or a scratchpad. */
type Value = SessionSummary | RollingSummary | Scratchpad

/** The kinds of state that a session has in a store. Each event of such a type replaces the whole state. */
const kinds = {
  SUMMARIZE: {
    noun: "summary",
    findCurrent: (db: Db, session: string, store: Store): Current | undefined => {
      const row = findSummary(db, session, store)
      return row && { ...row, value: row.summary }
    },
    /** A summary of a forgotten session is not restored. */
    mayRestore: (db: Db, _: Place, value: Value | null): boolean =>
      value === null || hasAllSources(db, value as SessionSummary)
  },
  ROLL: {
    noun: "rolling summary",
    findCurrent: (db: Db, session: string, store: Store): Current | undefined => {
      const row = findRollingSummary(db, session, store)
      return row && { ...row, value: row.state }
    },
    mayRestore: (db: Db, _: Place, value: Value | null): boolean =>
      value === null || hasAllSourceTurns(db, value as RollingSummary)
  },
  SCRATCHPAD: {
    noun: "scratchpad",
    findCurrent: (db: Db, session: string, store: Store): Current | undefined => {
      const row = findScratchpad(db, session, store)
      return row && { ...row, value: row.scratchpad }
    },
    /** A cleared scratchpad keeps its row; the scratchpad of a forgotten session has no row. */
    mayRestore: (db: Db, { session, store }: Place): boolean => findScratchpad(db, session, store) !== undefined
  }
}

type StateType = keyof typeof kinds

/** An event that replaced a state of a session. */
export type StateEvent = Extract<DaybookEvent, { type: StateType }>

export const isStateEvent = (event: DaybookEvent): event is StateEvent => Object.hasOwn(kinds, event.type)

interface Place {
  readonly session: string
  readonly store: Store
}

interface Current {
  readonly version: number
  /** The version that first stored this value. */
  readonly origin: number
  readonly value: Value | null
}

/** The result of an undo for one state of a session in a store. */
export interface StatePlan extends Place {
  readonly type: StateType
  readonly title: string
  readonly value: Value | null
  readonly was?: Value
  readonly restores?: number
  /** The version of the present state. */
  readonly replaces: number | undefined
  /** The versions that the plan undoes, newest first; empty for a conflict. */
  readonly undoes: ReadonlyArray<number>
  readonly conflict: Conflict | undefined
}

/**
 * Plans the undo of session states. Each state returns to its value before the chosen events. A state that was
 * rewritten after these events stays, and is reported as a conflict.
 */
export const planStates = (db: Db, chosen: ReadonlyArray<StateEvent>, force: boolean): ReadonlyArray<StatePlan> => {
  const groups = Map.groupBy(chosen, ({ payload: { session, store }, type }) => JSON.stringify([type, session, store]))
  return [...groups.values()].flatMap((writes) => planState(db, writes, force) ?? [])
}

/** Plans one state from the chosen events that wrote it, oldest first. */
const planState = (db: Db, writes: ReadonlyArray<StateEvent>, force: boolean): StatePlan | undefined => {
  const [first, last] = [writes[0]!, writes.at(-1)!]
  const { type } = first
  const { session, store } = first.payload
  const { findCurrent, mayRestore, noun } = kinds[type]
  const current = findCurrent(db, session, store)
  // Without a present state, only the event that removed it can be undone.
  if (current === undefined && stateOf(last) !== null) return undefined
  const byVersion = new Map(writes.map((event) => [event.version, event.payload]))
  const undoes: Array<number> = []
  let value = current?.value ?? null
  let version = current === undefined ? last.version : byVersion.has(current.version) ? current.version : current.origin
  for (let write = byVersion.get(version); write !== undefined; write = byVersion.get(version)) {
    undoes.push(version)
    value = write.was ?? null
    if (write.replaces === undefined) break
    version = write.replaces
  }
  const conflict =
    undoes.length > 0 || force ? undefined : { version: first.version, memory: session, fields: [noun], by: [version] }
  if (undoes.length === 0 && force) {
    undoes.push(...writes.map((event) => event.version).reverse())
    value = first.payload.was ?? null
    version = first.payload.replaces ?? 0
  }
  if (!mayRestore(db, { session, store }, value)) return undefined
  return {
    ...{ type, session, store, value, undoes, conflict },
    title: `${noun} of session ${session}`,
    replaces: current?.version,
    ...(current?.value == null ? {} : { was: current.value }),
    ...(conflict !== undefined || value === null ? {} : { restores: version })
  }
}

const stateOf = ({ payload }: StateEvent): Value | null =>
  "summary" in payload ? payload.summary : "state" in payload ? payload.state : payload.scratchpad

/** Returns true if a state changed after its undo was planned. */
export const hasStateChanged = (db: Db, { replaces, session, store, type }: StatePlan): boolean =>
  kinds[type].findCurrent(db, session, store)?.version !== replaces

/** Makes the event that a plan writes. */
export const stateEvent = ({
  replaces,
  restores,
  session,
  store,
  type,
  undoes,
  value,
  was
}: StatePlan): DecidedEvent => {
  const common = {
    ...{ session, store, undoes },
    ...(replaces === undefined ? {} : { replaces }),
    ...(restores === undefined ? {} : { restores })
  }
  if (type === "SCRATCHPAD") {
    return {
      type,
      payload: { ...common, scratchpad: value as Scratchpad | null, ...(was && { was: was as Scratchpad }) }
    }
  }
  const reason = undoes.length === 1 ? `takes back version ${undoes[0]}` : `takes back ${undoes.length} versions`
  const decision = callerDecision("SUMMARIZE", "undo", reason)
  if (type === "ROLL") {
    const state = value as RollingSummary | null
    return { type, payload: { ...common, state, ...(was && { was: was as RollingSummary }), decision } }
  }
  const summary = value as SessionSummary | null
  return { type, payload: { ...common, summary, ...(was && { was: was as SessionSummary }), decision } }
}

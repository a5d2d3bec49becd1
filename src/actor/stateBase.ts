import { isDeepStrictEqual } from "node:util"
import type { ReplayedEvent } from "../../events/Chain.js"
import type { DaybookEvent, ErasedEvent } from "../../events/catalogue.js"
import type { Subject } from "../../events/EventLog.js"
import type { Store } from "../../events/Trust.js"
import type { Db } from "../../projections/Projection.js"
import { findScratchpad } from "../../projections/scratchpads.js"
import { findSummary } from "../../projections/summaries.js"

export type LogEvent = DaybookEvent | ErasedEvent | undefined

/**
 * Rows that belong together, the subjects whose newest events determine them, and a check that the rows match these
 * events.
 */
export interface Base {
  readonly projection: string
  readonly subjects: ReadonlyArray<Subject>
  readonly follows: (events: ReadonlyArray<LogEvent>) => boolean
  /** Returns true if the undecoded events already prove that the rows match; false if that is not certain. */
  readonly equals?: (events: ReadonlyArray<ReplayedEvent | undefined>) => boolean
}

export type StateType = "SUMMARIZE" | "SCRATCHPAD"

/** The base of a session's summary or scratchpad in one store. Each event replaces the whole state. */
export const stateBase = (
  db: Db,
  { session, store, type }: { readonly type: StateType; readonly session: string; readonly store: Store },
  added: ReadonlySet<number>
): Omit<Base, "projection"> | undefined => {
  const row = type === "SUMMARIZE" ? findSummary(db, session, store) : findScratchpad(db, session, store)
  if (row === undefined || added.has(row.version)) return undefined
  const value = "summary" in row ? row.summary : row.scratchpad
  return {
    subjects: [{ kind: "row", subject: row.version }],
    follows: ([event]) => {
      if ((event?.type !== "SUMMARIZE" && event?.type !== "SCRATCHPAD") || event.payload === null) return false
      const { payload } = event
      const place = payload.session === session && payload.store === store
      const stored = "summary" in payload ? payload.summary : payload.scratchpad
      return place && isDeepStrictEqual(value, stored) && row.origin === (payload.restores ?? event.version)
    }
  }
}

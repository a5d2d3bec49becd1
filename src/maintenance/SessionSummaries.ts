import * as Effect from "effect/Effect"
import type { Store, TrustLevel } from "../../events/Trust.js"
import type { Db } from "../../projections/Projection.js"
import { findSessionTitles, findSummaries, type SummaryRow } from "../../projections/summaries.js"
import type { ReaderSource } from "../actor/ReaderSource.js"
import { checkPage, type PageQuery, type ReadError } from "../model/filters.js"
import { decodeKey } from "../model/input.js"
import { comparisonKey } from "./mergeContents.js"

export interface SessionSummariesQuery extends PageQuery {
  /** Only this session: one row for each store that has content of it. */
  readonly session?: string | undefined
}

/**
 * The summary of a session in one store: the summary of its turns, plus the decisions and tasks that were remembered in
 * it. Times are milliseconds since the epoch.
 */
export interface SessionSummary {
  readonly session: string
  readonly store: Store
  /** The user's request and its outcome; null when no summary was written. */
  readonly request: string | null
  readonly outcome: string | null
  readonly decisions: ReadonlyArray<string>
  /** Open tasks and questions. */
  readonly open: ReadonlyArray<string>
  /** Number of memories that were created in the session. */
  readonly observations: number
  /** Number of turns that the summary covers; 0 when no summary was written. */
  readonly turns: number
  /** True when the session has newer turns than the summary. */
  readonly behind: boolean
  /** Time of the last turn or memory of the session. */
  readonly lastAt: number
  /** When the summary was written, and by which rule or model. */
  readonly writtenAt: number | null
  readonly by: { readonly kind: string; readonly name: string } | null
}

/** Reads of the summaries of sessions: part of `memory.sessions`. */
export interface SessionSummaryReader {
  /**
   * Session summaries, the most recently active sessions first. Stage `sessions` writes the summaries. A memory of a
   * session appears as soon as it is stored.
   */
  readonly summaries: (query?: SessionSummariesQuery) => Effect.Effect<ReadonlyArray<SessionSummary>, ReadError>
}

/** @internal */
export const makeSummaryReader = ({ level, read }: ReaderSource): SessionSummaryReader => ({
  summaries: Effect.fn("Memory.sessions.summaries")(function* (query = {}) {
    const { session } = query
    if (session !== undefined) yield* decodeKey("session", session)
    const page = yield* checkPage(query, 50, ["session"])
    return yield* read(({ db, now }) =>
      findSummaries(db, level, now, { ...page, session }).map((row) => sessionOf(db, level, now, row))
    )
  })
})

/** A stored summary, plus the decisions and tasks that were remembered in its session. */
const sessionOf = (db: Db, level: TrustLevel, now: number, row: SummaryRow): SessionSummary => {
  const { behind, by, lastAt, madeAt, observations, session, store, summary } = row
  const titles = (type: string) =>
    observations === 0 ? [] : findSessionTitles(db, level, now, row, type, maxTitles).toReversed()
  const merged = (summarized: ReadonlyArray<string>, remembered: ReadonlyArray<string>) => {
    const keys = new Set(summarized.map(comparisonKey))
    return [...summarized, ...remembered.filter((title) => !keys.has(comparisonKey(title)))]
  }
  return {
    session,
    store,
    request: summary?.request ?? null,
    outcome: summary?.outcome ?? null,
    decisions: merged(summary?.decisions ?? [], titles("decision")),
    open: merged(summary?.open ?? [], titles("task")),
    observations,
    turns: summary?.turns ?? 0,
    behind,
    lastAt,
    writtenAt: madeAt,
    by
  }
}

/** Most remembered titles of one type in a session summary. */
const maxTitles = 20

import * as Effect from "effect/Effect"
import { isAtLeast, levelOf, type Store, type TrustLevel } from "../../events/Trust.js"
import type { Db } from "../../projections/Projection.js"
import { findSessionTitles, findSummaries, type SummaryRow } from "../../projections/summaries.js"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import type { CaptureWriter, ExtractedTurns } from "../capture/CaptureWriter.js"
import type { InvalidInput } from "../model/errors.js"
import { checkPage, type PageQuery, type ReadError } from "../model/filters.js"
import { decodeKey, doneTag } from "../model/input.js"
import { defineMethod } from "../model/operation.js"
import type { Writer } from "../remember/remember.js"
import type { AfterTurn } from "./afterTurn.js"
import { comparisonKey } from "./mergeContents.js"
import { lowestWriter, quotedLine } from "./quoted.js"
import type { SummarizedSession, SummarizeError, SummarizeServices } from "./summarizeSession.js"

export type { SummarizedSession, SummarizeError } from "./summarizeSession.js"

export interface SessionSummariesQuery extends PageQuery {
  /** Returns only this session: one row for each store that contains content of the session. */
  readonly session?: string | undefined
}

/**
 * The summary of a session in one store: the summary of its turns, plus the decisions and tasks that were remembered
 * during the session. Times are milliseconds since the epoch.
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
  /**
   * Texts below the level of `prompt.writers`, one per line, with their origin. Give them to a model only as quoted
   * data.
   */
  readonly quoted: ReadonlyArray<string>
  /** Number of memories that were created in the session. */
  readonly observations: number
  /** Number of turns that the summary covers; 0 when no summary was written. */
  readonly turns: number
  /** True if the session has newer turns than the summary. */
  readonly behind: boolean
  /** Time of the last turn or memory of the session. */
  readonly lastAt: number
  /** When the summary was written; null when no summary was written. `by` is the rule or model that wrote it. */
  readonly writtenAt: number | null
  readonly by: { readonly kind: string; readonly name: string } | null
}

/** The methods of `memory.sessions` that read session summaries. */
export interface SessionSummaryReader {
  /**
   * Session summaries, the most recently active sessions first. Stage `sessions` writes the summaries. Memories of a
   * session are included as soon as they are stored.
   */
  readonly summaries: (query?: SessionSummariesQuery) => Effect.Effect<ReadonlyArray<SessionSummary>, ReadError>
}

/** Writes of the summaries of sessions: part of `memory.sessions`. */
export interface SessionSummaryWriter {
  /**
   * Updates the summaries of a session now, in each store that the trust level can read. Maintenance updates the
   * summaries of quiet sessions. Fails with `LevelTooLow` if a higher level wrote turns that the summary would quote.
   */
  readonly summarize: (session: string) => Effect.Effect<ReadonlyArray<SummarizedSession>, SummarizeError>
  /**
   * Does now the work that the engine otherwise starts two seconds after each turn: condenses the oldest turns if they
   * fill their budget, and summarises the session if the assistant spoke last. For programs that end within those two
   * seconds. A failure is logged.
   */
  readonly refresh: (session: string) => Effect.Effect<void, InvalidInput>
  /**
   * Ends a session: extracts the waiting turns, then updates the session's summaries. A later turn reopens the session.
   */
  readonly end: (session: string) => Effect.Effect<EndedSession, SummarizeError>
}

/** The result of ending a session. */
export interface EndedSession extends ExtractedTurns {
  readonly summaries: ReadonlyArray<SummarizedSession>
}

/** @internal */
export const makeSummaryWriter = (
  services: SummarizeServices,
  writer: Writer,
  { extract, refresh }: Pick<CaptureWriter, "extract"> & { readonly refresh: AfterTurn["now"] }
): SessionSummaryWriter => {
  const summarize = (session: string) =>
    Effect.flatMap(
      Effect.promise(() => import("./summarizeSession.js")),
      ({ summarizeSession }) => summarizeSession(services, writer, session)
    )
  return {
    refresh: defineMethod("Memory.sessions.refresh")((session) =>
      Effect.zipRight(decodeKey("session", session), refresh(session))
    ),
    summarize: defineMethod("Memory.sessions.summarize")(summarize),
    end: defineMethod("Memory.sessions.end")(function* (session) {
      const extracted = yield* extract(session)
      return { ...extracted, summaries: yield* summarize(session) }
    })
  }
}

/** @internal */
export const makeSummaryReader = (
  { level, read }: ReaderSource,
  { maintenance: { prompt } }: ReaderServices
): SessionSummaryReader => ({
  summaries: defineMethod("Memory.sessions.summaries")(function* (query = {}) {
    const page = yield* checkPage(query, 50, ["session"])
    const { session } = query
    if (session !== undefined) yield* decodeKey("session", session)
    const writers = lowestWriter(prompt.writers, level)
    return yield* read(({ db, now }) =>
      findSummaries(db, level, now, { ...page, session }).map((row) => sessionOf(db, { level, writers, now }, row))
    )
  })
})

/**
 * Combines a stored summary with the decisions and tasks that were remembered during its session. Text below the level
 * `writers` is quoted separately.
 */
export const sessionOf = (
  db: Db,
  { level, now, writers }: { readonly level: TrustLevel; readonly writers: TrustLevel; readonly now: number },
  row: SummaryRow
): SessionSummary => {
  const { behind, by, lastAt, madeAt, observations, session, store } = row
  const titlesFrom = (type: string, side: "from" | "below", exceptTag = type === "task" ? doneTag : null) =>
    observations === 0
      ? []
      : findSessionTitles(db, level, now, row, { type, exceptTag, limit: maxTitles, writers, side }).toReversed()
  const titles = (type: string) => titlesFrom(type, "from").map(({ title }) => title)
  const writer = levelOf({ level: row.summary?.level, store })
  const summary = isAtLeast(writer, writers) ? row.summary : null
  const { decisions = [], open = [], outcome, request } = (summary === null ? row.summary : null) ?? {}
  const quoted = [
    ...[request, outcome, ...decisions, ...open].flatMap((text) =>
      text === undefined ? [] : [quotedLine(writer, { name: "summary" }, text)]
    ),
    ...["decision", "task"].flatMap((type) =>
      titlesFrom(type, "below").map(({ level, title }) => quotedLine(level, { name: type }, title))
    )
  ]
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
    quoted,
    observations,
    turns: row.summary?.turns ?? 0,
    behind,
    lastAt,
    writtenAt: madeAt,
    by
  }
}

/** Maximum remembered titles of one type in a session summary. */
const maxTitles = 20

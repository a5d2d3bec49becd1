import * as Effect from "effect/Effect"
import type { TrustLevel } from "../../events/Trust.js"
import { type ArchiveCursor, type ArchiveEntry, findArchived } from "../../projections/archive.js"
import type { Db } from "../../projections/Projection.js"
import { findRun, findRuns } from "../../projections/runs.js"
import { findSessionTitles, findSummaries, type SummaryRow } from "../../projections/summaries.js"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import { InvalidInput, RunNotFound, TrustRequired } from "../model/errors.js"
import { checkInteger, checkPage, optionalText, refuseUnknownOptions } from "../model/filters.js"
import { decodeKey } from "../model/input.js"
import { limits } from "../model/limits.js"
import { toWholeMemory } from "../model/wholeMemory.js"
import { yieldToEventLoop } from "../model/yieldToEventLoop.js"
import type {
  ArchiveReader,
  MaintenanceReader,
  ProfileReader,
  SessionSummary,
  SessionSummaryReader
} from "./contract.js"
import { comparisonKey } from "./mergeContents.js"
import { profileOf } from "./profile.js"
import { readTiers } from "./tiers.js"

/** Makes the read of the core block. */
export const makeProfile = (
  { level, read }: ReaderSource,
  { countTokens, judge, maintenance, settler }: ReaderServices
): ProfileReader => ({
  profile: Effect.fn("Memory.profile")(function* (query = {}) {
    yield* refuseUnknownOptions(query, ["tokens"])
    const { tokens } = query
    if (tokens !== undefined) yield* checkInteger("tokens", tokens, 1, Number.MAX_SAFE_INTEGER)
    return yield* read(({ db, now }) =>
      profileOf(db, level, maintenance, now, countTokens, { budget: tokens, judge, settler })
    )
  })
})

/** Makes the read of session summaries. */
export const makeSummaries = ({ level, read }: ReaderSource): SessionSummaryReader => ({
  summaries: Effect.fn("Memory.sessions.summaries")(function* (query = {}) {
    const { session } = query
    if (session !== undefined) yield* decodeKey("session", session)
    const page = yield* checkPage(query, 50, ["session"])
    return yield* read(({ db, now }) =>
      findSummaries(db, level, now, { ...page, session }).map((row) => sessionOf(db, level, now, row))
    )
  })
})

/** Makes the reads of `memory.maintenance`. Full trust only. */
export const makeMaintenance = ({ level, read }: ReaderSource, { maintenance }: ReaderServices): MaintenanceReader => {
  const requireFull = (operation: string) => (level === "full" ? Effect.void : new TrustRequired({ what: operation }))
  return {
    tiers: Effect.fn("Memory.maintenance.tiers")(function* (query = {}) {
      yield* refuseUnknownOptions(query, ["limit"])
      yield* requireFull("tiers")
      const limit = yield* checkInteger("limit", query.limit ?? 10, 0, limits.page)
      return yield* readTiers(read, maintenance, limit)
    }),

    list: Effect.fn("Memory.maintenance.list")(function* (query = {}) {
      yield* requireFull("runs")
      const page = yield* checkPage(query, 50)
      return yield* read(({ db }) => findRuns(db, page))
    }),

    get: Effect.fn("Memory.maintenance.get")(function* (run) {
      yield* requireFull("runs")
      yield* decodeKey("run", run)
      return (yield* read(({ db }) => findRun(db, run))) ?? (yield* new RunNotFound({ run }))
    })
  }
}

/** Makes the reads of `memory.archive`. */
export const makeArchive = ({ level, read }: ReaderSource): ArchiveReader => ({
  list: Effect.fn("Memory.archive.list")(function* (query = {}) {
    const page = yield* checkPage(query, 50, ["text"])
    const { text = "" } = yield* optionalText("text", query.text)
    const words = text.split(/\s+/u).filter((word) => word !== "")
    if (words.length > limits.queryTerms) {
      return yield* new InvalidInput({ field: "text", problem: `must have at most ${limits.queryTerms} words` })
    }
    const rows: Array<ArchiveEntry> = []
    let after: ArchiveCursor | undefined
    let skipped = 0
    do {
      const cursor: ArchiveCursor | undefined = after
      const missing = page.offset - skipped + page.limit - rows.length
      const maxRows = words.length === 0 ? Math.min(missing, maxArchiveRowsPerRead) : maxArchiveRowsPerRead
      const { entries, next } = yield* read(({ db }) => findArchived(db, level, words, { after: cursor, maxRows }))
      const skip = Math.min(page.offset - skipped, entries.length)
      skipped += skip
      rows.push(...entries.slice(skip, skip + page.limit - rows.length))
      after = next
      if (after !== undefined) yield* yieldToEventLoop
    } while (after !== undefined && rows.length < page.limit)
    return rows.map(({ memory, ...row }) => ({ ...toWholeMemory(memory), ...row }))
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
/** Archive rows that are read without a pause; takes about 2 ms. */
const maxArchiveRowsPerRead = 500

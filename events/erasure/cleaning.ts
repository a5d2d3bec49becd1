import * as Effect from "effect/Effect"
import type { Cleaning, Cleanings } from "../EventLog.js"
import { type StorageError, storageError } from "../errors.js"
import { busyTimeoutMillis, retryWhileBusy } from "../sqlite.js"
import { runSql } from "../sqlProcess.js"
import { type Db, sql } from "../statement.js"
import { inTurns, realPause } from "../turns.js"
import type { Uncleaned } from "./erasedValues.js"
import { appliedLine } from "./ledgerReference.js"
import { piecesOf } from "./pieces.js"
import { searchSlack } from "./slack.js"

interface Options {
  readonly writer: Db
  readonly uncleaned: Uncleaned
  readonly locked: <A>(work: () => A) => A
}

/** Streams whose views are not cleaned yet. The empty name stands for the pages of the log. */
export const streamsToClean = (db: Db): ReadonlyArray<string> =>
  sql(db, "SELECT stream FROM cleanings ORDER BY stream")
    .all()
    .map(({ stream }) => stream)
    .filter((stream) => typeof stream === "string")

/** See `EventLog.cleanings`. */
export const cleaningsIn = (db: Db): Cleanings =>
  db.transaction(() => ({
    streams: streamsToClean(db).filter((stream) => stream !== ""),
    line: appliedLine(db).line
  }))()

/** Removes erased text from the files of a log: see `EventLog.clean`. */
export const clean = Effect.fnUntraced(function* (
  options: Options,
  { line, streams }: Cleanings
): Effect.fn.Return<Cleaning | "changed", StorageError> {
  const { uncleaned, writer } = options
  if (streams.length > 0 && !(yield* setCleaned(options, streams, line))) return "changed"
  const open = yield* attempt(() => streamsToClean(writer))
  if (open.includes("")) {
    const answer = yield* cleanPages(options, line)
    if (answer !== "done") return answer
  } else {
    // Another process may have cleaned what this one erased.
    uncleaned.clear()
    if (streams.length > 0 && !(yield* emptyWal(writer))) return "waits"
  }
  return open.every((stream) => stream === "") ? "done" : "waits"
})

/** Makes sure that no page of the log, and no write-ahead log, has erased text. */
const cleanPages = Effect.fnUntraced(function* (
  options: Options,
  line: number
): Effect.fn.Return<Cleaning | "changed", StorageError> {
  const { uncleaned, writer } = options
  if (!(yield* emptyWal(writer))) return "waits"
  const proof = yield* prove(options, line)
  if (proof === "waits") return "waits"
  if (proof === "unknown") {
    if ((yield* attempt(() => appliedLine(writer))).line !== line) return "changed"
    if (!(yield* rewrite(writer))) return "waits"
  }
  if (!(yield* setCleaned(options, [""], line))) return "changed"
  uncleaned.clear()
  return (yield* emptyWal(writer)) ? "done" : "waits"
})

/** Returns false, and keeps the marks, if any process erased after a line of the ledger. */
const setCleaned = ({ locked, writer }: Options, streams: ReadonlyArray<string>, line: number) =>
  retryWhileBusy("log.db", () =>
    locked(() => {
      if (appliedLine(writer).line !== line) return false
      for (const stream of streams) sql(writer, "DELETE FROM cleanings WHERE stream = ?").run(stream)
      return true
    })
  )

/**
 * Whether no page has a copy of anything that was erased up to a line of the ledger. An erasure of a few memories usually
 * leaves none, and reading the file costs a fraction of rewriting it.
 */
const prove = ({ uncleaned, writer }: Options, line: number): Effect.Effect<"clean" | "unknown" | "waits"> =>
  Effect.gen(function* () {
    const erased = uncleaned.upTo(line)
    if (erased === undefined) return "unknown"
    const staying = yield* attempt(() =>
      sql(writer, selectStaying)
        .all()
        .map(({ text }) => String(text))
    )
    const pieces = yield* inTurns(piecesOf(erased.values, [...erased.streams, ...staying]), attempt)
    if (pieces === undefined) return "unknown"
    for (let tries = 0; tries < searchTries; tries++) {
      const found = yield* searchSlack(writer.name, pieces)
      if (found !== "written") return found === "clean" ? "clean" : "unknown"
      if (!(yield* emptyWal(writer))) return "waits"
    }
    return "unknown"
  }).pipe(Effect.orElseSucceed(() => "unknown" as const))

/** Texts that no erasure removes. A model that this overlooks only causes a rewrite. */
const selectStaying = `SELECT sql AS text FROM sqlite_schema WHERE sql IS NOT NULL
  UNION SELECT * FROM (SELECT model FROM embeddings ORDER BY rowid LIMIT 100)
  UNION SELECT * FROM (SELECT model FROM embeddings ORDER BY rowid DESC LIMIT 100)`

/** Other processes may write between the emptying of the write-ahead log and the search. */
const searchTries = 5

/**
 * Rewrites the file from its rows. Other processes wait meanwhile. False if one of them holds a lock too long.
 *
 * `secure_delete` zeroes the cells that SQLite frees, but not the copies of cells that it leaves in the gaps of a page
 * when it moves cells between pages. Such a copy may hold text that was erased later. After VACUUM a gap holds copies of
 * rows of that moment at most, and those rows have no erased text.
 */
const rewrite = Effect.fnUntraced(function* (writer: Db): Effect.fn.Return<boolean, StorageError> {
  const statements = ["PRAGMA busy_timeout = 5000", "PRAGMA secure_delete = ON", "VACUUM"]
  const answer = yield* runSql(writer, { statements })
  yield* attempt(() => writer.pragma(`busy_timeout = ${busyTimeoutMillis}`))
  if ("failedAt" in answer) {
    const error = storageError("log.db")(answer)
    return error.kind === "busy" ? false : yield* error
  }
  return yield* emptyWal(writer)
})

/**
 * Copies the write-ahead log into the database and cuts it to nothing. False while another process reads an older state.
 */
const emptyWal = Effect.fnUntraced(function* (writer: Db): Effect.fn.Return<boolean, StorageError> {
  for (let tries = 0; tries < checkpointTries; tries++) {
    const [{ busy }] = yield* attempt(() => writer.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }])
    if (busy === 0) return true
    yield* realPause(checkpointPauseMillis)
  }
  return false
})

const checkpointTries = 50
const checkpointPauseMillis = 10

const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: storageError("log.db") })

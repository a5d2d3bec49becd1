import * as Effect from "effect/Effect"
import type { Cleaning, Cleanings } from "../EventLog.js"
import { type StorageError, storageError } from "../errors.js"
import { busyTimeoutMillis, retryWhileBusy } from "../sqlite.js"
import { runSql } from "../sqlProcess.js"
import { type Db, sql } from "../statement.js"
import { runInTurns, sleepRealTime } from "../turns.js"
import type { UncleanedValues } from "./erasedValues.js"
import { appliedLine } from "./ledgerReference.js"
import { makePieceMatcher } from "./pieces.js"
import { searchUnusedSpace } from "./slack.js"

interface Options {
  readonly writer: Db
  readonly uncleaned: UncleanedValues
  readonly locked: <A>(work: () => A) => A
}

/** The streams whose views are not cleaned yet. An empty name stands for the pages of the log. */
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
    // Another process may have cleaned the pages from which this process erased values.
    uncleaned.clear()
    if (streams.length > 0 && !(yield* emptyWal(writer))) return "waits"
  }
  return open.every((stream) => stream === "") ? "done" : "waits"
})

/** Makes sure that neither the pages of the log nor its write-ahead log contain erased text. */
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

/**
 * Marks streams as cleaned. Returns false, and changes nothing, if a process erased more events after this line of the
 * ledger.
 */
const setCleaned = ({ locked, writer }: Options, streams: ReadonlyArray<string>, line: number) =>
  retryWhileBusy("log.db", () =>
    locked(() => {
      if (appliedLine(writer).line !== line) return false
      for (const stream of streams) sql(writer, "DELETE FROM cleanings WHERE stream = ?").run(stream)
      return true
    })
  )

/**
 * Tries to prove that no page contains a copy of a value erased up to a line of the ledger. An erasure of a few
 * memories usually leaves no copies, and reading the file costs a fraction of rewriting it.
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
    const pieces = yield* runInTurns(makePieceMatcher(erased.values, [...erased.streams, ...staying]), attempt)
    if (pieces === undefined) return "unknown"
    for (let tries = 0; tries < searchTries; tries++) {
      const found = yield* searchUnusedSpace(writer.name, pieces)
      if (found !== "written") return found === "clean" ? "clean" : "unknown"
      if (!(yield* emptyWal(writer))) return "waits"
    }
    return "unknown"
  }).pipe(Effect.orElseSucceed(() => "unknown" as const))

/** Texts that no erasure removes. If the name of a model is missing here, the only effect is an unneeded rewrite. */
const selectStaying = `SELECT sql AS text FROM sqlite_schema WHERE sql IS NOT NULL
  UNION SELECT * FROM (SELECT model FROM embeddings ORDER BY rowid LIMIT 100)
  UNION SELECT * FROM (SELECT model FROM embeddings ORDER BY rowid DESC LIMIT 100)`

/** Maximum searches. Another process may write after the write-ahead log was emptied and before the search starts. */
const searchTries = 5

/**
 * Rewrites the file from its rows. Other processes wait in the meantime. Returns false if another process holds a lock
 * for too long.
 *
 * `secure_delete` zeroes the cells that SQLite frees, but not the copies of cells that it leaves in the gaps of a page
 * when it moves cells between pages. Such a copy may contain text that was erased later. After VACUUM, a gap can only
 * contain copies of the rows that VACUUM wrote, and those rows contain no erased text.
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
 * Copies the write-ahead log into the database and truncates it to zero bytes. Returns false while another process
 * reads an older state.
 */
const emptyWal = Effect.fnUntraced(function* (writer: Db): Effect.fn.Return<boolean, StorageError> {
  for (let tries = 0; tries < checkpointTries; tries++) {
    const [{ busy }] = yield* attempt(() => writer.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }])
    if (busy === 0) return true
    yield* sleepRealTime(checkpointPauseMillis)
  }
  return false
})

const checkpointTries = 50
const checkpointPauseMillis = 10

const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: storageError("log.db") })

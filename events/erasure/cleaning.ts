import * as Effect from "effect/Effect"
import type { Cleaning } from "../EventLog.js"
import { type StorageError, storageError } from "../errors.js"
import { busyTimeoutMillis, retryWhileBusy } from "../sqlite.js"
import { runSql } from "../sqlProcess.js"
import { type Db, sql } from "../statement.js"
import { realPause } from "../turns.js"

interface Options {
  readonly writer: Db
  readonly locked: <A>(work: () => A) => A
}

/** Streams whose views may contain erased text; the empty name stands for the pages of the log. */
export const cleaningsIn = (db: Db): ReadonlyArray<string> =>
  sql(db, "SELECT stream FROM cleanings ORDER BY stream")
    .all()
    .map(({ stream }) => stream)
    .filter((stream) => typeof stream === "string")

/** Removes erased text from the files of a log: see `EventLog.clean`. */
export const clean = (
  { locked, writer }: Options,
  cleaned: ReadonlyArray<string>
): Effect.Effect<Cleaning, StorageError> =>
  Effect.gen(function* () {
    const remove = (streams: ReadonlyArray<string>) =>
      retryWhileBusy("log.db", () =>
        locked(() => {
          for (const stream of streams) sql(writer, "DELETE FROM cleanings WHERE stream = ?").run(stream)
          return cleaningsIn(writer)
        })
      )
    const open = yield* cleaned.length === 0 ? attempt(() => cleaningsIn(writer)) : remove(cleaned)
    if (open.includes("")) {
      if (!(yield* emptyWal(writer))) return "waits"
      if (!(yield* rewrite(writer))) return "waits"
      yield* remove([""])
    } else if (cleaned.length === 0) return open.length === 0 ? "done" : "waits"
    const isEmpty = yield* emptyWal(writer)
    return isEmpty && open.every((stream) => stream === "") ? "done" : "waits"
  })

/**
 * Rewrites the file from its rows. Other processes wait meanwhile. False if one of them holds a lock too long.
 *
 * `secure_delete` zeroes the cells that SQLite frees, but not the copies of cells that it leaves in the gaps of a page
 * when it moves cells between pages. Such a copy may hold text that was erased later. After VACUUM a gap holds copies of
 * rows of that moment at most, and those rows have no erased text.
 */
const rewrite = (writer: Db): Effect.Effect<boolean, StorageError> =>
  Effect.gen(function* () {
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
const emptyWal = (writer: Db): Effect.Effect<boolean, StorageError> =>
  Effect.gen(function* () {
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

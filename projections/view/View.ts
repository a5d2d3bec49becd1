import { existsSync } from "node:fs"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { sameBytes } from "../../events/Chain.js"
import type { Codec } from "../../events/Codec.js"
import { isSqliteError } from "../../events/driver.js"
import type { EventLog, Head } from "../../events/EventLog.js"
import { errorCodeOf, StorageError, storageError, type UnknownEvent } from "../../events/errors.js"
import type { Mutex } from "../../events/Mutex.js"
import { retryWhileBusy } from "../../events/sqlite.js"
import { sleepRealTime } from "../../events/turns.js"
import { type Db, type Projection, sql } from "../Projection.js"
import * as Generations from "./generations.js"
import type { PageCaches } from "./pageCaches.js"
import * as ViewFile from "./ViewFile.js"

/** The open view of one agent: its read models. Reads use `reader`; writes and catching up use `writer`. */
export interface View {
  readonly agent: string
  readonly generations: Generations.Generations
  /** Lets one writer at a time run in this process. SQLite's own lock keeps other processes out. */
  readonly lock: Mutex
  file: string
  reader: Db
  /** Opened at the first write, because most short-lived programs never write. */
  writer: Db | null
  hasVectors: boolean
  /** The version of the newest ERASE event in the log when the file was built. See `ViewFile.erasureOf`. */
  erasure: number
  /** True after the log commits and before the view commits. During this time the view lags intentionally. */
  writing: boolean
  /**
   * The first event that this release of Daybook cannot decode. Reads answer from the events before it; writes fail.
   */
  unknown: UnknownEvent | undefined
  /**
   * The state after the last write of this process, so that the next write needs no query. Undefined after any other
   * change of the view.
   */
  lastWrite: LockedView | undefined
}

/** A view whose write lock this process holds, with its state under that lock. */
export interface LockedView {
  readonly db: Db
  /** SQLite's `data_version`. It changes when another process writes to the file. */
  readonly dataVersion: number
  readonly head: ViewFile.Checkpoint
  readonly parked: ViewFile.ParkedAt
  /** True if this process wrote this state, and no other process has written since. */
  readonly isKnown: boolean
  /**
   * The keys of the rows that this process wrote or compared with the log. Cleared when another process changes the
   * view.
   */
  readonly verified: Set<number | string>
}

export interface ViewsConfig {
  /** The data folder: views live below `views/`, views of past versions below `cache/`. */
  readonly folder: string
  /** Path of the sqlite-vec extension; null for none. */
  readonly vectorExtension: string | null
  readonly projections: ReadonlyArray<Projection>
}

/** The inputs that every operation on a view needs. */
export interface ViewContext {
  readonly config: ViewsConfig
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly caches: PageCaches
}

/** Runs synchronous work on a view; an exception becomes a `StorageError`. */
export const attempt = <A>(work: () => A): Effect.Effect<A, StorageError> => Effect.try({ try: work, catch: viewError })

/**
 * Converts an exception into a `StorageError`. If a table or an index is missing, or a column has invalid JSON, another
 * program changed the view, and the view counts as damaged.
 */
export const viewError = (cause: unknown): StorageError =>
  cause instanceof SyntaxError || (isSqliteError(cause) && cause.code === "SQLITE_ERROR")
    ? ViewFile.damagedView(errorCodeOf(cause))
    : storageError("view")(cause)

/**
 * The retry limit while other processes keep replacing the view: at least 20 tries and at least 30 s. Frequent erasures
 * can outdate each new view before it is ready, and on a slow machine this can continue for many seconds.
 */
export interface RetryLimit {
  readonly left: number
  /** The end of the 30 s, on the clock of `performance.now`: Effect's clock does not advance in a test. */
  readonly until: number
}

export const newRetryLimit = (): RetryLimit => ({ left: 20, until: performance.now() + 30_000 })

export const isRetryLimitReached = ({ left, until }: RetryLimit): boolean => left <= 0 && performance.now() >= until

/** Counts one try. After 20 tries it also pauses, so that retries without success do not keep a core busy. */
export const countRetry = ({ left, until }: RetryLimit): Effect.Effect<RetryLimit> => {
  const next = { left: left - 1, until }
  return left > 0 ? Effect.succeed(next) : Effect.as(sleepRealTime(pauseMillis), next)
}

const pauseMillis = 25

/** The error after the last retry. */
export const viewKeepsChangingError = (agent: string): StorageError =>
  new StorageError({
    kind: "busy",
    where: "view",
    code: "VIEW_KEEPS_CHANGING",
    detail: `other processes keep replacing the view of ${agent}: try again`
  })

/**
 * Error codes for a file that another process has removed: a view that it replaced, or a view from before an erasure.
 * SQLite reports IOERR_FSTAT if the file is removed after SQLite opened it and before SQLite opens its write-ahead log.
 */
const removedCodes = new Set(["SQLITE_CANTOPEN", "SQLITE_READONLY_DBMOVED", "SQLITE_IOERR_FSTAT", "ENOENT"])

/** True if work on a view's file failed because another process removed the file. */
export const isRemoved = (file: string, error: unknown): boolean =>
  error instanceof StorageError && removedCodes.has(error.code) && !existsSync(file)

/** True if a view has applied every event of its stream. */
export const isAtHead = (checkpoint: ViewFile.Checkpoint, head: Head): boolean =>
  checkpoint.position === head.version &&
  (head.version === 0 || (sameBytes(checkpoint.hash, head.hash) && checkpoint.recordedAt === head.recordedAt))

/**
 * True if the log has an ERASE event that is newer than the view's file, so that the view's rows may contain erased
 * text. Such a view is neither read nor copied.
 */
export const isOlderThanErasure = (
  { log }: ViewContext,
  { agent, erasure }: View
): Effect.Effect<boolean, StorageError> => Effect.map(log.newestErasure(agent), (newest) => newest > erasure)

/** True if the open view file is still in use: it is not retired, and it still exists. */
export const isCurrent = (view: View, checkpoint: ViewFile.Checkpoint): boolean =>
  !checkpoint.retired && existsSync(view.file)

export const closeView = ({ reader, writer }: Pick<View, "reader" | "writer">) =>
  Effect.sync(() => {
    reader.close()
    writer?.close()
    // If a view was removed while it was open, SQLite leaves its own files next to it.
    if (!existsSync(reader.name)) Generations.removeViewFile(reader.name)
  })

/** Runs work on the write connection. Opens the connection first if needed. */
export const withWriter = <A>({ config }: ViewContext, view: View, work: (db: Db) => A) =>
  attempt(() => work(openWriter(config, view)))

/**
 * Takes SQLite's write lock on a view and reads the view's state. The first attempt is made at the call, not when the
 * effect runs. Retries while another process holds the lock.
 */
export const lockForWrite = ({ config }: ViewContext, view: View): Effect.Effect<LockedView, StorageError> =>
  retryWhileBusy("view", () => {
    const db = openWriter(config, view)
    sql(db, "BEGIN IMMEDIATE").run()
    const { lastWrite } = view
    view.lastWrite = undefined
    try {
      const { data_version: dataVersion } = sql(db, "PRAGMA data_version").get()
      if (lastWrite !== undefined && lastWrite.db === db && lastWrite.dataVersion === dataVersion) return lastWrite
      return { db, dataVersion, ...ViewFile.writerState(db), isKnown: false, verified: new Set() }
    } catch (cause) {
      db.exec("ROLLBACK")
      throw cause
    }
  })

/** Rolls the transaction back, if it is still open. */
export const rollback = (db: Db) => Effect.sync(() => rollbackNow(db))

export const rollbackNow = (db: Db) => {
  if (db.inTransaction) db.exec("ROLLBACK")
}

export const parkProjection = (context: ViewContext, view: View, parked: ViewFile.ParkedProjection) =>
  withWriter(context, view, (db) => ViewFile.park(db, parked))

const openWriter = (config: ViewsConfig, view: View): Db => {
  view.writer ??= ViewFile.openFile(view.file, "write", config).db
  return view.writer
}

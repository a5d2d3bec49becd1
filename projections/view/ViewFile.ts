import { chmodSync } from "node:fs"
import { createRequire } from "node:module"
import { genesis, sameBytes } from "../../events/Chain.js"
import type { DaybookEvent, ErasedEvent } from "../../events/catalogue.js"
import { closeOnError, isSqliteError, openDatabase } from "../../events/driver.js"
import { StorageError } from "../../events/errors.js"
import { busyTimeoutMillis, isVersionAtLeast, walCheckpointPages } from "../../events/sqlite.js"
import { type Db, type Lookup, type Projection, sql } from "../Projection.js"

/** The last event of the stream that a view has applied. */
export interface Checkpoint {
  readonly position: number
  /** The hash of the event at `position`. If the log has a different hash for this event, it is another log. */
  readonly hash: Uint8Array
  /** When that event was recorded, in milliseconds since the epoch. */
  readonly recordedAt: number
  /** True if a newer file (generation) of this view is current. */
  readonly retired: boolean
}

/**
 * A projection that was parked (stopped), because it cannot apply an event or because an extension is missing. The
 * other projections continue.
 */
export interface ParkedProjection {
  readonly projection: string
  /** The version of the last event that the projection applied. */
  readonly position: number
  readonly reason: string
}

/** The version of the last event that each parked projection applied, by the projection's name. */
export type ParkedAt = ReadonlyMap<string, number>

export interface ViewOptions {
  /** Path of the sqlite-vec extension; null for a view without vectors. */
  readonly vectorExtension: string | null
}

/**
 * Path of the sqlite-vec extension that is installed with the package; null if the package has no binary for this
 * machine.
 */
export const bundledVectorExtension = (): string | null => {
  try {
    return (createRequire(import.meta.url)("sqlite-vec") as { getLoadablePath: () => string }).getLoadablePath()
  } catch {
    return null
  }
}

/** Settings for a new file that is discarded if it remains incomplete. */
export const bulkSettings = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536"

/** Opens a view's file. `hasVectors` is false if sqlite-vec does not load or is too old. */
export const openFile = (
  file: string,
  mode: "read" | "write" | "bulk",
  options: ViewOptions
): { readonly db: Db; readonly hasVectors: boolean } => {
  const db = openDatabase(file, { timeout: busyTimeoutMillis, readonly: false, fileMustExist: mode !== "bulk" })
  return closeOnError(db, () => {
    if (mode === "bulk") {
      chmodSync(file, 0o600)
      db.exec(bulkSettings)
    } else {
      db.pragma("synchronous = NORMAL")
      db.pragma(`wal_autocheckpoint = ${walCheckpointPages}`)
    }
    db.pragma("trusted_schema = OFF")
    const hasVectors = options.vectorExtension !== null && loadVectors(db, options.vectorExtension)
    if (mode === "read") db.pragma("query_only = ON")
    return { db, hasVectors }
  })
}

/** Opens an empty view in memory, which cannot be written to. */
export const openEmpty = (
  projections: ReadonlyArray<Projection>,
  options: ViewOptions
): { readonly db: Db; readonly hasVectors: boolean } => {
  const db = openDatabase(":memory:")
  return closeOnError(db, () => {
    const hasVectors = options.vectorExtension !== null && loadVectors(db, options.vectorExtension)
    createView(db, projections, hasVectors)
    // Statements with INDEXED BY fail if the index is missing.
    for (const { indexes } of projections) db.exec(indexes)
    db.pragma("query_only = ON")
    return { db, hasVectors }
  })
}

/** Creates the tables of a new view, before any event. */
export const createView = (db: Db, projections: ReadonlyArray<Projection>, hasVectors: boolean) => {
  db.exec(`CREATE TABLE view (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, hash BLOB NOT NULL,
      recorded_at INTEGER NOT NULL, retired INTEGER NOT NULL);
    CREATE TABLE projections (name TEXT PRIMARY KEY, version INTEGER NOT NULL, parked_at INTEGER, reason TEXT) WITHOUT ROWID;`)
  sql(db, "INSERT INTO view (one, position, hash, recorded_at, retired) VALUES (1, 0, zeroblob(32), 0, 0)").run()
  for (const projection of projections) createProjection(db, projection, hasVectors)
}

export const createProjection = (db: Db, projection: Projection, hasVectors: boolean) => {
  db.exec(projection.tables)
  const parked = projection.needsVectors === true && !hasVectors
  sql(
    db,
    `INSERT INTO projections (name, version, parked_at, reason) VALUES (?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, parked_at = excluded.parked_at, reason = excluded.reason`
  ).run(projection.name, projection.version, parked ? 0 : null, parked ? missingVectors : null)
}

/** True if a view has the tables of a projection, in any version. */
export const hasProjection = (db: Db, { name }: Projection): boolean =>
  sql(db, "SELECT 1 FROM projections WHERE name = ?").get(name) !== undefined

export const checkpointOf = (db: Db): Checkpoint => {
  return checkpointFrom(sql(db, "SELECT position, hash, recorded_at, retired FROM view").get())
}

/**
 * Throws for a checkpoint that Daybook never writes, because with such a checkpoint a catch-up would never reach the
 * newest event.
 */
const checkpointFrom = (row: Record<string, unknown> | undefined): Checkpoint => {
  const { hash, position, recorded_at: recordedAt, retired } = row ?? {}
  const isValid =
    Number.isInteger(position) &&
    Number.isInteger(recordedAt) &&
    hash instanceof Uint8Array &&
    ((position as number) > 0 ? hash.length === genesis.length : position === 0 && sameBytes(hash, genesis))
  if (!isValid) throw damagedView("INVALID_CHECKPOINT")
  return { position: position as number, hash, recordedAt: recordedAt as number, retired: retired !== 0 }
}

/**
 * Sets the last applied event of a view. The condition selects one row by its number, so that SQLite opens no
 * savepoint: see `flushText`.
 */
export const moveCheckpoint = (db: Db, position: number, hash: Uint8Array, recordedAt: number) => {
  sql(db, "UPDATE view SET position = ?, hash = ?, recorded_at = ? WHERE one = 1").run(position, hash, recordedAt)
}

/**
 * Makes FTS5 write its pending postings now instead of at the commit. FTS5 writes them at each savepoint. SQLite also
 * opens a savepoint for a statement that may change several rows.
 */
export const flushText = (db: Db): void => void db.exec("SAVEPOINT flushed; RELEASE flushed")

/**
 * The version of the newest ERASE event in the log when the file was built; 0 for none. The number never changes in a
 * file: after another erasure, the view is built again. The number is in the header of the file, so that views of
 * earlier releases need no other tables.
 */
export const erasureOf = (db: Db): number => db.pragma("user_version", { simple: true }) as number

/** Stores the number that `erasureOf` reads in a new file. */
export const setErasure = (db: Db, version: number): void => void db.pragma(`user_version = ${version}`)

export const retire = (db: Db, retired = true) => void sql(db, "UPDATE view SET retired = ?").run(retired ? 1 : 0)

/** The checkpoint and the parked projections, in one query: a writer needs both for each write. */
export const writerState = (db: Db): { readonly head: Checkpoint; readonly parked: ParkedAt } => {
  const row = sql(
    db,
    `SELECT position, hash, recorded_at, retired,
      EXISTS (SELECT 1 FROM projections WHERE parked_at IS NOT NULL) AS isParked FROM view`
  ).get()
  return {
    head: checkpointFrom(row),
    parked: new Map(
      row.isParked === 0 ? [] : findParkedProjections(db).map(({ position, projection }) => [projection, position])
    )
  }
}

/**
 * The parked projections, sorted by name. Throws for a row that `park` never writes, because then another program
 * edited the view.
 */
export const findParkedProjections = (db: Db): ReadonlyArray<ParkedProjection> => {
  const rows: ReadonlyArray<ParkedProjection> = sql(
    db,
    "SELECT name AS projection, parked_at AS position, reason FROM projections WHERE parked_at IS NOT NULL ORDER BY name"
  ).all()
  if (rows.some(({ position, reason }) => !Number.isInteger(position) || typeof reason !== "string")) {
    throw damagedView("PARKED_PROJECTION")
  }
  return rows
}

export const park = (db: Db, { projection, position, reason }: ParkedProjection): void => {
  const { changes } = sql(db, "UPDATE projections SET parked_at = ?, reason = ? WHERE name = ?").run(
    position,
    reason,
    projection
  )
  // Without this row the projection cannot be parked, and would fail at the same event again.
  if (changes === 0) throw damagedView("MISSING_PROJECTION")
}

/** The error for a view whose content cannot come from any log. `code` names the reason. The view is then rebuilt. */
export const damagedView = (code: string): StorageError =>
  new StorageError({
    kind: "damaged",
    where: "view",
    code,
    detail: "the view is damaged: run 'daybook rebuild' to build it again from the log"
  })

/** Parks the projections that need sqlite-vec if it is missing. They are rebuilt once it is available. */
export const parkVectors = (db: Db, projections: ReadonlyArray<Projection>) => {
  const { head, parked } = writerState(db)
  for (const { name, needsVectors } of projections) {
    if (needsVectors === true && !parked.has(name)) {
      park(db, { projection: name, position: head.position, reason: missingVectors })
    }
  }
}

/**
 * Projections to rebuild: projections that are new or have changed, and projections that were parked because sqlite-vec
 * was missing, if it is available now.
 */
export const findOutdatedProjections = (
  db: Db,
  projections: ReadonlyArray<Projection>,
  hasVectors: boolean
): ReadonlyArray<string> => {
  const rows = new Map<string, { version: number; reason: string | null }>(
    sql(db, "SELECT name, version, reason FROM projections")
      .all()
      .map((row) => [row.name, row])
  )
  return projections
    .filter((projection) => {
      const row = rows.get(projection.name)
      return row === undefined || row.version !== projection.version || (hasVectors && row.reason === missingVectors)
    })
    .map((projection) => projection.name)
}

/** Thrown by `applyEvent` with the projection to park. The caller rolls its transaction back. */
export class Poisoned extends Error {
  constructor(readonly parked: ParkedProjection) {
    super(`${parked.projection} cannot apply event ${parked.position + 1}: ${parked.reason}`)
  }
}

/** Applies an event to every projection that handles it, except parked ones. Runs inside the caller's transaction. */
export const applyEvent = (
  db: Db,
  projections: ReadonlyArray<Projection>,
  parked: ParkedAt,
  event: DaybookEvent | ErasedEvent,
  lookup: Lookup
) => {
  if (event.payload === null) return
  for (const projection of projections) {
    if (!projection.handles.includes(event.type)) continue
    if (event.version > (parked.get(projection.name) ?? Number.POSITIVE_INFINITY)) continue
    try {
      projection.apply(db, event as DaybookEvent, lookup)
    } catch (cause) {
      if (isStorageFailure(cause)) throw cause
      // The reason contains only an error code or name, because a message may quote memory text.
      const reason = cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.name) : "unknown"
      throw new Poisoned({ projection: projection.name, position: event.version - 1, reason })
    }
  }
}

const missingVectors = "sqlite-vec is not available"

/**
 * The oldest supported release of sqlite-vec. Earlier releases have no support for some features of the vector tables.
 */
const minVecVersion = [0, 1, 9]

const loadVectors = (db: Db, extension: string): boolean => {
  try {
    db.loadExtension(extension)
    const version = db.prepare("SELECT vec_version()").pluck().get() as string
    return isVersionAtLeast(version.replace(/^v/, ""), minVecVersion)
  } catch {
    return false
  }
}

/** True if the storage caused the error, and not the event: a full disk, a lock or a damaged page. */
export const isStorageFailure = (cause: unknown): boolean =>
  cause instanceof StorageError ||
  (isSqliteError(cause) && /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CORRUPT|NOTADB|READONLY|NOMEM)/.test(cause.code))

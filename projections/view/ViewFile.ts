import { chmodSync } from "node:fs"
import { createRequire } from "node:module"
import type { DaybookEvent, ErasedEvent } from "../../events/catalogue.js"
import { isSqliteError, openDatabase } from "../../events/driver.js"
import { atLeast, busyTimeout, checkpointPages } from "../../events/sqlite.js"
import { type Db, type Lookup, makeDigest, type Projection, sql } from "../Projection.js"

/** How far a view has followed its stream. */
export interface Checkpoint {
  readonly position: number
  /** The hash of the event at `position`: a log that has another one there is another log. */
  readonly hash: Uint8Array
  /** Milliseconds since the epoch: when that event was recorded. */
  readonly recordedAt: number
  /** A newer generation has taken over. */
  readonly retired: boolean
}

/** A projection that stopped at an event it cannot apply, or for want of an extension; the others went on. */
export interface Parked {
  readonly projection: string
  /** The last event that it took. */
  readonly position: number
  readonly reason: string
}

/** The last event that each parked projection takes, by name. */
export type ParkedAt = ReadonlyMap<string, number>

export interface ViewOptions {
  /** Path of the sqlite-vec extension; null to do without vectors. */
  readonly vectorExtension: string | null
}

/** The sqlite-vec that came with the package, or null where there is none for this machine. */
export const bundledVectorExtension = (): string | null => {
  try {
    return (createRequire(import.meta.url)("sqlite-vec") as { getLoadablePath: () => string }).getLoadablePath()
  } catch {
    return null
  }
}

/** Opens a view's file. Answers also whether vectors can be used in it. */
export const openFile = (
  file: string,
  mode: "read" | "write" | "bulk",
  options: ViewOptions
): { readonly db: Db; readonly hasVectors: boolean } => {
  const db = openDatabase(file, { timeout: busyTimeout, readonly: false, fileMustExist: mode !== "bulk" })
  try {
    if (mode === "bulk") {
      chmodSync(file, 0o600)
      db.pragma("journal_mode = OFF")
      db.pragma("synchronous = OFF")
      db.pragma("cache_size = -65536")
    } else {
      db.pragma("synchronous = NORMAL")
      db.pragma(`wal_autocheckpoint = ${checkpointPages}`)
    }
    db.pragma("trusted_schema = OFF")
    const hasVectors = options.vectorExtension !== null && loads(db, options.vectorExtension)
    if (mode === "read") db.pragma("query_only = ON")
    return { db, hasVectors }
  } catch (cause) {
    db.close()
    throw cause
  }
}

/** Reads a view that has seen no event, which is in no file. */
export const readEmpty = <A>(
  projections: ReadonlyArray<Projection>,
  options: ViewOptions,
  f: (db: Db, hasVectors: boolean) => A
): A => {
  const db = openDatabase(":memory:")
  try {
    const hasVectors = options.vectorExtension !== null && loads(db, options.vectorExtension)
    create(db, projections, hasVectors)
    // Some statements name the index that they need.
    for (const { indexes } of projections) db.exec(indexes)
    return f(db, hasVectors)
  } finally {
    db.close()
  }
}

/** Makes the tables of a new view that has seen no event. */
export const create = (db: Db, projections: ReadonlyArray<Projection>, hasVectors: boolean) => {
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
  ).run(projection.name, projection.version, parked ? 0 : null, parked ? withoutVectors : null)
}

/** Whether a view has the tables of a projection, in whatever version. */
export const isMade = (db: Db, { name }: Projection): boolean =>
  sql(db, "SELECT 1 FROM projections WHERE name = ?").get(name) !== undefined

export const checkpointOf = (db: Db): Checkpoint => {
  const row = sql(db, "SELECT position, hash, recorded_at, retired FROM view").get()
  return { position: row.position, hash: row.hash, recordedAt: row.recorded_at, retired: row.retired === 1 }
}

export const moveCheckpoint = (db: Db, position: number, hash: Uint8Array, recordedAt: number) => {
  sql(db, "UPDATE view SET position = ?, hash = ?, recorded_at = ?").run(position, hash, recordedAt)
}

export const retire = (db: Db, retired = true) => void sql(db, "UPDATE view SET retired = ?").run(retired ? 1 : 0)

/** Where a view stands, and which of its projections have stopped: what a writer needs to know, in one look. */
export const standing = (db: Db): { readonly head: Checkpoint; readonly parked: ParkedAt } => {
  const row = sql(
    db,
    `SELECT position, hash, recorded_at, retired,
      (SELECT json_group_object(name, parked_at) FROM projections WHERE parked_at IS NOT NULL) AS parked FROM view`
  ).get()
  return {
    head: { position: row.position, hash: row.hash, recordedAt: row.recorded_at, retired: row.retired === 1 },
    parked: new Map(row.parked === "{}" ? [] : Object.entries(JSON.parse(row.parked)))
  }
}

export const parkedOf = (db: Db): ReadonlyArray<Parked> =>
  sql(
    db,
    "SELECT name AS projection, parked_at AS position, reason FROM projections WHERE parked_at IS NOT NULL ORDER BY name"
  ).all()

export const park = (db: Db, { projection, position, reason }: Parked) =>
  void sql(db, "UPDATE projections SET parked_at = ?, reason = ? WHERE name = ?").run(position, reason, projection)

/** Stops what needs vectors where they cannot be had (any more); it is made anew once they can. */
export const parkVectors = (db: Db, projections: ReadonlyArray<Projection>) => {
  const { head, parked } = standing(db)
  for (const { name, needsVectors } of projections) {
    if (needsVectors === true && !parked.has(name)) {
      park(db, { projection: name, position: head.position, reason: withoutVectors })
    }
  }
}

/** Projections that must be made anew: changed, new, or parked and worth another try with what is loaded now. */
export const outdated = (
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
      return row === undefined || row.version !== projection.version || (hasVectors && row.reason === withoutVectors)
    })
    .map((projection) => projection.name)
}

/** Thrown out of `applyEvents`, whose transaction is then rolled back: says which projection to park, and where. */
export class Poisoned extends Error {
  constructor(readonly parked: Parked) {
    super(`${parked.projection} cannot apply event ${parked.position + 1}: ${parked.reason}`)
  }
}

/** Gives an event to every projection that handles it and is not parked before it. Runs inside a transaction of the caller's. */
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
      // The reason names the kind of failure only: a message may quote memory text.
      const reason = cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.name) : "unknown"
      throw new Poisoned({ projection: projection.name, position: event.version - 1, reason })
    }
  }
}

/** The digests of a view: every row, vector and posting, or only what is active now. */
export const digests = (db: Db, projections: ReadonlyArray<Projection>, kind: "digest" | "stateDigest") => {
  const parked = new Set(parkedOf(db).map(({ projection }) => projection))
  const each: Record<string, string> = {}
  const whole = makeDigest()
  for (const projection of projections) {
    if (parked.has(projection.name)) continue
    const digest = makeDigest()
    projection[kind](db, digest)
    each[projection.name] = digest.hex()
    whole.row(projection.name, each[projection.name])
  }
  return { whole: whole.hex(), each }
}

/** FTS5's and SQLite's own checks; empty where all is well. */
export const integrity = (db: Db, textTables: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = (db.pragma("integrity_check(20)") as Array<{ integrity_check: string }>)
    .map((row) => row.integrity_check)
    .filter((what) => what !== "ok")
  for (const table of textTables) {
    try {
      // Without rank 1 the index is not compared with the texts, and an emptied one passes.
      db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`).run()
    } catch (cause) {
      found.push(`${table}: ${cause instanceof Error && "code" in cause ? cause.code : "failed"}`)
    }
  }
  return found
}

const withoutVectors = "sqlite-vec is not available"

/** The oldest sqlite-vec that is used: earlier ones lack what the vectors' tables are made of. */
const oldestVec = [0, 1, 9]

const loads = (db: Db, extension: string): boolean => {
  try {
    db.loadExtension(extension)
    const version = db.prepare("SELECT vec_version()").pluck().get() as string
    return atLeast(version.replace(/^v/, ""), oldestVec)
  } catch {
    return false
  }
}

/** A full disk, a lock or a damaged page is no fault of the event. */
export const isStorageFailure = (cause: unknown): boolean =>
  isSqliteError(cause) && /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CORRUPT|NOTADB|READONLY|NOMEM)/.test(cause.code)

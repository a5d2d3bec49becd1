import type { StoredEvent } from "./Chain.js"
import { genesis } from "./Chain.js"
import type { ExpectedVersion, Head } from "./EventLog.js"
import { type Db, sql } from "./statement.js"

/** A row of `events` as SQLite returns it. */
export interface EventRow {
  readonly chain: number
  readonly sequence: number
  readonly stream: string
  readonly version: number
  readonly type: string
  readonly schema: number
  readonly payload: string | null
  readonly salt: Buffer | null
  readonly digest: Buffer
  readonly hash: Buffer
  readonly command_id: string | null
  readonly command_key: Buffer | null
  readonly ordinal: number
  readonly request_digest: Buffer | null
  readonly actor: string
  readonly cause: string | null
  readonly names: Buffer | null
  readonly occurred_at: number
  readonly recorded_at: number
  readonly erased_at: number | null
}

const columns =
  "chain, sequence, stream, version, type, schema, payload, salt, digest, hash, command_id, command_key, ordinal, request_digest, actor, cause, names, occurred_at, recorded_at, erased_at"

export const selectEvents = `SELECT ${columns} FROM events`

/**
 * Selects the events of a log that may still have an older schema. Only opening a log for writing migrates the schema.
 */
export const selectStored = (db: Db): string => {
  const isNew = sql(db, "SELECT 1 FROM pragma_table_info('events') WHERE name = 'chain'").get() !== undefined
  if (isNew) return selectEvents
  const old = columns.replace("chain", "1 AS chain").replace("command_key", "NULL AS command_key")
  return `SELECT ${old.replace("names", "NULL AS names")} FROM events`
}

/**
 * The columns of a `ReplayedEvent` in the table `e`. The digests are omitted, because they need four more buffers per
 * row.
 */
export const replayedColumns = `e.chain, e.sequence, e.stream, e.version, e.type, e.schema, e.payload, e.command_id AS commandId,
    e.actor, e.cause, e.occurred_at AS occurredAt, e.recorded_at AS recordedAt,
    e.erased_at AS erasedAt`

export const selectReplayed = `SELECT ${replayedColumns} FROM events e WHERE stream = ? AND version > ? AND version <= ? ORDER BY version LIMIT ?`

export const insertEvent = `INSERT INTO events (${columns}) VALUES (${columns.replace(/\w+/g, "?")})`

export const toParams = (event: StoredEvent): ReadonlyArray<unknown> => [
  event.chain,
  event.sequence,
  event.stream,
  event.version,
  event.type,
  event.schema,
  event.payload,
  event.salt,
  event.digest,
  event.hash,
  event.commandId,
  event.commandKey,
  event.ordinal,
  event.requestDigest,
  event.actor,
  event.cause,
  event.names,
  event.occurredAt,
  event.recordedAt,
  event.erasedAt
]

export const fromRow = (row: EventRow): StoredEvent => ({
  chain: row.chain,
  sequence: row.sequence,
  stream: row.stream,
  version: row.version,
  type: row.type,
  schema: row.schema,
  payload: row.payload,
  salt: row.salt,
  digest: row.digest,
  hash: row.hash,
  commandId: row.command_id,
  commandKey: row.command_key,
  ordinal: row.ordinal,
  requestDigest: row.request_digest,
  actor: row.actor,
  cause: row.cause,
  names: row.names,
  occurredAt: row.occurred_at,
  recordedAt: row.recorded_at,
  erasedAt: row.erased_at
})

export const emptyHead = (stream: string): Head => ({ stream, version: 0, hash: genesis, recordedAt: 0 })

/** True if a stream at `version` meets the writer's expectation. */
export const meetsExpectation = (expected: ExpectedVersion, version: number): boolean => {
  switch (expected) {
    case "any":
      return true
    case "none":
      return version === 0
    case "exists":
      return version > 0
    default:
      return version === expected
  }
}

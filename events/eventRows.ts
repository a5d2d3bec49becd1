import type { StoredEvent } from "./Chain.js"
import { genesis } from "./Chain.js"
import type { Expected, Head } from "./EventLog.js"

/** A row of `events` as SQLite returns it. */
export interface EventRow {
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
  readonly ordinal: number
  readonly request_digest: Buffer | null
  readonly actor: string
  readonly cause: string | null
  readonly occurred_at: number
  readonly recorded_at: number
  readonly erased_at: number | null
}

const columns =
  "sequence, stream, version, type, schema, payload, salt, digest, hash, command_id, ordinal, request_digest, actor, cause, occurred_at, recorded_at, erased_at"

export const selectEvents = `SELECT ${columns} FROM events`

/** The columns of a `ReplayedEvent` in the table `e`. They omit the digests, which would need four more buffers per row. */
export const replayedColumns = `e.sequence, e.stream, e.version, e.type, e.schema, e.payload, e.command_id AS commandId,
    e.actor, e.cause, e.occurred_at AS occurredAt, e.recorded_at AS recordedAt,
    e.erased_at AS erasedAt`

export const selectReplayed = `SELECT ${replayedColumns} FROM events e WHERE stream = ? AND version > ? AND version <= ? ORDER BY version LIMIT ?`

export const insertEvent = `INSERT INTO events (${columns}) VALUES (${columns.replace(/\w+/g, "?")})`

export const toParams = (event: StoredEvent): ReadonlyArray<unknown> => [
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
  event.ordinal,
  event.requestDigest,
  event.actor,
  event.cause,
  event.occurredAt,
  event.recordedAt,
  event.erasedAt
]

export const fromRow = (row: EventRow): StoredEvent => ({
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
  ordinal: row.ordinal,
  requestDigest: row.request_digest,
  actor: row.actor,
  cause: row.cause,
  occurredAt: row.occurred_at,
  recordedAt: row.recorded_at,
  erasedAt: row.erased_at
})

export const emptyHead = (stream: string): Head => ({ stream, version: 0, hash: genesis, recordedAt: 0 })

/** Whether a stream at `version` meets the writer's expectation. */
export const meetsExpectation = (expected: Expected, version: number): boolean => {
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

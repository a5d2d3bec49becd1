import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** The log: events, the cache of embeddings, and what identifies this installation. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    stream TEXT NOT NULL,
    version INTEGER NOT NULL,
    type TEXT NOT NULL,
    schema INTEGER NOT NULL,
    payload TEXT,
    salt BLOB,
    digest BLOB NOT NULL,
    hash BLOB NOT NULL,
    command_id TEXT,
    ordinal INTEGER NOT NULL,
    request_digest BLOB,
    actor TEXT NOT NULL,
    cause TEXT,
    occurred_at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    erased_at INTEGER,
    UNIQUE (stream, version)
  )`
  yield* sql`CREATE UNIQUE INDEX events_command ON events (stream, command_id, ordinal) WHERE command_id IS NOT NULL`
  yield* sql`CREATE TABLE embeddings (
    model TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    digest BLOB NOT NULL,
    vector BLOB NOT NULL,
    checksum INTEGER NOT NULL
  )`
  yield* sql`CREATE UNIQUE INDEX embeddings_digest ON embeddings (digest, model, dimensions)`
  yield* sql`CREATE TABLE installation (id TEXT NOT NULL, created_at INTEGER NOT NULL)`
})

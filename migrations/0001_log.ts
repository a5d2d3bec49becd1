import { runStatements } from "./runStatements.js"

/** The log: events, the cache of embeddings, and the id of this installation. */
export const statements = [
  `CREATE TABLE events (
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
  )`,
  `CREATE UNIQUE INDEX events_command ON events (stream, command_id, ordinal) WHERE command_id IS NOT NULL`,
  `CREATE TABLE embeddings (
    model TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    digest BLOB NOT NULL,
    vector BLOB NOT NULL,
    checksum INTEGER NOT NULL
  )`,
  `CREATE UNIQUE INDEX embeddings_digest ON embeddings (digest, model, dimensions)`,
  `CREATE TABLE installation (id TEXT NOT NULL, created_at INTEGER NOT NULL)`
]

export default runStatements(statements)

import type { DaybookEvent } from "../events/catalogue.js"
import { chunkingVersion } from "../text/normalise/chunks.js"
import { indexVersion } from "../text/normalise/indexText.js"
import { chunkTextIndex, removeChunks } from "./chunkText.js"
import { addFile } from "./files.js"
import { indexNotes, indexScratchpad } from "./notes.js"
import { type Db, indexesByLevel, type Projection, sql } from "./Projection.js"
import { removeSpeakers, speakerTables } from "./speakers.js"
import { addTurn } from "./turns.js"

/**
 * Conversations: turns, sessions, files, and the chunks that a search finds. Notes and scratchpads have chunks too. A
 * session belongs to one store: turns with the same session key in another store form another session. If a speaker
 * repeats the same words after the same turn, the existing chunk also covers the new turn.
 */
export const conversation: Projection = {
  name: "conversation",
  version: 402 + 100 * chunkingVersion + indexVersion,
  handles: ["TURN", "FILE", "FORGET", "SCRATCHPAD", "ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: `CREATE TABLE turns (born INTEGER PRIMARY KEY, id TEXT NOT NULL, session TEXT NOT NULL, store TEXT NOT NULL,
      openness INTEGER NOT NULL, sequence INTEGER NOT NULL, occurred_at INTEGER NOT NULL, turn TEXT NOT NULL);
    CREATE TABLE sessions (session TEXT NOT NULL, store TEXT NOT NULL, openness INTEGER NOT NULL,
      turns INTEGER NOT NULL, tokens INTEGER NOT NULL, sequence INTEGER NOT NULL, started_at INTEGER NOT NULL,
      last_at INTEGER NOT NULL, last_born INTEGER NOT NULL, last_chunk INTEGER NOT NULL,
      PRIMARY KEY (session, store)) WITHOUT ROWID;
    ${speakerTables}
    CREATE TABLE files (born INTEGER PRIMARY KEY, id TEXT NOT NULL, path TEXT NOT NULL, store TEXT NOT NULL,
      openness INTEGER NOT NULL, level INTEGER NOT NULL, session TEXT, media TEXT NOT NULL, digest TEXT NOT NULL, characters INTEGER NOT NULL,
      lines INTEGER NOT NULL, tokens INTEGER NOT NULL, chunks INTEGER NOT NULL, occurred_at INTEGER NOT NULL);
    CREATE TABLE chunks (born INTEGER PRIMARY KEY, turn INTEGER NOT NULL, id TEXT NOT NULL, session TEXT,
      store TEXT NOT NULL, openness INTEGER NOT NULL, role TEXT, speaker TEXT, speaker_key TEXT, content BLOB,
      sequence INTEGER, sequence_end INTEGER, path TEXT, media TEXT, line INTEGER, line_end INTEGER,
      occurred_at INTEGER NOT NULL, last_at INTEGER NOT NULL, previous TEXT NOT NULL, next TEXT NOT NULL,
      text TEXT NOT NULL);
    CREATE INDEX chunks_content ON chunks (content) WHERE content IS NOT NULL;
    ${chunkTextIndex.tables}`,
  indexes: `CREATE INDEX turns_sequence ON turns (session, store, sequence);
    CREATE INDEX turns_id ON turns (id);
    CREATE INDEX files_id ON files (id);
    CREATE INDEX files_path ON files (path, store);
    CREATE INDEX files_session ON files (session) WHERE session IS NOT NULL;
    ${indexesByLevel("sessions_last", "sessions (last_at DESC, session, store)")}
    CREATE INDEX chunks_note ON chunks (id) WHERE media = 'note';
    CREATE INDEX chunks_time ON chunks (last_at DESC, turn DESC, born);`,
  drop: () => `${chunkTextIndex.drop}; DROP TABLE chunks; DROP TABLE files; DROP TABLE speaker_words;
    DROP TABLE speakers; DROP TABLE sessions; DROP TABLE turns`,
  apply: (db, event, lookup) => {
    const filling = lookup.isFilledLater?.("conversation") === true
    if (event.type === "TURN") addTurn(db, event, lookup)
    else if (event.type === "FILE") addFile(db, event, lookup)
    else if (event.type === "FORGET") forget(db, event, filling)
    else if (event.type === "SCRATCHPAD") indexScratchpad(db, event, lookup, filling)
    else indexNotes(db, event, lookup, filling)
  },
  fill: chunkTextIndex.fill,
  digest: (db, digest) => {
    for (const table of ["turns", "files", "chunks"]) digest.query(db, `SELECT * FROM ${table} ORDER BY born`)
    digest.query(db, "SELECT * FROM sessions ORDER BY session, store")
    digest.query(db, "SELECT * FROM speakers ORDER BY session, store, speaker")
    digest.query(db, "SELECT * FROM speaker_words ORDER BY word, openness")
    chunkTextIndex.digest(db, digest)
  },
  stateDigest: (db, digest) => {
    digest.query(db, "SELECT turn, openness FROM turns ORDER BY id")
    digest.query(
      db,
      `SELECT id, path, store, openness, session, media, digest, characters, lines, tokens, chunks, occurred_at
        FROM files ORDER BY id`
    )
    digest.query(
      db,
      // The state digest leaves out the time of a note's last change, as it does for all memories.
      `SELECT id, session, store, openness, role, speaker, sequence, sequence_end, line, line_end, occurred_at,
        iif(media = 'note', NULL, last_at) AS last_at, text FROM chunks ORDER BY id, sequence, line, line_end, text`
    )
    chunkTextIndex.stateDigest(db, digest)
  }
}

const forget = (db: Db, event: Extract<DaybookEvent, { type: "FORGET" }>, filling: boolean) => {
  const { files, scratchpads = [], session, stores, turns } = event.payload
  for (const version of [...turns, ...files, ...scratchpads]) removeChunks(db, version, filling)
  for (const version of turns) sql(db, "DELETE FROM turns WHERE born = ?").run(version)
  for (const version of files) sql(db, "DELETE FROM files WHERE born = ?").run(version)
  if (session === undefined) return
  for (const store of stores) {
    sql(db, "DELETE FROM sessions WHERE session = ? AND store = ?").run(session, store)
    removeSpeakers(db, session, store)
  }
}

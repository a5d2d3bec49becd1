import type { AnchorState, HeadEntry } from "./anchorLines.js"
import type { Head } from "./EventLog.js"
import { type Db, sql } from "./statement.js"

// Reads the newest events of the log: of each stream, and of all.

/**
 * The newest event of each stream after a sequence. SQLite takes `hash` from the row with the largest version. Without
 * the `+`, SQLite scans the whole index of streams instead of only the newest rows.
 */
export const selectHeadsSince =
  "SELECT stream, max(version) AS version, hash FROM events WHERE sequence > ? GROUP BY +stream"

/** The heads of the streams that have events after the newest event that the anchor covers. */
export const headsSince = (db: Db, { heads, sequence }: AnchorState): ReadonlyArray<HeadEntry> =>
  sql(db, selectHeadsSince)
    .all(sequence)
    .filter(({ hash, stream, version }) => hash instanceof Uint8Array && version > (heads.get(stream)?.version ?? 0))
    .map(headEntry)

/** A head as the anchor writes it, without the mark of a check. */
export const headEntry = ({ hash, stream, version }: Pick<Head, "stream" | "version" | "hash">): HeadEntry => [
  stream,
  version,
  Buffer.from(hash).toString("hex"),
  0
]

/** The newest sequence in the table. SQLite's own `sqlite_sequence` can be edited without a trace. */
export const newestSequence = (db: Db): number =>
  sql(db, "SELECT max(sequence) AS newest FROM events").get().newest ?? 0

/** The head of every stream. The query jumps through the index, so its cost grows with streams, not with events. */
export const streamHeads = (db: Db): ReadonlyArray<Head> =>
  sql(
    db,
    `WITH RECURSIVE names (stream) AS (
        SELECT min(stream) FROM events
        UNION ALL
        SELECT (SELECT min(stream) FROM events WHERE stream > names.stream) FROM names WHERE names.stream IS NOT NULL)
      SELECT e.stream, e.version, e.hash, e.recorded_at AS recordedAt FROM names
      JOIN events e ON e.stream = names.stream
        AND e.version = (SELECT max(version) FROM events WHERE stream = names.stream)
      ORDER BY e.stream`
  ).all()

/**
 * The heads without damage. A stream whose head has a damaged hash (not bytes) is left out, so the new anchor does not
 * cover it.
 */
export const soundHeads = (db: Db) => streamHeads(db).filter(({ hash }) => hash instanceof Uint8Array)

import { afterImages } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import { minOpennessOf, type TrustLevel } from "../events/Trust.js"
import { memoryOf } from "./observations.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** An archived memory, the time at which it was archived (milliseconds since the epoch), and the reason. */
export interface ArchiveEntry {
  readonly memory: Memory
  readonly archivedAt: number
  readonly reason: string
}

/**
 * The complete archived memories. No other read returns them. A memory is removed from here when it is restored or
 * forgotten, or when it expires.
 */
export const archive: Projection = {
  name: "archive",
  version: 2,
  handles: ["UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: `CREATE TABLE archive (
    born INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    openness INTEGER NOT NULL,
    archived_at INTEGER NOT NULL,
    reason TEXT NOT NULL,
    text TEXT NOT NULL,
    memory TEXT NOT NULL
  );
  -- Time and reason of memories that left the archive: an undo of that restores both.
  CREATE TABLE archive_left (born INTEGER PRIMARY KEY, archived_at INTEGER NOT NULL, reason TEXT NOT NULL);`,
  indexes: `CREATE INDEX archive_time ON archive (archived_at, born);
    CREATE UNIQUE INDEX archive_id ON archive (id);`,
  drop: () => "DROP TABLE archive; DROP TABLE archive_left",
  apply: (db, event, lookup) => {
    for (const memory of afterImages(event)) {
      if (memory.born === event.version) continue
      const archivedRow = sql(db, "SELECT archived_at, reason FROM archive WHERE born = ?").get(memory.born)
      if (archivedRow !== undefined) sql(db, "DELETE FROM archive WHERE born = ?").run(memory.born)
      if (memory.status !== "archived") {
        if (archivedRow === undefined) continue
        sql(db, "DELETE FROM archive_left WHERE born = ?").run(memory.born)
        sql(db, "INSERT INTO archive_left (born, archived_at, reason) VALUES (?, ?, ?)").run(
          memory.born,
          archivedRow.archived_at,
          archivedRow.reason
        )
        continue
      }
      const previous =
        archivedRow ??
        (event.type === "ARCHIVE"
          ? undefined
          : sql(db, "SELECT archived_at, reason FROM archive_left WHERE born = ?").get(memory.born))
      const reason = event.payload !== null && "decision" in event.payload ? event.payload.decision.reason : ""
      sql(
        db,
        "INSERT INTO archive (born, id, openness, archived_at, reason, text, memory) VALUES (?, ?, ?, ?, ?, ?, ?)"
      ).run(
        memory.born,
        memory.id,
        lookup.opennessOf(memory),
        previous?.archived_at ?? event.recordedAt,
        previous?.reason ?? reason,
        searchTextOf(memory),
        JSON.stringify(memory)
      )
    }
  },
  digest: (db, digest) => {
    digest.query(db, "SELECT * FROM archive ORDER BY born")
    digest.query(db, "SELECT * FROM archive_left ORDER BY born")
  },
  stateDigest: (db, digest) => digest.query(db, "SELECT id, openness FROM archive ORDER BY id")
}

const searchTextOf = ({ facts, narrative, people, tags, title }: Memory): string =>
  foldForSearch([title, narrative ?? "", ...facts, ...people, ...tags].join("\n"))

/** Removes case and accents, because searches of the archive ignore both. */
const foldForSearch = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()

/** The last row that a page examined. The next page starts after it. */
export interface ArchiveCursor {
  readonly archivedAt: number
  readonly born: number
}

/**
 * Archived memories that a level may read and that contain all the words, newest first. Examines at most `maxRows` rows
 * after the cursor, so that a search of a large archive does not block the process. `next` is absent at the end.
 */
export const findArchived = (
  db: Db,
  level: TrustLevel,
  words: ReadonlyArray<string>,
  { after, maxRows }: { readonly after?: ArchiveCursor | undefined; readonly maxRows: number }
): { readonly entries: ReadonlyArray<ArchiveEntry>; readonly next?: ArchiveCursor } => {
  const rows = sql(
    db,
    `SELECT born, archived_at AS archivedAt, reason, CASE WHEN openness >= ?
        AND NOT EXISTS (SELECT 1 FROM json_each(?) WHERE instr(text, value) = 0) THEN memory END AS memory
      FROM archive WHERE (archived_at, born) < (?, ?) ORDER BY archived_at DESC, born DESC LIMIT ?`
  ).all(
    minOpennessOf(level),
    JSON.stringify(words.map(foldForSearch)),
    after?.archivedAt ?? Number.MAX_SAFE_INTEGER,
    after?.born ?? 0,
    maxRows
  )
  const archived = rows.flatMap(({ archivedAt, memory, reason }) =>
    memory === null ? [] : [{ archivedAt, reason, memory: JSON.parse(memory) }]
  )
  const last = rows.length < maxRows ? undefined : rows.at(-1)
  return last === undefined
    ? { entries: archived }
    : { entries: archived, next: { archivedAt: last.archivedAt, born: last.born } }
}

/** An archived memory by its id, if the level may read it. */
export const findArchivedById = (db: Db, level: TrustLevel, id: string): Memory | undefined => {
  const row = sql(
    db,
    "SELECT born, o.memory FROM archive a JOIN observations o USING (born, id) WHERE id = ? AND a.openness >= ?"
  ).get(id, minOpennessOf(level))
  return row === undefined ? undefined : memoryOf(row)
}

/** Memories of the store with this openness that were archived at or before an instant, oldest first. */
export const findArchivedBefore = (db: Db, openness: number, instant: number, limit: number): ReadonlyArray<Memory> =>
  sql(
    db,
    `SELECT born, o.memory FROM archive a JOIN observations o USING (born)
      WHERE a.archived_at <= ? AND a.openness = ? ORDER BY a.archived_at, a.born LIMIT ?`
  )
    .all(instant, openness, limit)
    .map(memoryOf)

/** The number of archived memories. The caller must have full trust. */
export const countArchived = (db: Db): number => sql(db, "SELECT count(*) AS n FROM archive").get().n

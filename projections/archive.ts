import { imagesOf } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import { floorOf, type TrustLevel } from "../events/Trust.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** A memory in the archive: since when, in milliseconds since the epoch, and why. */
export interface Archived {
  readonly memory: Memory
  readonly archivedAt: number
  readonly reason: string
}

/** What was archived, whole. It is in no other read, and leaves when it is restored, forgotten or expires. */
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
  -- When and why those were archived that have left: whoever undoes that gives it back as it was.
  CREATE TABLE archive_left (born INTEGER PRIMARY KEY, archived_at INTEGER NOT NULL, reason TEXT NOT NULL);`,
  indexes: `CREATE INDEX archive_time ON archive (archived_at, born);
    CREATE UNIQUE INDEX archive_id ON archive (id);`,
  drop: (db) => db.exec("DROP TABLE archive; DROP TABLE archive_left"),
  apply: (db, event, lookup) => {
    for (const memory of imagesOf(event)) {
      if (memory.born === event.version) continue
      const there = sql(db, "SELECT archived_at, reason FROM archive WHERE born = ?").get(memory.born)
      if (there !== undefined) sql(db, "DELETE FROM archive WHERE born = ?").run(memory.born)
      if (memory.status !== "archived") {
        if (there === undefined) continue
        sql(db, "DELETE FROM archive_left WHERE born = ?").run(memory.born)
        sql(db, "INSERT INTO archive_left (born, archived_at, reason) VALUES (?, ?, ?)").run(
          memory.born,
          there.archived_at,
          there.reason
        )
        continue
      }
      const before =
        there ??
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
        before?.archived_at ?? event.recordedAt,
        before?.reason ?? reason,
        textOf(memory),
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

const textOf = ({ facts, narrative, people, tags, title }: Memory): string =>
  plainOf([title, narrative ?? "", ...facts, ...people, ...tags].join("\n"))

/** How text in the archive is compared: without case and accents. */
const plainOf = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()

/** Where reading the archive goes on: behind this row. */
export interface ArchivePlace {
  readonly archivedAt: number
  readonly born: number
}

/**
 * What of the archive a level may read, the last archived first; with words, what holds all of them. Looks at `look`
 * rows behind a place, whatever they hold, so that a search of a large archive is no pause; `next` is absent at its end.
 */
export const findArchived = (
  db: Db,
  level: TrustLevel,
  words: ReadonlyArray<string>,
  { after, look }: { readonly after?: ArchivePlace | undefined; readonly look: number }
): { readonly found: ReadonlyArray<Archived>; readonly next?: ArchivePlace } => {
  const rows = sql(
    db,
    `SELECT born, archived_at AS archivedAt, reason, CASE WHEN openness >= ?
        AND NOT EXISTS (SELECT 1 FROM json_each(?) WHERE instr(text, value) = 0) THEN memory END AS memory
      FROM archive WHERE (archived_at, born) < (?, ?) ORDER BY archived_at DESC, born DESC LIMIT ?`
  ).all(
    floorOf(level),
    JSON.stringify(words.map(plainOf)),
    after?.archivedAt ?? Number.MAX_SAFE_INTEGER,
    after?.born ?? 0,
    look
  )
  const found = rows.flatMap(({ archivedAt, memory, reason }) =>
    memory === null ? [] : [{ archivedAt, reason, memory: JSON.parse(memory) }]
  )
  const last = rows.length < look ? undefined : rows.at(-1)
  return last === undefined ? { found } : { found, next: { archivedAt: last.archivedAt, born: last.born } }
}

/** A memory in the archive that a level may read. */
export const findInArchive = (db: Db, level: TrustLevel, id: string): Memory | undefined => {
  const row = sql(db, "SELECT memory FROM archive WHERE id = ? AND openness >= ?").get(id, floorOf(level))
  return row === undefined ? undefined : JSON.parse(row.memory)
}

/** What was archived of a store, by its openness, at or before an instant, the first archived first. */
export const findArchivedBefore = (db: Db, openness: number, instant: number, limit: number): ReadonlyArray<Memory> =>
  sql(db, "SELECT memory FROM archive WHERE archived_at <= ? AND openness = ? ORDER BY archived_at, born LIMIT ?")
    .all(instant, openness, limit)
    .map(({ memory }) => JSON.parse(memory))

/** How many memories the archive holds. For full trust. */
export const countArchived = (db: Db): number => sql(db, "SELECT count(*) AS n FROM archive").get().n

import { sameBytes } from "../events/Chain.js"
import { afterImages } from "../events/catalogue.js"
import { cacheMemoryJson, type Memory, memoryJson } from "../events/Memory.js"
import { sha256 } from "../events/sha256.js"
import { levelOf, minOpennessOf, opennessOf, stores } from "../events/Trust.js"
import { type Db, indexesByLevel, type Projection, sql } from "./Projection.js"
import { damagedView } from "./view/ViewFile.js"

/**
 * Every memory in its current state, with columns to filter and sort by. Inactive memories stay, with `active` = 0.
 *
 * `level` is the writer's level: 0 full, 1 inner, 2 familiar. If no event recorded the level, it is inferred: it is the
 * lowest level that could write to the most open store that the memory was ever in. In this case, `widest` is the
 * openness of that store, and the `memory` text contains the inferred level, so that the next change records it.
 */
export const observations: Projection = {
  name: "observations",
  version: 6,
  handles: ["ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: `CREATE TABLE observations (
    born INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    active INTEGER NOT NULL,
    openness INTEGER NOT NULL,
    widest INTEGER,
    level INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    content BLOB NOT NULL,
    type TEXT NOT NULL,
    store TEXT NOT NULL,
    title TEXT NOT NULL,
    people TEXT NOT NULL,
    tags TEXT NOT NULL,
    session TEXT,
    project TEXT,
    tier TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    importance REAL NOT NULL,
    mentions INTEGER NOT NULL,
    mentioned_at INTEGER NOT NULL,
    occurred_at INTEGER,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    memory TEXT NOT NULL
  );`,
  indexes: `CREATE UNIQUE INDEX observations_id ON observations (id);
    CREATE INDEX observations_content ON observations (content) WHERE active = 1;
    ${indexesByLevel("observations_time", "observations (coalesce(occurred_at, created_at), born)", "active = 1 AND ")}
    ${indexesByLevel("observations_written", "observations (created_at, born)", "active = 1 AND occurred_at IS NOT NULL AND ")}
    ${indexesByLevel("observations_expiry", "observations (expires_at)", "active = 1 AND expires_at IS NOT NULL AND ")}
    CREATE INDEX observations_score ON observations (type, openness, tier, store, mentioned_at, mentions, importance,
      expires_at) WHERE active = 1;
    CREATE INDEX observations_shown ON observations (born, type, tier, mentioned_at, mentions, importance, expires_at)
      WHERE active = 1;
    ${indexesByLevel("observations_core", "observations (mentioned_at DESC, born DESC)", "active = 1 AND tier = 'core' AND ")}
    CREATE INDEX observations_low ON observations (level, type) WHERE active = 1 AND level > 0;`,
  drop: () => "DROP TABLE observations",
  apply: (db, event, lookup) => {
    for (const memory of afterImages(event)) {
      const isNew = memory.born === event.version
      const widest = memory.level === undefined ? widestOf(db, memory, isNew) : null
      const image = widest === null ? memory : { ...memory, level: levelOf({ store: stores[widest]! }) }
      const openness = { present: lookup.opennessOf(memory), widest }
      sql(db, isNew ? insert : update).run(...valuesOf(image, openness, event.version))
    }
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM observations ORDER BY born"),
  stateDigest: (db, digest) => {
    digest.rows(function* () {
      const rows = db
        .prepare("SELECT memory, openness, widest FROM observations WHERE active = 1 ORDER BY id")
        .iterate()
      for (const { memory, openness, widest } of rows as Iterable<{
        memory: string
        openness: number
        widest: number | null
      }>) {
        const { born, revision, createdAt, updatedAt, lastMentionedAt, level, ...state } = JSON.parse(memory) as Memory
        // Leaves an inferred level out, so that logs of earlier releases keep their digest.
        yield [openness, JSON.stringify(widest === null ? { ...state, level } : state)]
      }
    })
  }
}

/** The openness of the most open store that a memory without a recorded level was ever in. */
const widestOf = (db: Db, { born, store }: Memory, isNew: boolean): number =>
  Math.max(
    opennessOf(store),
    isNew ? 0 : (sql(db, "SELECT widest FROM observations WHERE born = ?").get(born)?.widest ?? 0)
  )

/** The SHA-256 of a memory's title and facts. Two memories with the same digest are exact duplicates. */
export const contentDigest = (title: string, facts: ReadonlyArray<string>): Buffer => {
  // Cached, because a write needs the same digest again after the search for duplicates.
  if (latest.title !== title || latest.facts !== facts) {
    latest = { title, facts, content: sha256(JSON.stringify([title, facts])) }
  }
  return latest.content
}

let latest: { title?: string; facts?: ReadonlyArray<string>; content: Buffer } = { content: Buffer.alloc(0) }

interface MemoryRow {
  readonly born: number
  readonly memory: string
}

/**
 * The memory of a row. Throws if the text contains another row number, because commands compare the row with the log by
 * that number.
 */
export const memoryOf = ({ born, memory: text }: MemoryRow): Memory => {
  const memory = JSON.parse(text) as Memory
  if (memory.born !== born) throw damagedView("ANOTHER_ROW")
  return memory
}

/** The memory with this id, active or not. */
export const findById = (db: Db, id: string): Memory | undefined => {
  const row = sql(db, "SELECT born, memory FROM observations WHERE id = ?").get(id)
  return row === undefined ? undefined : memoryOf(row)
}

/** The row number of a memory, active or not. */
export const findRowNumberById = (db: Db, id: string): number | undefined =>
  sql(db, "SELECT born FROM observations WHERE id = ?").get(id)?.born

/** The row of a memory, column by column; undefined if there is none. */
export const findRow = (db: Db, born: number): ReadonlyArray<unknown> | undefined => sql(db, select).raw().get(born)

/**
 * True if a live view has this row for a memory after the event with this version. If no event recorded the memory's
 * level, `widest` depends on earlier events. Then this function only checks that `widest` is in its bounds and that the
 * level follows from it.
 */
export const rowMatchesMemory = (row: ReadonlyArray<unknown> | undefined, memory: Memory, version: number): boolean => {
  if (row === undefined) return false
  const present = opennessOf(memory.store)
  if (memory.level !== undefined) return hasValues(row, valuesOf(memory, { present, widest: null }, version))
  const widest = stores.findIndex((_, openness) => openness >= present && openness === row[widestColumn])
  if (widest < 0) return false
  const image = { ...memory, level: levelOf({ store: stores[widest]! }) }
  return hasValues(row, valuesOf(image, { present, widest }, version))
}

/**
 * Does the same check as `rowMatchesMemory`, but does not decode the event. The event must have the newest schema, and its first
 * after-image must be the memory. Also returns false if the check is not possible without decoding.
 */
export const rowMatchesPayload = (
  row: ReadonlyArray<unknown> | undefined,
  payload: string,
  version: number
): boolean => {
  const text = row?.[textColumn]
  if (typeof text !== "string" || !payload.startsWith(`{"memory":${text}`)) return false
  try {
    const memory = JSON.parse(text) as Memory
    cacheMemoryJson(memory, text)
    return memory.level !== undefined && rowMatchesMemory(row, memory, version)
  } catch {
    return false
  }
}

const hasValues = (row: ReadonlyArray<unknown>, values: ReadonlyArray<unknown>): boolean =>
  row.every((stored, index) => {
    const value = values[index]
    return stored === value || (stored instanceof Uint8Array && value instanceof Uint8Array && sameBytes(stored, value))
  })

/** The active memories of a store with the same title and facts that have not expired at `now`, oldest first. */
export const findDuplicates = (db: Db, store: string, content: Buffer, now: number): ReadonlyArray<Memory> => {
  // Sorted here, because every add runs this query: in SQLite 3.54, ORDER BY would make it take 8 µs instead of 1.6 µs.
  const rows: ReadonlyArray<MemoryRow> = sql(
    db,
    `SELECT born, memory FROM observations WHERE active = 1 AND content = ? AND store = ?
      AND (expires_at IS NULL OR expires_at > ?)`
  ).all(content, store, now)
  return rows.toSorted((a, b) => a.born - b.born).map(memoryOf)
}

/** The columns of a row, in the order of `valuesOf`. */
const columns = [
  "id",
  "active",
  "openness",
  "widest",
  "level",
  "changed",
  "revision",
  "content",
  "type",
  "store",
  "title",
  "people",
  "tags",
  "session",
  "project",
  "tier",
  "tokens",
  "importance",
  "mentions",
  "mentioned_at",
  "occurred_at",
  "created_at",
  "expires_at",
  "memory",
  "born"
]

const widestColumn = columns.indexOf("widest")
const textColumn = columns.indexOf("memory")
const select = `SELECT ${columns.join(", ")} FROM observations WHERE born = ?`

// Not an upsert, because an upsert opens a savepoint. At each savepoint FTS5 writes its pending postings, so it would
// write them per row instead of per batch.
const insert = `INSERT INTO observations (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`
const update = `UPDATE observations SET ${columns
  .slice(0, -1)
  .map((column) => `${column} = ?`)
  .join(", ")} WHERE born = ?`

const valuesOf = (
  memory: Memory,
  openness: { readonly present: number; readonly widest: number | null },
  version: number
): ReadonlyArray<unknown> => [
  memory.id,
  memory.status === "active" ? 1 : 0,
  openness.present,
  openness.widest,
  minOpennessOf(levelOf(memory)),
  version,
  memory.revision,
  contentDigest(memory.title, memory.facts),
  memory.type,
  memory.store,
  memory.title,
  JSON.stringify(memory.people),
  JSON.stringify(memory.tags),
  memory.session ?? null,
  memory.project ?? null,
  memory.tier,
  memory.tokens,
  memory.importance,
  memory.mentions,
  memory.lastMentionedAt,
  memory.occurredAt ?? null,
  memory.createdAt,
  memory.expiresAt ?? null,
  memoryJson(memory),
  memory.born
]

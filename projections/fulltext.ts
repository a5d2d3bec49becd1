import { imagesOf } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import { floorOf, type ReadingLevel, readingLevels } from "../events/Trust.js"
import { type Db, type Projection, sql } from "./Projection.js"
import { indexed } from "./text.js"

/** The columns of the index, in order, with their weights in bm25: a word in the title counts twice. */
export const textColumns = { title: 2, narrative: 1, facts: 1, tags: 1, people: 1 } as const
const columns = Object.keys(textColumns).join(", ")

/** The FTS5 table that a level reads. It holds nothing that the level may not read, so its statistics reveal nothing. */
export const textTable = (level: ReadingLevel): string => `text_${level}`

/**
 * Full text of the active memories: one table of normalised text, and over it
 * one external-content FTS5 index for each trust level that can read anything.
 */
export const fulltext: Projection = {
  name: "fulltext",
  version: 1,
  handles: ["ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: `CREATE TABLE texts (born INTEGER PRIMARY KEY, id TEXT NOT NULL, openness INTEGER NOT NULL,
      title TEXT NOT NULL, narrative TEXT NOT NULL, facts TEXT NOT NULL, tags TEXT NOT NULL, people TEXT NOT NULL);
    ${readingLevels
      .map(
        (
          level
        ) => `CREATE VIEW texts_${level} AS SELECT born, ${columns} FROM texts WHERE openness >= ${floorOf(level)};
    CREATE VIRTUAL TABLE ${textTable(level)} USING fts5(${columns}, content='texts_${level}', content_rowid='born',
      tokenize='porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE postings_${level} USING fts5vocab(${textTable(level)}, instance);`
      )
      .join("\n")}`,
  indexes: "",
  drop: (db) => {
    for (const level of readingLevels) {
      db.exec(`DROP TABLE postings_${level}; DROP TABLE ${textTable(level)}; DROP VIEW texts_${level}`)
    }
    db.exec("DROP TABLE texts")
  },
  apply: (db, event, lookup) => {
    const indexes = lookup.filling?.("fulltext") ? [] : statements
    for (const memory of imagesOf(event)) {
      const before = memory.born === event.version ? undefined : sql(db, select).get(memory.born)
      index(db, memory, lookup.opennessOf(memory), indexes, before)
    }
  },
  fill: (db, after) => {
    const last = sql(
      db,
      "SELECT max(born) AS born FROM (SELECT born FROM texts WHERE born > ? ORDER BY born LIMIT ?)"
    ).get(after, filledAtOnce).born
    if (after === 0) setHashSize(db, hashSize.filling)
    if (last === null) {
      setHashSize(db, hashSize.usual)
      return undefined
    }
    for (const level of readingLevels) {
      sql(
        db,
        `INSERT INTO ${textTable(level)} (rowid, ${columns})
          SELECT born, ${columns} FROM texts_${level} WHERE born > ? AND born <= ? ORDER BY born`
      ).run(after, last)
    }
    return last
  },
  digest: (db, digest) => {
    digest.query(db, "SELECT * FROM texts ORDER BY born")
    for (const level of readingLevels) {
      digest.row(...totals(db, level))
      digest.query(db, `SELECT term, doc, col, offset FROM postings_${level} ORDER BY term, doc, col, offset`)
    }
  },
  stateDigest: (db, digest) => {
    for (const level of readingLevels) {
      digest.query(
        db,
        `SELECT term, id, col, offset FROM postings_${level} JOIN texts ON born = doc ORDER BY term, id, col, offset`
      )
    }
  }
}

/** How many memories the index of a level holds. */
export const indexedRows = (db: Db, level: ReadingLevel): number => totals(db, level)[0] ?? 0

/** What bm25 averages over: rows, then tokens of each column. Empty where there are no rows. */
const totals = (db: Db, level: ReadingLevel): ReadonlyArray<number> => {
  const row = sql(db, `SELECT block FROM ${textTable(level)}_data WHERE id = 1`).get()
  const numbers: Array<number> = []
  let number = 0
  // FTS5's averages record: integers of 7 bits a byte, the highest first, all but the last byte marked.
  for (const byte of (row?.block ?? []) as Iterable<number>) {
    number = number * 128 + (byte & 127)
    if (byte >= 128) continue
    numbers.push(number)
    number = 0
  }
  return numbers[0] === 0 ? [] : numbers
}

/** Rows that are indexed in one go: enough to be fast, few enough for others to come in between (a quarter of a second). */
const filledAtOnce = 10_000

/** Bytes of postings that FTS5 gathers before it writes a segment: its own default, and enough for all that is filled in one go. */
const hashSize = { usual: 1 << 20, filling: 64 << 20 }

const setHashSize = (db: Db, bytes: number) => {
  for (const level of readingLevels) {
    const table = textTable(level)
    sql(db, `INSERT INTO ${table} (${table}, rank) VALUES ('hashsize', ?)`).run(BigInt(bytes))
  }
}

const select = "SELECT * FROM texts WHERE born = ?"
const insert = `INSERT INTO texts (born, id, openness, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
/** For each level: how a text gets into its index, and out of it again. */
const statements = readingLevels.map((level) => {
  const table = textTable(level)
  return {
    floor: floorOf(level),
    add: `INSERT INTO ${table} (rowid, ${columns}) VALUES (?, ?, ?, ?, ?, ?)`,
    remove: `INSERT INTO ${table} (${table}, rowid, ${columns}) VALUES ('delete', ?, ?, ?, ?, ?, ?)`
  }
})

type Texts = Record<"title" | "narrative" | "facts" | "tags" | "people", string> & { readonly openness: number }

const index = (db: Db, memory: Memory, openness: number, levels: typeof statements, before: Texts | undefined) => {
  const texts =
    memory.status === "active"
      ? [
          indexed(memory.title),
          indexed(memory.narrative ?? ""),
          indexed(memory.facts.join("\n")),
          indexed(memory.tags.join(" ")),
          indexed(memory.people.join("\n"))
        ]
      : undefined
  if (before !== undefined) {
    const old = [before.title, before.narrative, before.facts, before.tags, before.people]
    if (texts !== undefined && before.openness === openness && texts.every((text, at) => text === old[at])) return
    for (const { floor, remove } of levels) if (before.openness >= floor) sql(db, remove).run(memory.born, ...old)
    sql(db, "DELETE FROM texts WHERE born = ?").run(memory.born)
  }
  if (texts === undefined) return
  sql(db, insert).run(memory.born, memory.id, openness, ...texts)
  for (const { add, floor } of levels) if (openness >= floor) sql(db, add).run(memory.born, ...texts)
}

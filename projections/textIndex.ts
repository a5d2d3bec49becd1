import { floorOf, type ReadingLevel, readingLevels } from "../events/Trust.js"
import { type Db, type Digest, sql } from "./Projection.js"

/** A row of text: its number, the id that its numbers may not tell, who may read it, and its columns in order. */
export interface TextRow {
  readonly born: number
  readonly id: string
  readonly openness: number
  readonly columns: ReadonlyArray<string>
}

/**
 * Full text of some kind of row: one table of normalised text, and over it one
 * external-content FTS5 index for each trust level that can read anything. The
 * index of a level holds nothing that the level may not read, so its statistics
 * reveal nothing.
 */
export interface TextIndex {
  /** The FTS5 table that a level reads. */
  readonly table: (level: ReadingLevel) => string
  /** The weights of the columns in bm25, as its arguments. */
  readonly weights: string
  readonly tables: string
  readonly drop: (db: Db) => void
  /** Adds a row that is not there yet. With `filling`, the indexes are left to `fill`. */
  readonly add: (db: Db, row: TextRow, filling: boolean) => void
  /** Puts a row in the place of the one with its number, or takes that away. */
  readonly replace: (db: Db, born: number, row: TextRow | null, filling: boolean) => void
  /** Makes the indexes of the rows after `after`; see `Projection.fill`. */
  readonly fill: (db: Db, after: number) => number | undefined
  readonly digest: (db: Db, digest: Digest) => void
  readonly stateDigest: (db: Db, digest: Digest) => void
  /** How many rows the index of a level holds. */
  readonly count: (db: Db, level: ReadingLevel) => number
}

/** An index whose tables begin with `prefix`; `weights` names its columns, in order, with their weights in bm25. */
export const make = (prefix: string, weights: Readonly<Record<string, number>>): TextIndex => {
  const texts = `${prefix}texts`
  const names = Object.keys(weights)
  const columns = names.join(", ")
  const places = names.map(() => "?").join(", ")
  /** Marks belong to words: Devanagari and Thai write vowels with them. */
  const tokenizer = "porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
  const table = (level: ReadingLevel) => `${prefix}text_${level}`
  const postings = (level: ReadingLevel) => `${prefix}postings_${level}`
  const select = `SELECT openness, ${columns} FROM ${texts} WHERE born = ?`
  const insert = `INSERT INTO ${texts} (born, id, openness, ${columns}) VALUES (?, ?, ?, ${places})`
  const remove = `DELETE FROM ${texts} WHERE born = ?`
  /** For each level: how a text gets into its index, and out of it again. */
  const indexes = readingLevels.map((level) => ({
    floor: floorOf(level),
    add: `INSERT INTO ${table(level)} (rowid, ${columns}) VALUES (?, ${places})`,
    remove: `INSERT INTO ${table(level)} (${table(level)}, rowid, ${columns}) VALUES ('delete', ?, ${places})`
  }))

  const add = (db: Db, row: TextRow, filling: boolean) => {
    sql(db, insert).run(row.born, row.id, row.openness, ...row.columns)
    if (filling) return
    for (const index of indexes) if (row.openness >= index.floor) sql(db, index.add).run(row.born, ...row.columns)
  }

  /** What bm25 averages over: rows, then tokens of each column. Empty where there are no rows. */
  const totals = (db: Db, level: ReadingLevel): ReadonlyArray<number> => {
    const row = sql(db, `SELECT block FROM ${table(level)}_data WHERE id = 1`).get()
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

  const setHashSize = (db: Db, bytes: number) => {
    for (const level of readingLevels) {
      sql(db, `INSERT INTO ${table(level)} (${table(level)}, rank) VALUES ('hashsize', ?)`).run(BigInt(bytes))
    }
  }

  /**
   * Puts all segments on a level of their own. What filled the index is large: among the small segments of the writes
   * that follow it would be merged with those at once, in the midst of a write, as soon as their level has 16 (0.8 s).
   * On a level above it is merged a few pages a write, as FTS5 does by itself.
   */
  const settle = (db: Db) => {
    for (const level of readingLevels) {
      sql(db, `INSERT INTO ${table(level)} (${table(level)}, rank) VALUES ('merge', ?)`).run(-1n)
    }
  }

  return {
    table,
    weights: Object.values(weights).join(", "),
    tables: `CREATE TABLE ${texts} (born INTEGER PRIMARY KEY, id TEXT NOT NULL, openness INTEGER NOT NULL,
      ${names.map((name) => `${name} TEXT NOT NULL`).join(", ")});
    ${readingLevels
      .map(
        (
          level
        ) => `CREATE VIEW ${texts}_${level} AS SELECT born, ${columns} FROM ${texts} WHERE openness >= ${floorOf(level)};
    CREATE VIRTUAL TABLE ${table(level)} USING fts5(${columns}, content='${texts}_${level}', content_rowid='born',
      tokenize="${tokenizer}");
    CREATE VIRTUAL TABLE ${postings(level)} USING fts5vocab(${table(level)}, instance);`
      )
      .join("\n")}`,
    drop: (db) => {
      for (const level of readingLevels) {
        db.exec(`DROP TABLE ${postings(level)}; DROP TABLE ${table(level)}; DROP VIEW ${texts}_${level}`)
      }
      db.exec(`DROP TABLE ${texts}`)
    },
    add,
    replace: (db, born, row, filling) => {
      const before = sql(db, select).get(born)
      if (before !== undefined) {
        const old = names.map((name) => before[name])
        if (row?.openness === before.openness && row?.columns.every((text, at) => text === old[at])) return
        if (!filling) {
          for (const index of indexes) if (before.openness >= index.floor) sql(db, index.remove).run(born, ...old)
        }
        sql(db, remove).run(born)
      }
      if (row !== null) add(db, row, filling)
    },
    fill: (db, after) => {
      const last = sql(
        db,
        `SELECT max(born) AS born FROM (SELECT born FROM ${texts} WHERE born > ? ORDER BY born LIMIT ?)`
      ).get(after, filledAtOnce).born
      if (after === 0) setHashSize(db, hashSize.filling)
      if (last === null) {
        setHashSize(db, hashSize.usual)
        settle(db)
        return undefined
      }
      for (const level of readingLevels) {
        sql(
          db,
          `INSERT INTO ${table(level)} (rowid, ${columns})
            SELECT born, ${columns} FROM ${texts}_${level} WHERE born > ? AND born <= ? ORDER BY born`
        ).run(after, last)
      }
      return last
    },
    digest: (db, digest) => {
      digest.query(db, `SELECT * FROM ${texts} ORDER BY born`)
      for (const level of readingLevels) {
        digest.row(...totals(db, level))
        digest.query(db, `SELECT term, doc, col, offset FROM ${postings(level)} ORDER BY term, doc, col, offset`)
      }
    },
    stateDigest: (db, digest) => {
      for (const level of readingLevels) {
        digest.query(
          db,
          `SELECT term, id, col, offset FROM ${postings(level)} JOIN ${texts} ON born = doc ORDER BY term, id, col, offset`
        )
      }
    },
    // Not from the totals: FTS5 writes those with the transaction, and within it a write would count what was there before.
    count: (db, level) => sql(db, `SELECT count(*) AS n FROM ${table(level)}_docsize`).get().n
  }
}

/** Rows that are indexed in one go: enough to be fast, few enough for others to come in between (a quarter of a second). */
const filledAtOnce = 10_000

/** Bytes of postings that FTS5 gathers before it writes a segment: its own default, and enough for all that is filled in one go. */
const hashSize = { usual: 1 << 20, filling: 64 << 20 }

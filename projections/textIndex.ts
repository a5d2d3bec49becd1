import { minOpennessOf, type ReadingLevel, readingLevels } from "../events/Trust.js"
import { type Db, type Digest, sql } from "./Projection.js"
import { compareIds, itemsPerStep, sortInSteps } from "./sortInSteps.js"

/** A row of text. `id` identifies the row in the state digest, which must not depend on row numbers. */
export interface TextRow {
  readonly born: number
  readonly id: string
  readonly openness: number
  /** The texts of the columns, in order. */
  readonly columns: ReadonlyArray<string>
}

/**
 * Full-text index of one kind of row. One table contains the normalised text. Each trust level that can read has its
 * own external-content FTS5 index on that table. The index of a level contains only rows that the level may read, so
 * its statistics reveal nothing about other rows.
 */
export interface TextIndex {
  /** The FTS5 table of a level. */
  readonly table: (level: ReadingLevel) => string
  /** The bm25 weights of the columns, as SQL arguments. */
  readonly weights: string
  readonly tables: string
  readonly drop: string
  /** Adds a new row. If `filling` is true, it does not update the FTS5 indexes, because `fill` does that later. */
  readonly add: (db: Db, row: TextRow, filling: boolean) => void
  /** Replaces the row with this number, or removes it if `row` is null. */
  readonly replace: (db: Db, born: number, row: TextRow | null, filling: boolean) => void
  /** SQL that indexes all rows; see `Projection.fill`. */
  readonly fill: string
  readonly digest: (db: Db, digest: Digest) => void
  readonly stateDigest: (db: Db, digest: Digest) => void
  /** The number of rows in the index of a level. */
  readonly count: (db: Db, level: ReadingLevel) => number
}

/**
 * Makes an index whose table names begin with `prefix`. `weights` names the columns in order, with their bm25 weights.
 */
export const make = (prefix: string, weights: Readonly<Record<string, number>>): TextIndex => {
  const names = namesOf(prefix, Object.keys(weights))
  const { postings, table, texts } = names
  return {
    table,
    weights: Object.values(weights).join(", "),
    tables: tablesSql(names),
    drop: [
      ...readingLevels.map(
        (level) => `DROP TABLE ${postings(level)}; DROP TABLE ${table(level)}; DROP VIEW ${texts}_${level}`
      ),
      `DROP TABLE ${texts}`
    ].join("; "),
    ...rowWriter(names),
    fill: fillSql(names),
    digest: (db, digest) => {
      digest.query(db, `SELECT * FROM ${texts} ORDER BY born`)
      for (const level of readingLevels) {
        digest.row(...totalsOf(db, table(level)))
        digest.rows(() => postingsInOrder(db, names, level, byRow))
      }
    },
    stateDigest: (db, digest) => {
      let byId: DocumentOrder | undefined
      for (const level of readingLevels) {
        digest.rows(function* () {
          const order = byId ?? (yield* orderById(db, texts))
          byId = order
          yield* postingsInOrder(db, names, level, () => order)
        })
      }
    },
    // Does not use FTS5's averages record, which FTS5 updates only at the end of the transaction.
    count: (db, level) => sql(db, `SELECT count(*) AS n FROM ${table(level)}_docsize`).get().n
  }
}

/** The names of an index's tables and columns. */
interface Names {
  readonly texts: string
  readonly columns: ReadonlyArray<string>
  readonly table: (level: ReadingLevel) => string
  readonly postings: (level: ReadingLevel) => string
}

const namesOf = (prefix: string, columns: ReadonlyArray<string>): Names => ({
  texts: `${prefix}texts`,
  columns,
  table: (level) => `${prefix}text_${level}`,
  postings: (level) => `${prefix}postings_${level}`
})

/**
 * The order of documents in a digest of postings: the rank of each document, and the name that the digest uses for it.
 */
interface DocumentOrder {
  /** Undefined if there is no such document. */
  readonly rankOf: (born: number) => number | undefined
  readonly nameOf: (rank: number) => number | string
}

/** Orders documents by row number, for the postings of one term. FTS5 lists the documents of a term in this order. */
const byRow = (): DocumentOrder => {
  const rows: Array<number> = []
  return {
    rankOf: (born) => {
      if (rows.at(-1) !== born) rows.push(born)
      return rows.length - 1
    },
    nameOf: (rank) => rows[rank]!
  }
}

/** Orders documents by id. Rows with the same id have the same rank. Yields undefined between its steps. */
const orderById = function* (db: Db, texts: string): Generator<undefined, DocumentOrder> {
  const rows: Array<readonly [id: string, born: number]> = []
  for (const row of db.prepare(`SELECT id, born FROM ${texts}`).raw().iterate() as Iterable<[string, number]>) {
    rows.push(row)
    if (rows.length % itemsPerStep === 0) yield undefined
  }
  const ranks = new Map<number, number>()
  const ids: Array<string> = []
  for (const row of sortInSteps(rows, compareIds)) {
    if (row !== undefined) {
      if (ids.at(-1) !== row[0]) ids.push(row[0])
      ranks.set(row[1], ids.length - 1)
    }
    if (row === undefined || ranks.size % itemsPerStep === 0) yield undefined
  }
  return { rankOf: (born) => ranks.get(born), nameOf: (rank) => ids[rank]! }
}

/** Larger than the number of tokens in any column, because `toIndexText` bounds the bytes of a column. */
const offsetsPerColumn = 2 ** 22

/**
 * The postings, sorted by term, document, column and offset. FTS5 lists them term by term, so only the postings of one
 * term are sorted at a time. `ORDER BY` would sort all postings before the first row.
 *
 * The rank of the document, the column and the offset of a posting are combined into one number until they are sorted.
 * A term can be in all documents, and one array per posting would keep the garbage collector busy for too long.
 */
const postingsInOrder = function* (
  db: Db,
  { columns, postings }: Names,
  level: ReadingLevel,
  orderOfTerm: () => DocumentOrder
): Iterable<Posting | undefined> {
  const names = columns.toSorted()
  const columnOf = new Map(names.map((name, index) => [name, index]))
  let term = ""
  let order = orderOfTerm()
  let places: Array<number> = []
  let read = 0
  const rows = db.prepare(`SELECT term, doc, col, offset FROM ${postings(level)}`).raw()
  for (const [next, born, column, offset] of rows.iterate() as Iterable<[string, number, string, number]>) {
    if (next !== term) {
      yield* postingsOfTerm(term, places, order, names)
      term = next
      order = orderOfTerm()
      places = []
    }
    const rank = order.rankOf(born)
    if (rank !== undefined) {
      places.push((rank * names.length + columnOf.get(column)!) * offsetsPerColumn + offset)
    }
    if (++read % itemsPerStep === 0) yield undefined
  }
  yield* postingsOfTerm(term, places, order, names)
}

const postingsOfTerm = function* (
  term: string,
  places: ReadonlyArray<number>,
  order: DocumentOrder,
  columns: ReadonlyArray<string>
): Iterable<Posting | undefined> {
  for (const place of sortInSteps(places, (a, b) => a - b)) {
    if (place === undefined) {
      yield undefined
      continue
    }
    const column = Math.floor(place / offsetsPerColumn)
    const document = order.nameOf(Math.floor(column / columns.length))
    yield [term, document, columns[column % columns.length]!, place % offsetsPerColumn]
  }
}

type Posting = readonly [term: string, document: number | string, column: string, offset: number]

/** Marks (category M) are part of words: Devanagari and Thai write vowels with marks. */
const tokenizer = "porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'"

const tablesSql = ({ columns, postings, table, texts }: Names): string => {
  const list = columns.join(", ")
  return `CREATE TABLE ${texts} (born INTEGER PRIMARY KEY, id TEXT NOT NULL, openness INTEGER NOT NULL,
      ${columns.map((name) => `${name} TEXT NOT NULL`).join(", ")});
    ${readingLevels
      .map(
        (
          level
        ) => `CREATE VIEW ${texts}_${level} AS SELECT born, ${list} FROM ${texts} WHERE openness >= ${minOpennessOf(level)};
    CREATE VIRTUAL TABLE ${table(level)} USING fts5(${list}, content='${texts}_${level}', content_rowid='born',
      tokenize="${tokenizer}");
    CREATE VIRTUAL TABLE ${postings(level)} USING fts5vocab(${table(level)}, instance);`
      )
      .join("\n")}`
}

/** Makes the functions that write single rows. Composes the SQL text once, because most events use it. */
const rowWriter = ({ columns, table, texts }: Names): Pick<TextIndex, "add" | "replace"> => {
  const list = columns.join(", ")
  const placeholders = columns.map(() => "?").join(", ")
  const select = `SELECT openness, ${list} FROM ${texts} WHERE born = ?`
  const insert = `INSERT INTO ${texts} (born, id, openness, ${list}) VALUES (?, ?, ?, ${placeholders})`
  const remove = `DELETE FROM ${texts} WHERE born = ?`
  const indexes = readingLevels.map((level) => ({
    floor: minOpennessOf(level),
    add: `INSERT INTO ${table(level)} (rowid, ${list}) VALUES (?, ${placeholders})`,
    remove: `INSERT INTO ${table(level)} (${table(level)}, rowid, ${list}) VALUES ('delete', ?, ${placeholders})`
  }))

  const add = (db: Db, row: TextRow, filling: boolean) => {
    sql(db, insert).run(row.born, row.id, row.openness, ...row.columns)
    if (filling) return
    for (const index of indexes) if (row.openness >= index.floor) sql(db, index.add).run(row.born, ...row.columns)
  }

  return {
    add,
    replace: (db, born, row, filling) => {
      const stored = sql(db, select).get(born)
      if (stored !== undefined) {
        const texts = columns.map((name) => stored[name])
        if (row?.openness === stored.openness && row?.columns.every((text, index) => text === texts[index])) return
        if (!filling) {
          for (const index of indexes) if (stored.openness >= index.floor) sql(db, index.remove).run(born, ...texts)
        }
        sql(db, remove).run(born)
      }
      if (row !== null) add(db, row, filling)
    }
  }
}

/**
 * Indexes all texts. For each trust level, it writes one or a few large FTS5 segments, and then each of the last two rows
 * as a small segment. After each small segment, `merge` with -1 moves the large ones to a higher level of the merge tree. On the lowest
 * level, FTS5 would merge them with small segments as soon as there are 16 segments, all within one write: 0.5 s for
 * 100,000 rows. On a higher level, FTS5 merges a few pages per write.
 */
const fillSql = ({ columns, table, texts }: Names): string => {
  const list = columns.join(", ")
  return readingLevels
    .map((level) => {
      const name = table(level)
      const rows = `${texts}_${level}`
      const command = (name: string, value: number) =>
        `INSERT INTO ${table(level)} (${table(level)}, rank) VALUES ('${name}', ${value});`
      const fromEnd = (offset: number) => `(SELECT born FROM ${rows} ORDER BY born DESC LIMIT 1 OFFSET ${offset})`
      const segment = (condition: string) =>
        `INSERT INTO ${name} (rowid, ${list}) SELECT born, ${list} FROM ${rows} WHERE ${condition} ORDER BY born;
        SAVEPOINT flushed; RELEASE flushed;`
      const raised = (offset: number) => `${segment(`born = ${fromEnd(offset)}`)} ${command("merge", -1)}`
      return `${command("hashsize", hashBytes.filling)}
        ${segment(`born <= ${fromEnd(smallSegments)}`)}
        ${command("hashsize", hashBytes.usual)}
        ${Array.from({ length: smallSegments }, (_, index) => raised(smallSegments - 1 - index)).join("\n")}`
    })
    .join("\n")
}

/** Small segments per trust level of a filled index. The second `merge` moves the large segments to the third level. */
const smallSegments = 2

/**
 * Bytes of postings that FTS5 collects before it writes a segment. `usual` is its default; `filling` is enough for
 * about 10,000 rows.
 */
const hashBytes = { usual: 1 << 20, filling: 64 << 20 }

/**
 * The totals from which bm25 computes its averages: the number of rows, then the number of tokens in each column. Empty
 * if there are no rows.
 */
const totalsOf = (db: Db, table: string): ReadonlyArray<number> => {
  const row = sql(db, `SELECT block FROM ${table}_data WHERE id = 1`).get()
  const numbers: Array<number> = []
  let number = 0
  // FTS5's averages record: integers of 7 bits per byte, highest first; all bytes but the last have the top bit set.
  for (const byte of (row?.block ?? []) as Iterable<number>) {
    number = number * 128 + (byte & 127)
    if (byte >= 128) continue
    numbers.push(number)
    number = 0
  }
  return numbers[0] === 0 ? [] : numbers
}

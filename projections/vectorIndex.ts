import { activeModels, sameModel } from "./embedders.js"
import { type Db, type Digest, sql } from "./Projection.js"
import { compareIds, itemsPerStep, sortInSteps } from "./sortInSteps.js"

/** A row with a vector. `id` identifies the row in the state digest; `digest` is the digest of the embedded text. */
export interface VectorRow {
  readonly born: number
  readonly id: string
  readonly digest: string
  readonly openness: number
  readonly vector: Float32Array
}

/** The vectors of one kind of row. Each model whose vectors are stored has its own sqlite-vec table. */
export interface VectorIndex {
  readonly tables: string
  readonly drop: (db: Db) => string
  /** Stores the vectors of rows, and replaces the earlier vectors of these rows. */
  readonly put: (db: Db, model: string, dimensions: number, rows: ReadonlyArray<VectorRow>) => void
  /** Removes all vectors of a row. */
  readonly remove: (db: Db, born: number) => void
  /** Removes the vectors of rows from `from` (inclusive) to `end` (exclusive). */
  readonly removeBetween: (db: Db, from: number, end: number) => void
  /** Removes the vectors of a row if its text has changed; otherwise updates their openness. */
  readonly refresh: (db: Db, row: Pick<VectorRow, "born" | "digest" | "openness">) => void
  /** The sqlite-vec table of a model; undefined if the model has embedded nothing yet. */
  readonly table: (db: Db, model: string, dimensions: number) => string | undefined
  /**
   * An SQL condition on a column of row numbers: true for rows that have no vector from the model. The parameter of the
   * condition is the result of `setNumber`.
   */
  readonly missing: (column: string) => string
  /** The number of a model's set of vectors; 0 if the model has embedded nothing yet. */
  readonly setNumber: (db: Db, model: string, dimensions: number) => number
  /** The models that have embedded any rows, oldest first. */
  readonly models: (db: Db) => ReadonlyArray<{ readonly model: string; readonly dimensions: number }>
  /** Removes a model's set of vectors. */
  readonly dropSet: (db: Db, model: string, dimensions: number) => void
  /** The number of rows with a vector of a model. */
  readonly count: (db: Db, model: string, dimensions: number) => number
  readonly digest: (db: Db, digest: Digest) => void
  readonly stateDigest: (db: Db, digest: Digest) => void
}

/** Makes an index whose table names begin with `prefix`. */
export const make = (prefix: string): VectorIndex => {
  const { embedded, sets, vectors } = namesOf(prefix)
  const modelSets = makeModelSets(namesOf(prefix))
  const { numbers, setNumber } = modelSets
  return {
    tables: `CREATE TABLE ${sets} (number INTEGER PRIMARY KEY, model TEXT NOT NULL, dimensions INTEGER NOT NULL,
      UNIQUE (model, dimensions));
    CREATE TABLE ${embedded} (number INTEGER NOT NULL, born INTEGER NOT NULL, id TEXT NOT NULL, digest TEXT NOT NULL,
      PRIMARY KEY (number, born)) WITHOUT ROWID;`,
    drop: (db) => [...numbers(db).map(vectors), embedded, sets].map((table) => `DROP TABLE ${table}`).join("; "),
    ...rowWriter(namesOf(prefix), modelSets),
    table: (db, model, dimensions) => {
      const number = setNumber(db, model, dimensions)
      return number === 0 ? undefined : vectors(number)
    },
    missing: (column) => `NOT EXISTS (SELECT 1 FROM ${embedded} e WHERE e.number = ? AND e.born = ${column})`,
    setNumber,
    models: (db) => sql(db, `SELECT model, dimensions FROM ${sets} ORDER BY number`).all(),
    dropSet: (db, model, dimensions) => {
      const number = setNumber(db, model, dimensions)
      if (number === 0) return
      db.exec(`DROP TABLE ${vectors(number)}`)
      sql(db, `DELETE FROM ${embedded} WHERE number = ?`).run(number)
      sql(db, `DELETE FROM ${sets} WHERE number = ?`).run(number)
    },
    count: (db, model, dimensions) =>
      sql(
        db,
        `SELECT count(*) AS n FROM ${embedded} JOIN ${sets} USING (number) WHERE model = ? AND dimensions = ?`
      ).get(model, dimensions).n,
    digest: (db, digest) => {
      digest.query(db, `SELECT number, model, dimensions FROM ${sets} ORDER BY number`)
      digest.query(db, `SELECT number, born, id, digest FROM ${embedded} ORDER BY number, born`)
      for (const number of numbers(db)) digest.rows(() => rowsInOrder(db, vectors(number)))
    },
    stateDigest: (db, digest) => {
      // Only active models: searches ignore the vectors of other models, and newer rows may have none.
      const active = activeModels(db)
      for (const { dimensions, model } of sql(db, `SELECT model, dimensions FROM ${sets} ORDER BY number`).all()) {
        if (active?.some((name) => sameModel(name, { model, dimensions })) === false) continue
        const number = setNumber(db, model, dimensions)
        const ids = `SELECT id, born FROM ${embedded} WHERE number = ${number}`
        digest.rows(() => rowsById(db, ids, vectors(number)))
      }
    }
  }
}

// SQLite would sort whole vectors, and a single call would take a second for 100,000 vectors. So these functions read
// only the row numbers in order, and sort ids in steps.

/** The rows of a vector table, in order of row number. sqlite-vec stores the row numbers also in an ordinary table. */
const rowsInOrder = function* (db: Db, table: string): Iterable<ReadonlyArray<unknown>> {
  const numbers = db.prepare(`SELECT rowid FROM ${table}_rowids ORDER BY rowid`).pluck().iterate()
  const read = db.prepare(`SELECT rowid, openness, embedding FROM ${table} WHERE rowid = ?`).raw()
  for (const number of numbers as Iterable<number>) {
    const row = read.get(BigInt(number)) as ReadonlyArray<unknown> | undefined
    if (row !== undefined) yield row
  }
}

/** The ids that a query selects, sorted, each with its vector. Yields undefined between the steps of the sort. */
const rowsById = function* (db: Db, query: string, table: string): Iterable<ReadonlyArray<unknown> | undefined> {
  const read = db.prepare(`SELECT openness, embedding FROM ${table} WHERE rowid = ?`).raw()
  const ids: Array<readonly [id: string, born: number]> = []
  for (const row of db.prepare(query).raw().iterate() as Iterable<[string, number]>) {
    ids.push(row)
    if (ids.length % itemsPerStep === 0) yield undefined
  }
  for (const sorted of sortInSteps(ids, compareIds)) {
    if (sorted === undefined) {
      yield undefined
      continue
    }
    const [id, born] = sorted
    const row = read.get(BigInt(born)) as ReadonlyArray<unknown> | undefined
    if (row !== undefined) yield [id, ...row]
  }
}

/** The names of an index's tables. */
interface Names {
  /** One row per model, with the number of its set. */
  readonly sets: string
  /** The rows that have a vector, by set. */
  readonly embedded: string
  /** The sqlite-vec table of a set. */
  readonly vectors: (number: number) => string
}

const namesOf = (prefix: string): Names => ({
  sets: `${prefix}vector_sets`,
  embedded: `${prefix}embedded`,
  vectors: (number) => `${prefix}vectors_${number}`
})

interface ModelSets {
  readonly numbers: (db: Db) => ReadonlyArray<number>
  readonly setNumber: VectorIndex["setNumber"]
  readonly addSet: VectorIndex["setNumber"]
}

const makeModelSets = ({ sets, vectors }: Names): ModelSets => {
  const selectNumber = `SELECT number FROM ${sets} WHERE model = ? AND dimensions = ?`
  return {
    numbers: (db) =>
      sql(db, `SELECT number FROM ${sets} ORDER BY number`)
        .all()
        .map((row) => row.number),
    setNumber: (db, model, dimensions) => sql(db, selectNumber).get(model, dimensions)?.number ?? 0,
    addSet: (db, model, dimensions) => {
      const { number } = sql(db, `SELECT coalesce(max(number), 0) + 1 AS number FROM ${sets}`).get()
      sql(db, `INSERT INTO ${sets} (number, model, dimensions) VALUES (?, ?, ?)`).run(number, model, dimensions)
      // With 64 rows per chunk a small agent's vectors take 0.1 MB; with the default of 1,024 they take 1 MB.
      db.exec(
        // One partition per openness, so that a search reads no vector that its level may not read.
        `CREATE VIRTUAL TABLE ${vectors(number)} USING vec0(embedding float[${dimensions}], openness integer partition key, chunk_size=64)`
      )
      return number
    }
  }
}

/** Makes the functions that write single rows. */
const rowWriter = (
  { embedded, vectors }: Names,
  { addSet, numbers, setNumber }: ModelSets
): Pick<VectorIndex, "put" | "remove" | "removeBetween" | "refresh"> => {
  // The SQL texts that run for each vector are composed once, because looking up a statement by a new long string is
  // slow.
  const insertEmbedded = `INSERT OR IGNORE INTO ${embedded} (number, born, id, digest) VALUES (?, ?, ?, ?)`
  const insertTexts = new Map<number, string>()
  const insertText = (number: number): string => {
    const cached = insertTexts.get(number)
    if (cached !== undefined) return cached
    const text = `INSERT INTO ${vectors(number)} (rowid, embedding, openness) VALUES (?, ?, ?)`
    insertTexts.set(number, text)
    return text
  }

  const insert: InsertVector = (db, number, { born, openness, vector }) => {
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
    // vec0 accepts only 64-bit integers.
    sql(db, insertText(number)).run(BigInt(born), bytes, BigInt(openness))
  }

  const removeVector = (db: Db, number: number, born: number) =>
    deleteVector(db, vectors(number), born, (row) => insert(db, number, row))

  const remove = (db: Db, number: number, born: number) => {
    const { changes } = sql(db, `DELETE FROM ${embedded} WHERE number = ? AND born = ?`).run(number, born)
    if (changes > 0) removeVector(db, number, born)
  }

  return {
    put: (db, model, dimensions, rows) => {
      if (rows.length === 0) return
      const number = setNumber(db, model, dimensions) || addSet(db, model, dimensions)
      const add = sql(db, insertEmbedded)
      for (const row of rows) {
        const { born, digest, id } = row
        if (add.run(number, born, id, digest).changes === 0) {
          remove(db, number, born)
          add.run(number, born, id, digest)
        }
        insert(db, number, row)
      }
    },
    remove: (db, born) => {
      for (const number of numbers(db)) remove(db, number, born)
    },
    removeBetween: (db, from, end) => {
      const rows = sql(db, `SELECT number, born FROM ${embedded} WHERE number = ? AND born >= ? AND born < ?`)
      for (const number of numbers(db)) for (const { born } of rows.all(number, from, end)) remove(db, number, born)
    },
    refresh: (db, { born, digest, openness }) => {
      for (const number of numbers(db)) {
        const row = sql(db, `SELECT digest FROM ${embedded} WHERE number = ? AND born = ?`).get(number, born)
        if (row === undefined) continue
        if (row.digest !== digest) {
          remove(db, number, born)
          continue
        }
        const stored = sql(db, `SELECT embedding, openness FROM ${vectors(number)} WHERE rowid = ?`).get(BigInt(born))
        if (stored.openness === openness) continue
        removeVector(db, number, born)
        insert(db, number, { born, openness, vector: stored.embedding })
      }
    }
  }
}

/** A row of a sqlite-vec table. */
interface StoredVector {
  readonly born: number
  readonly openness: number
  readonly vector: Float32Array | Buffer
}

type InsertVector = (db: Db, number: number, row: StoredVector) => void

/**
 * Removes a vector from its sqlite-vec table. vec0 appends new vectors to the last chunk of their partition, and a
 * search scans every chunk that is not empty. So if at least half of an earlier chunk is empty, this function moves its
 * remaining vectors to the last chunk, and vec0 drops the empty chunk. As a result, a search scans at most twice the
 * stored vectors, no matter how many were removed before.
 */
const deleteVector = (db: Db, table: string, born: number, insert: (row: StoredVector) => void) => {
  const chunkId = sql(db, `SELECT chunk_id FROM ${table}_rowids WHERE rowid = ?`).pluck().get(BigInt(born))
  const deleteRow = sql(db, `DELETE FROM ${table} WHERE rowid = ?`)
  deleteRow.run(BigInt(born))
  const chunk = sql(
    db,
    `SELECT validity, rowids FROM ${table}_chunks c
      WHERE chunk_id = ? AND chunk_id < (SELECT max(o.chunk_id) FROM ${table}_chunks o WHERE o.partition00 = c.partition00)`
  ).get(chunkId) as { readonly validity: Buffer; readonly rowids: Buffer } | undefined
  if (chunk === undefined) return
  const slots = Array.from({ length: 8 * chunk.validity.length }, (_, slot) => slot)
  const used = slots.filter((slot) => (chunk.validity[slot >> 3]! >> (slot & 7)) & 1)
  if (used.length > slots.length / 2) return
  for (const slot of used) {
    const row = Number(chunk.rowids.readBigInt64LE(8 * slot))
    const { embedding, openness } = sql(db, `SELECT embedding, openness FROM ${table} WHERE rowid = ?`).get(BigInt(row))
    deleteRow.run(BigInt(row))
    insert({ born: row, openness, vector: embedding })
  }
}

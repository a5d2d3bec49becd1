import { modelsInUse, sameModel } from "./embedders.js"
import { type Db, type Digest, sql } from "./Projection.js"

/** A row that has a vector: its number, the id that its numbers may not tell, the digest of the text that was embedded. */
export interface VectorRow {
  readonly born: number
  readonly id: string
  readonly digest: string
  readonly openness: number
  readonly vector: Float32Array
}

/** Vectors of some kind of row: one sqlite-vec table for each model that has embedded any. */
export interface VectorIndex {
  readonly tables: string
  readonly drop: (db: Db) => void
  /** Puts the vectors of rows in the place of those that they had. */
  readonly put: (db: Db, model: string, dimensions: number, rows: ReadonlyArray<VectorRow>) => void
  /** Takes a row's vectors away. */
  readonly remove: (db: Db, born: number) => void
  /** Takes away the vectors of rows from one number on and below another. */
  readonly removeBetween: (db: Db, from: number, below: number) => void
  /** Takes a row's vectors away where they are of another text; moves them along with its openness. */
  readonly refresh: (db: Db, row: Pick<VectorRow, "born" | "digest" | "openness">) => void
  /** The sqlite-vec table of a model; undefined where it has embedded nothing yet. */
  readonly table: (db: Db, model: string, dimensions: number) => string | undefined
  /** A condition on a column of row numbers: those without a vector of the model. Takes the number that `setNumber` answers. */
  readonly missing: (column: string) => string
  /** The number of a model's set; 0 where it has embedded nothing yet. */
  readonly setNumber: (db: Db, model: string, dimensions: number) => number
  /** The models that have embedded any, the first one first. */
  readonly models: (db: Db) => ReadonlyArray<{ readonly model: string; readonly dimensions: number }>
  /** Takes a model's set away, all its vectors with it. */
  readonly dropSet: (db: Db, model: string, dimensions: number) => void
  /** How many rows have a vector of a model. */
  readonly count: (db: Db, model: string, dimensions: number) => number
  readonly digest: (db: Db, digest: Digest) => void
  readonly stateDigest: (db: Db, digest: Digest) => void
}

/** An index whose tables begin with `prefix`. */
export const make = (prefix: string): VectorIndex => {
  const sets = `${prefix}vector_sets`
  const embedded = `${prefix}embedded`
  const vectors = (number: number) => `${prefix}vectors_${number}`

  // Texts of statements that each vector needs are made once: a long text is looked up slowly when it is a new one.
  const selectNumber = `SELECT number FROM ${sets} WHERE model = ? AND dimensions = ?`
  const insertEmbedded = `INSERT OR IGNORE INTO ${embedded} (number, born, id, digest) VALUES (?, ?, ?, ?)`
  const inserts = new Map<number, string>()
  const insertVector = (number: number): string => {
    const known = inserts.get(number)
    if (known !== undefined) return known
    const text = `INSERT INTO ${vectors(number)} (rowid, embedding, openness) VALUES (?, ?, ?)`
    inserts.set(number, text)
    return text
  }

  const setNumber = (db: Db, model: string, dimensions: number): number =>
    sql(db, selectNumber).get(model, dimensions)?.number ?? 0

  const addSet = (db: Db, model: string, dimensions: number): number => {
    const { number } = sql(db, `SELECT coalesce(max(number), 0) + 1 AS number FROM ${sets}`).get()
    sql(db, `INSERT INTO ${sets} (number, model, dimensions) VALUES (?, ?, ?)`).run(number, model, dimensions)
    // A small agent's vectors take 0.1 MB with chunks of 64 rows, and 1 MB with the default of 1,024.
    db.exec(
      `CREATE VIRTUAL TABLE ${vectors(number)} USING vec0(embedding float[${dimensions}], openness integer, chunk_size=64)`
    )
    return number
  }

  const numbers = (db: Db): ReadonlyArray<number> =>
    sql(db, `SELECT number FROM ${sets} ORDER BY number`)
      .all()
      .map((row) => row.number)

  const insert = (db: Db, number: number, born: number, openness: number, vector: Float32Array | Buffer) => {
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
    // vec0 takes integers as 64-bit ones only.
    sql(db, insertVector(number)).run(BigInt(born), bytes, BigInt(openness))
  }

  const remove = (db: Db, number: number, born: number) => {
    const { changes } = sql(db, `DELETE FROM ${embedded} WHERE number = ? AND born = ?`).run(number, born)
    if (changes > 0) takeOut(db, number, born)
  }

  /**
   * Takes a vector out of its table. vec0 puts new ones behind all others and looks through every chunk that holds one:
   * where half of a chunk is empty, the other half moves behind too, and the chunk goes. So what is looked through is at
   * most twice what is there, however much was there before.
   */
  const takeOut = (db: Db, number: number, born: number) => {
    const table = vectors(number)
    const chunk = sql(db, `SELECT chunk_id FROM ${table}_rowids WHERE rowid = ?`).pluck().get(BigInt(born))
    const gone = sql(db, `DELETE FROM ${table} WHERE rowid = ?`)
    gone.run(BigInt(born))
    const left = sql(
      db,
      `SELECT validity, rowids FROM ${table}_chunks
        WHERE chunk_id = ? AND chunk_id < (SELECT max(chunk_id) FROM ${table}_chunks)`
    ).get(chunk) as { readonly validity: Buffer; readonly rowids: Buffer } | undefined
    if (left === undefined) return
    const places = Array.from({ length: 8 * left.validity.length }, (_, at) => at)
    const taken = places.filter((at) => (left.validity[at >> 3]! >> (at & 7)) & 1)
    if (taken.length > places.length / 2) return
    for (const at of taken) {
      const row = Number(left.rowids.readBigInt64LE(8 * at))
      const { embedding, openness } = sql(db, `SELECT embedding, openness FROM ${table} WHERE rowid = ?`).get(
        BigInt(row)
      )
      gone.run(BigInt(row))
      insert(db, number, row, openness, embedding)
    }
  }

  return {
    tables: `CREATE TABLE ${sets} (number INTEGER PRIMARY KEY, model TEXT NOT NULL, dimensions INTEGER NOT NULL,
      UNIQUE (model, dimensions));
    CREATE TABLE ${embedded} (number INTEGER NOT NULL, born INTEGER NOT NULL, id TEXT NOT NULL, digest TEXT NOT NULL,
      PRIMARY KEY (number, born)) WITHOUT ROWID;`,
    drop: (db) => {
      for (const number of numbers(db)) db.exec(`DROP TABLE ${vectors(number)}`)
      db.exec(`DROP TABLE ${embedded}; DROP TABLE ${sets}`)
    },
    put: (db, model, dimensions, rows) => {
      if (rows.length === 0) return
      const number = setNumber(db, model, dimensions) || addSet(db, model, dimensions)
      const add = sql(db, insertEmbedded)
      for (const { born, digest, id, openness, vector } of rows) {
        if (add.run(number, born, id, digest).changes === 0) {
          remove(db, number, born)
          add.run(number, born, id, digest)
        }
        insert(db, number, born, openness, vector)
      }
    },
    remove: (db, born) => {
      for (const number of numbers(db)) remove(db, number, born)
    },
    removeBetween: (db, from, below) => {
      const rows = sql(db, `SELECT number, born FROM ${embedded} WHERE number = ? AND born >= ? AND born < ?`)
      for (const number of numbers(db)) for (const { born } of rows.all(number, from, below)) remove(db, number, born)
    },
    refresh: (db, { born, digest, openness }) => {
      for (const number of numbers(db)) {
        const row = sql(db, `SELECT digest FROM ${embedded} WHERE number = ? AND born = ?`).get(number, born)
        if (row === undefined) continue
        if (row.digest !== digest) {
          remove(db, number, born)
          continue
        }
        const vector = sql(db, `SELECT embedding, openness FROM ${vectors(number)} WHERE rowid = ?`).get(BigInt(born))
        if (vector.openness === openness) continue
        takeOut(db, number, born)
        insert(db, number, born, openness, vector.embedding)
      }
    },
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
      for (const number of numbers(db)) {
        digest.query(db, `SELECT rowid, openness, embedding FROM ${vectors(number)} ORDER BY rowid`)
      }
    },
    stateDigest: (db, digest) => {
      // What is kept or prepared beside them answers nobody, and may lack what is new.
      const used = modelsInUse(db)
      for (const { dimensions, model } of sql(db, `SELECT model, dimensions FROM ${sets} ORDER BY number`).all()) {
        if (used?.some((one) => sameModel(one, { model, dimensions })) === false) continue
        const number = setNumber(db, model, dimensions)
        digest.query(
          db,
          `SELECT id, openness, embedding FROM ${vectors(number)} v JOIN ${embedded} e ON e.number = ? AND e.born = v.rowid ORDER BY id`,
          number
        )
      }
    }
  }
}

import { hash } from "node:crypto"
import { imagesOf } from "../events/catalogue.js"
import { embeddingText, type Memory } from "../events/Memory.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** The key of a text in the embeddings cache: its SHA-256, hexadecimal. */
export const textDigest = (text: string): string => hash("sha256", text, "hex")

/**
 * Vectors of the active memories: one sqlite-vec table for each model that has
 * embedded any. A memory is found by vector from its EMBED event on, until its
 * text changes or it is no longer active.
 */
export const vectors: Projection = {
  name: "vectors",
  version: 1,
  handles: ["UPDATE", "DELETE", "COMPRESS", "ARCHIVE", "EMBED"],
  needsVectors: true,
  tables: `CREATE TABLE vector_sets (number INTEGER PRIMARY KEY, model TEXT NOT NULL, dimensions INTEGER NOT NULL,
      UNIQUE (model, dimensions));
    CREATE TABLE embedded (number INTEGER NOT NULL, born INTEGER NOT NULL, id TEXT NOT NULL, digest TEXT NOT NULL,
      PRIMARY KEY (number, born)) WITHOUT ROWID;`,
  indexes: "",
  drop: (db) => {
    for (const number of setNumbers(db)) db.exec(`DROP TABLE vectors_${number}`)
    db.exec("DROP TABLE embedded; DROP TABLE vector_sets")
  },
  apply: (db, event, lookup) => {
    if (event.type === "EMBED") {
      const { model, dimensions, entries } = event.payload
      const number = setNumber(db, model, dimensions) ?? addSet(db, model, dimensions)
      for (const { memory, born, digest, store } of entries) {
        const vector = lookup.vectorOf(model, dimensions, digest)
        if (vector === undefined) continue
        const add = sql(db, "INSERT OR IGNORE INTO embedded (number, born, id, digest) VALUES (?, ?, ?, ?)")
        if (add.run(number, born, memory, digest).changes === 0) {
          remove(db, number, born)
          add.run(number, born, memory, digest)
        }
        insert(db, number, born, lookup.opennessOf({ id: memory, store }), vector)
      }
      return
    }
    for (const memory of imagesOf(event)) refresh(db, memory, lookup.opennessOf(memory))
  },
  digest: (db, digest) => {
    digest.query(db, "SELECT number, model, dimensions FROM vector_sets ORDER BY number")
    digest.query(db, "SELECT number, born, id, digest FROM embedded ORDER BY number, born")
    for (const number of setNumbers(db)) {
      digest.query(db, `SELECT rowid, openness, embedding FROM vectors_${number} ORDER BY rowid`)
    }
  },
  stateDigest: (db, digest) => {
    for (const number of setNumbers(db)) {
      digest.query(
        db,
        `SELECT id, openness, embedding FROM vectors_${number} v JOIN embedded e ON e.number = ? AND e.born = v.rowid ORDER BY id`,
        number
      )
    }
  }
}

/** The number of the table that holds the vectors of a model; undefined where it has embedded nothing yet. */
export const setNumber = (db: Db, model: string, dimensions: number): number | undefined =>
  sql(db, "SELECT number FROM vector_sets WHERE model = ? AND dimensions = ?").get(model, dimensions)?.number

/** Memories that are not in the vectors of a model yet, oldest first: what there is to embed. */
export const findUnembedded = (
  db: Db,
  model: string,
  dimensions: number,
  options: { readonly after: number; readonly limit: number }
): ReadonlyArray<Memory> =>
  sql(
    db,
    `SELECT memory FROM observations o WHERE active = 1 AND born > ?
      AND NOT EXISTS (SELECT 1 FROM embedded e WHERE e.number = ? AND e.born = o.born) ORDER BY born LIMIT ?`
  )
    .all(options.after, setNumber(db, model, dimensions) ?? 0, options.limit)
    .map((row) => JSON.parse(row.memory) as Memory)

/** The row number of the newest memory; 0 where there is none. */
export const lastBorn = (db: Db): number =>
  sql(db, "SELECT coalesce(max(born), 0) AS born FROM observations").get().born

/** How many active memories are not in the vectors of a model. */
export const countUnembedded = (db: Db, model: string, dimensions: number): number =>
  sql(
    db,
    `SELECT count(*) AS n FROM observations o WHERE active = 1
      AND NOT EXISTS (SELECT 1 FROM embedded e WHERE e.number = ? AND e.born = o.born)`
  ).get(setNumber(db, model, dimensions) ?? 0).n

const addSet = (db: Db, model: string, dimensions: number): number => {
  const { number } = sql(db, "SELECT coalesce(max(number), 0) + 1 AS number FROM vector_sets").get()
  sql(db, "INSERT INTO vector_sets (number, model, dimensions) VALUES (?, ?, ?)").run(number, model, dimensions)
  // A small agent's vectors take 0.1 MB with chunks of 64 rows, and 1 MB with the default of 1,024.
  db.exec(
    `CREATE VIRTUAL TABLE vectors_${number} USING vec0(embedding float[${dimensions}], openness integer, chunk_size=64)`
  )
  return number
}

const setNumbers = (db: Db): ReadonlyArray<number> =>
  sql(db, "SELECT number FROM vector_sets ORDER BY number")
    .all()
    .map((row) => row.number)

const insert = (db: Db, number: number, born: number, openness: number, vector: Float32Array | Buffer) => {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
  // vec0 takes integers as 64-bit ones only.
  sql(db, `INSERT INTO vectors_${number} (rowid, embedding, openness) VALUES (?, ?, ?)`).run(
    BigInt(born),
    bytes,
    BigInt(openness)
  )
}

const remove = (db: Db, number: number, born: number) => {
  const { changes } = sql(db, "DELETE FROM embedded WHERE number = ? AND born = ?").run(number, born)
  if (changes > 0) sql(db, `DELETE FROM vectors_${number} WHERE rowid = ?`).run(BigInt(born))
}

/** Takes the vectors of a memory away when its text changed or it went; moves them along with its store. */
const refresh = (db: Db, memory: Memory, openness: number) => {
  const digest = memory.status === "active" ? textDigest(embeddingText(memory)) : undefined
  for (const number of setNumbers(db)) {
    const row = sql(db, "SELECT digest FROM embedded WHERE number = ? AND born = ?").get(number, memory.born)
    if (row === undefined) continue
    if (row.digest !== digest) {
      remove(db, number, memory.born)
      continue
    }
    const vector = sql(db, `SELECT embedding, openness FROM vectors_${number} WHERE rowid = ?`).get(BigInt(memory.born))
    if (vector.openness === openness) continue
    sql(db, `DELETE FROM vectors_${number} WHERE rowid = ?`).run(BigInt(memory.born))
    insert(db, number, memory.born, openness, vector.embedding)
  }
}

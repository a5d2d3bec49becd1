import { crc32 } from "node:zlib"
import type { CachedVector } from "./EventLog.js"
import { type Db, sql } from "./statement.js"

// The embeddings cache: a table of the log's database, so that a vector is as durable as the event that makes it seen.

/** Vectors are looked up this many at a time. */
const page = 100

// Not an upsert: SQLite copies each page that an upsert touches, in case that it must be taken back.
const insert = `INSERT OR IGNORE INTO embeddings (model, dimensions, digest, vector, checksum) VALUES (?, ?, ?, ?, ?)`
const replace = `UPDATE embeddings SET vector = ?, checksum = ? WHERE digest = ? AND model = ? AND dimensions = ?`

/** The inner query needs the index alone; the outer one then reads the vectors in the order in which they lie. */
const select = `SELECT digest, vector, checksum FROM embeddings WHERE rowid IN (
    SELECT rowid FROM embeddings WHERE model = ? AND dimensions = ? AND digest IN (${Array(page).fill("?").join(", ")})
  )`

/** Keeps vectors; one that is there already, be it damaged, gives way. */
export const put = (db: Db, vectors: ReadonlyArray<CachedVector>): void => {
  const [inserted, replaced] = [sql(db, insert), sql(db, replace)]
  for (const { digest, dimensions, model, vector } of vectors) {
    const key = Buffer.from(digest, "hex")
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
    const checksum = crc32(bytes)
    if (inserted.run(model, dimensions, key, bytes, checksum).changes === 0) {
      replaced.run(bytes, checksum, key, model, dimensions)
    }
  }
}

/** The vectors that are there, by the digest of their text; one that is damaged counts as missing: it is embedded again. */
export const get = (
  db: Db,
  model: string,
  dimensions: number,
  digests: ReadonlyArray<string>
): Map<string, Float32Array> => {
  const found = new Map<string, Float32Array>()
  for (let from = 0; from < digests.length; from += page) {
    const keys = digests
      .slice(from, from + page)
      .sort()
      .map((digest) => Buffer.from(digest, "hex"))
    const padded = [...keys, ...Array<null>(page - keys.length).fill(null)]
    for (const { checksum, digest, vector } of sql(db, select).all(model, dimensions, ...padded)) {
      if (vector.byteLength !== dimensions * 4 || crc32(vector) !== checksum) continue
      found.set(digest.toString("hex"), vectorIn(vector))
    }
  }
  return found
}

/** Without a copy where the bytes happen to be aligned. */
const vectorIn = (bytes: Buffer): Float32Array =>
  bytes.byteOffset % 4 === 0
    ? new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
    : new Float32Array(new Uint8Array(bytes).buffer)

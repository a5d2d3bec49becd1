import { sameBytes } from "./Chain.js"
import type { CachedVector } from "./EventLog.js"
import { sha256 } from "./sha256.js"
import { type Db, sql } from "./statement.js"
import { isYieldDue, itemsPerCheck, type Steps } from "./turns.js"

// The embeddings cache is a table of the log's database, so a vector is as durable as the event that refers to it.

/** Maximum vectors per query. */
const pageSize = 100

// Not an upsert: for a possible rollback, SQLite copies each page that an upsert may write.
const insert = `INSERT OR IGNORE INTO embeddings (model, dimensions, digest, vector, checksum) VALUES (?, ?, ?, ?, ?)`
const replace = `UPDATE embeddings SET vector = ?, checksum = ? WHERE digest = ? AND model = ? AND dimensions = ?`

/** The inner query reads only the index. The outer query then reads the vectors in storage order. */
const select = `SELECT digest, vector, checksum FROM embeddings WHERE rowid IN (
    SELECT rowid FROM embeddings WHERE model = ? AND dimensions = ? AND digest IN (${Array(pageSize).fill("?").join(", ")})
  )`

/** Stores vectors. An existing vector is replaced, which repairs a damaged vector. */
export const put = function* (db: Db, vectors: ReadonlyArray<CachedVector>): Steps<void> {
  const [inserted, replaced] = [sql(db, insert), sql(db, replace)]
  for (const [index, { digest, dimensions, model, vector }] of vectors.entries()) {
    if ((index + 1) % itemsPerCheck === 0 && isYieldDue()) yield
    const key = Buffer.from(digest, "hex")
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
    const checksum = checksumOf(model, dimensions, key, bytes)
    if (inserted.run(model, dimensions, key, bytes, checksum).changes === 0) {
      replaced.run(bytes, checksum, key, model, dimensions)
    }
  }
}

/**
 * The cached vectors by the digest of their text. A damaged vector counts as missing, so its text is embedded again.
 */
export const get = (
  db: Db,
  model: string,
  dimensions: number,
  digests: ReadonlyArray<string>
): Map<string, Float32Array> => {
  const vectors = new Map<string, Float32Array>()
  for (let from = 0; from < digests.length; from += pageSize) {
    const keys = digests
      .slice(from, from + pageSize)
      .sort()
      .map((digest) => Buffer.from(digest, "hex"))
    const padded = [...keys, ...Array<null>(pageSize - keys.length).fill(null)]
    for (const { checksum, digest, vector } of sql(db, select).all(model, dimensions, ...padded)) {
      if (!isIntact({ model, dimensions, digest, vector, checksum })) continue
      vectors.set(digest.toString("hex"), vectorIn(vector))
    }
  }
  return vectors
}

/**
 * Finds damaged rows after a rowid. Reads at most `limit` rows. `next` is the rowid to pass to the next call; null at
 * the end.
 */
export const damagedVectors = (
  db: Db,
  after: number,
  limit: number
): { readonly damaged: ReadonlyArray<number>; readonly next: number | null } => {
  // Reads bytes as hex digits, because buffers for so many vectors would make the garbage collector block the event
  // loop for 60 ms.
  const rows: ReadonlyArray<HexRow & { readonly row: number }> = sql(
    db,
    `SELECT rowid AS row, model, dimensions, hex(digest) AS digest, hex(vector) AS vector, hex(checksum) AS checksum,
      typeof(digest) = 'blob' AND typeof(vector) = 'blob' AND typeof(checksum) = 'blob' AS areBlobs
      FROM embeddings WHERE rowid > ? ORDER BY rowid LIMIT ?`
  ).all(after, limit)
  return {
    damaged: rows.filter((row) => !isIntactHex(row)).map(({ row }) => row),
    // A damaged table may return earlier rows again. Then stop, instead of looping forever.
    next: rows.length < limit || rows.at(-1)!.row <= after ? null : rows.at(-1)!.row
  }
}

/** Removes damaged rows, so that their texts are embedded again. */
export const removeDamaged = (db: Db): void => {
  for (let after: number | null = 0; after !== null; ) {
    const { damaged, next } = damagedVectors(db, after, 1_000)
    for (const row of damaged) sql(db, "DELETE FROM embeddings WHERE rowid = ?").run(row)
    after = next
  }
}

interface VectorRow {
  readonly model: string
  readonly dimensions: number
  readonly digest: Uint8Array
  readonly vector: Uint8Array
  readonly checksum: unknown
}

/** A row with its bytes as hex digits. */
interface HexRow {
  readonly model: unknown
  readonly dimensions: number
  readonly digest: string
  readonly vector: string
  readonly checksum: string
  /** 1 if digest, vector and checksum are all blobs. */
  readonly areBlobs: number
}

/**
 * The buffer for the bytes to hash. It is reused, because a new buffer for each vector would make the garbage collector
 * pause a rebuild for 70 ms.
 */
let hashed = Buffer.alloc(0)

/**
 * A checksum of the vector and its key. It covers the key, so that a vector moved to another text counts as damaged.
 */
const checksumOf = (model: string, dimensions: number, digest: Bytes, vector: Bytes): Buffer => {
  const name = `${model.length}:${model}${dimensions}:`
  const end = Buffer.byteLength(name)
  const digestEnd = end + bytesIn(digest)
  const bytes = digestEnd + bytesIn(vector)
  if (hashed.length < bytes) hashed = Buffer.alloc(bytes)
  hashed.write(name)
  addToHashed(digest, end)
  addToHashed(vector, digestEnd)
  return sha256(hashed.subarray(0, bytes))
}

/** Bytes, or their hex digits. */
type Bytes = Uint8Array | string

const bytesIn = (value: Bytes): number => (typeof value === "string" ? value.length / 2 : value.length)

const addToHashed = (value: Bytes, at: number): void => {
  if (typeof value === "string") hashed.write(value, at, "hex")
  else hashed.set(value, at)
}

/** A damaged row may have a value of any type in any column. */
const isIntact = ({ checksum, digest, dimensions, model, vector }: VectorRow): boolean =>
  typeof model === "string" &&
  [checksum, digest, vector].every((value) => value instanceof Uint8Array) &&
  vector.byteLength === dimensions * 4 &&
  sameBytes(checksum as Uint8Array, checksumOf(model, dimensions, digest, vector))

const isIntactHex = ({ areBlobs, checksum, digest, dimensions, model, vector }: HexRow): boolean =>
  typeof model === "string" &&
  areBlobs === 1 &&
  vector.length === dimensions * 8 &&
  checksum === checksumOf(model, dimensions, digest, vector).toString("hex").toUpperCase()

/** Copies the bytes only if they are not aligned. */
const vectorIn = (bytes: Buffer): Float32Array =>
  bytes.byteOffset % 4 === 0
    ? new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
    : new Float32Array(new Uint8Array(bytes).buffer)

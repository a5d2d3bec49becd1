import { createHash, type Hash } from "node:crypto"
import type { DaybookEvent, EventType } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import type { Db } from "../events/statement.js"
import { levels, minOpennessOf, type TrustLevel } from "../events/Trust.js"
import { isYieldDue, type Steps } from "../events/turns.js"

export { type Db, sql } from "../events/statement.js"

/** Data outside the view that `apply` may read. A replay must get the same answers. */
export interface Lookup {
  /**
   * Returns the cached vector of a text, found by model and the text's SHA-256; undefined if it is not in the cache.
   */
  readonly vectorOf: (model: string, dimensions: number, digest: string) => Float32Array | undefined
  /**
   * The openness with which a memory is indexed: that of its store, or a lower openness if the memory was restricted
   * later.
   */
  readonly opennessOf: (memory: Pick<Memory, "id" | "store">) => number
  /** True if `fill` of this projection runs after the replay. Then `apply` skips that work. */
  readonly isFilledLater?: ((projection: string) => boolean) | undefined
}

/**
 * One read model: its tables, how each event changes them, and the digests of its contents. To add a read model, add a
 * file here and a line in `all.ts`.
 *
 * `apply` is synchronous and uses no clock, network or randomness, so a replay of the same events creates the same
 * tables. It runs in a transaction that also moves the checkpoint, so each event is applied exactly once.
 */
export interface Projection {
  readonly name: string
  /**
   * Increase this number when the tables or the effect of `apply` change. Opening a view then rebuilds the projection.
   */
  readonly version: number
  readonly handles: ReadonlyArray<EventType>
  /** True if the projection needs the sqlite-vec extension. */
  readonly needsVectors?: boolean
  /** DDL of the tables. */
  readonly tables: string
  /** DDL of the indexes. A rebuild creates them after the rows, which is faster. */
  readonly indexes: string
  /** SQL that removes everything that `tables` and `apply` created. It runs in a child process if the view is large. */
  readonly drop: (db: Db) => string
  readonly apply: (db: Db, event: DaybookEvent, lookup: Lookup) => void
  /**
   * SQL for data that is faster to create in bulk. During a rebuild, `apply` skips this data (see
   * `Lookup.isFilledLater`), and the SQL creates it at the end, in a child process if the view is large.
   */
  readonly fill?: string
  /** Adds all rows, vectors and postings to the digest, in a fixed order. */
  readonly digest: (db: Db, digest: Digest) => void
  /** Adds the active rows to the digest, without history, versions, row numbers and times. */
  readonly stateDigest: (db: Db, digest: Digest) => void
}

type Row = ReadonlyArray<unknown>

/**
 * A SHA-256 over typed, length-prefixed values: different sequences of values always give different bytes. Rows are
 * read when the digest is computed.
 */
export interface Digest {
  readonly row: (...values: Row) => void
  /** Adds rows in order. Undefined in place of a row lets the event loop run before a slow row. */
  readonly rows: (rows: () => Iterable<Row | undefined>) => void
  /** Adds the result rows of a query to the digest, with the columns of each row in order. */
  readonly query: (db: Db, text: string, ...params: ReadonlyArray<unknown>) => void
  readonly hex: () => Steps<string>
}

export const makeDigest = (): Digest => {
  const parts: Array<() => Iterable<Row | undefined>> = []
  return {
    row: (...values) => void parts.push(() => [values]),
    rows: (rows) => void parts.push(rows),
    query: (db, text, ...params) =>
      void parts.push(
        () =>
          db
            .prepare(text)
            .raw()
            .iterate(...params) as Iterable<Row>
      ),
    hex: function* () {
      const hash = createHash("sha256")
      let text = ""
      for (const rows of parts) {
        for (const row of rows()) {
          if (row !== undefined) text = addRow(hash, text, row)
          if (isYieldDue()) yield
        }
      }
      return hash.update(text).digest("hex")
    }
  }
}

/** Characters to collect before one call of the hash. A call for each value would cost more than the hash itself. */
const hashedCharacters = 4_096

/**
 * Adds a row to the text that is not hashed yet, and hashes the text if it is long enough. Returns the text that is
 * still not hashed.
 */
const addRow = (hash: Hash, before: string, row: Row): string => {
  let text = before
  for (const value of row) {
    if (value === null || value === undefined) text += "-"
    else if (value instanceof Uint8Array) {
      hash.update(`${text}b${value.byteLength}:`).update(value)
      text = ""
    } else {
      const added = String(value)
      text += `${typeof value === "string" ? "s" : "n"}${added.length}:${added}`
    }
  }
  text += ";"
  if (text.length < hashedCharacters) return text
  hash.update(text)
  return ""
}

/**
 * SQL that creates one index per trust level, over the rows that the level may read. With the condition from
 * `readableRowsSql`, the duration of a read does not depend on the rows that it may not read, so it reveals nothing about
 * them.
 */
export const indexesByLevel = (name: string, columns: string, condition = ""): string =>
  levels
    .map(
      (level) => `CREATE INDEX ${name}_${level} ON ${columns} WHERE ${condition}openness >= ${minOpennessOf(level)};`
    )
    .join("\n")

/**
 * The SQL condition for the rows that a level may read. It contains a literal number, because SQLite uses a partial
 * index only for a literal.
 */
export const readableRowsSql = (level: TrustLevel, column = "openness"): string =>
  `${column} >= ${minOpennessOf(level)}`

import { createHash, type Hash } from "node:crypto"
import type { DaybookEvent, EventType } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import type { Db } from "../events/statement.js"

export { type Db, sql } from "../events/statement.js"

/** What an event may be looked up in, besides the view itself: nothing that could answer otherwise on replay. */
export interface Lookup {
  /** The cached vector of a text, by model and the text's SHA-256; absent where the cache lost it. */
  readonly vectorOf: (model: string, dimensions: number, digest: string) => Float32Array | undefined
  /** The openness under which a memory is indexed: its store's, or a stricter one that it got later. */
  readonly opennessOf: (memory: Pick<Memory, "id" | "store">) => number
  /** Whether `fill` will be called at the end. */
  readonly filling?: ((projection: string) => boolean) | undefined
}

/**
 * One read model: its tables, how each event changes them, and what its
 * contents come to. A new one is a file here and a line in `all.ts`.
 *
 * `apply` is synchronous and knows no clock, network or chance, so replaying
 * the same events gives the same tables. It runs inside a transaction that
 * also moves the checkpoint: each event arrives once.
 */
export interface Projection {
  readonly name: string
  /** Raised when the tables or the meaning of `apply` change: the projection is then rebuilt at open. */
  readonly version: number
  readonly handles: ReadonlyArray<EventType>
  /** Whether it needs the sqlite-vec extension. */
  readonly needsVectors?: boolean
  /** DDL of its tables. */
  readonly tables: string
  /** DDL of its indexes: made after the rows when many are written at once. */
  readonly indexes: string
  /** Takes away everything that `tables` and `apply` made. */
  readonly drop: (db: Db) => void
  readonly apply: (db: Db, event: DaybookEvent, lookup: Lookup) => void
  /**
   * For what is made faster all at once: when a view is built anew, `apply` is
   * told to leave it, and this makes it at the end, for the rows after `after`,
   * a portion at a time. Answers where it stopped; undefined when all is done.
   */
  readonly fill?: (db: Db, after: number) => number | undefined
  /** Feeds all rows, vectors and postings, in a canonical order. */
  readonly digest: (db: Db, digest: Digest) => void
  /** Feeds what is active now, without history, versions, row numbers and times. */
  readonly stateDigest: (db: Db, digest: Digest) => void
}

/** A SHA-256 over typed, length-prefixed values: no two different sequences of values feed the same bytes. */
export interface Digest {
  readonly row: (...values: ReadonlyArray<unknown>) => void
  /** Feeds the rows of a query, column by column. */
  readonly query: (db: Db, text: string, ...params: ReadonlyArray<unknown>) => void
  readonly hex: () => string
}

export const makeDigest = (): Digest => {
  const hash: Hash = createHash("sha256")
  const row = (...values: ReadonlyArray<unknown>) => {
    for (const value of values) {
      if (value === null || value === undefined) hash.update("-")
      else if (value instanceof Uint8Array) hash.update(`b${value.byteLength}:`).update(value)
      else {
        const text = String(value)
        hash.update(`${typeof value === "string" ? "s" : "n"}${text.length}:`).update(text)
      }
    }
    hash.update(";")
  }
  return {
    row,
    query: (db, text, ...params) => {
      for (const values of db
        .prepare(text)
        .raw()
        .iterate(...params))
        row(...(values as ReadonlyArray<unknown>))
    },
    hex: () => hash.digest("hex")
  }
}

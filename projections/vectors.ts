import { hash } from "node:crypto"
import { afterImages } from "../events/catalogue.js"
import { embeddingText, type Memory } from "../events/Memory.js"
import type { Store } from "../events/Trust.js"
import { memoryOf } from "./observations.js"
import { type Db, type Projection, sql } from "./Projection.js"
import * as VectorIndex from "./vectorIndex.js"

/** The key of a text in the embedding cache: its SHA-256, hexadecimal. */
export const textDigest = (text: string): string => hash("sha256", text, "hex")

export const memoryVectorIndex = VectorIndex.make("")

/**
 * Vectors of the active memories. An EMBED event adds a vector. The vector stays until the text changes, the memory
 * becomes inactive, or the model is dropped.
 */
export const vectors: Projection = {
  name: "vectors",
  version: 2,
  handles: ["UPDATE", "DELETE", "COMPRESS", "ARCHIVE", "EMBED", "EMBEDDER"],
  needsVectors: true,
  tables: memoryVectorIndex.tables,
  indexes: "",
  drop: memoryVectorIndex.drop,
  apply: (db, event, lookup) => {
    if (event.type === "EMBED") {
      const { model, dimensions, entries } = event.payload
      const rows = entries.flatMap(({ born, digest, memory: id, store }) => {
        const vector = lookup.vectorOf(model, dimensions, digest)
        return vector === undefined ? [] : [{ born, id, digest, openness: lookup.opennessOf({ id, store }), vector }]
      })
      memoryVectorIndex.put(db, model, dimensions, rows)
      return
    }
    if (event.type === "EMBEDDER") {
      const { dimensions, model, state } = event.payload
      if (state === "dropped") memoryVectorIndex.dropSet(db, model, dimensions)
      return
    }
    for (const memory of afterImages(event)) {
      const { born } = memory
      if (memory.status !== "active") memoryVectorIndex.remove(db, born)
      else {
        const digest = textDigest(embeddingText(memory))
        memoryVectorIndex.refresh(db, { born, digest, openness: lookup.opennessOf(memory) })
      }
    }
  },
  digest: memoryVectorIndex.digest,
  stateDigest: memoryVectorIndex.stateDigest
}

/** The rows that need a vector of a model: all rows, or those of some stores. */
export interface VectorSet {
  readonly model: string
  readonly dimensions: number
  readonly stores?: ReadonlyArray<Store> | undefined
}

/** The SQL condition that limits the rows `o` to the stores of a set. */
export const storesCondition = ({ stores }: VectorSet): string =>
  stores === undefined ? "" : ` AND o.store IN (${stores.map((store) => `'${store}'`).join(", ")})`

/** The active memories among these row numbers that have no vector. */
export const findUnembeddedAmong = (db: Db, set: VectorSet, born: ReadonlyArray<number>): ReadonlyArray<Memory> =>
  sql(
    db,
    `SELECT born, memory FROM observations o WHERE active = 1 AND born IN (SELECT value FROM json_each(?))
      AND ${memoryVectorIndex.missing("o.born")}${storesCondition(set)} ORDER BY born`
  )
    .all(JSON.stringify(born), memoryVectorIndex.setNumber(db, set.model, set.dimensions))
    .map(memoryOf)

/**
 * Memories without a vector, oldest first, among the next `maxScanned` memories. This bounds the work even if all
 * memories have vectors. `last` is the row number of the last memory examined; undefined if there is no memory after
 * `after`.
 */
export const findUnembedded = (
  db: Db,
  set: VectorSet,
  { after, limit, maxScanned }: { readonly after: number; readonly limit: number; readonly maxScanned: number }
): { readonly memories: ReadonlyArray<Memory>; readonly last: number | undefined } => {
  const last = sql(
    db,
    "SELECT max(born) AS born FROM (SELECT born FROM observations WHERE born > ? ORDER BY born LIMIT ?)"
  ).get(after, maxScanned).born as number | null
  if (last === null) return { memories: [], last: undefined }
  const memories = sql(
    db,
    `SELECT born, memory FROM observations o WHERE active = 1 AND born > ? AND born <= ?
      AND ${memoryVectorIndex.missing("o.born")}${storesCondition(set)} ORDER BY born LIMIT ?`
  )
    .all(after, last, memoryVectorIndex.setNumber(db, set.model, set.dimensions), limit)
    .map(memoryOf)
  return { memories, last: memories.length < limit ? last : memories.at(-1)!.born }
}

/** The number of active memories that have no vector and a row number greater than `after`. */
export const countUnembedded = (db: Db, set: VectorSet, after = 0): number =>
  sql(
    db,
    `SELECT count(*) AS n FROM observations o
      WHERE active = 1 AND born > ? AND ${memoryVectorIndex.missing("o.born")}${storesCondition(set)}`
  ).get(after, memoryVectorIndex.setNumber(db, set.model, set.dimensions)).n

/** The row number of the newest memory; 0 if there is none. */
export const newestMemoryNumber = (db: Db): number =>
  sql(db, "SELECT max(born) AS born FROM observations").get().born ?? 0

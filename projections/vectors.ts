import { hash } from "node:crypto"
import { imagesOf } from "../events/catalogue.js"
import { embeddingText, type Memory } from "../events/Memory.js"
import type { Store } from "../events/Trust.js"
import { type Db, type Projection, sql } from "./Projection.js"
import * as VectorIndex from "./vectorIndex.js"

/** The key of a text in the embeddings cache: its SHA-256, hexadecimal. */
export const textDigest = (text: string): string => hash("sha256", text, "hex")

export const memoryVectors = VectorIndex.make("")

/**
 * Vectors of the active memories. A memory is found by vector from its EMBED
 * event on, until its text changes, it is no longer active, or the index of its model is dropped.
 */
export const vectors: Projection = {
  name: "vectors",
  version: 1,
  handles: ["UPDATE", "DELETE", "COMPRESS", "ARCHIVE", "EMBED", "EMBEDDER"],
  needsVectors: true,
  tables: memoryVectors.tables,
  indexes: "",
  drop: memoryVectors.drop,
  apply: (db, event, lookup) => {
    if (event.type === "EMBED") {
      const { model, dimensions, entries } = event.payload
      const rows = entries.flatMap(({ born, digest, memory: id, store }) => {
        const vector = lookup.vectorOf(model, dimensions, digest)
        return vector === undefined ? [] : [{ born, id, digest, openness: lookup.opennessOf({ id, store }), vector }]
      })
      memoryVectors.put(db, model, dimensions, rows)
      return
    }
    if (event.type === "EMBEDDER") {
      const { dimensions, model, state } = event.payload
      if (state === "dropped") memoryVectors.dropSet(db, model, dimensions)
      return
    }
    for (const memory of imagesOf(event)) {
      const { born } = memory
      if (memory.status !== "active") memoryVectors.remove(db, born)
      else {
        const digest = textDigest(embeddingText(memory))
        memoryVectors.refresh(db, { born, digest, openness: lookup.opennessOf(memory) })
      }
    }
  },
  digest: memoryVectors.digest,
  stateDigest: memoryVectors.stateDigest
}

/** Rows that are to have a vector of a model: all of them, or those of some stores. */
export interface VectorSet {
  readonly model: string
  readonly dimensions: number
  readonly stores?: ReadonlyArray<Store> | undefined
}

/** Of the rows `o` those of the stores of a set. */
export const within = ({ stores }: VectorSet): string =>
  stores === undefined ? "" : ` AND o.store IN (${stores.map((store) => `'${store}'`).join(", ")})`

/** Of some memories, by row number, those that are active and lack a vector. */
export const findUnembeddedOf = (db: Db, set: VectorSet, borns: ReadonlyArray<number>): ReadonlyArray<Memory> =>
  sql(
    db,
    `SELECT memory FROM observations o WHERE active = 1 AND born IN (SELECT value FROM json_each(?))
      AND ${memoryVectors.missing("o.born")}${within(set)} ORDER BY born`
  )
    .all(JSON.stringify(borns), memoryVectors.setNumber(db, set.model, set.dimensions))
    .map((row) => JSON.parse(row.memory) as Memory)

/**
 * Memories that lack a vector, oldest first, of the `look` memories behind one: the work has a bound where none lacks
 * one. `last` is the last that was looked at; undefined where there is none behind `after`.
 */
export const findUnembedded = (
  db: Db,
  set: VectorSet,
  { after, limit, look }: { readonly after: number; readonly limit: number; readonly look: number }
): { readonly memories: ReadonlyArray<Memory>; readonly last: number | undefined } => {
  const last = sql(
    db,
    "SELECT max(born) AS born FROM (SELECT born FROM observations WHERE born > ? ORDER BY born LIMIT ?)"
  ).get(after, look).born as number | null
  if (last === null) return { memories: [], last: undefined }
  const memories = sql(
    db,
    `SELECT memory FROM observations o WHERE active = 1 AND born > ? AND born <= ?
      AND ${memoryVectors.missing("o.born")}${within(set)} ORDER BY born LIMIT ?`
  )
    .all(after, last, memoryVectors.setNumber(db, set.model, set.dimensions), limit)
    .map((row) => JSON.parse(row.memory) as Memory)
  return { memories, last: memories.length < limit ? last : memories.at(-1)!.born }
}

/** How many active memories lack a vector, of those behind one. */
export const countUnembedded = (db: Db, set: VectorSet, after = 0): number =>
  sql(
    db,
    `SELECT count(*) AS n FROM observations o
      WHERE active = 1 AND born > ? AND ${memoryVectors.missing("o.born")}${within(set)}`
  ).get(after, memoryVectors.setNumber(db, set.model, set.dimensions)).n

/** The number of the newest memory; 0 where there is none. */
export const newestMemory = (db: Db): number => sql(db, "SELECT max(born) AS born FROM observations").get().born ?? 0

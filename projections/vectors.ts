import { hash } from "node:crypto"
import { imagesOf } from "../events/catalogue.js"
import { embeddingText, type Memory } from "../events/Memory.js"
import { type Db, type Projection, sql } from "./Projection.js"
import * as VectorIndex from "./vectorIndex.js"

/** The key of a text in the embeddings cache: its SHA-256, hexadecimal. */
export const textDigest = (text: string): string => hash("sha256", text, "hex")

export const memoryVectors = VectorIndex.make("")

/**
 * Vectors of the active memories. A memory is found by vector from its EMBED
 * event on, until its text changes or it is no longer active.
 */
export const vectors: Projection = {
  name: "vectors",
  version: 1,
  handles: ["UPDATE", "DELETE", "COMPRESS", "ARCHIVE", "EMBED"],
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

/** Of some memories, by row number, those that are active and not in the vectors of a model. */
export const findUnembeddedOf = (
  db: Db,
  model: string,
  dimensions: number,
  borns: ReadonlyArray<number>
): ReadonlyArray<Memory> =>
  sql(
    db,
    `SELECT memory FROM observations o WHERE active = 1 AND born IN (SELECT value FROM json_each(?))
      AND ${memoryVectors.missing("o.born")} ORDER BY born`
  )
    .all(JSON.stringify(borns), memoryVectors.setNumber(db, model, dimensions))
    .map((row) => JSON.parse(row.memory) as Memory)

/**
 * Memories that are not in the vectors of a model yet, oldest first, of the `look` memories behind one: the work has a
 * bound where all of them are. `last` is the last that was looked at; undefined where there is none behind `after`.
 */
export const findUnembedded = (
  db: Db,
  model: string,
  dimensions: number,
  { after, limit, look }: { readonly after: number; readonly limit: number; readonly look: number }
): { readonly memories: ReadonlyArray<Memory>; readonly last: number | undefined } => {
  const last = sql(
    db,
    "SELECT max(born) AS born FROM (SELECT born FROM observations WHERE born > ? ORDER BY born LIMIT ?)"
  ).get(after, look).born as number | null
  if (last === null) return { memories: [], last: undefined }
  const memories = sql(
    db,
    `SELECT memory FROM observations o WHERE active = 1 AND born > ? AND born <= ? AND ${memoryVectors.missing("o.born")}
      ORDER BY born LIMIT ?`
  )
    .all(after, last, memoryVectors.setNumber(db, model, dimensions), limit)
    .map((row) => JSON.parse(row.memory) as Memory)
  return { memories, last: memories.length < limit ? last : memories.at(-1)!.born }
}

/** How many active memories are not in the vectors of a model. */
export const countUnembedded = (db: Db, model: string, dimensions: number): number =>
  sql(db, `SELECT count(*) AS n FROM observations o WHERE active = 1 AND ${memoryVectors.missing("o.born")}`).get(
    memoryVectors.setNumber(db, model, dimensions)
  ).n

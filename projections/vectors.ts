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

/** Memories that are not in the vectors of a model yet, oldest first: what there is to embed. */
export const findUnembedded = (
  db: Db,
  model: string,
  dimensions: number,
  options: { readonly after: number; readonly limit: number }
): ReadonlyArray<Memory> =>
  sql(
    db,
    `SELECT memory FROM observations o WHERE active = 1 AND born > ? AND ${memoryVectors.missing("o.born")}
      ORDER BY born LIMIT ?`
  )
    .all(options.after, memoryVectors.setNumber(db, model, dimensions), options.limit)
    .map((row) => JSON.parse(row.memory) as Memory)

/** The row number of the newest memory; 0 where there is none. */
export const lastBorn = (db: Db): number =>
  sql(db, "SELECT coalesce(max(born), 0) AS born FROM observations").get().born

/** How many active memories are not in the vectors of a model. */
export const countUnembedded = (db: Db, model: string, dimensions: number): number =>
  sql(db, `SELECT count(*) AS n FROM observations o WHERE active = 1 AND ${memoryVectors.missing("o.born")}`).get(
    memoryVectors.setNumber(db, model, dimensions)
  ).n

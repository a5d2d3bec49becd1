import type { DaybookEvent } from "../events/catalogue.js"
import { chunkIndexOf, chunkingVersion, chunkNumbers } from "../text/normalise/chunks.js"
import { type Db, type Projection, sql } from "./Projection.js"
import * as VectorIndex from "./vectorIndex.js"
import { storesCondition, type VectorSet } from "./vectors.js"

export const chunkVectorIndex = VectorIndex.make("chunk_")

/** Vectors of the chunks of turns and files. An EMBED event stores a vector; it stays until its chunk is removed. */
export const chunkVectors: Projection = {
  name: "chunkVectors",
  version: chunkingVersion + 2,
  handles: ["EMBED", "EMBEDDER", "FILE", "FORGET"],
  needsVectors: true,
  tables: chunkVectorIndex.tables,
  indexes: "",
  drop: chunkVectorIndex.drop,
  apply: (db, event, lookup) => {
    if (event.type === "EMBED") {
      const { chunks = [], dimensions, model } = event.payload
      if (event.payload.cutting !== chunkingVersion) return
      const rows = chunks.flatMap(({ born, digest, store, turn }) => {
        const vector = lookup.vectorOf(model, dimensions, digest)
        const openness = lookup.opennessOf({ id: turn, store })
        return vector === undefined ? [] : [{ born, id: `${turn} ${chunkIndexOf(born)}`, digest, openness, vector }]
      })
      chunkVectorIndex.put(db, model, dimensions, rows)
    }
    if (event.type === "EMBEDDER" && event.payload.state === "dropped") {
      chunkVectorIndex.dropSet(db, event.payload.model, event.payload.dimensions)
    }
    for (const version of versionsRemovedBy(event)) chunkVectorIndex.removeBetween(db, ...chunkNumbers(version))
  },
  digest: chunkVectorIndex.digest,
  stateDigest: chunkVectorIndex.stateDigest
}

/** The versions that added the turns and files that this event removes. */
const versionsRemovedBy = (event: DaybookEvent): ReadonlyArray<number> => {
  if (event.type === "FORGET") return [...event.payload.turns, ...event.payload.files]
  return event.type === "FILE" && event.payload.replaces !== undefined ? [event.payload.replaces] : []
}

/** A chunk to embed. */
export interface ChunkText {
  readonly born: number
  /** The id of its turn or file. */
  readonly id: string
  readonly store: "private" | "shared" | "social"
  readonly text: string
  /** For a short turn, the turn before it. For a chunk of a file, its path and headings. */
  readonly previous: string
}

/**
 * The text to embed for a chunk: a short turn with the turn before it, or a piece of a file with its path and
 * headings.
 */
export const chunkEmbeddingText = ({ previous, text }: Pick<ChunkText, "text" | "previous">): string =>
  previous === "" ? text : `${text}\n${previous}`

/** Chunks without a vector, oldest first. */
export const findUnembeddedChunks = (
  db: Db,
  set: VectorSet,
  options: { readonly after: number; readonly limit: number }
): ReadonlyArray<ChunkText> =>
  sql(
    db,
    `SELECT born, id, store, text, previous FROM chunks o
      WHERE born > ? AND ${chunkVectorIndex.missing("o.born")}${storesCondition(set)} ORDER BY born LIMIT ?`
  ).all(options.after, chunkVectorIndex.setNumber(db, set.model, set.dimensions), options.limit)

/** The chunk with the number `born`; undefined if it was removed. */
export const findChunkText = (db: Db, born: number): ChunkText | undefined =>
  sql(db, "SELECT born, id, store, text, previous FROM chunks WHERE born = ?").get(born)

/** The number of chunks without a vector, counted after the chunk number `after`. */
export const countUnembeddedChunks = (db: Db, set: VectorSet, after = 0): number =>
  sql(
    db,
    `SELECT count(*) AS n FROM chunks o WHERE born > ? AND ${chunkVectorIndex.missing("o.born")}${storesCondition(set)}`
  ).get(after, chunkVectorIndex.setNumber(db, set.model, set.dimensions)).n

/** The row number of the newest chunk; 0 if there is none. */
export const newestChunkNumber = (db: Db): number => sql(db, "SELECT max(born) AS born FROM chunks").get().born ?? 0

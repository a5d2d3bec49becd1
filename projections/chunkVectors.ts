import { chunkNumbers, cutting, partOf } from "./chunks.js"
import { type Db, type Projection, sql } from "./Projection.js"
import * as VectorIndex from "./vectorIndex.js"

export const chunkVectorIndex = VectorIndex.make("chunk_")

/** Vectors of the chunks of conversations, each from its EMBED event on, until its session is forgotten. */
export const chunkVectors: Projection = {
  name: "chunkVectors",
  version: cutting,
  handles: ["EMBED", "FORGET"],
  needsVectors: true,
  tables: chunkVectorIndex.tables,
  indexes: "",
  drop: chunkVectorIndex.drop,
  apply: (db, event, lookup) => {
    if (event.type === "EMBED") {
      const { chunks = [], dimensions, model } = event.payload
      if (event.payload.cutting !== cutting) return
      const rows = chunks.flatMap(({ born, digest, store, turn }) => {
        const vector = lookup.vectorOf(model, dimensions, digest)
        const openness = lookup.opennessOf({ id: turn, store })
        return vector === undefined ? [] : [{ born, id: `${turn} ${partOf(born)}`, digest, openness, vector }]
      })
      chunkVectorIndex.put(db, model, dimensions, rows)
    }
    if (event.type === "FORGET") {
      for (const version of event.payload.turns) chunkVectorIndex.removeBetween(db, ...chunkNumbers(version))
    }
  },
  digest: chunkVectorIndex.digest,
  stateDigest: chunkVectorIndex.stateDigest
}

/** A chunk that is to be embedded. */
export interface ChunkText {
  readonly born: number
  /** The id of its turn. */
  readonly id: string
  readonly store: "private" | "shared" | "social"
  readonly text: string
  /** The turn before it, where it is short; else empty. */
  readonly previous: string
}

/** What is embedded of a chunk: a short turn together with the one that it answers. */
export const chunkEmbeddingText = ({ previous, text }: Pick<ChunkText, "text" | "previous">): string =>
  previous === "" ? text : `${text}\n${previous}`

/** Chunks that are not in the vectors of a model yet, oldest first. */
export const findUnembeddedChunks = (
  db: Db,
  model: string,
  dimensions: number,
  options: { readonly after: number; readonly limit: number }
): ReadonlyArray<ChunkText> =>
  sql(
    db,
    `SELECT born, id, store, text, previous FROM chunks o WHERE born > ? AND ${chunkVectorIndex.missing("o.born")}
      ORDER BY born LIMIT ?`
  ).all(options.after, chunkVectorIndex.setNumber(db, model, dimensions), options.limit)

/** The chunk with this number; undefined where it was forgotten. */
export const findChunk = (db: Db, born: number): ChunkText | undefined =>
  sql(db, "SELECT born, id, store, text, previous FROM chunks WHERE born = ?").get(born)

/** How many chunks are not in the vectors of a model. */
export const countUnembeddedChunks = (db: Db, model: string, dimensions: number): number =>
  sql(db, `SELECT count(*) AS n FROM chunks o WHERE ${chunkVectorIndex.missing("o.born")}`).get(
    chunkVectorIndex.setNumber(db, model, dimensions)
  ).n

import { afterImages, type DaybookEvent } from "../events/catalogue.js"
import { isNoteId } from "../events/Memory.js"
import { chunkIndexOf, chunkingVersion, chunkRowRange } from "../text/normalise/chunks.js"
import { type Db, type Projection, sql } from "./Projection.js"
import * as VectorIndex from "./vectorIndex.js"
import { storesCondition, type VectorSet } from "./vectors.js"
import { checkpointOf } from "./view/ViewFile.js"

export const chunkVectorIndex = VectorIndex.make("chunk_")

/**
 * Vectors of the chunks of turns, files, notes and scratchpads. An EMBED event adds a vector. The vector stays until
 * its chunk is removed.
 */
export const chunkVectors: Projection = {
  name: "chunkVectors",
  version: chunkingVersion + 3,
  handles: ["EMBED", "EMBEDDER", "FILE", "FORGET", "SCRATCHPAD", "ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  needsVectors: true,
  tables: chunkVectorIndex.tables,
  indexes: "CREATE INDEX chunk_embedded_note ON chunk_embedded (id) WHERE id >= 'note-' AND id < 'note.';",
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
    for (const { id } of afterImages(event)) if (isNoteId(id)) removeNote(db, id)
    for (const version of versionsRemovedBy(event)) chunkVectorIndex.removeBetween(db, ...chunkRowRange(version))
  },
  digest: chunkVectorIndex.digest,
  stateDigest: chunkVectorIndex.stateDigest
}

/** Removes the vectors of all chunks of a note. */
const removeNote = (db: Db, id: string) => {
  const borns = sql(
    db,
    `SELECT DISTINCT born FROM chunk_embedded WHERE id >= 'note-' AND id < 'note.' AND id >= ? AND id < ?`
  )
    .pluck()
    .all(`${id} `, `${id}!`)
  for (const born of borns) chunkVectorIndex.remove(db, born)
}

/** The versions of the events that added the turns, files and scratchpads that this event removes. */
const versionsRemovedBy = (event: DaybookEvent): ReadonlyArray<number> => {
  if (event.type === "FORGET") {
    const { files, scratchpads = [], turns } = event.payload
    return [...turns, ...files, ...scratchpads]
  }
  const replaced = event.type === "FILE" || event.type === "SCRATCHPAD" ? event.payload.replaces : undefined
  return replaced === undefined ? [] : [replaced]
}

/** A chunk to embed. */
export interface ChunkToEmbed {
  readonly born: number
  /** The id of the chunk's turn, file, note or scratchpad. */
  readonly id: string
  readonly store: "private" | "shared" | "social"
  readonly text: string
  /** For a short turn, the text of the turn before it. For a chunk of a file, its path and headings. */
  readonly previous: string
}

/**
 * The text to embed for a chunk: a short turn with the turn before it, or a piece of a file with its path and
 * headings.
 */
export const chunkEmbeddingText = ({ previous, text }: Pick<ChunkToEmbed, "text" | "previous">): string =>
  previous === "" ? text : `${text}\n${previous}`

/** Chunks without a vector, oldest first. */
export const findUnembeddedChunks = (
  db: Db,
  set: VectorSet,
  { after, limit }: { readonly after: number; readonly limit: number }
): ReadonlyArray<ChunkToEmbed> =>
  sql(
    db,
    `SELECT born, id, store, text, previous FROM chunks o
      WHERE born > ? AND born < ? AND ${chunkVectorIndex.missing("o.born")}${storesCondition(set)} ORDER BY born LIMIT ?`
  ).all(after, endOfNumbers(db), chunkVectorIndex.setNumber(db, set.model, set.dimensions), limit)

/** The chunk with the number `born`; undefined if it was removed. */
export const findChunkToEmbed = (db: Db, born: number): ChunkToEmbed | undefined =>
  sql(db, "SELECT born, id, store, text, previous FROM chunks WHERE born = ? AND born < ?").get(born, endOfNumbers(db))

/** The number of chunks that have no vector and a number greater than `after`. */
export const countUnembeddedChunks = (db: Db, set: VectorSet, after = 0): number =>
  sql(
    db,
    `SELECT count(*) AS n FROM chunks o
      WHERE born > ? AND born < ? AND ${chunkVectorIndex.missing("o.born")}${storesCondition(set)}`
  ).get(after, endOfNumbers(db), chunkVectorIndex.setNumber(db, set.model, set.dimensions)).n

/**
 * The first number after all chunks that the view's events can have added. Only a row that another program edited has
 * this number or a higher one.
 */
const endOfNumbers = (db: Db): number => chunkRowRange(checkpointOf(db).position)[1]

/** The number of the newest chunk; 0 if there is none. */
export const newestChunkNumber = (db: Db): number => sql(db, "SELECT max(born) AS born FROM chunks").get().born ?? 0

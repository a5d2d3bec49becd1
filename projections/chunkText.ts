import { chunkRowRange } from "../text/normalise/chunks.js"
import { type Db, sql } from "./Projection.js"
import * as TextIndex from "./textIndex.js"

/**
 * The columns of the chunk index, in order, with their bm25 weights. A short turn has little context, so its neighbours
 * are indexed with it. For a chunk of a file, `previous` contains the path and headings. The date is indexed because
 * people search for dates in words.
 */
export const chunkColumns = { text: 1, previous: 0.5, next: 0.2, date: 1 } as const

export const chunkTextIndex = TextIndex.make("chunk_", chunkColumns)

/** Removes all chunks of the turn, file, note or scratchpad that the event with this version added. */
export const removeChunks = (db: Db, version: number, filling: boolean) => {
  const [from, below] = chunkRowRange(version)
  for (const { born } of sql(db, "SELECT born FROM chunks WHERE born >= ? AND born < ?").all(from, below)) {
    chunkTextIndex.replace(db, born, null, filling)
  }
  sql(db, "DELETE FROM chunks WHERE born >= ? AND born < ?").run(from, below)
}

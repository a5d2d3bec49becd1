import { chunkNumbers } from "../text/normalise/chunks.js"
import { type Db, sql } from "./Projection.js"
import * as TextIndex from "./textIndex.js"

/**
 * The columns of the index of chunks, in order, with their weights in bm25. A
 * short turn says little without its neighbours, so they stand beside it, as
 * beside a piece of a file its path and headings; and so does its date, which people ask for in words.
 */
export const chunkColumns = { text: 1, previous: 0.5, next: 0.2, date: 1 } as const

export const chunkText = TextIndex.make("chunk_", chunkColumns)

/** Takes away every chunk of the turn or the file that an event added. */
export const removeChunks = (db: Db, version: number, filling: boolean) => {
  const [from, below] = chunkNumbers(version)
  for (const { born } of sql(db, "SELECT born FROM chunks WHERE born >= ? AND born < ?").all(from, below)) {
    chunkText.replace(db, born, null, filling)
  }
  sql(db, "DELETE FROM chunks WHERE born >= ? AND born < ?").run(from, below)
}

/** A day as people write it, in UTC: "8 May 2023 Monday 2023-05-08". */
export const dateWords = (instant: number): string => {
  const date = new Date(instant)
  const [day, month, year] = [date.getUTCDate(), months[date.getUTCMonth()], date.getUTCFullYear()]
  return `${day} ${month} ${year} ${weekdays[date.getUTCDay()]} ${date.toISOString().slice(0, 10)}`
}

export const months = "January February March April May June July August September October November December".split(" ")
export const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ")

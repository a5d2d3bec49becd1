import { existsSync, readFileSync } from "node:fs"

/** Coordinates of a word's vector. */
export const dimensions = 100

/** The vectors of the most frequent words as bytes; see `scripts/wordVectors.mjs` for how the file is made. */
export interface WordTable {
  /** The row of a word; the more frequent the word, the lower. */
  readonly rows: ReadonlyMap<string, number>
  /** What a row's bytes are to be multiplied with: their scale and the weight of the word. */
  readonly scales: Float32Array
  readonly bytes: Int8Array
}

/** Where the table lies beside the built package, its bundle, and its sources. */
const places = ["../assets/words.bin", "../../assets/words.bin"]

const load = (): WordTable => {
  const file = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url))
  if (file === undefined) throw new Error("words.bin is missing")
  const whole = readFileSync(file)
  const aligned = whole.byteOffset % 4 === 0 ? whole : Buffer.from(new Uint8Array(whole).buffer)
  const [count, width, length] = [8, 12, 16].map((at) => aligned.readInt32LE(at)) as [number, number, number]
  if (aligned.toString("latin1", 0, 8) !== "DBWORDS1" || width !== dimensions)
    throw new Error("words.bin is another file")
  const list = 20 + 4 * count
  const bytes = list + length + ((4 - (length % 4)) % 4)
  const rows = new Map<string, number>()
  for (const word of aligned.toString("utf8", list, list + length).split("\n")) rows.set(word, rows.size)
  return {
    rows,
    scales: new Float32Array(aligned.buffer, aligned.byteOffset + 20, count),
    bytes: new Int8Array(aligned.buffer, aligned.byteOffset + bytes, count * dimensions)
  }
}

let table: WordTable | undefined

/** The table (7 MB), read when it is needed first and shared by all of a process. Throws where the file cannot be read. */
export const wordTable = (): WordTable => {
  table ??= load()
  return table
}

import { existsSync, fstatSync, openSync, readSync } from "node:fs"

/** Coordinates of a word's vector. */
export const dimensions = 100

/** The vectors of the most frequent words as bytes; see `scripts/wordVectors.mjs` for how the file is made. */
export interface WordTable {
  /** The row of a word, lower-case; the more frequent the word, the lower. Undefined where the table has it not. */
  readonly rowOf: (word: string) => number | undefined
  /** What a row's bytes are to be multiplied with: their scale and the weight of the word. */
  readonly scaleOf: (row: number) => number
  /** A row's bytes. */
  readonly bytesOf: (row: number) => Int8Array
}

/** Where the table lies beside the built package, its bundle, and its sources. */
const places = ["../assets/words.bin", "../../assets/words.bin"]

/** Words after which the whole file is read: a question needs a few, an import all of them. */
const few = 200

/** Opens a table for as long as the process lives. Throws where the file is another one or not whole. */
export const openTable = (file: URL): WordTable => {
  // Held open: whatever takes the place of the file later is another table.
  const handle = openSync(file, "r")
  const { size } = fstatSync(handle)
  let whole: Buffer | undefined
  let asked = 0
  const readFile = (from: number, length: number): Buffer => {
    const part = Buffer.alloc(length)
    for (let read = 0; read < length; ) {
      const more = readSync(handle, part, read, length - read, from + read)
      if (more === 0) throw new Error("words.bin ends too early")
      read += more
    }
    return part
  }
  const read = (from: number, length: number): Buffer => {
    if (whole === undefined && asked >= few) whole = readFile(0, size)
    return whole === undefined ? readFile(from, length) : whole.subarray(from, from + length)
  }
  const header = read(0, 24)
  const [count, width, slots, letters] = [8, 12, 16, 20].map((at) => header.readInt32LE(at)) as [
    number,
    number,
    number,
    number
  ]
  const index = header.length
  const starts = index + 4 * slots
  const scales = starts + 4 * (count + 1)
  const list = scales + 4 * count
  const vectors = list + letters
  // Half of the slots are free, or looking for a word that is not there would not end.
  const sound = width === dimensions && slots >= 2 * count && size === vectors + dimensions * count
  if (header.toString("latin1", 0, 8) !== "DBWORDS2" || !sound)
    throw new Error("words.bin is another file, or not whole")
  const found = new Map<string, number>()
  const search = (word: string): number => {
    const bytes = Buffer.from(word)
    let slot = hashOf(bytes) & (slots - 1)
    for (let tried = 0; tried < slots; tried++, slot = (slot + 1) & (slots - 1)) {
      const row = read(index + 4 * slot, 4).readInt32LE(0) - 1
      if (row === -1) return -1
      const ends = read(starts + 4 * row, 8)
      const [from, to] = [ends.readInt32LE(0), ends.readInt32LE(4)]
      if (to - from === bytes.length && read(list + from, bytes.length).equals(bytes)) return row
    }
    return -1
  }
  return {
    rowOf: (word) => {
      let row = found.get(word)
      if (row === undefined) {
        row = search(word)
        asked++
        if (found.size >= kept) found.clear()
        found.set(word, row)
      }
      return row === -1 ? undefined : row
    },
    scaleOf: (row) => read(scales + 4 * row, 4).readFloatLE(0),
    bytesOf: (row) => {
      const bytes = read(vectors + dimensions * row, dimensions)
      return new Int8Array(bytes.buffer, bytes.byteOffset, dimensions)
    }
  }
}

/** Words of which it is remembered where they are: people repeat themselves. */
const kept = 20_000

/** FNV-1a of 32 bits; `scripts/wordVectors.mjs` has the same. */
const hashOf = (bytes: Uint8Array): number => {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

let table: WordTable | undefined

/** The table, shared by all of a process. Throws where the file cannot be read. */
export const wordTable = (): WordTable => {
  if (table === undefined) {
    const file = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url))
    if (file === undefined) throw new Error("words.bin is missing")
    table = openTable(file)
  }
  return table
}

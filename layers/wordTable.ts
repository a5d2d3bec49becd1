import { fstatSync, openSync, readSync } from "node:fs"
import { assetFile } from "../text/assetFile.js"

/** The dimensions of a word vector. */
export const wordVectorDimensions = 100

/** The vectors of the most frequent words, as bytes. `training/wordVectors.mjs` makes the file. */
export interface WordTable {
  /** The row of a lower-case word; frequent words have low rows. Undefined if the word is missing. */
  readonly rowOf: (word: string) => number | undefined
  /** The factor by which the bytes of a row are multiplied: their scale times the word's weight. */
  readonly scaleOf: (row: number) => number
  /** The bytes of a row. */
  readonly bytesOf: (row: number) => Int8Array
}

/** After this many look-ups, the whole file is read. A question needs a few rows, an import nearly all rows. */
const maxSingleReads = 200

/** Opens a table and keeps the file open. Throws if the file has an unknown format or is incomplete. */
export const openTable = (file: URL): WordTable => {
  // The open handle keeps this table even if the file is replaced later.
  const handle = openSync(file, "r")
  const { size } = fstatSync(handle)
  let tableBytes: Buffer | undefined
  let lookUps = 0
  const readFile = (from: number, length: number): Buffer => {
    const part = Buffer.alloc(length)
    for (let read = 0; read < length; ) {
      const bytesRead = readSync(handle, part, read, length - read, from + read)
      if (bytesRead === 0) throw new Error("words.bin ends too early: reinstall the package")
      read += bytesRead
    }
    return part
  }
  const read = (from: number, length: number): Buffer => {
    if (tableBytes === undefined && lookUps >= maxSingleReads) tableBytes = readFile(0, size)
    return tableBytes === undefined ? readFile(from, length) : tableBytes.subarray(from, from + length)
  }
  const header = read(0, 24)
  const [count, width, slots, letters] = [8, 12, 16, 20].map((offset) => header.readInt32LE(offset)) as [
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
  // At least half of the slots are free; otherwise a search for a missing word would be slow.
  const isValid =
    width === wordVectorDimensions && slots >= 2 * count && size === vectors + wordVectorDimensions * count
  if (header.toString("latin1", 0, 8) !== "DBWORDS2" || !isValid)
    throw new Error("words.bin has an unknown format or is incomplete: reinstall the package")
  const rows = new Map<string, number>()
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
      let row = rows.get(word)
      if (row === undefined) {
        row = search(word)
        lookUps++
        if (rows.size >= maxCachedWords) rows.clear()
        rows.set(word, row)
      }
      return row === -1 ? undefined : row
    },
    scaleOf: (row) => read(scales + 4 * row, 4).readFloatLE(0),
    bytesOf: (row) => {
      const bytes = read(vectors + wordVectorDimensions * row, wordVectorDimensions)
      return new Int8Array(bytes.buffer, bytes.byteOffset, wordVectorDimensions)
    }
  }
}

/** Maximum rows in the cache, one per word. */
const maxCachedWords = 20_000

/** FNV-1a, 32 bits. `training/wordVectors.mjs` uses the same hash. */
const hashOf = (bytes: Uint8Array): number => {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

let table: WordTable | undefined

/** The table, opened once per process. Throws if the file cannot be read. */
export const wordTable = (): WordTable => {
  if (table === undefined) {
    const file = assetFile("words.bin")
    if (file === undefined) throw new Error("words.bin is missing: reinstall the package")
    table = openTable(file)
  }
  return table
}

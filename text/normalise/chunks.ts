import { lastSentenceEnd } from "./sentences.js"

/**
 * Version of the chunking. Increase it when chunks, their numbers or their data change. Both projections of chunks are
 * then rebuilt. Vectors of older chunks are ignored, and their texts are embedded again.
 */
export const chunkingVersion = 1

/** Maximum characters (UTF-16 units) of a turn that is not cut. Longer turns are cut into overlapping chunks. */
export const chunkLength = 640
export const chunkOverlap = 96

/**
 * Row numbers reserved per turn or file. They are enough for 1 MiB of text, because chunks begin at least 225
 * characters apart.
 */
export const chunkNumbersPerTurn = 8_192

/** The row number of chunk `part` of the turn or file that event `version` added. */
export const chunkNumber = (version: number, part: number): number => version * chunkNumbersPerTurn + part

/** The index of a chunk within its turn, from its row number. */
export const chunkIndexOf = (born: number): number => born % chunkNumbersPerTurn

/** The row numbers of all chunks of a turn: from the first number (included) to the second (excluded). */
export const chunkRowRange = (version: number): readonly [number, number] => [
  chunkNumber(version, 0),
  chunkNumber(version + 1, 0)
]

/** A chunk of a text, and the position of its first character. */
export interface TextChunk {
  readonly from: number
  readonly text: string
}

/**
 * Cuts a text into chunks of at most 640 characters. Each chunk begins with the last 96 or fewer characters of the
 * previous one. A chunk ends at the end of a sentence if there is one in the second half of the chunk, otherwise
 * between words, otherwise anywhere except inside a character. No text is lost.
 */
export const cutIntoChunks = (text: string): ReadonlyArray<TextChunk> => {
  const chunks: Array<TextChunk> = []
  let from = 0
  while (text.length - from > chunkLength) {
    const to = endOfChunk(text, from)
    chunks.push({ from, text: text.slice(from, to) })
    from = Math.max(startOfWord(text, to - chunkOverlap, to), from + 1)
  }
  chunks.push({ from, text: text.slice(from) })
  return chunks
}

/** The texts of the chunks. */
export const chunkTextsOf = (text: string): ReadonlyArray<string> => cutIntoChunks(text).map((chunk) => chunk.text)

const endOfChunk = (text: string, from: number): number => {
  const window = text.slice(from + chunkLength / 2, from + chunkLength)
  const end = lastSentenceEnd(window) || window.search(/\s\S*$/u) + 1
  return end > 0 ? from + chunkLength / 2 + end : characterStart(text, from + chunkLength)
}

/** The start of the next word; `position` itself if no word starts before `end`. */
const startOfWord = (text: string, position: number, end: number): number => {
  const match = /\s\S/u.exec(text.slice(position, end))
  return match === null ? characterStart(text, position) : position + match.index + 1
}

/** The position, or the previous one if it is inside a surrogate pair. */
const characterStart = (text: string, position: number): number => {
  const unit = text.charCodeAt(position)
  return unit >= 0xdc00 && unit <= 0xdfff ? position - 1 : position
}

/**
 * Counts the ways in which turns were cut so far. Raised when chunks, their
 * numbers or what stands beside them change: both projections of them are then
 * rebuilt, and vectors of chunks that were cut otherwise are left out and made again.
 */
export const cutting = 1

/** A turn longer than this many characters (UTF-16 units) is cut into chunks that overlap. */
export const chunkLength = 640
export const chunkOverlap = 96

/** More than a turn or a file of 1 MiB can have: a chunk begins at least 225 characters after the one before. */
export const numbersPerTurn = 8_192

/** The row number of a chunk: of the part `part` of the turn or the file that the event `version` added. */
export const chunkNumber = (version: number, part: number): number => version * numbersPerTurn + part

/** Which chunk of its turn has this row number. */
export const partOf = (born: number): number => born % numbersPerTurn

/** The row numbers of all chunks of a turn: from the first, and below the second. */
export const chunkNumbers = (version: number): readonly [number, number] => [
  chunkNumber(version, 0),
  chunkNumber(version + 1, 0)
]

/** A piece of a text, and the place of its first character. */
export interface Cut {
  readonly from: number
  readonly text: string
}

/**
 * Cuts a text into chunks of at most 640 characters, each beginning with the
 * last 96 or fewer of the one before: at the end of a sentence where there is
 * one in the second half of a chunk, else between words, else anywhere but
 * inside a character. Nothing is left out.
 */
export const cutsOf = (text: string): ReadonlyArray<Cut> => {
  const cuts: Array<Cut> = []
  let from = 0
  while (text.length - from > chunkLength) {
    const to = cutIn(text, from)
    cuts.push({ from, text: text.slice(from, to) })
    from = Math.max(wordFrom(text, to - chunkOverlap, to), from + 1)
  }
  cuts.push({ from, text: text.slice(from) })
  return cuts
}

/** The texts alone. */
export const chunksOf = (text: string): ReadonlyArray<string> => cutsOf(text).map((cut) => cut.text)

const cutIn = (text: string, from: number): number => {
  const window = text.slice(from + chunkLength / 2, from + chunkLength)
  for (const boundary of [sentenceEnd, space]) {
    let last = -1
    for (const found of window.matchAll(boundary)) last = found.index + found[0].length
    if (last > 0) return from + chunkLength / 2 + last
  }
  return whole(text, from + chunkLength)
}

/** Where the next word begins; `at` itself where none does before `end`. */
const wordFrom = (text: string, at: number, end: number): number => {
  const found = /\s\S/u.exec(text.slice(at, end))
  return found === null ? whole(text, at) : at + found.index + 1
}

/** Not between the two halves of a character. */
const whole = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}

const sentenceEnd = /[.!?][)"'”’\]]*\s+|[。！？]|\n+/gu
const space = /\s+/gu

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Embedder } from "../src/ports/Embedder.js"
import { bounds } from "../text/normalise/bounds.js"
import { composeLetters } from "../text/normalise/letters.js"

export const hashDimensions = 256

/**
 * Deterministic feature hashing: no model, no network, the same vector for the same text on every machine. Texts that
 * share words or parts of words have similar vectors. Meaning is not compared, so ranking gives it a low weight.
 *
 * Each feature is hashed (FNV-1a, 32 bit) to a dimension and a sign. The features are: every word of letters and digits
 * (NFKC, lower case; weight 1), the 3- to 5-character pieces of `<word>` (weight 1 in total), every pair of
 * neighbouring words (weight 0.5). A word that occurs n times counts 1 + ln n times.
 */
export const layer: Layer.Layer<Embedder> = Layer.succeed(Embedder, {
  model: "hash-256-v1",
  dimensions: hashDimensions,
  weight: 0.2,
  floor: 0.25,
  local: true,
  skipsCache: true,
  batch: 512,
  embed: (texts) => Effect.sync(() => texts.map(hashVector))
})

/** The vector of one text, not normalised; never all zero. */
export const hashVector = (text: string): Float32Array => {
  const vector = new Float32Array(hashDimensions)
  const words = splitWords(text)
  let distinct = 0
  let previous = 0
  let from = 0
  slots.fill(0)
  for (let word = 0; word < words; word++) {
    const to = ends[word]!
    const hash = hashOf(units, wordSeed, from + 1, to - 1)
    const slot = slotOf(hash)
    if (slots[slot] === 0) {
      slots[slot] = ++distinct
      const entry = 4 * distinct
      distinctWords[entry] = hash
      distinctWords[entry + 1] = from
      distinctWords[entry + 2] = to
      distinctWords[entry + 3] = 0
    }
    distinctWords[4 * slots[slot]! + 3]!++
    if (previous !== 0) add(vector, Math.imul(previous, 31) ^ hash, 0.5)
    previous = hash
    from = to
  }
  for (let entry = 4; entry <= 4 * distinct; entry += 4) {
    const times = distinctWords[entry + 3]!
    const weight = times === 1 ? 1 : 1 + Math.log(times)
    add(vector, distinctWords[entry]!, weight)
    addPieces(vector, distinctWords[entry + 1]!, distinctWords[entry + 2]!, weight)
  }
  // A text without words (punctuation only) gets a vector from its bytes.
  if (distinct === 0) add(vector, hashOf(Buffer.from(text), wordSeed), 1)
  // Features of opposite signs may cancel out. A vector must not be zero.
  if (vector.every((value) => value === 0)) vector[0] = 1
  return vector
}

/** Adds the pieces of a word, including its `<` and `>`. */
const addPieces = (vector: Float32Array, from: number, to: number, weight: number) => {
  const weightPerPiece = weight / Math.max(1, 3 * (to - from) - 9)
  signed[0] = weightPerPiece
  signed[1] = -weightPerPiece
  for (let start = from; start + 3 <= to; start++) {
    let pieceHash = step(step(pieceSeed, units[start]!), units[start + 1]!)
    const last = Math.min(start + 5, to)
    for (let end = start + 2; end < last; end++) {
      pieceHash = step(pieceHash, units[end]!)
      const mixed = mix(pieceHash)
      const index = (mixed >>> 8) & (hashDimensions - 1)
      vector[index] = vector[index]! + signed[mixed >>> 31]!
    }
  }
}

/** Adds a feature: its hash gives the dimension and the sign. */
const add = (vector: Float32Array, hash: number, weight: number) => {
  const mixed = mix(hash)
  vector[(mixed >>> 8) & (hashDimensions - 1)]! += (1 - ((mixed >>> 31) << 1)) * weight
}

const mix = (hash: number): number => Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)

/** A weight and its negative. A look-up avoids a branch that the CPU would mispredict for half of the random signs. */
const signed = new Float64Array(2)

// Buffers shared by all texts: allocating them for each text would cost more than filling them.
/** The words in UTF-16 units, one after the other, each as `<word>`. `ends` contains the end position of each word. */
let units = new Uint16Array(4_096)
let ends = new Int32Array(2_048)
/** The distinct words, numbered from 1. Four numbers each: hash, start and end of the first occurrence, count. */
let distinctWords = new Int32Array(4 * 2_049)
/** Hash table from a word's hash to its number in `distinctWords`; 0 is empty. Its length is a power of two. */
let slots = new Int32Array(4_096)

/** The slot that contains a hash, or the free slot for it. */
const slotOf = (hash: number): number => {
  const mask = slots.length - 1
  let slot = (hash ^ (hash >>> 16)) & mask
  while (slots[slot] !== 0 && distinctWords[4 * slots[slot]!] !== hash) slot = (slot + 1) & mask
  return slot
}

/** Grows the buffers for a text of this length. A text has at most half as many words as characters. */
const makeRoom = (length: number) => {
  const words = Math.ceil(length / 2) + 1
  if (units.length < 2 * length + 2) units = new Uint16Array(4 * length)
  if (ends.length < words) ends = new Int32Array(2 * words)
  if (distinctWords.length < 4 * words + 4) distinctWords = new Int32Array(8 * words + 4)
  // The table is at most half full. A short text gets a small table, because the table is cleared for each text.
  slots = tables.find((table) => table.length >= 2 * words) ?? new Int32Array(2 ** Math.ceil(Math.log2(2 * words)))
}

const tables = [512, 4_096].map((size) => new Int32Array(size))

/** Splits a text into words in `units` and `ends`; returns their number. */
const splitWords = (text: string): number => {
  const read = text.slice(0, bounds.embeddedCharacters)
  const folded = ascii.test(read)
    ? read.toLowerCase()
    : composeLetters(read).slice(0, bounds.embeddedCharacters).toLowerCase().replace(signs, " ")
  makeRoom(folded.length)
  let words = 0
  let position = 0
  let inside = false
  const { length } = folded
  for (let index = 0; index <= length; index++) {
    const unit = index < length ? folded.charCodeAt(index) : space
    // The remaining characters beyond ASCII belong to words: `signs` removed the others.
    const inWord = (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || unit > 127
    if (inWord) {
      if (!inside) units[position++] = opening
      units[position++] = unit
    } else if (inside) {
      units[position++] = closing
      ends[words++] = position
    }
    inside = inWord
  }
  return words
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const ascii = /^[\x00-\x7f]*$/
const signs = /[^\p{L}\p{N}\p{M}]+/gu
const space = 32
const opening = 60
const closing = 62
const wordSeed = 0x811c9dc5
const pieceSeed = 0x9e3779b9

/** One step of FNV-1a. */
const step = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193)

const hashOf = (units: ArrayLike<number>, seed: number, from = 0, to = units.length): number => {
  let hash = seed
  for (let index = from; index < to; index++) hash = step(hash, units[index]!)
  return hash | 0
}

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Embedder } from "../src/Embedder.js"

export const dimensions = 256

/**
 * Deterministic feature hashing: no model, no network, the same vector for the
 * same text on every machine. Texts that share words or parts of words are
 * near each other; meaning is not understood, so ranking trusts it little.
 *
 * Features, each hashed (FNV-1a, 32 bit) to a dimension and a sign: every word
 * of letters and digits (NFKC, lower case; weight 1), the 3- to 5-character
 * pieces of `<word>` (together 1), every pair of neighbouring words (0.5). A
 * word that occurs n times counts 1 + ln n times.
 */
export const layer: Layer.Layer<Embedder> = Layer.succeed(Embedder, {
  model: "hash-256-v1",
  dimensions,
  weight: 0.2,
  floor: 0.25,
  batch: 512,
  embed: (texts) => Effect.sync(() => texts.map(hashVector))
})

/** The vector of one text, not normalised; never all zero. */
export const hashVector = (text: string): Float32Array => {
  const vector = new Float32Array(dimensions)
  const counts = new Map<string, number>()
  let previous = 0
  for (const word of wordsOf(text)) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
    const hash = hashOf(word, wordSeed)
    if (previous !== 0) add(vector, Math.imul(previous, 31) ^ hash, 0.5)
    previous = hash
  }
  for (const [word, times] of counts) addWord(vector, word, times === 1 ? 1 : 1 + Math.log(times))
  // Text without any word (only signs) still has a place of its own.
  if (counts.size === 0) add(vector, hashOf(text, wordSeed), 1)
  // Features of opposite signs may cancel out; one coordinate keeps the vector from vanishing.
  if (vector.every((value) => value === 0)) vector[0] = 1
  return vector
}

/** Adds a word and the pieces of it, with `<` before and `>` behind. */
const addWord = (vector: Float32Array, word: string, weight: number) => {
  add(vector, hashOf(word, wordSeed), weight)
  const marked = `<${word}>`
  const length = marked.length
  const each = weight / Math.max(1, 3 * length - 9)
  for (let from = 0; from + 3 <= length; from++) {
    let piece = step(step(pieceSeed, marked.charCodeAt(from)), marked.charCodeAt(from + 1))
    for (let end = from + 2; end < from + 5 && end < length; end++) {
      piece = step(piece, marked.charCodeAt(end))
      add(vector, piece, each)
    }
  }
}

/** Adds a feature: its hash says where and with which sign. */
const add = (vector: Float32Array, hash: number, weight: number) => {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  vector[(mixed >>> 8) & (dimensions - 1)]! += mixed < 0 ? -weight : weight
}

const wordsOf = (text: string): ReadonlyArray<string> =>
  plain.test(text)
    ? (text.toLowerCase().match(/[a-z0-9]+/g) ?? [])
    : (text
        .normalize("NFKC")
        .toLowerCase()
        .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const plain = /^[\x00-\x7f]*$/
const wordSeed = 0x811c9dc5
const pieceSeed = 0x9e3779b9

/** One step of FNV-1a. */
const step = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193)

const hashOf = (text: string, seed: number): number => {
  let hash = seed
  for (let at = 0; at < text.length; at++) hash = step(hash, text.charCodeAt(at))
  return hash
}

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
  local: true,
  batch: 512,
  embed: (texts) => Effect.sync(() => texts.map(hashVector))
})

/** The vector of one text, not normalised; never all zero. */
export const hashVector = (text: string): Float32Array => {
  const vector = new Float32Array(dimensions)
  const { ends, units } = wordsOf(text)
  /** Where each word stands first, by its hash, and how often it comes. */
  const counts = new Map<number, { readonly from: number; readonly to: number; times: number }>()
  let previous = 0
  let from = 0
  for (const to of ends) {
    const hash = hashOf(units, wordSeed, from + 1, to - 1)
    const known = counts.get(hash)
    if (known === undefined) counts.set(hash, { from, to, times: 1 })
    else known.times++
    if (previous !== 0) add(vector, Math.imul(previous, 31) ^ hash, 0.5)
    previous = hash
    from = to
  }
  for (const [hash, { from, times, to }] of counts) {
    const weight = times === 1 ? 1 : 1 + Math.log(times)
    add(vector, hash, weight)
    addPieces(vector, units, from, to, weight)
  }
  // Text without any word (only signs) still has a place of its own.
  if (counts.size === 0) add(vector, hashOf(Buffer.from(text), wordSeed), 1)
  // Features of opposite signs may cancel out; one coordinate keeps the vector from vanishing.
  if (vector.every((value) => value === 0)) vector[0] = 1
  return vector
}

/** Adds the pieces of a word, `<` and `>` included. */
const addPieces = (vector: Float32Array, units: Uint16Array, from: number, to: number, weight: number) => {
  const each = weight / Math.max(1, 3 * (to - from) - 9)
  for (let start = from; start + 3 <= to; start++) {
    let piece = step(step(pieceSeed, units[start]!), units[start + 1]!)
    const last = Math.min(start + 5, to)
    for (let end = start + 2; end < last; end++) {
      piece = step(piece, units[end]!)
      add(vector, piece, each)
    }
  }
}

/** Adds a feature: its hash says where and with which sign. */
const add = (vector: Float32Array, hash: number, weight: number) => {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  vector[(mixed >>> 8) & (dimensions - 1)]! += (1 - ((mixed >>> 31) << 1)) * weight
}

/** Used again for every text: an array of its own for each would cost more than what is written into it. */
let units = new Uint16Array(4_096)

/** The words of a text in UTF-16 units, one behind the other, each as `<word>`; and where each ends. */
const wordsOf = (text: string): { readonly units: Uint16Array; readonly ends: ReadonlyArray<number> } => {
  const folded = plain.test(text) ? text.toLowerCase() : text.normalize("NFKC").toLowerCase().replace(signs, " ")
  // A word of one letter takes three units, and a sign stands before the next one.
  if (units.length < 2 * folded.length + 2) units = new Uint16Array(4 * folded.length)
  const ends: Array<number> = []
  let at = 0
  let inside = false
  for (let index = 0; index <= folded.length; index++) {
    const unit = folded.charCodeAt(index)
    // What is beyond ASCII and still here belongs to a word; NaN is the end.
    const belongs = (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || unit > 127
    if (belongs) {
      if (!inside) units[at++] = opening
      units[at++] = unit
    } else if (inside) {
      units[at++] = closing
      ends.push(at)
    }
    inside = belongs
  }
  return { units, ends }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const plain = /^[\x00-\x7f]*$/
const signs = /[^\p{L}\p{N}\p{M}]+/gu
const opening = 60
const closing = 62
const wordSeed = 0x811c9dc5
const pieceSeed = 0x9e3779b9

/** One step of FNV-1a. */
const step = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193)

const hashOf = (units: ArrayLike<number>, seed: number, from = 0, to = units.length): number => {
  let hash = seed
  for (let at = from; at < to; at++) hash = step(hash, units[at]!)
  return hash
}

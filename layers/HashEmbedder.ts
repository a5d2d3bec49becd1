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
 * of letters and digits (NFKC, lower case; weight 1), every pair of neighbouring
 * words (0.5), and the 3- to 5-character pieces of `<word>` (together 1). What
 * occurs n times counts 1 + ln n times.
 */
export const layer: Layer.Layer<Embedder> = Layer.succeed(Embedder, {
  model: "hash-256-v1",
  dimensions,
  weight: 0.2,
  floor: 0.25,
  batch: 256,
  embed: (texts) => Effect.sync(() => texts.map(hashVector))
})

/** The vector of one text, not normalised; never all zero. */
export const hashVector = (text: string): Float32Array => {
  const weights = new Map<number, number>()
  const counts = new Map<number, number>()
  const add = (hash: number, weight: number) => {
    counts.set(hash, (counts.get(hash) ?? 0) + 1)
    weights.set(hash, weight)
  }
  const words = text.normalize("NFKC").toLowerCase().match(wordPattern) ?? []
  let previous = 0
  for (const word of words) {
    const whole = hashOf(word, 0, word.length, wordSeed)
    add(whole, 1)
    if (previous !== 0) add(Math.imul(previous, 31) ^ whole, 0.5)
    previous = whole
    const marked = `<${word}>`
    const pieces = Math.max(1, 3 * marked.length - 9)
    for (let size = 3; size <= 5; size++) {
      for (let from = 0; from + size <= marked.length; from++)
        add(hashOf(marked, from, from + size, pieceSeed), 1 / pieces)
    }
  }
  // Text without any word (only signs) still has a place of its own.
  if (words.length === 0) add(hashOf(text, 0, text.length, wordSeed), 1)
  const vector = new Float32Array(dimensions)
  for (const [hash, weight] of weights) {
    const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    vector[(mixed >>> 8) % dimensions]! += (mixed < 0 ? -1 : 1) * weight * (1 + Math.log(counts.get(hash)!))
  }
  // Features of opposite signs may cancel out; one coordinate keeps the vector from vanishing.
  if (vector.every((value) => value === 0)) vector[0] = 1
  return vector
}

const wordPattern = /[\p{L}\p{N}\p{M}]+/gu
const wordSeed = 0x811c9dc5
const pieceSeed = 0x9e3779b9

const hashOf = (text: string, from: number, to: number, seed: number): number => {
  let hash = seed
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

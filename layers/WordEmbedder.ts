import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Embedder, EmbedderError } from "../src/ports/Embedder.js"
import { dimensions, type WordTable, wordTable } from "./wordTable.js"

const model = "glove-100-v1"

/**
 * Meaning without a model and without a network: the mean of the vectors of a
 * text's words (GloVe 6B, 100 dimensions, as bytes), each weighted by how rare
 * the word is; see `scripts/wordVectors.mjs` for how the table is made. A word
 * that is not in it, a name or an identifier, gets a vector of its pieces of 3
 * to 5 characters, so that texts that share it are near each other.
 *
 * Of the table (7 MB) a few words' rows are read where a few are needed, and the whole of it otherwise.
 */
export const layer: Layer.Layer<Embedder> = Layer.succeed(Embedder, {
  model,
  dimensions,
  weight: 0.25,
  floor: 0.15,
  local: true,
  cheap: true,
  batch: 512,
  embed: (texts) =>
    Effect.try({
      try: () => {
        const table = wordTable()
        return texts.map((text) => vectorOf(table, text))
      },
      catch: () =>
        new EmbedderError({ model, reason: "failed", detail: "its table of words cannot be read", kind: "settings" })
    })
})

/** The weight of a word that is not in the table: as rare as words are. */
const unknownWeight = 1

/** The vector of one text, not normalised; never all zero. */
const vectorOf = (table: WordTable, text: string): Float32Array => {
  const vector = new Float32Array(dimensions)
  const words = wordsOf(text)
  // Text without any word (only signs) still has a place of its own.
  if (words.length === 0) addPieces(vector, text)
  for (const word of words) {
    const row = table.rowOf(word)
    if (row === undefined) {
      addPieces(vector, word)
      continue
    }
    const scale = table.scaleOf(row)
    const bytes = table.bytesOf(row)
    for (let at = 0; at < dimensions; at++) vector[at]! += scale * bytes[at]!
  }
  // Signs may cancel out; one coordinate keeps the vector from vanishing.
  if (vector.every((value) => value === 0)) vector[0] = 1
  return vector
}

/** Lower-case words; an identifier in camelCase or with digits gives its parts. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFKC")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(/['’]s\b/gu, "")
    .match(/\p{L}[\p{L}\p{M}]*|\p{N}+/gu) ?? []

/** Each piece of the word, `<` before and `>` behind it, adds to a few coordinates: which ones and with which sign its hash says. */
const addPieces = (vector: Float32Array, word: string) => {
  const marked = `<${word}>`
  const pieces: Array<number> = []
  for (let from = 0; from + 3 <= marked.length; from++) {
    for (let size = 3; size <= 5 && from + size <= marked.length; size++) {
      let hash = 0x811c9dc5
      for (let at = from; at < from + size; at++) hash = Math.imul(hash ^ marked.charCodeAt(at), 0x01000193)
      pieces.push(hash)
    }
  }
  if (pieces.length === 0) return
  const each = unknownWeight / Math.sqrt(pieces.length * touched)
  for (const piece of pieces) {
    let state = piece | 1
    for (let times = 0; times < touched; times++) {
      // xorshift32
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      vector[(state >>> 8) % dimensions]! += state < 0 ? -each : each
    }
  }
}

/** Coordinates that one piece adds to. */
const touched = 8

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Embedder, EmbedderError } from "../src/ports/Embedder.js"
import { bounds } from "../text/normalise/bounds.js"
import { composeLetters } from "../text/normalise/letters.js"
import { type WordTable, wordTable, wordVectorDimensions } from "./wordTable.js"

const model = "glove-100-v1"

/**
 * Embeds without a model or a network. The vector of a text is the mean of its word vectors (GloVe 6B, 100 dimensions,
 * as bytes), weighted by rarity. `training/wordVectors.mjs` makes the table. A word that is not in the table, such as a
 * name or an identifier, gets a vector from its pieces of 3 to 5 characters, so texts that share the word are similar.
 *
 * The size of the table is 7 MB. The first 200 look-ups read single rows; the next look-up reads the whole file.
 */
export const layer: Layer.Layer<Embedder> = Layer.succeed(Embedder, {
  model,
  dimensions: wordVectorDimensions,
  weight: 0.25,
  floor: 0.15,
  local: true,
  skipsCache: true,
  batch: 512,
  embed: (texts) =>
    Effect.try({
      try: () => {
        const table = wordTable()
        return texts.map((text) => vectorOf(table, text))
      },
      catch: () =>
        new EmbedderError({
          model,
          reason: "failed",
          detail: "words.bin cannot be read; reinstall the package",
          kind: "settings"
        })
    })
})

/** The weight of a word that is not in the table: the same as for the rarest words. */
const unknownWeight = 1

/** The vector of a text, not normalised and never zero. */
export const vectorOf = (table: WordTable, text: string): Float32Array => {
  const vector = new Float32Array(wordVectorDimensions)
  const words = wordsOf(text)
  // A text that contains only punctuation still needs a vector.
  if (words.length === 0) addPieces(vector, text.slice(0, bounds.embeddedCharacters))
  for (const word of words) {
    const row = table.rowOf(word)
    if (row === undefined) {
      addPieces(vector, word)
      continue
    }
    const scale = table.scaleOf(row)
    const bytes = table.bytesOf(row)
    for (let index = 0; index < wordVectorDimensions; index++) vector[index]! += scale * bytes[index]!
  }
  // Word vectors may cancel each other out, but the result must not be zero.
  if (vector.every((value) => value === 0)) vector[0] = 1
  return vector
}

/** The words of a text in lower case. Identifiers in camelCase or with digits are split. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  composeLetters(text.slice(0, bounds.embeddedCharacters))
    .slice(0, bounds.embeddedCharacters)
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(/['’]s\b/gu, "")
    .match(/\p{L}[\p{L}\p{M}]*|\p{N}+/gu) ?? []

/** Adds the pieces of `<word>` to the vector. The hash of a piece selects its coordinates and their signs. */
const addPieces = (vector: Float32Array, word: string) => {
  const marked = `<${word}>`
  const pieceHashes: Array<number> = []
  for (let from = 0; from + 3 <= marked.length; from++) {
    for (let size = 3; size <= 5 && from + size <= marked.length; size++) {
      let hash = 0x811c9dc5
      for (let index = from; index < from + size; index++) hash = Math.imul(hash ^ marked.charCodeAt(index), 0x01000193)
      pieceHashes.push(hash)
    }
  }
  if (pieceHashes.length === 0) return
  const weightPerCoordinate = unknownWeight / Math.sqrt(pieceHashes.length * coordinatesPerPiece)
  for (const pieceHash of pieceHashes) {
    let state = pieceHash | 1
    for (let times = 0; times < coordinatesPerPiece; times++) {
      // One step of the xorshift32 generator.
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      vector[(state >>> 8) % wordVectorDimensions]! += state < 0 ? -weightPerCoordinate : weightPerCoordinate
    }
  }
}

/** The number of coordinates that one piece changes. */
const coordinatesPerPiece = 8

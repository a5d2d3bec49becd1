import { existsSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Embedder, EmbedderError } from "../src/Embedder.js"

const model = "glove-100-v1"
const dimensions = 100

/**
 * Meaning without a model and without a network: the mean of the vectors of a
 * text's words (GloVe 6B, 100 dimensions, as bytes), each weighted by how rare
 * the word is; see `scripts/wordVectors.mjs` for how the table is made. A word
 * that is not in it, a name or an identifier, gets a vector of its pieces of 3
 * to 5 characters, so that texts that share it are near each other.
 *
 * The table (7 MB) is read when it is needed first.
 */
export const layer: Layer.Layer<Embedder> = Layer.sync(Embedder, () => {
  let table: Table | undefined
  return {
    model,
    dimensions,
    weight: 0.25,
    floor: 0.15,
    local: true,
    batch: 512,
    embed: (texts) =>
      Effect.try({
        try: () => {
          table ??= load()
          return texts.map((text) => vectorOf(table!, text))
        },
        catch: () => new EmbedderError({ model, reason: "failed", detail: "its table of words cannot be read" })
      })
  }
})

interface Table {
  /** The row of a word. */
  readonly rows: ReadonlyMap<string, number>
  /** What a row's bytes are to be multiplied with: their scale and the weight of the word. */
  readonly scales: Float32Array
  readonly bytes: Int8Array
}

/** The weight of a word that is not in the table: as rare as words are. */
const unknownWeight = 1

/** Where the table lies beside the built package, its bundle, and its sources. */
const places = ["../assets/words.bin", "../../assets/words.bin"]

const load = (): Table => {
  const file = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url))
  if (file === undefined) throw new Error("words.bin is missing")
  const whole = readFileSync(file)
  const aligned = whole.byteOffset % 4 === 0 ? whole : Buffer.from(new Uint8Array(whole).buffer)
  const [count, width, length] = [8, 12, 16].map((at) => aligned.readInt32LE(at)) as [number, number, number]
  if (aligned.toString("latin1", 0, 8) !== "DBWORDS1" || width !== dimensions)
    throw new Error("words.bin is another file")
  const list = 20 + 4 * count
  const bytes = list + length + ((4 - (length % 4)) % 4)
  const rows = new Map<string, number>()
  for (const word of aligned.toString("utf8", list, list + length).split("\n")) rows.set(word, rows.size)
  return {
    rows,
    scales: new Float32Array(aligned.buffer, aligned.byteOffset + 20, count),
    bytes: new Int8Array(aligned.buffer, aligned.byteOffset + bytes, count * dimensions)
  }
}

/** The vector of one text, not normalised; never all zero. */
const vectorOf = ({ bytes, rows, scales }: Table, text: string): Float32Array => {
  const vector = new Float32Array(dimensions)
  const words = wordsOf(text)
  // Text without any word (only signs) still has a place of its own.
  if (words.length === 0) addPieces(vector, text)
  for (const word of words) {
    const row = rows.get(word)
    if (row === undefined) {
      addPieces(vector, word)
      continue
    }
    const scale = scales[row]!
    const from = row * dimensions
    for (let at = 0; at < dimensions; at++) vector[at]! += scale * bytes[from + at]!
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

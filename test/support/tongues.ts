import * as Effect from "effect/Effect"
import type { EmbedderService } from "../../src/ports/Embedder.js"
import { normalizeVector } from "../../src/ports/unitVector.js"
import { type Scripted, scripted } from "./embedders.js"

// Embedders that know two words for each thing, of which texts have the one and questions the other: what such a
// question finds no word could have found. Each is a world of its own, of as many dimensions as the others, so that
// nothing but care keeps their vectors apart.

export const dimensions = 96
/** Texts of one request. */
export const batch = 64

/** What a word of a text weighs: the thing that it is about, its shade, anything else. */
const weights = { thing: 1, shade: 0.6, other: 0.12 }

const written = "bdgklm".split("").flatMap((consonant) => "aiu".split("").map((vowel) => consonant + vowel))
const asked = "prstvz".split("").flatMap((consonant) => "eo".split("").map((vowel) => consonant + vowel))

const syllables = (among: ReadonlyArray<string>, number: number, length: number): string => {
  let [word, left] = ["", number * 7 + 3]
  for (let at = 0; at < length; at++) {
    word += among[left % among.length]
    left = Math.floor(left / among.length)
  }
  return word
}

/** The word for a thing in what is remembered, and the one in what is asked; things are numbered from 0, at most 900. */
export const writtenWord = (thing: number): string => syllables(written, thing, 4)
export const askedWord = (thing: number): string => syllables(asked, thing, 5)

const things = new Map(
  Array.from({ length: 900 }, (_, thing) => thing).flatMap((thing) => [
    [writtenWord(thing), thing] as const,
    [askedWord(thing), thing] as const
  ])
)
if (things.size !== 1_800) throw new Error("two things of one word")

/** The word of a shade, which makes texts of one thing differ. */
export const shadeWord = (shade: number): string => `xq${shade}`

const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
export const pick = (text: string, of: number): number => hashOf(text) % of

const directions = new Map<string, Float32Array>()

/** Where a model sees what a word means. */
const directionOf = (model: string, word: string): Float32Array => {
  const key = `${model} ${things.get(word) ?? word}`
  const known = directions.get(key)
  if (known !== undefined) return known
  let state = hashOf(key)
  const direction = new Float32Array(dimensions)
  for (let at = 0; at < dimensions; at++) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0
    direction[at] = ((state ^ (state >>> 13)) >>> 0) / 2 ** 31 - 1
  }
  normalizeVector(direction)
  if (things.has(word) || word.startsWith("xq")) directions.set(key, direction)
  return direction
}

/** What a model makes of a text. */
export const rawVector = (model: string, text: string): Float32Array => {
  const vector = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    const weight = things.has(word) ? weights.thing : word.startsWith("xq") ? weights.shade : weights.other
    const direction = directionOf(model, word)
    for (let at = 0; at < dimensions; at++) vector[at]! += weight * direction[at]!
  }
  return vector
}

/** The same as it is to be stored: of length 1. */
export const vectorIn = (model: string, text: string): Float32Array => normalizeVector(rawVector(model, text))!

export const cosine = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!
  return sum
}

/** Of three models how far ranking trusts each: told apart by that as well. */
export const weightOf = { near: 0.5, far: 0.6, home: 0.3 } as const
export type Model = keyof typeof weightOf
export const floor = 0.3

const tongue = (model: Model, options: Partial<EmbedderService>): Scripted => {
  const one = scripted(model, 0, dimensions, { weight: weightOf[model], floor, ...options })
  one.embed = (texts) => Effect.sync(() => texts.map((text) => rawVector(model, text)))
  return one
}

/** A local one, one of a provider that is not to see what is private, and the one that stands in for it there. */
export const tongues = () => {
  const near = tongue("near", { local: true, batch })
  const home = tongue("home", { local: true, batch })
  const distant = tongue("far", { batch })
  const far: Scripted = {
    ...distant,
    service: { ...distant.service, substitute: { stores: ["private"], embedder: home.service } }
  }
  return { near, far, home, distant }
}

import { existsSync, readFileSync } from "node:fs"
import type { Features } from "./clauseFeatures.js"
import type { Compared } from "./compare.js"
import type { Likelihoods } from "./decide.js"
import { hashes, type Phrase, phraseKinds } from "./phrases.js"

/** Log odds of phrases, and boosted trees of depth four: fifteen features with thresholds, sixteen leaves. */
interface Model {
  /** For each kind of phrase: hashes in ascending order, and the log odds of each action for each hash. */
  readonly phrases: ReadonlyArray<{ readonly hashes: Uint32Array; readonly odds: Int8Array }>
  readonly names: ReadonlyArray<string>
  readonly prior: ReadonlyArray<number>
  readonly seeds: number
  readonly figures: Uint16Array
  readonly thresholds: Float64Array
  readonly leaves: Int8Array
}

/** The format of `assets/rules.json`, which `scripts/trainRules.mjs` writes. */
interface File {
  readonly figures: ReadonlyArray<string>
  readonly thresholds: ReadonlyArray<ReadonlyArray<number>>
  readonly prior: ReadonlyArray<number>
  readonly seeds: number
  /** For each kind, in base64: a hash (three bytes) and the log odds of each action, in fortieths. */
  readonly phrases: ReadonlyArray<string>
  /** In base64, for each question: the index of its feature (two bytes) and of its threshold. Then the leaves, in thousandths. */
  readonly trees: string
}

/** Paths of the file from a bundle, from the sources and from the built package. */
const places = [
  "../assets/rules.json",
  "../../assets/rules.json",
  "../../../../assets/rules.json",
  "../../../../../assets/rules.json"
]
const questions = 15
const leavesOfTree = 16
const actions = 4
const oddsScale = 40
/** Feature names: one for each kind of phrase and each action. */
const phraseFigures = phraseKinds.map((kind) => Array.from({ length: actions }, (_, at) => `phrases ${kind} ${at}`))

const load = (): Model | undefined => {
  const file = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url))
  if (file === undefined) return undefined
  const { figures: names, phrases, prior, seeds, thresholds, trees }: File = JSON.parse(readFileSync(file, "utf8"))
  const bytes = Buffer.from(trees, "base64")
  const count = bytes.length / (3 * questions + leavesOfTree)
  const offsets = Array.from({ length: count * questions }, (_, at) => 3 * at)
  const figures = Uint16Array.from(offsets, (at) => bytes.readUInt16LE(at))
  const limits = Float64Array.from(offsets, (at, place) => thresholds[figures[place]!]?.[bytes[at + 2]!] ?? Infinity)
  const leaves = Int8Array.from(bytes.subarray(3 * questions * count))
  return { phrases: phrases.map(phrasesFrom), names, prior, seeds, figures, thresholds: limits, leaves }
}

const phrasesFrom = (text: string): Model["phrases"][number] => {
  const bytes = Buffer.from(text, "base64")
  const size = 3 + actions
  const hashes = Uint32Array.from({ length: bytes.length / size }, (_, at) => bytes.readUIntLE(size * at, 3))
  const odds = Int8Array.from({ length: actions * hashes.length }, (_, at) =>
    bytes.readInt8(size * Math.floor(at / actions) + 3 + (at % actions))
  )
  return { hashes, odds }
}

/** The index of a number in an ascending list, by binary search; −1 where it is missing. */
const placeOf = (wanted: number, all: Uint32Array): number => {
  let [from, to] = [0, all.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (all[middle]! < wanted) from = middle + 1
    else to = middle
  }
  return all[from] === wanted ? from : -1
}

/** How much the phrases of each kind speak for each action, taken together. */
const ofPhrases = (phrases: ReadonlyArray<Phrase>, tables: Model["phrases"]): Features => {
  const sums = new Float64Array(actions * tables.length)
  for (const phrase of phrases) {
    const kind = Math.floor(phrase / hashes)
    const table = tables[kind]!
    const place = placeOf(phrase % hashes, table.hashes)
    if (place !== -1)
      for (let at = 0; at < actions; at++) sums[actions * kind + at]! += table.odds[actions * place + at]!
  }
  const figures: Features = {}
  for (const [at, sum] of sums.entries())
    figures[phraseFigures[Math.floor(at / actions)]![at % actions]!] = sum / oddsScale
  return figures
}

let model: Model | undefined | "unread" = "unread"

/** The part in which each feature was found last. */
let partIndexes = new Uint8Array(0)

/** Looks up a feature in the parts; 0 where none has it. */
const figureOf = (parts: ReadonlyArray<Features>, name: string, at: number): number => {
  const there = parts[partIndexes[at]!]?.[name]
  if (there !== undefined) return there
  for (const [partIndex, part] of parts.entries()) {
    const value = part[name]
    if (value === undefined) continue
    partIndexes[at] = partIndex
    return value
  }
  return 0
}

/**
 * The likelihood of each action, by boosted trees; tree n votes for action n mod 4. The file is loaded on first use.
 * Undefined where it is missing.
 */
export const likelihoods = ({ parts, phrases }: Compared): Likelihoods | undefined => {
  if (model === "unread") model = load()
  if (model === undefined) return undefined
  const { figures, leaves, names, prior, seeds, thresholds } = model
  if (partIndexes.length !== names.length) partIndexes = new Uint8Array(names.length)
  const values = new Float64Array(names.length)
  const all = [...parts, ofPhrases(phrases, model.phrases)]
  for (let at = 0; at < names.length; at++) values[at] = figureOf(all, names[at]!, at)
  const sums = [0, 0, 0, 0] as [number, number, number, number]
  const trees = leaves.length / leavesOfTree
  for (let tree = 0; tree < trees; tree++) {
    const first = questions * tree
    let at = 0
    while (at < questions) at = 2 * at + (values[figures[first + at]!]! < thresholds[first + at]! ? 1 : 2)
    sums[tree % 4]! += leaves[leavesOfTree * tree + at - questions]!
  }
  const powers = sums.map((sum, at) => Math.exp(sum / (1000 * seeds) + prior[at]!))
  const sum = powers.reduce((sum, power) => sum + power, 0)
  return powers.map((power) => power / sum) as unknown as Likelihoods
}

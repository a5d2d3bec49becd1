import { readFileSync } from "node:fs"
import { assetFile } from "../../../../text/assetFile.js"
import type { Features } from "./clauseFeatures.js"
import type { ComparedMemory } from "./compare.js"
import type { Likelihoods } from "./decide.js"
import { hashCount, type PhraseHash, phraseKinds } from "./phrases.js"

/** Log odds of phrases, and boosted trees of depth four. Each tree has 15 features with thresholds, and 16 leaves. */
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

/** The format of `assets/rules.json`, which `training/trainRules.mjs` writes. */
interface File {
  readonly figures: ReadonlyArray<string>
  readonly thresholds: ReadonlyArray<ReadonlyArray<number>>
  readonly prior: ReadonlyArray<number>
  readonly seeds: number
  /** For each kind, in base64: a hash (three bytes) and the log odds of each action, in fortieths. */
  readonly phrases: ReadonlyArray<string>
  /**
   * In base64. For each question of the trees: the index of its feature (two bytes) and of its threshold. Then the
   * leaves, in thousandths.
   */
  readonly trees: string
}

const questions = 15
const leavesOfTree = 16
const actions = 4
const oddsScale = 40
/** Feature names: one for each pair of a phrase kind and an action. */
const phraseFigures = phraseKinds.map((kind) =>
  Array.from({ length: actions }, (_, index) => `phrases ${kind} ${index}`)
)

const load = (): Model | undefined => {
  const file = assetFile("rules.json")
  if (file === undefined) return undefined
  const { figures: names, phrases, prior, seeds, thresholds, trees }: File = JSON.parse(readFileSync(file, "utf8"))
  const bytes = Buffer.from(trees, "base64")
  const count = bytes.length / (3 * questions + leavesOfTree)
  const offsets = Array.from({ length: count * questions }, (_, index) => 3 * index)
  const figures = Uint16Array.from(offsets, (index) => bytes.readUInt16LE(index))
  const limits = Float64Array.from(
    offsets,
    (index, slot) => thresholds[figures[slot]!]?.[bytes[index + 2]!] ?? Infinity
  )
  const leaves = Int8Array.from(bytes.subarray(3 * questions * count))
  return { phrases: phrases.map(phrasesFrom), names, prior, seeds, figures, thresholds: limits, leaves }
}

const phrasesFrom = (text: string): Model["phrases"][number] => {
  const bytes = Buffer.from(text, "base64")
  const size = 3 + actions
  const hashes = Uint32Array.from({ length: bytes.length / size }, (_, index) => bytes.readUIntLE(size * index, 3))
  const odds = Int8Array.from({ length: actions * hashes.length }, (_, index) =>
    bytes.readInt8(size * Math.floor(index / actions) + 3 + (index % actions))
  )
  return { hashes, odds }
}

/** The index of a number in an ascending list, by binary search; −1 if it is not in the list. */
const placeOf = (hash: number, sorted: Uint32Array): number => {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (sorted[middle]! < hash) from = middle + 1
    else to = middle
  }
  return sorted[from] === hash ? from : -1
}

/** For each kind of phrase and each action, how strongly the phrases support the action. */
const phraseFeatures = (phrases: ReadonlyArray<PhraseHash>, tables: Model["phrases"]): Features => {
  const sums = new Float64Array(actions * tables.length)
  for (const phrase of phrases) {
    const kind = Math.floor(phrase / hashCount)
    const table = tables[kind]!
    const row = placeOf(phrase % hashCount, table.hashes)
    if (row !== -1)
      for (let index = 0; index < actions; index++) sums[actions * kind + index]! += table.odds[actions * row + index]!
  }
  const figures: Features = {}
  for (const [index, sum] of sums.entries())
    figures[phraseFigures[Math.floor(index / actions)]![index % actions]!] = sum / oddsScale
  return figures
}

let model: Model | undefined | "unread" = "unread"

/** For each feature, the index of the part that contained it last time. This part is searched first. */
let partIndexes = new Uint8Array(0)

/** Looks up a feature in the parts; 0 if no part has it. */
const figureOf = (parts: ReadonlyArray<Features>, name: string, index: number): number => {
  const value = parts[partIndexes[index]!]?.[name]
  if (value !== undefined) return value
  for (const [partIndex, part] of parts.entries()) {
    const value = part[name]
    if (value === undefined) continue
    partIndexes[index] = partIndex
    return value
  }
  return 0
}

/**
 * The likelihood of each action, by boosted trees; tree n votes for action n mod 4. The file is loaded on first use.
 * Undefined if the file is missing.
 */
export const actionLikelihoods = ({ parts, phrases }: ComparedMemory): Likelihoods | undefined => {
  if (model === "unread") model = load()
  if (model === undefined) return undefined
  const { figures, leaves, names, prior, seeds, thresholds } = model
  if (partIndexes.length !== names.length) partIndexes = new Uint8Array(names.length)
  const values = new Float64Array(names.length)
  const allParts = [...parts, phraseFeatures(phrases, model.phrases)]
  for (let index = 0; index < names.length; index++) values[index] = figureOf(allParts, names[index]!, index)
  const sums = [0, 0, 0, 0] as [number, number, number, number]
  const trees = leaves.length / leavesOfTree
  for (let tree = 0; tree < trees; tree++) {
    const first = questions * tree
    let index = 0
    while (index < questions)
      index = 2 * index + (values[figures[first + index]!]! < thresholds[first + index]! ? 1 : 2)
    sums[tree % 4]! += leaves[leavesOfTree * tree + index - questions]!
  }
  const exponentials = sums.map((sum, index) => Math.exp(sum / (1000 * seeds) + prior[index]!))
  const sum = exponentials.reduce((sum, power) => sum + power, 0)
  return exponentials.map((power) => power / sum) as unknown as Likelihoods
}

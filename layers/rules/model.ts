import { existsSync, readFileSync } from "node:fs"
import type { Likelihoods } from "./decide.js"
import type { Features } from "./features.js"

/** Trees of three questions, one after the other: seven figures with their thresholds, eight leaves. */
interface Model {
  readonly names: ReadonlyArray<string>
  readonly prior: ReadonlyArray<number>
  readonly seeds: number
  readonly figures: Uint16Array
  readonly thresholds: Float64Array
  readonly leaves: Int8Array
}

/** `assets/rules.json`, as `scripts/trainRules.mjs` writes it. */
interface File {
  readonly figures: ReadonlyArray<string>
  readonly thresholds: ReadonlyArray<ReadonlyArray<number>>
  readonly prior: ReadonlyArray<number>
  readonly seeds: number
  /** Of each question the place of its figure (two bytes) and of its threshold; then the leaves, in thousandths. */
  readonly trees: string
}

/** Where the file lies beside the built package, its bundle, and its sources. */
const places = ["../assets/rules.json", "../../assets/rules.json", "../../../assets/rules.json"]
const questions = 7
const leavesOfTree = 8

const load = (): Model | undefined => {
  const file = places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url))
  if (file === undefined) return undefined
  const { figures: names, prior, seeds, thresholds, trees }: File = JSON.parse(readFileSync(file, "utf8"))
  const bytes = Buffer.from(trees, "base64")
  const count = bytes.length / (3 * questions + leavesOfTree)
  const asked = Array.from({ length: count * questions }, (_, at) => 3 * at)
  const figures = Uint16Array.from(asked, (at) => bytes.readUInt16LE(at))
  const limits = Float64Array.from(asked, (at, place) => thresholds[figures[place]!]?.[bytes[at + 2]!] ?? Infinity)
  const leaves = Int8Array.from(bytes.subarray(3 * questions * count))
  return { names, prior, seeds, figures, thresholds: limits, leaves }
}

let model: Model | undefined | "unread" = "unread"

/** In which part each figure was found last. */
let homes = new Uint8Array(0)

/** A figure out of the parts that it may be in; 0 where none has it. */
const figureOf = (parts: ReadonlyArray<Features>, name: string, at: number): number => {
  const there = parts[homes[at]!]?.[name]
  if (there !== undefined) return there
  for (const [home, part] of parts.entries()) {
    const value = part[name]
    if (value === undefined) continue
    homes[at] = home
    return value
  }
  return 0
}

/**
 * Boosted trees, one for each action in turn; read when something is weighed
 * first. Undefined where the file cannot be read.
 */
export const likelihoods = (parts: ReadonlyArray<Features>): Likelihoods | undefined => {
  if (model === "unread") model = load()
  if (model === undefined) return undefined
  const { figures, leaves, names, prior, seeds, thresholds } = model
  if (homes.length !== names.length) homes = new Uint8Array(names.length)
  const values = new Float64Array(names.length)
  for (let at = 0; at < names.length; at++) values[at] = figureOf(parts, names[at]!, at)
  const sums = [0, 0, 0, 0] as [number, number, number, number]
  const trees = leaves.length / leavesOfTree
  for (let tree = 0; tree < trees; tree++) {
    const first = questions * tree
    let at = 0
    while (at < questions) at = 2 * at + (values[figures[first + at]!]! < thresholds[first + at]! ? 1 : 2)
    sums[tree % 4]! += leaves[leavesOfTree * tree + at - questions]!
  }
  const powers = sums.map((sum, at) => Math.exp(sum / (1000 * seeds) + prior[at]!))
  const all = powers.reduce((sum, power) => sum + power, 0)
  return powers.map((power) => power / all) as unknown as Likelihoods
}

import type { Verdict } from "../../src/Reconciler.js"
import type { Features } from "./features.js"
import { names, prior, trees } from "./trees.js"

/** What may become of a statement, in the order of the model's classes. */
export const actions: ReadonlyArray<Verdict["action"]> = ["ADD", "UPDATE", "DELETE", "NONE"]

/** How likely each action is; they add up to 1. */
export type Likelihoods = readonly [add: number, update: number, remove: number, none: number]

/** Trees of three questions, one after the other: seven figures with their thresholds, eight leaves. */
interface Forest {
  readonly figures: Int32Array
  readonly thresholds: Float64Array
  readonly leaves: Float64Array
}

const read = (): Forest => {
  const lines = trees.trim().split(/[\n;]/)
  const questions = lines.flatMap((line) => line.slice(0, line.indexOf("|")).split(" "))
  return {
    figures: Int32Array.from(questions, (question) => Number.parseInt(question, 10)),
    thresholds: Float64Array.from(questions, (question) => Number(question.slice(question.indexOf("<") + 1))),
    leaves: Float64Array.from(
      lines.flatMap((line) =>
        line
          .slice(line.indexOf("|") + 1)
          .split(" ")
          .map(Number)
      )
    )
  }
}

/** Read when something is weighed first. */
let forest: Forest | undefined

/** Boosted trees, one for each action in turn; see `scripts/trainRules.mjs`. */
export const likelihoods = (features: Features): Likelihoods => {
  forest ??= read()
  const { figures, leaves, thresholds } = forest
  const values = new Float64Array(names.length)
  for (let at = 0; at < names.length; at++) values[at] = features[names[at]!] ?? 0
  const sums = [...prior] as [number, number, number, number]
  for (let tree = 0; tree < leaves.length / 8; tree++) {
    let at = 0
    while (at < 7) at = 2 * at + (values[figures[7 * tree + at]!]! < thresholds[7 * tree + at]! ? 1 : 2)
    sums[tree % 4]! += leaves[8 * tree + at - 7]! / 1000
  }
  const most = Math.max(...sums)
  const powers = sums.map((sum) => Math.exp(sum - most))
  const all = powers.reduce((sum, power) => sum + power, 0)
  return powers.map((power) => power / all) as unknown as Likelihoods
}

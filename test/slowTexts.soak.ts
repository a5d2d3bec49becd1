import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { measureStage, type TextStage, textStages } from "../bench/textStages.js"
import { mutations, type Recipe, recipes, textOf } from "./support/slowTexts.js"

/** Minutes of the whole search: `DAYBOOK_SOAK_MINUTES`, 20 if absent. */
const minutes = Number(process.env.DAYBOOK_SOAK_MINUTES ?? 20)

/** The first seed of the recipes: `DAYBOOK_SOAK_SEED`, to search again from the same texts. */
const firstSeed = Number(process.env.DAYBOOK_SOAK_SEED ?? Math.floor(Math.random() * 1e9))

/** Milliseconds of CPU time without a turn of the event loop. */
const promised = 100

interface Trial {
  readonly recipe: Recipe
  readonly key: string
  readonly longest: number
}

/** Trials that are kept: mutations start from them. */
const population = 20

/**
 * Measures a recipe at a sixteenth of the largest size first, so that a stage that takes quadratic time ends. A slow
 * text is measured again, because the garbage of another text may be collected meanwhile.
 */
const tryRecipe = (stage: TextStage, recipe: Recipe): Trial => {
  const longestOf = (size: number) => measureStage(stage, textOf(recipe, size)).longest
  const beginning = longestOf(Math.ceil(stage.size / 16))
  let longest = beginning > promised ? 16 * beginning : longestOf(stage.size)
  for (let times = 0; times < 2 && longest > promised / 2; times++) {
    longest = Math.min(longest, longestOf(beginning > promised ? Math.ceil(stage.size / 16) : stage.size))
  }
  return { recipe, key: JSON.stringify(recipe), longest }
}

/** Searches for slow texts of a stage by hill climbing; returns the slowest ones, the slowest first. */
const search = async (stage: TextStage, until: number) => {
  let best: ReadonlyArray<Trial> = []
  let tried = 0
  for (; Date.now() < until; tried++) {
    // Messages to vitest wait for the end of a long computation.
    await new Promise((resolve) => setImmediate(resolve))
    const seed = firstSeed + tried
    const isFresh = best.length < population / 2 || tried % 4 === 0
    const parent = best[seed % Math.max(1, best.length)]
    const recipe =
      isFresh || parent === undefined
        ? fc.sample(recipes, { seed, numRuns: 1 })[0]!
        : fc.sample(mutations, { seed, numRuns: 1 })[0]!(parent.recipe)
    if (best.some(({ key }) => key === JSON.stringify(recipe))) continue
    best = [...best, tryRecipe(stage, recipe)].sort((a, b) => b.longest - a.longest).slice(0, population)
  }
  return { best, tried }
}

describe("a search for slow texts", () => {
  it.each(textStages.map((stage) => [stage.name, stage] as const))(
    `finds none that takes ${promised} ms: %s`,
    async (name, stage) => {
      const { best, tried } = await search(stage, Date.now() + (minutes * 60_000) / textStages.length)
      console.log(`${name}: ${tried} texts of ${stage.size} characters, seed ${firstSeed}`)
      for (const { key, longest } of best.slice(0, 10)) console.log(`  ${longest.toFixed(1)} ms ${key}`)
      expect(best[0]!.longest, best[0]!.key).toBeLessThanOrEqual(promised)
    },
    (minutes + 10) * 60_000
  )
})

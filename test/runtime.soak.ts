import { describe, expect, it } from "vitest"
import { storm } from "./support/runtimeStorm.js"

/** How long children are started: `DAYBOOK_SOAK_MINUTES`, 20 minutes where absent. */
const minutes = Number(process.env.DAYBOOK_SOAK_MINUTES ?? 20)

/** The seed of another run, to make the same random choices: `DAYBOOK_SOAK_SEED`. */
const seed = process.env.DAYBOOK_SOAK_SEED

/** `DAYBOOK_SOAK_WITHOUT=embedder` leaves the local embedder out, to tell aborts of onnxruntime from those of SQLite. */
const localEmbedder = process.env.DAYBOOK_SOAK_WITHOUT !== "embedder"

/** Megabytes by which memory may grow while rounds of the same work go on. */
const growthMost = 100

describe("processes that drop SQLite objects, collect garbage and end at random", () => {
  it(
    "never abort, end as requested, leak nothing and lose no memory",
    async () => {
      const { aborts, causes, checks, figures, problems, rounds } = await storm({
        minutes,
        seed: seed === undefined ? undefined : Number(seed),
        localEmbedder
      })
      const line = Object.entries(figures).map(([name, value]) => `${name} ${value}`)
      console.log([...line, `rounds ${rounds?.rounds}`, `MB ${rounds?.warmRss} to ${rounds?.lastRss}`].join(", "))
      for (const [cause, count] of Object.entries(causes)) console.log(`${count} times: ${cause}`)
      for (const text of [...aborts.slice(0, 3), ...problems]) console.error(text)
      // Soft, so that a run with aborts still says whether anything was lost.
      expect.soft(aborts.length).toBe(0)
      expect.soft(problems).toEqual([])
      for (const found of checks) expect.soft(found).toEqual({ problems: [], missing: [] })
      expect.soft(rounds).toMatchObject({ leaked: [] })
      expect.soft((rounds?.lastRss ?? 0) - (rounds?.warmRss ?? 0)).toBeLessThan(growthMost)
    },
    (minutes + 10) * 60_000
  )
})

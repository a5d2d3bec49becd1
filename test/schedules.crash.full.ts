import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storm } from "./support/scheduleStorm.js"
import { rounds } from "./support/size.js"

describe("two processes that run the same schedules and are killed at random", () => {
  it.scopedLive("finish each occurrence once, and apply keyed writes once", () =>
    Effect.gen(function* () {
      const calm = yield* storm(
        rounds({ quick: { agents: 2, schedules: 10, seconds: 4 }, full: { agents: 5, schedules: 40, seconds: 8 } })
      )
      expect(calm.kills).toBeGreaterThan(1)
      console.log(
        `${calm.occurrences} occurrences, ${calm.begun} attempts, ${calm.kills} kills, ${calm.abandoned} abandoned, ${calm.events} events, ${calm.took.toFixed(1)} s`
      )
    })
  )
})

import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storm } from "./support/scheduleStorm.js"

describe("two processes that run 200 schedules, due every second for a minute, and are killed at random", () => {
  it.scopedLive("finish each occurrence once, and apply keyed writes once", () =>
    Effect.gen(function* () {
      const calm = yield* storm({ agents: 20, schedules: 200, seconds: 60 })
      console.log(calm)
      expect(calm.kills).toBeGreaterThan(10)
    })
  )
})

import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storm } from "./support/switchStorm.js"

describe("a switch under reads and writes by two processes that are killed", () => {
  it.scopedLive("searches one model at any time, ends with the same index as a new one, and can be reversed", () =>
    Effect.gen(function* () {
      const calm = yield* storm({ memories: 300, kills: { there: 6, back: 5 }, latency: 60, pause: 20 })
      console.log(calm)
      for (const model of ["near", "far", "home"]) expect(calm.first.told[model]).toBeGreaterThan(0)
    })
  )
})

import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storm } from "./support/switchStorm.js"

describe("a switch under reads and writes, by a process that is killed", () => {
  it.scopedLive("goes on where it was: no search is empty, nothing is sent again, and it can be gone back", () =>
    Effect.gen(function* () {
      const calm = yield* storm({ memories: 1_000, kills: 4, latency: 60 })
      expect(calm.received).toBeGreaterThanOrEqual(1_000)
      console.log(calm)
    })
  )
})

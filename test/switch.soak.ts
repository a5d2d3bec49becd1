import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storm } from "./support/switchStorm.js"

describe("a switch of 20,000 memories under reads and writes by two processes, with 10 deaths there and 8 back", () => {
  it.scopedLive("searches one model at any time, ends with the same index as a new one, and can be reversed", () =>
    Effect.map(storm({ memories: 20_000, kills: { there: 10, back: 8 }, latency: 100, pause: 25 }), (calm) =>
      console.log(calm)
    )
  )
})

import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storm } from "./support/switchStorm.js"

describe("a switch of 20,000 memories under reads and writes, by a process that is killed 10 times", () => {
  it.scopedLive("goes on where it was: no search is empty, nothing is sent again, and it can be gone back", () =>
    Effect.map(storm({ memories: 20_000, kills: 10, latency: 100 }), (calm) => console.log(calm))
  )
})

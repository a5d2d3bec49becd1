import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import { digestsOf, open, temporaryFolder } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"
import { type Asked, histories, perform, probesOf } from "./support/histories.js"
import { rounds, yieldToTimers } from "./support/size.js"

const start = Date.parse("2026-03-14T06:00:00Z")
const events = Number(process.env.DAYBOOK_REPLAY_EVENTS ?? rounds({ quick: 2_000, full: 10_000 }))
const policy = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }

describe(`a log of ${events.toLocaleString("en")} events`, () => {
  it.scoped.each(rounds({ quick: [1], full: [1, 2, 3] }))(
    "gives one view: live, rebuilt, rebuilt again and rebuilt on another day: seed %i",
    (seed) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const folder = yield* temporaryFolder
        const asked: Asked = new Map()
        const length = 100
        const live = yield* Effect.scoped(
          Effect.gen(function* () {
            const daybook = yield* open(folder, { policy, extractor: tinyLayer })
            const written = Effect.map(daybook.agents, (agents) =>
              agents.reduce((sum, { version }) => sum + version, 0)
            )
            for (let part = 0; (yield* written) < events; part++) {
              const options = { minLength: length, maxLength: length }
              for (const step of fc.sample(histories(options), { numRuns: 1, seed: 1_000 * seed + part })[0]!)
                yield* perform({ daybook, folder, asked, wait: TestClock.adjust }, step)
              yield* yieldToTimers
            }
            for (const agent of asked.keys()) yield* daybook.backfill(agent)
            const live = yield* digestsOf(daybook, probesOf(asked))
            for (let time = 0; time < 2; time++) {
              for (const agent of asked.keys()) yield* daybook.rebuild(agent)
              expect(yield* digestsOf(daybook, probesOf(asked))).toEqual(live)
            }
            return live
          })
        )
        rmSync(join(folder, "views"), { recursive: true })
        yield* TestClock.adjust("200 days")
        const daybook = yield* open(folder, { policy, extractor: tinyLayer })
        for (const agent of asked.keys()) yield* daybook.rebuild(agent)
        expect(yield* digestsOf(daybook, probesOf(asked))).toEqual(live)
        expect((yield* daybook.verify()).problems).toEqual([])
      })
  )
})

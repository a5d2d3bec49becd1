import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { catalogue, type EventType } from "../events/catalogue.js"
import { disputingLayer } from "./support/disputes.js"
import { fresh } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"
import { type Asked, histories, perform } from "./support/histories.js"

const start = Date.parse("2026-03-14T06:00:00Z")

/** Events that no random history makes, and why the laws need not see them there. */
const absent: Partial<Record<EventType, string>> = {
  ACCEPT: "it stands in the stream of the installation, which has no view: tamper.test.ts",
  COMPRESS: "maintenance makes it: life.test.ts and life.weeks.test.ts compare live and rebuilt views",
  CLOCK: "a jump of the clock makes it: clock.test.ts compares live and rebuilt views",
  CONFIGURE: "a change of policy makes it: policy.test.ts",
  ERASE: "an erasure makes it: erasure.test.ts",
  REMAINS: "an erasure makes it: erasure.test.ts"
}

describe("the histories of the laws", () => {
  it.scoped("make every type of event, so that no law passes on empty tables", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const policy = { actors: { idle: 365 * 86_400_000 } }
      const { daybook, folder } = yield* fresh({ policy, reconciler: disputingLayer, extractor: tinyLayer })
      const seen = new Set<string>()
      const actions = new Set<string>()
      const missing = () =>
        Object.keys(catalogue)
          .filter((type) => !seen.has(type) && !(type in absent))
          .sort()
      const asked: Asked = new Map()
      for (const steps of fc.sample(histories({ agents: ["ada"], minLength: 60 }), { numRuns: 40, seed: 2 })) {
        if (missing().length === 0) break
        for (const step of steps) yield* perform({ daybook, folder, asked, wait: TestClock.adjust }, step)
        yield* daybook.backfill("ada")
        yield* daybook.flush("ada")
        for (const { payload, type } of yield* Stream.runCollect(daybook.log("ada"))) {
          seen.add(type)
          if (payload === null) continue
          if ("decision" in payload) actions.add(payload.decision.action)
          if ("reason" in payload) actions.add(payload.reason)
        }
      }
      expect(missing()).toEqual([])
      // Disputes, raised and settled.
      expect([...actions]).toEqual(expect.arrayContaining(["DISPUTE", "settled", "replaced"]))
      for (const type of Object.keys(absent)) expect(seen).not.toContain(type)
    })
  )
})

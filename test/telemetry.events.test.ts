import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Background from "../layers/background.js"
import * as Telemetry from "../layers/telemetry/index.js"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/ports/Policy.js"
import { type EngineOptions, open, temporaryFolder } from "./support/engine.js"
import { asking, brokenModels, layerOf, tinyLayer } from "./support/extractor.js"
import { refusingLog } from "./support/refusingLog.js"
import { linesOf } from "./support/traceFile.js"

/** Runs work on an engine of its own, and returns the attributes of each event with a name. */
const eventsOf = <A, E>(
  folder: string,
  options: EngineOptions,
  work: (daybook: typeof Daybook.Service) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const file = join(folder, "trace.jsonl")
    yield* Effect.provide(
      Effect.scoped(Effect.flatMap(open(join(folder, "data"), options), work)),
      Telemetry.layerFile({ file })
    )
    const events = linesOf(file).filter(({ type }) => type === "event")
    return (name: string) => events.filter((event) => event.name === name).map(({ attributes }) => attributes)
  })

describe("the events of background work", () => {
  it.scopedLive("name each loop when it starts", () =>
    Effect.gen(function* () {
      for (const loop of ["maintenance", "capture"]) {
        const policy = {
          ...defaults,
          capture: { ...defaults.capture, enabled: loop === "capture" },
          retention: { ...defaults.retention, enabled: loop === "maintenance" }
        }
        const of = yield* eventsOf(yield* temporaryFolder, { extractor: tinyLayer }, (daybook) =>
          Effect.scoped(Effect.provideService(Background.make({ policy }), Daybook, daybook))
        )
        expect(of("maintenance.loop_started")).toEqual([{ loop }])
      }
    })
  )

  it.scopedLive("name the end of a run of maintenance, and each of its stages", () =>
    Effect.gen(function* () {
      const of = yield* eventsOf(yield* temporaryFolder, {}, (daybook) =>
        Effect.gen(function* () {
          const memory = yield* daybook.agent("coop", { trust: "full" })
          yield* memory.remember({ title: "Deploys happen on Tuesdays", tier: "mid" })
          yield* memory.maintenance.run({ stages: ["gc", "sessions"] })
        })
      )
      expect(of("maintenance.run_started")).toEqual([{ stages: 2 }])
      expect(of("maintenance.run_finished")).toEqual([{ stages: 2 }])
      expect(of("maintenance.stage").map((stage) => Object.keys(stage!).sort())).toEqual(
        Array.from({ length: 2 }, () => ["left", "memories", "millis", "stage"])
      )
    })
  )
})

describe("the events of failures", () => {
  it.scopedLive("name the extractor that the rules stood in for", () =>
    Effect.gen(function* () {
      const extractor = layerOf(asking(brokenModels.fails!))
      const of = yield* eventsOf(yield* temporaryFolder, { extractor }, (daybook) =>
        Effect.gen(function* () {
          const memory = yield* daybook.agent("coop", { trust: "full" })
          yield* memory.sessions.append({ session: "monday", role: "user", text: "I like green tea." })
          yield* memory.sessions.extract("monday")
          expect(yield* memory.list()).toMatchObject([{ title: "The user likes green tea" }])
        })
      )
      expect(of("capture.failed")).toEqual([{ reason: "extractor", by: "rule" }])
    })
  )

  it.scopedLive("say why a session has no summary, by the name of the error", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { layer, state } = refusingLog(join(folder, "data"))
      const of = yield* eventsOf(folder, { log: layer }, (daybook) =>
        Effect.gen(function* () {
          const memory = yield* daybook.agent("coop", { trust: "full" })
          yield* memory.sessions.append({ session: "monday", role: "user", text: "The ferry leaves at noon." })
          state.sound = false
          expect(yield* Effect.flip(memory.sessions.summarize("monday"))).toMatchObject({ _tag: "StorageError" })
          state.sound = true
        })
      )
      expect(of("session_summary.failed")).toEqual([{ reason: "StorageError (full)" }])
      expect(of("session_summary.written")).toEqual([])
    })
  )
})

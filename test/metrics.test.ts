import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Tracer from "effect/Tracer"
import { StorageError } from "../events/errors.js"
import { Daybook, Metrics } from "../layers/entry.js"
import { failureNames } from "../src/model/failureNames.js"

/** What the work adds to a counter. */
const added = <Type>(counter: Metric.Metric<Type, number, { readonly count: number }>, work: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const before = (yield* Metric.value(counter)).count
    yield* work
    return (yield* Metric.value(counter)).count - before
  })

describe("metrics", () => {
  it.live("count events, transactions, texts, recalls and rebuilds", () =>
    Effect.gen(function* () {
      const daybook = yield* Daybook
      const memory = yield* daybook.agent("coop", { trust: "full" })
      const write = Effect.orDie(memory.remember({ title: "The ferry leaves at noon" }))
      // The first write of a log also records the policy.
      expect(yield* added(Metrics.appendedEvents, write)).toBeGreaterThanOrEqual(1)
      const many = Effect.orDie(
        memory.rememberAll([{ title: "One pier is closed" }, { title: "Tolls are paid in cash" }])
      )
      expect(yield* added(Metrics.appendMillis, many)).toBeGreaterThanOrEqual(1)
      const read = Effect.orDie(Effect.zipRight(memory.search({ text: "pier" }), daybook.flush("coop")))
      expect(yield* added(Metrics.recordedRecalls, read)).toBe(1)
      expect(yield* added(Metrics.rebuiltViews, Effect.orDie(daybook.rebuild("coop")))).toBe(1)
      yield* daybook.backfill("coop")
      const counts = (yield* Metric.snapshot).filter(({ metricKey }) => metricKey.name === "daybook_embedder_texts")
      expect(counts.flatMap(({ metricKey }) => [...metricKey.tags].map(({ key }) => key))).toEqual(
        expect.arrayContaining(["model", "purpose"])
      )
    }).pipe(Effect.provide(Daybook.layerMemory()))
  )

  it.live("have a span for each call of a method, named by its operation", () =>
    Effect.gen(function* () {
      const names: Array<string> = []
      const attributes = new Map<string, unknown>()
      const tracer = Tracer.make({
        span: (name, parent, context, links, startTime, kind) => {
          names.push(name)
          const status = { _tag: "Started" as const, startTime }
          return {
            _tag: "Span",
            spanId: String(names.length),
            traceId: "t",
            sampled: true,
            name,
            parent,
            context,
            links,
            kind,
            status,
            attributes: new Map(),
            end: () => {},
            attribute: (key, value) => attributes.set(`${name} ${key}`, value),
            event: () => {},
            addLinks: () => {}
          }
        },
        context: (run) => run()
      })
      const program = Effect.gen(function* () {
        const memory = yield* (yield* Daybook).agent("coop", { trust: "full" })
        yield* memory.remember({ title: "The ferry leaves at noon" })
        yield* memory.sessions.append({ session: "monday", text: "When does it leave?" })
        yield* memory.sessions.search({ text: "leave" })
        yield* memory.recalls.list()
      })
      yield* Effect.withTracer(program.pipe(Effect.provide(Daybook.layerMemory())), tracer)
      const methodsOf = (operation: string) => attributes.get(`${operation} daybook.method`)
      expect(methodsOf("upsert_memory")).toBe("Memory.sessions.append")
      expect(methodsOf("search_memory")).toBe("Memory.sessions.search")
      expect(methodsOf("read_memory")).toBe("Memory.recalls.list")
      expect(names.filter((name) => name === "upsert_memory")).toHaveLength(2)
      expect(attributes.get("search_memory gen_ai.operation.name")).toBe("search_memory")
      expect(attributes.get("search_memory agent")).toBe("coop")
      expect(attributes.get("search_memory gen_ai.memory.record.count")).toBe(1)
    })
  )
})

describe("failureNames", () => {
  it("names the failure without quoting anything", () => {
    const damaged = new StorageError({ kind: "damaged", where: "view", code: "SQLITE_CORRUPT" })
    expect(failureNames(Cause.fail(damaged))).toBe("StorageError (damaged)")
    const defect = Exit.die(new TypeError("green tea is not a function"))
    expect(Exit.isFailure(defect) && failureNames(defect.cause)).toBe("TypeError")
    expect(failureNames(Cause.parallel(Cause.fail("green tea"), Cause.empty))).toBe("string")
  })
})

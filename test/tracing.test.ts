import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Fiber from "effect/Fiber"
import * as Hash from "effect/Hash"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { annotate, runInSpan } from "../events/tracing.js"

interface Started {
  readonly name: string
  readonly parent: string | undefined
  readonly kind: Tracer.SpanKind
  readonly links: ReadonlyArray<string>
  readonly isTimed: boolean
  readonly attributes: Record<string, unknown>
}

/** A tracer that notes the spans that it starts. */
const noting = () => {
  const started: Array<Started> = []
  const ended: Array<string> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const attributes: Record<string, unknown> = {}
      const above = Option.map(parent, ({ spanId }) => spanId)
      const linked = links.map(({ span }) => span.spanId)
      started.push({
        ...{ name, kind, attributes, parent: Option.getOrUndefined(above), links: linked },
        isTimed: startTime > 0n
      })
      return {
        _tag: "Span",
        ...{ name, spanId: name, traceId: "trace", parent, context, links, kind, sampled: true },
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        end: () => void ended.push(name),
        attribute: (key, value) => {
          attributes[key] = value
        },
        event: () => {},
        addLinks: () => {}
      }
    },
    context: (execute) => execute()
  })
  return { started, ended, tracer }
}

const distant = Tracer.externalSpan({ spanId: "distant", traceId: "other" })

const settings: Record<string, <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>> = {
  "no setting": (effect) => effect,
  "a span around it": Effect.withSpan("outer", { captureStackTrace: false }),
  "a span of another process around it": Effect.withParentSpan(distant),
  annotations: Effect.annotateSpans({ region: "north", shelf: 3 }),
  links: Effect.linkSpans(distant),
  "times switched off": Effect.withTracerTiming(false),
  "spans switched off": Effect.withTracerEnabled(false),
  "spans switched on below others that are off": (effect) =>
    effect.pipe(
      Effect.withTracerEnabled(true),
      Effect.withSpan("hidden", { captureStackTrace: false }),
      Effect.withTracerEnabled(false),
      Effect.withSpan("outer", { captureStackTrace: false })
    )
}

const startedBy = (work: Effect.Effect<void>) => {
  const { started, tracer } = noting()
  return Effect.as(Effect.withTracer(work, tracer), started)
}

describe("a span of the engine", () => {
  for (const [setting, apply] of Object.entries(settings)) {
    it.effect(`starts as one of Effect does, with ${setting}`, () =>
      Effect.gen(function* () {
        const attributes = { agent: "coop", memories: 2 }
        const inner = Effect.withSpan(Effect.void, "inner", { captureStackTrace: false })
        const span = Effect.withSpan(inner, "work", { captureStackTrace: false, kind: "client", attributes })
        const mine = yield* startedBy(apply(runInSpan("work", inner, attributes, { kind: "client" })))
        expect(mine).toEqual(yield* startedBy(apply(span)))
        expect(mine.some(({ name }) => name === "inner")).toBe(setting !== "spans switched off")
      })
    )
  }

  it.effect("begins a trace where it should have no parent, or has the parent that it is given", () =>
    Effect.gen(function* () {
      const work = Effect.zipRight(
        runInSpan("root", Effect.void, {}, { parent: "none" }),
        runInSpan("given", Effect.void, {}, { parent: distant })
      )
      const spans = yield* startedBy(settings["a span around it"]!(work))
      expect(spans.map(({ name, parent }) => [name, parent])).toEqual([
        ["outer", undefined],
        ["root", undefined],
        ["given", "distant"]
      ])
    })
  )

  it.effect("is known to the effect below it, unless its scope is none", () =>
    Effect.gen(function* () {
      const current = Effect.map(
        Effect.serviceOption(Tracer.ParentSpan),
        Option.map(({ spanId }) => spanId)
      )
      const seen: Array<string | undefined> = []
      const look = Effect.map(current, (span) => void seen.push(Option.getOrUndefined(span)))
      const { tracer } = noting()
      yield* Effect.withTracer(
        Effect.zipRight(runInSpan("work", look), runInSpan("leaf", look, {}, { scope: "none" })),
        tracer
      )
      expect(seen).toEqual(["work", undefined])
      expect(Context.get(distant.context, Tracer.DisablePropagation)).toBe(false)
    })
  )

  it.effect("is in a context that equals the one that Effect makes", () =>
    Effect.gen(function* () {
      const { tracer } = noting()
      const work = Effect.flatMap(Effect.context<never>(), (outer) =>
        runInSpan(
          "work",
          Effect.map(Effect.context<never>(), (inside) => {
            const expected = Context.add(outer, Tracer.ParentSpan, Context.unsafeGet(inside, Tracer.ParentSpan))
            return [Equal.equals(inside, expected), Hash.hash(inside) === Hash.hash(expected)]
          })
        )
      )
      expect(yield* Effect.withTracer(work, tracer)).toEqual([true, true])
    })
  )

  it.effect(
    "with the scope of a fiber is the parent of the engine's spans on that fiber until it succeeds, fails or is interrupted",
    () =>
      Effect.gen(function* () {
        const span = (name: string) => runInSpan(name, Effect.void)
        const onFiber = <A, E>(name: string, work: Effect.Effect<A, E>) => runInSpan(name, work, {}, { scope: "fiber" })
        const foreign = Effect.withSpan("foreign", { captureStackTrace: false })
        const failing = Effect.exit(onFiber("failing", Effect.zipRight(span("before"), Effect.fail("no"))))
        const interrupted = Effect.exit(onFiber("interrupted", Effect.interrupt))
        const waiting = Effect.fork(onFiber("waiting", Effect.never)).pipe(
          Effect.tap(() => Effect.yieldNow()),
          Effect.flatMap(Fiber.interrupt)
        )
        const work = Effect.all(
          [
            onFiber(
              "run",
              Effect.all([
                span("own"),
                foreign(span("below foreign")),
                onFiber("nested", span("deep")),
                Effect.fork(span("forked")).pipe(Effect.flatMap(Fiber.join)),
                runInSpan("operation", onFiber("inner run", span("deeper"))),
                Effect.zipRight(failing, span("after a failure")),
                annotate({ commands: 2 })
              ])
            ),
            interrupted,
            waiting,
            span("after")
          ],
          { discard: true }
        )
        const { ended, started: spans, tracer } = noting()
        yield* Effect.withTracer(runInSpan("outer", work), tracer)
        expect(Object.fromEntries(spans.map(({ name, parent }) => [name, parent]))).toEqual({
          ...{ outer: undefined, run: "outer", own: "run", nested: "run", deep: "nested", operation: "run" },
          ...{ "inner run": "operation", deeper: "inner run", after: "outer" },
          // These see the span in the references of the fiber.
          ...{ foreign: "outer", "below foreign": "foreign", forked: "outer" },
          ...{ failing: "run", before: "failing", "after a failure": "run", interrupted: "outer", waiting: "outer" }
        })
        expect(ended.toSorted()).toEqual(spans.map(({ name }) => name).toSorted())
        expect(spans.find(({ name }) => name === "run")!.attributes).toEqual({ commands: 2 })
      })
  )
})

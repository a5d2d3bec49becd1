import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { traced } from "../events/tracing.js"

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
        end: () => {},
        attribute: (key, value) => {
          attributes[key] = value
        },
        event: () => {},
        addLinks: () => {}
      }
    },
    context: (execute) => execute()
  })
  return { started, tracer }
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
        const mine = yield* startedBy(apply(traced("work", inner, attributes, { kind: "client" })))
        expect(mine).toEqual(yield* startedBy(apply(span)))
        expect(mine.some(({ name }) => name === "inner")).toBe(setting !== "spans switched off")
      })
    )
  }

  it.effect("begins a trace where it should have no parent, or has the parent that it is given", () =>
    Effect.gen(function* () {
      const work = Effect.zipRight(
        traced("root", Effect.void, {}, { parent: "none" }),
        traced("given", Effect.void, {}, { parent: distant })
      )
      const spans = yield* startedBy(settings["a span around it"]!(work))
      expect(spans.map(({ name, parent }) => [name, parent])).toEqual([
        ["outer", undefined],
        ["root", undefined],
        ["given", "distant"]
      ])
    })
  )

  it.effect("is known to the effect below it, unless that is a leaf", () =>
    Effect.gen(function* () {
      const current = Effect.map(
        Effect.serviceOption(Tracer.ParentSpan),
        Option.map(({ spanId }) => spanId)
      )
      const seen: Array<string | undefined> = []
      const look = Effect.map(current, (span) => void seen.push(Option.getOrUndefined(span)))
      const { tracer } = noting()
      yield* Effect.withTracer(
        Effect.zipRight(traced("work", look), traced("leaf", look, {}, { isLeaf: true })),
        tracer
      )
      expect(seen).toEqual(["work", undefined])
      expect(Context.get(distant.context, Tracer.DisablePropagation)).toBe(false)
    })
  )
})

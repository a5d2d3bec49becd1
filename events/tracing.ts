import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as Hash from "effect/Hash"
import * as HashMap from "effect/HashMap"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { maskInterruption } from "./mask.js"
import type { TraceAttributes, TraceEventName } from "./traceAttributes.js"

/** Effect's default tracer, which discards spans. */
export const noopTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** True if a tracer receives the spans of this fiber. */
export const isTraced: Effect.Effect<boolean> = Effect.tracerWith((tracer) => Effect.succeed(tracer !== noopTracer))

/**
 * Runs an effect in a span. If the program has no tracer or tracing is disabled, the only cost is this check. The span
 * has no stack trace, because a stack trace costs as much as the rest of a write.
 */
export const runInSpan = <A, E, R>(
  name: string,
  effect: Effect.Effect<A, E, R>,
  attributes?: TraceAttributes,
  options: SpanOptions = {}
): Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>> =>
  Effect.withFiberRuntime((fiber) => {
    const tracer = Context.get(fiber.currentDefaultServices, Tracer.Tracer)
    if (tracer === noopTracer || !fiber.getFiberRef(FiberRef.currentTracerEnabled))
      return effect as Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>>
    const span = startSpan(fiber, tracer, { ...options, name, attributes })
    return scopes[options.scope ?? "all"](span, effect)
  })

export interface SpanOptions {
  readonly kind?: Tracer.SpanKind
  /** Default: the fiber's span. "none" starts a new trace. */
  readonly parent?: Tracer.AnySpan | "none"
  /**
   * Which spans become children of this span. "all", the default: every span of the effect. "fiber", at half the cost:
   * only spans and events that this module creates on the same fiber. "none": no span.
   */
  readonly scope?: "all" | "fiber" | "none"
}

/** Starts a span. Used instead of `Effect.makeSpan`, which copies all references of the fiber to read two of them. */
const startSpan = (
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  tracer: Tracer.Tracer,
  {
    attributes,
    kind = "internal",
    name,
    parent = spanOf(fiber)
  }: SpanOptions & { readonly name: string; readonly attributes: TraceAttributes | undefined }
): Tracer.Span => {
  const isTimed = fiber.getFiberRef(FiberRef.currentTracerTimingEnabled)
  const now = isTimed ? Context.get(fiber.currentDefaultServices, Clock.Clock).unsafeCurrentTimeNanos() : 0n
  const links = Chunk.toReadonlyArray(fiber.getFiberRef(FiberRef.currentTracerSpanLinks))
  const above = parent === "none" ? Option.none<Tracer.AnySpan>() : propagated(parent)
  const span = tracer.span(name, above, Context.empty(), links, now, kind)
  const annotations = fiber.getFiberRef(FiberRef.currentTracerSpanAnnotations)
  if (!HashMap.isEmpty(annotations)) HashMap.forEach(annotations, (value, key) => span.attribute(key, value))
  for (const key in attributes) span.attribute(key, attributes[key as keyof TraceAttributes])
  return span
}

/** The nearest span, from `span` upwards, that the tracer received. It skips spans for which tracing was disabled. */
const propagated = (span: Tracer.AnySpan | undefined): Option.Option<Tracer.AnySpan> => {
  if (span === undefined) return Option.none()
  // Daybook's own spans have an empty context.
  if (span.context.unsafeMap.size === 0 || !Context.get(span.context, Tracer.DisablePropagation))
    return Option.some(span)
  return span._tag === "Span" ? propagated(Option.getOrUndefined(span.parent)) : Option.none()
}

/**
 * Runs an effect as a child of a span. Used instead of `Effect.withSpan`, which masks interruption twice. Each mask of
 * Effect keeps the work of the fiber in memory until the next full garbage collection (see `mask.ts`).
 */
const below = <A, E, R>(span: Tracer.Span, effect: Effect.Effect<A, E, R>) =>
  maskInterruption((restore) =>
    Effect.withFiberRuntime<A, E, Exclude<R, Tracer.ParentSpan>>((fiber) => {
      const outer = fiber.currentContext
      const leave = FiberRef.set(FiberRef.currentContext, outer)
      const end = (exit: Exit.Exit<A, E>) => Effect.zipRight(leave, endSpan(span, exit))
      const ended = Effect.matchCauseEffect(restore(effect), {
        onFailure: (cause) => end(Exit.failCause(cause)),
        onSuccess: (answer) => end(Exit.succeed(answer))
      })
      const enter = FiberRef.set(FiberRef.currentContext, withParent(outer, span))
      return Effect.zipRight(enter, ended) as Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>>
    })
  )

const withParent = (outer: Context.Context<never>, span: Tracer.Span): Context.Context<Tracer.ParentSpan> => {
  const inner: { [Hash.symbol]?: () => number } & Context.Context<Tracer.ParentSpan> = Context.add(
    outer,
    Tracer.ParentSpan,
    span
  )
  inner[Hash.symbol] = hashOfContext
  return inner
}

/**
 * The hash of a context, as Effect computes it. A fiber compares the hashes when one context replaces another. Effect
 * itself caches each hash with `defineProperty`, which takes a fifth of the tracing cost of a write.
 */
function hashOfContext(this: Context.Context<never>): number {
  return Hash.number(this.unsafeMap.size)
}

/**
 * A span that covers only the fiber's own work. It is the parent of new spans only while the fiber's current span is
 * still `outer`.
 */
interface FiberSpan {
  readonly span: Tracer.Span
  readonly outer: Tracer.AnySpan | undefined
}

const fiberSpans = new WeakMap<object, FiberSpan>()

/** The current span of a fiber. */
const spanOf = (fiber: Fiber.RuntimeFiber<unknown, unknown>): Tracer.AnySpan | undefined => {
  const { currentSpan } = fiber
  const own = fiberSpans.get(fiber)
  return own?.outer === currentSpan ? own?.span : currentSpan
}

/** Runs an effect on this fiber as a child of a span, without changing the references of the fiber. */
const onFiber = <A, E, R>(span: Tracer.Span, effect: Effect.Effect<A, E, R>) =>
  maskInterruption((restore) =>
    Effect.withFiberRuntime<A, E, Exclude<R, Tracer.ParentSpan>>((fiber) => {
      const before = fiberSpans.get(fiber)
      fiberSpans.set(fiber, { span, outer: fiber.currentSpan })
      const end = (exit: Exit.Exit<A, E>) => {
        if (before === undefined) fiberSpans.delete(fiber)
        else fiberSpans.set(fiber, before)
        return endSpan(span, exit)
      }
      return Effect.matchCauseEffect(restore(effect as Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>>), {
        onFailure: (cause) => end(Exit.failCause(cause)),
        onSuccess: (answer) => end(Exit.succeed(answer))
      })
    })
  )

/** Runs an effect, and ends the span when the effect ends. The effect does not see the span. */
const ending = <A, E, R>(span: Tracer.Span, effect: Effect.Effect<A, E, R>) =>
  maskInterruption((restore) =>
    Effect.matchCauseEffect(restore(effect as Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>>), {
      onFailure: (cause) => endSpan<A, E>(span, Exit.failCause(cause)),
      onSuccess: (answer) => endSpan<A, E>(span, Exit.succeed(answer))
    })
  )

const endSpan = <A, E>(span: Tracer.Span, exit: Exit.Exit<A, E>): Effect.Effect<A, E> =>
  Effect.withFiberRuntime<A, E>((fiber) => {
    span.end(Context.get(fiber.currentDefaultServices, Clock.Clock).unsafeCurrentTimeNanos(), exit)
    return exit
  })

const scopes = { all: below, fiber: onFiber, none: ending }

/** Adds attributes to the span of the fiber, if a tracer receives that span. */
export const annotate = (attributes: TraceAttributes): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    const span = spanOf(fiber)
    if (span?._tag === "Span") {
      for (const name in attributes) {
        const value = attributes[name as keyof TraceAttributes]
        if (value !== undefined) span.attribute(name, value)
      }
    }
    return Effect.void
  })

/** The format of the ids that the engine generates. A caller may pass any text as an id. */
const recordId = /^[0-9a-hjkmnp-tv-z]{10}$/

/** Adds the id of the memory that an operation is about, if the engine generated that id. */
export const annotateRecord = (id: string): Effect.Effect<void> =>
  recordId.test(id) ? annotate({ "gen_ai.memory.record.id": id }) : Effect.void

/**
 * Reports an event: on the fiber's span, or on a new span if the fiber has none, and as a log line of level debug. Pass
 * attributes that are expensive to compute as a function. It runs only if a tracer or the log receives the event.
 */
export const traceEvent = (
  name: TraceEventName,
  attributes: TraceAttributes | (() => TraceAttributes) = {}
): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    const isLogged = LogLevel.lessThanEqual(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), LogLevel.Debug)
    const tracer = Context.get(fiber.currentDefaultServices, Tracer.Tracer)
    if (tracer === noopTracer && !isLogged) return Effect.void
    const fields: Record<string, unknown> = { ...(typeof attributes === "function" ? attributes() : attributes) }
    if (tracer !== noopTracer) addEvent(fiber, tracer, name, fields)
    return isLogged ? Effect.logDebug(name, fields) : Effect.void
  })

/** Adds an event to the fiber's span, or to a new span if the fiber has none. */
const addEvent = (
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  tracer: Tracer.Tracer,
  name: TraceEventName,
  fields: Record<string, unknown>
): void => {
  const now = Context.get(fiber.currentDefaultServices, Clock.Clock).unsafeCurrentTimeNanos()
  const span = spanOf(fiber)
  if (span?._tag === "Span") {
    span.event(name, now, fields)
    return
  }
  const own = tracer.span("Daybook.event", Option.fromNullable(span), Context.empty(), [], now, "internal")
  own.event(name, now, fields)
  own.end(now, Exit.void)
}

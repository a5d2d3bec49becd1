import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** A `traceparent` of W3C Trace Context: version, trace, span and flags. A later version may have more parts. */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

/** The span of a client, from its `traceparent`; undefined if the header is not a valid `traceparent`. */
export const parseTraceparent = (header: unknown): Tracer.ExternalSpan | undefined => {
  const [, traceId, spanId, flags] = (typeof header === "string" && traceparent.exec(header)) || []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
}

/** The `traceparent` header for the fiber's current span. None without a span whose ids have the form of W3C. */
export const currentTraceparent: Effect.Effect<Option.Option<string>> = Effect.withFiberRuntime((fiber) => {
  const span = fiber.currentSpan
  if (span === undefined) return Effect.succeedNone
  const header = `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`
  return Effect.succeed(traceparent.test(header) ? Option.some(header) : Option.none())
})

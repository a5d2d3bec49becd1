import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { annotate, runInSpan } from "../../events/tracing.js"
import { parseTraceparent } from "../telemetry/traceContext.js"

const methods: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"])

/**
 * Answers a request in its own span. The parent is the client's span, if the request names one (W3C Trace Context). The
 * span contains the method, the route and the status, but no URL, parameter or header. `answer` gets the span as
 * `ParentSpan`.
 */
export const traceExchange = (
  request: Request,
  answer: (parent: Context.Context<never>) => Promise<Response>
): Effect.Effect<Response> => {
  const method = methods.has(request.method) ? request.method : "OTHER"
  const parent = parseTraceparent(request.headers.get("traceparent")) ?? "none"
  const answered = Effect.withFiberRuntime<Response>((fiber) => {
    const span = fiber.currentSpan
    // The type of a request's context names no services, because each handler requests the services that it uses.
    const context =
      span === undefined ? Context.empty() : (Context.make(Tracer.ParentSpan, span) as Context.Context<never>)
    return Effect.promise(() => answer(context))
  })
  return runInSpan(
    `HTTP ${method}`,
    Effect.tap(answered, ({ status }) => annotate({ "http.response.status_code": status })),
    { "http.request.method": method },
    { kind: "server", parent }
  )
}

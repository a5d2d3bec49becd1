import * as Effect from "effect/Effect"
import { runInSpan } from "../../events/tracing.js"
import { makeCallCounter } from "./operationMetrics.js"
import { type Method, spanNames } from "./operations.js"

/**
 * Makes a method of a handle, like `Effect.fn`, from a function that returns an Effect or from a generator function.
 * Each call gets a span with the name of its operation; its outcome and duration are recorded.
 *
 * Handles do not use `Effect.fn`, because its span and two stack traces cost some 10 µs a call in a program without a
 * tracer.
 */
export const defineMethod = (method: Method): Effect.fn.Gen & Effect.fn.NonGen => {
  const count = makeCallCounter(method)
  const name = spanNames[method]
  const attributes = { "gen_ai.operation.name": name, "daybook.method": method } as const
  const make =
    (body: (...args: ReadonlyArray<unknown>) => Body, ...steps: ReadonlyArray<Step>) =>
    (...args: ReadonlyArray<unknown>): Call =>
      Effect.suspend(() => {
        const startedAt = performance.now()
        const whole = steps.reduce((call, step) => step(call, ...args), callOf(body, args))
        return Effect.matchCauseEffect(runInSpan(name, whole, attributes), {
          onFailure: (cause) => {
            count("failed", performance.now() - startedAt)
            return Effect.failCause(cause)
          },
          onSuccess: (answer) => {
            count("ok", performance.now() - startedAt)
            return Effect.succeed(answer)
          }
        })
      })
  return make as unknown as Effect.fn.Gen & Effect.fn.NonGen
}

type Call = Effect.Effect<unknown, unknown>
type Body = Call | Generator<never, unknown, never>
type Step = (call: Call, ...args: ReadonlyArray<unknown>) => Call

const callOf = (body: (...args: ReadonlyArray<unknown>) => Body, args: ReadonlyArray<unknown>): Call =>
  Effect.suspend(() => {
    const made = body(...args)
    return Effect.isEffect(made) ? made : Effect.gen(() => made)
  })

import * as HttpClient from "@effect/platform/HttpClient"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

/**
 * An HTTP client that completes each request that it began, even if its caller is interrupted: the exporters of
 * `@effect/opentelemetry` interrupt theirs at the end, and would lose the spans in them. At the end of the scope it waits
 * for them, no longer than `patience`, then gives them up and logs how many they were.
 */
export const completingClient = (
  patience: Duration.DurationInput
): Effect.Effect<HttpClient.HttpClient, never, HttpClient.HttpClient | Scope.Scope> =>
  Effect.gen(function* () {
    const inProgress = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
    const completing = <A, E, R>(request: Effect.Effect<A, E, R>) =>
      Effect.flatMap(Effect.forkDaemon(Effect.interruptible(request)), (fiber) => {
        inProgress.add(fiber)
        fiber.addObserver(() => inProgress.delete(fiber))
        return Fiber.join(fiber)
      })
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        yield* Effect.timeoutOption(Effect.interruptible(Fiber.awaitAll(inProgress)), patience)
        const requests = inProgress.size
        if (requests === 0) return
        yield* Fiber.interruptAllAs(inProgress, yield* Effect.fiberId)
        yield* Effect.logWarning("the collector did not take the last telemetry", { requests })
      })
    )
    return HttpClient.transformResponse(yield* HttpClient.HttpClient, completing)
  })

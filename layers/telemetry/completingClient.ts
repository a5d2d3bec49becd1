import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { type HttpClientError, RequestError } from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

/** A client for the exporters of `@effect/opentelemetry`. */
export interface CompletingClient {
  readonly client: HttpClient.HttpClient
  /** Begins the shutdown: from now on, failed requests are not retried, and `patienceMillis` start to count. */
  readonly beginEnd: Effect.Effect<void>
}

/**
 * An HTTP client that completes each started request, even if its caller is interrupted. At shutdown, the exporters
 * interrupt their requests and would lose the spans in them. At the end of the scope, the client waits for its requests
 * until `patienceMillis` after `beginEnd`, then abandons the remaining requests. A warning counts the requests of the
 * shutdown that the collector did not accept.
 */
export const completingClient = Effect.fnUntraced(function* (
  patienceMillis: number
): Effect.fn.Return<CompletingClient, never, HttpClient.HttpClient | Scope.Scope> {
  const inProgress = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
  let deadline: number | undefined
  let refusals = 0
  let reason = "no answer in time"
  const refuse = (request: HttpClientRequest.HttpClientRequest, problem: string) => {
    refusals++
    reason = problem
    // The exporters retry a transport error after a second. They never retry an error with another reason.
    return new RequestError({ request, reason: "Encode", description: problem })
  }
  /** After the shutdown has begun, turns errors that the exporters would retry into final errors. */
  const refusing = (answer: Answer, request: HttpClientRequest.HttpClientRequest): Answer =>
    answer.pipe(
      Effect.mapError((error) => (deadline === undefined ? error : refuse(request, "no connection"))),
      Effect.filterOrFail(
        ({ status }) => deadline === undefined || status < 300,
        ({ status }) => refuse(request, `status ${status}`)
      )
    )
  const completing = (answer: Answer, request: HttpClientRequest.HttpClientRequest): Answer =>
    Effect.flatMap(Effect.forkDaemon(Effect.interruptible(refusing(withoutRedirects(answer), request))), (fiber) => {
      inProgress.add(fiber)
      fiber.addObserver(() => inProgress.delete(fiber))
      return Fiber.join(fiber)
    })
  yield* Effect.addFinalizer(
    Effect.fnUntraced(function* () {
      const now = yield* Clock.currentTimeMillis
      const remaining = Math.max(0, (deadline ?? now + patienceMillis) - now)
      yield* Effect.timeoutOption(Effect.interruptible(Fiber.awaitAll(inProgress)), remaining)
      const requests = inProgress.size + refusals
      if (requests === 0) return
      yield* Fiber.interruptAllAs(inProgress, yield* Effect.fiberId)
      yield* Effect.logWarning("the collector did not accept the last telemetry", { requests, reason })
    })
  )
  return {
    client: HttpClient.transform(yield* HttpClient.HttpClient, completing),
    beginEnd: Effect.map(Clock.currentTimeMillis, (now) => {
      deadline = now + patienceMillis
    })
  }
})

type Answer = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError>

/** Redirects fail, because a redirect would send the collector's key to another host. */
const withoutRedirects = Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" })

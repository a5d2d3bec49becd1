import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import type { ModelSettings } from "../../src/ports/Policy.js"

/** Time-outs, retries and concurrency of requests; units as in the policy's section `model`. */
export type RequestLimits = Pick<ModelSettings, "timeout" | "patience" | "retries" | "backoff" | "concurrency">

/** Maximum milliseconds for a request with all its retries. Set by callers that wait less than `patience`. */
export class MaxRequestMillis extends Context.Reference<MaxRequestMillis>()("daybook/MaxPatience", {
  defaultValue: () => Number.POSITIVE_INFINITY
}) {}

/** Classifies the errors of a kind of request, and removes private data from them. */
export interface ErrorHandling<E> {
  /** Says whether the same request may succeed later, and gives the server's own retry delay in milliseconds. */
  readonly failureOf: (error: E) => { readonly retryable: boolean; readonly retryAfterMillis?: number }
  /** The error reduced to its kind, without private data. */
  readonly sanitize: (error: E) => E
  /** The error for a bug in this program. */
  readonly broken: E
  /** The error for a time-out. */
  readonly timedOut: E
}

/**
 * Limits requests. `concurrency` requests run at once, each for at most `timeout`. If the server is busy, broken or
 * unreachable, up to `retries` retries follow. The pause doubles each time, unless the server sets it. The lower of
 * `patience` and `MaxRequestMillis` limits a request with all its retries. Time in the queue before the first attempt does
 * not count, so that a burst of requests does not fail. A request that timed out is not retried.
 *
 * Errors contain only the kind of failure.
 */
export const limitRequests = <E>(
  limits: RequestLimits,
  { broken, sanitize, failureOf, timedOut }: ErrorHandling<E>
): Effect.Effect<<A>(request: Effect.Effect<A, E>) => Effect.Effect<A, E>> =>
  Effect.map(Effect.makeSemaphore(limits.concurrency), (slots) => (request) => {
    type Request = typeof request
    const singleAttempt = Effect.catchAllDefect(request, () => Effect.fail(broken))

    const attempt = (number: number, deadline?: number): Request =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const until = deadline ?? now + Math.min(limits.patience, yield* MaxRequestMillis)
        const duration = Math.max(0, Math.min(limits.timeout, until - now))
        return {
          until,
          answer: yield* Effect.either(Effect.timeoutFail(singleAttempt, { duration, onTimeout: () => timedOut }))
        }
      }).pipe(
        slots.withPermits(1),
        Effect.flatMap(({ answer, until }) =>
          Either.isRight(answer) ? Effect.succeed(answer.right) : retryOrFail(answer.left, number, until)
        )
      )

    const retryOrFail = (error: E, number: number, until: number): Request =>
      Effect.gen(function* () {
        const { retryable, retryAfterMillis = 0 } = failureOf(error)
        const jitter = 1 - (yield* Random.next) / 2
        const pause = Math.max(retryAfterMillis, limits.backoff * 2 ** number * jitter)
        // Fails immediately if no time for a request would be left after the pause.
        const tooLate = (yield* Clock.currentTimeMillis) + pause >= until
        return yield* !retryable || tooLate || number >= limits.retries
          ? Effect.fail(error)
          : Effect.delay(attempt(number + 1, until), pause)
      })

    return Effect.mapError(attempt(0), sanitize)
  })

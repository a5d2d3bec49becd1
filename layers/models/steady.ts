import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import type { ModelSettings } from "../../src/ports/Policy.js"

/** How long and how often is tried; units as in the policy's section `model`. */
export type Limits = Pick<ModelSettings, "timeout" | "patience" | "retries" | "backoff" | "concurrency">

/** What the errors of a kind of request say. */
export interface Errors<E> {
  /** Whether the same request may succeed later, and after how many milliseconds the server says so. */
  readonly failureOf: (error: E) => { readonly passing: boolean; readonly after?: number }
  /** The error with nothing in it but the kind of failure. */
  readonly clean: (error: E) => E
  /** Something is wrong in the program that asks. */
  readonly broken: E
  /** No answer in time. */
  readonly timedOut: E
}

/**
 * Puts bounds on requests: so many at once, so long for one, so many more where
 * the server is busy, broken or out of reach, after a pause that doubles or that
 * the server asks for, and so long for all of them. What is spent waiting for
 * the first turn does not count, or a crowd would fail for nobody's fault. A
 * request that took too long is not made again.
 *
 * Errors name the kind of failure and nothing else.
 */
export const steady = <E>(
  limits: Limits,
  { broken, clean, failureOf, timedOut }: Errors<E>
): Effect.Effect<<A>(request: Effect.Effect<A, E>) => Effect.Effect<A, E>> =>
  Effect.map(Effect.makeSemaphore(limits.concurrency), (turns) => (request) => {
    type Request = typeof request
    const once = Effect.catchAllDefect(request, () => Effect.fail(broken))

    const attempt = (number: number, ends?: number): Request =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const until = ends ?? now + limits.patience
        const duration = Math.max(0, Math.min(limits.timeout, until - now))
        return {
          until,
          answer: yield* Effect.either(Effect.timeoutFail(once, { duration, onTimeout: () => timedOut }))
        }
      }).pipe(
        turns.withPermits(1),
        Effect.flatMap(({ answer, until }) =>
          Either.isRight(answer) ? Effect.succeed(answer.right) : again(answer.left, number, until)
        )
      )

    const again = (error: E, number: number, until: number): Request =>
      Effect.gen(function* () {
        const { after = 0, passing } = failureOf(error)
        const share = 1 - (yield* Random.next) / 2
        const pause = Math.max(after, limits.backoff * 2 ** number * share)
        // A pause that leaves no time for a request would only make the caller wait.
        const wasted = (yield* Clock.currentTimeMillis) + pause >= until
        return yield* !passing || wasted || number >= limits.retries
          ? Effect.fail(error)
          : Effect.delay(attempt(number + 1, until), pause)
      })

    return Effect.mapError(attempt(0), clean)
  })

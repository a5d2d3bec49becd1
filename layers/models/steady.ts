import type * as AiError from "@effect/ai/AiError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import type { ModelSettings } from "../../src/Policy.js"
import { broken, clean, failureOf, timedOut } from "./failures.js"

/** How long and how often is tried; units as in the policy's section `model`. */
export type Limits = Pick<ModelSettings, "timeout" | "patience" | "retries" | "backoff" | "concurrency">

type Request<A> = Effect.Effect<A, AiError.AiError>

/**
 * Puts bounds on requests: so many at once, so long for one, so many more where
 * the server is busy, broken or out of reach, after a pause that doubles or that
 * the server asks for, and so long for all of them. What is spent waiting for
 * the first turn does not count, or a crowd would fail for nobody's fault. A
 * request that took too long is not made again.
 *
 * Errors name the kind of failure and nothing else.
 */
export const steady = (limits: Limits): Effect.Effect<<A>(request: Request<A>) => Request<A>> =>
  Effect.map(Effect.makeSemaphore(limits.concurrency), (turns) => (request) => {
    type A = Effect.Effect.Success<typeof request>
    const once = Effect.catchAllDefect(request, () => Effect.fail(broken))

    const attempt = (number: number, ends?: number): Request<A> =>
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

    const again = (error: AiError.AiError, number: number, until: number): Request<A> =>
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

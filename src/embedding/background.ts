import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type * as Scope from "effect/Scope"
import * as Lease from "../../projections/view/lease.js"
import type { View } from "../../projections/view/Views.js"
import { EmbedderError } from "../ports/Embedder.js"

/** Milliseconds before the first retry. Each further retry waits twice as long, up to `maxRetryMillis`. */
const firstRetryMillis = 2_000
const maxRetryMillis = 300_000

/**
 * Milliseconds until the next retry after `failures` earlier failures in a row; at least the provider's own delay.
 * Undefined if no retry can succeed until the settings change.
 */
export const retryDelayMillis = (
  { retryAfterMillis = 0, kind }: EmbedderError,
  failures: number
): number | undefined =>
  kind === "settings"
    ? undefined
    : Math.max(retryAfterMillis, Math.min(maxRetryMillis, firstRetryMillis * 2 ** failures))

/** A flag that starts background work. */
export interface Signal {
  readonly request: () => void
  /** Completes once the work is requested. */
  readonly requested: Effect.Effect<void>
  readonly clear: () => void
}

export const makeSignal = (): Signal => {
  let deferred = Deferred.unsafeMake<void>(FiberId.none)
  return {
    request: () => Deferred.unsafeDone(deferred, Effect.void),
    requested: Effect.suspend(() => Deferred.await(deferred)),
    clear: () => {
      deferred = Deferred.unsafeMake<void>(FiberId.none)
    }
  }
}

/** The failure of the newest run. */
export interface FailureTracker {
  readonly newest: () => EmbedderError | undefined
  /** Stores the failure of a run, or undefined after a success, and returns it. */
  readonly record: (failure: EmbedderError | undefined) => Effect.Effect<EmbedderError | undefined>
  /** Runs background work, but not during a pause that the provider requested. */
  readonly runIfAllowed: <E>(
    work: Effect.Effect<EmbedderError | undefined, E>
  ) => Effect.Effect<EmbedderError | undefined, E>
}

export const makeFailureTracker = (): FailureTracker => {
  let newest: EmbedderError | undefined
  /** The end of the pause, milliseconds since the epoch. */
  let blockedUntil = 0
  return {
    newest: () => newest,
    record: (failure) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        newest = failure
        blockedUntil = now + (failure?.retryAfterMillis ?? 0)
        return failure
      }),
    runIfAllowed: (work) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        newest === undefined || blockedUntil <= now
          ? work
          : Effect.succeed(new EmbedderError({ ...newest, retryAfterMillis: blockedUntil - now }))
      )
  }
}

export interface BackgroundOptions<E> {
  readonly signal: Signal
  /** Milliseconds between the request and the run, so that one run handles many writes. */
  readonly gatherMillis: number
  /** Keeps the agent awake during a run. */
  readonly keepAwake: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Returns the failure that stopped it early; undefined after a success. */
  readonly run: Effect.Effect<EmbedderError | undefined, E>
}

/** Runs work each time its signal is set, until the scope ends. A failed run is retried after a pause. */
export const runOnSignal = <E>({
  gatherMillis,
  keepAwake,
  run,
  signal
}: BackgroundOptions<E>): Effect.Effect<unknown, never, Scope.Scope> =>
  Effect.suspend(() => {
    let failures = 0
    const runAndRetry = Effect.gen(function* () {
      yield* Effect.sleep(Duration.millis(gatherMillis))
      signal.clear()
      const failure = yield* run
      const retryAfterMillis = failure === undefined ? undefined : retryDelayMillis(failure, failures)
      failures = failure === undefined ? 0 : failures + 1
      if (retryAfterMillis === undefined) return
      yield* Effect.sleep(Duration.millis(retryAfterMillis))
      signal.request()
    })
    return Effect.zipRight(signal.requested, keepAwake(runAndRetry)).pipe(
      Effect.ignoreLogged,
      Effect.forever,
      Effect.interruptible,
      Effect.forkScoped
    )
  })

/** Milliseconds between two attempts to take a lease that another process holds. */
const leasePollMillis = 200

/**
 * Runs work while it holds a lease. While another process holds the lease, it checks `keepWaiting` before each new
 * attempt. If that is false, the work does not run.
 */
export type RunWithLease = <A, E, F>(
  work: Effect.Effect<A, E>,
  keepWaiting: Effect.Effect<boolean, F>
) => Effect.Effect<A | undefined, E | F>

/** A lease in an agent's folder. One process at a time embeds; the others wait, and then embed the rest. */
export const makeLease = (view: View, name: string): Effect.Effect<RunWithLease, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Lease.make(join(view.generations.folder, `${name}.lock`))),
      (lease) => Effect.sync(lease.close)
    ),
    (lease) => (work, keepWaiting) =>
      Effect.uninterruptibleMask((restore) => {
        type Run = Effect.Effect<
          Effect.Effect.Success<typeof work> | undefined,
          Effect.Effect.Error<typeof work | typeof keepWaiting>
        >
        const pause = Effect.sleep(Duration.millis(leasePollMillis))
        const attempt = (): Run =>
          lease.tryTake()
            ? Effect.ensuring(restore(work), Effect.sync(lease.release))
            : Effect.flatMap(restore(Effect.zipRight(pause, keepWaiting)), (waiting) =>
                waiting ? attempt() : Effect.succeed(undefined)
              )
        return Effect.suspend(attempt)
      })
  )

import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type * as Scope from "effect/Scope"
import { EmbedderError } from "../ports/Embedder.js"

/** Milliseconds before the first try after a failure; each later one waits twice as long, up to the longest. */
const firstPause = 2_000
const longestPause = 300_000

/**
 * Milliseconds until what failed is tried again, after so many failures in a row before this one: never sooner than it
 * was asked for. Undefined where it takes somebody to mend it first.
 */
export const pauseAfter = ({ after = 0, kind }: EmbedderError, failures: number): number | undefined =>
  kind === "settings" ? undefined : Math.max(after, Math.min(longestPause, firstPause * 2 ** failures))

/** Whether something is to be done. */
export interface Wanted {
  readonly now: () => void
  readonly come: Effect.Effect<void>
  readonly clear: () => void
}

export const wanting = (): Wanted => {
  let come = Deferred.unsafeMake<void>(FiberId.none)
  return {
    now: () => Deferred.unsafeDone(come, Effect.void),
    come: Effect.suspend(() => Deferred.await(come)),
    clear: () => {
      come = Deferred.unsafeMake<void>(FiberId.none)
    }
  }
}

/** How it went last. */
export interface Failures {
  readonly newest: () => EmbedderError | undefined
  readonly note: (found: EmbedderError | undefined) => Effect.Effect<EmbedderError | undefined>
  /** What nobody waits for: not done before it was asked to, by whatever answer to whomever. */
  readonly unasked: <E>(
    once: Effect.Effect<EmbedderError | undefined, E>
  ) => Effect.Effect<EmbedderError | undefined, E>
}

export const failing = (): Failures => {
  let newest: EmbedderError | undefined
  /** Milliseconds since the epoch. */
  let until = 0
  return {
    newest: () => newest,
    note: (found) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        newest = found
        until = now + (found?.after ?? 0)
        return found
      }),
    unasked: (once) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        newest === undefined || until <= now
          ? once
          : Effect.succeed(new EmbedderError({ ...newest, after: until - now }))
      )
  }
}

/** Carries out what is wanted, again and again, whatever became of it; `gather` milliseconds after it was wanted first. */
export const background = <E>(
  wanted: Wanted,
  gather: number,
  hold: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  once: Effect.Effect<EmbedderError | undefined, E>
): Effect.Effect<unknown, never, Scope.Scope> =>
  Effect.suspend(() => {
    let failures = 0
    const again = Effect.gen(function* () {
      yield* Effect.sleep(Duration.millis(gather))
      wanted.clear()
      const failed = yield* once
      const pause = failed === undefined ? undefined : pauseAfter(failed, failures)
      failures = failed === undefined ? 0 : failures + 1
      if (pause === undefined) return
      yield* Effect.sleep(Duration.millis(pause))
      wanted.now()
    })
    return Effect.zipRight(wanted.come, hold(again)).pipe(
      Effect.ignoreLogged,
      Effect.forever,
      Effect.interruptible,
      Effect.forkScoped
    )
  })

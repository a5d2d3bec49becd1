import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as Scope from "effect/Scope"
import type { Waiting } from "../../projections/extracts.js"
import { day, minute } from "../../text/when/clock.js"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import { failureNames } from "../model/failureNames.js"
import type { ExtractorService } from "../ports/Extractor.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { Writer } from "../remember/remember.js"
import type { Runner } from "../remember/runner.js"
import type { SessionKey } from "./request.js"

/** How this process captures. */
export interface Capture {
  /** Undefined if nothing is captured. */
  readonly extractor: ExtractorService | undefined
  readonly policy: PolicyValues["capture"]
  readonly mode: CaptureMode
  readonly background: Background
}

export type CaptureMode = NonNullable<PolicyValues["capture"]["mode"]>

/** Runs extractions that no caller waits for. They end with the scope; the turns then wait for the next process. */
export interface Background {
  /** Starts the work, unless work with this key runs already. */
  readonly start: (key: string, work: Effect.Effect<void, unknown>) => void
  /** Starts the work after a pause in milliseconds. A later call with this key begins the pause again. */
  readonly startAfter: (key: string, millis: number, work: Effect.Effect<void, unknown>) => void
  /** Runs work of one key at a time. So no model is asked twice about the same turns. */
  readonly alone: <A, E>(key: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export const make = (
  extractor: ExtractorService | undefined,
  policy: PolicyValues["capture"]
): Effect.Effect<Capture, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = yield* FiberMap.makeRuntime<never, string>()
    const isEnabled = policy.enabled && policy.extractor !== "none"
    const start: Background["start"] = (key, work) => void run(key, quietly(work), { onlyIfMissing: true })
    const locks = new Map<string, { readonly semaphore: Effect.Semaphore; users: number }>()
    const alone: Background["alone"] = (key, work) =>
      Effect.suspend(() => {
        const lock = locks.get(key) ?? { semaphore: Effect.unsafeMakeSemaphore(1), users: 0 }
        locks.set(key, lock)
        lock.users++
        const leave = Effect.sync(() => {
          if (--lock.users === 0) locks.delete(key)
        })
        return Effect.ensuring(lock.semaphore.withPermits(1)(work), leave)
      })
    return {
      extractor: isEnabled ? extractor : undefined,
      policy,
      mode: policy.mode ?? (extractor?.ask === undefined ? "turn" : "after"),
      background: {
        start,
        alone,
        startAfter: (key, millis, work) =>
          void run(
            `pause ${key}`,
            Effect.delay(
              Effect.sync(() => start(key, work)),
              Duration.millis(millis)
            )
          )
      }
    }
  })

/** The turns of a failed extraction wait on. The log line omits the cause, because it may quote a turn. */
const quietly = (work: Effect.Effect<void, unknown>): Effect.Effect<void> =>
  Effect.catchAllCause(work, (cause) =>
    Effect.logWarning("turns could not be extracted yet", { failure: failureNames(cause) })
  )

/** The key of background work on a session. */
export const backgroundKey = (agent: string, { session, store }: SessionKey): string =>
  JSON.stringify([agent, session, store])

/**
 * Whether waiting turns are to be extracted now: there are enough for the mode, nothing was said for a while, or, in mode
 * "buffer", a UTC day has passed.
 */
export const isDue = ({ firstAt, lastAt, tokens, turns }: Waiting, { mode, policy }: Capture, now: number): boolean =>
  now - lastAt >= policy.quiet * minute ||
  (mode === "after" && turns >= policy.minTurnMessages) ||
  (mode === "buffer" && (tokens >= policy.tokens || Math.floor(firstAt / day) < Math.floor(now / day)))

/** What capture of one agent needs. */
export interface CaptureServices extends Pick<ReaderSource, "agent" | "read">, Pick<ReaderServices, "log" | "codec"> {
  readonly capture: Capture
  /** Records the recalls of a session that wait, so that what they showed is not captured again. */
  readonly recordShown: (session: string) => Effect.Effect<void>
}

/** What the functions of a writer share. */
export interface Capturing extends CaptureServices {
  readonly runner: Runner
  readonly writer: Writer
}

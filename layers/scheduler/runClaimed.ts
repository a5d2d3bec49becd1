import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { runInSpan } from "../../events/tracing.js"
import type { Daybook } from "../../src/Daybook.js"
import { failureNames } from "../../src/model/failureNames.js"
import type { Claimed, Outcome, RunAttempt, RunnerError } from "../../src/schedules/Runner.js"
import type { Handler, Job, Notification } from "./Handler.js"
import { failedOutcome, outcomeOf, TimedOut } from "./outcome.js"

/** A handler with its limits filled in from the policy. Durations are in milliseconds. */
export type HandlerWithLimits = Required<Handler>

interface Services {
  readonly daybook: Context.Tag.Service<Daybook>
  readonly notify: ((notification: Notification) => Effect.Effect<void, unknown>) | undefined
}

/** Retries for about 5 seconds if the log is busy or full. Then the lease expires and another process takes over. */
const appendRetries = Schedule.exponential("50 millis").pipe(
  Schedule.union(Schedule.spaced("1 second")),
  Schedule.upTo("5 seconds")
)

const retried = <A>(effect: Effect.Effect<A, RunnerError>) =>
  Effect.retry(effect, {
    schedule: appendRetries,
    while: ({ _tag }) => _tag !== "LeaseLost" && _tag !== "InvalidInput"
  })

/** Time-out of a notification. A notification that times out is not repeated. */
const notifyTimeoutMillis = 30_000

/**
 * Milliseconds that an interrupted handler gets to stop when the program ends. If it does not stop, its run waits
 * until the lease expires.
 */
const stopTimeoutMillis = 1_000

/**
 * Runs a claimed occurrence to its end: attempts with pauses between them, then one append that ends the run and sets
 * the next due time of its schedule.
 *
 * An interruption releases the run when the handler has stopped. If the handler does not stop, no other process starts
 * the run before its lease expires. Fails if another process has taken over the run. The function is long, because its
 * steps share the state of the run.
 */
export const runClaimed = (
  { daybook, notify }: Services,
  agent: string,
  claimed: Claimed,
  handler: HandlerWithLimits
): Effect.Effect<void, RunnerError> => {
  const { runner } = daybook
  const { backoff, backoffMost, grace } = runner.policy
  const { definition, lease: _, ...claim } = claimed
  const activeHandlers = handlerTracker()
  /** The attempt that the log has recorded. */
  let run: RunAttempt = claim

  /** The outcome of one attempt. `disconnect` abandons a handler that does not stop at its time-out. */
  const runHandler = Effect.gen(function* () {
    const deadline = (yield* Clock.currentTimeMillis) + handler.timeout
    const memory = yield* daybook.agent(agent, { trust: "full", actor: `schedule ${definition.id}` })
    const { attempt, occurrence } = run
    const key = `${definition.id}@${occurrence}`
    const job: Job = { agent, schedule: definition, run: run.run, occurrence, attempt, deadline, key, memory }
    const handled = runInSpan(
      "Scheduler.run",
      Effect.suspend(() => handler.run(job)),
      { agent, attempts: attempt },
      { parent: "none" }
    )
    return yield* activeHandlers.track(handled).pipe(
      Effect.disconnect,
      Effect.timeoutFail({
        duration: handler.timeout,
        onTimeout: () => new TimedOut({ milliseconds: handler.timeout })
      })
    )
  }).pipe(Effect.matchCause({ onFailure: failedOutcome, onSuccess: outcomeOf }))

  const timedAttempt: Effect.Effect<Outcome> = Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const outcome = yield* runHandler
    return { ...outcome, duration: (yield* Clock.currentTimeMillis) - startedAt }
  })

  /**
   * Repeats attempts until one succeeds or no retry is left. Returns the last outcome. `retries` counts the retries so
   * far.
   */
  const attemptsFrom = Effect.fnUntraced(function* (retries: number): Effect.fn.Return<Outcome, RunnerError> {
    const outcome = yield* timedAttempt
    if (outcome.status === "ok" || retries >= handler.retries) return outcome
    const pause = Math.min(backoff * 2 ** retries, backoffMost)
    const lease = (yield* Clock.currentTimeMillis) + pause + handler.timeout + grace
    const next = { ...claim, attempt: claim.attempt + retries + 1 }
    yield* retried(runner.renew(agent, next, lease)).pipe(
      Effect.zipRight(
        Effect.sync(() => {
          run = next
        })
      ),
      Effect.uninterruptible
    )
    yield* Effect.sleep(pause)
    return yield* attemptsFrom(retries + 1)
  })

  const release = Effect.flatMap(activeHandlers.ended(stopTimeoutMillis), (ended) =>
    ended
      ? Effect.ignore(runner.release(agent, run))
      : Effect.logWarning("a handler did not stop", { agent, schedule: definition.id, run: run.run })
  )

  return Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const outcome = yield* Effect.onInterrupt(restore(attemptsFrom(0)), () => release)
      const { status } = outcome
      // The warning omits the error, because it may quote a memory. The run history contains the error.
      if (status !== "ok") {
        yield* Effect.logWarning("a run failed", { agent, schedule: definition.id, run: run.run, status })
      }
      const finished = yield* retried(runner.finish(agent, run, outcome))
      if (!finished.notify || notify === undefined) return
      const { state } = finished
      const sent = Effect.suspend(() => notify({ ...run, ...outcome, agent, definition, state }))
      // A failed notification does not repeat the run.
      yield* Effect.catchAllCause(restore(withNotifyTimeout(sent)), (cause) =>
        Effect.logWarning("a notification failed", {
          agent,
          schedule: definition.id,
          run: run.run,
          failure: failureNames(cause)
        })
      )
    })
  )
}

/**
 * Limits the time of a notification. The run has ended, so `disconnect` abandons a notifier that does not stop in
 * time.
 */
const withNotifyTimeout = (sent: Effect.Effect<void, unknown>): Effect.Effect<void, unknown> =>
  sent.pipe(Effect.disconnect, Effect.timeoutFail({ duration: notifyTimeoutMillis, onTimeout: () => "took too long" }))

/** Tracks the handlers that have not ended, including abandoned ones. */
const handlerTracker = () => {
  let active = 0
  const allEnded = Effect.runSync(Effect.makeLatch(true))
  return {
    track: <A, E>(handler: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          active++
          allEnded.unsafeClose()
        }),
        () => handler,
        () =>
          Effect.sync(() => {
            if (--active === 0) allEnded.unsafeOpen()
          })
      ),
    /** True if all handlers end within this time. */
    ended: (timeoutMillis: number): Effect.Effect<boolean> =>
      Effect.map(Effect.timeoutOption(Effect.interruptible(allEnded.await), timeoutMillis), Option.isSome)
  }
}

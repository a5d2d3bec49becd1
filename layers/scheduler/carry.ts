import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Daybook } from "../../src/Daybook.js"
import type { Claimed, Outcome, RunnerError } from "../../src/schedules/Runner.js"
import type { Handler, Job, Notification } from "./Handler.js"
import { failed, outcomeOf, TimedOut } from "./outcome.js"

/** What a handler may take, settled. Lengths are milliseconds. */
export type Settled = Required<Handler>

interface Carrying {
  readonly daybook: Context.Tag.Service<Daybook>
  readonly notify: ((notification: Notification) => Effect.Effect<void, unknown>) | undefined
}

/** What is done again where the log is busy or full, for some five seconds: then the lease runs out, and another takes over. */
const persistently = Schedule.exponential("50 millis").pipe(
  Schedule.union(Schedule.spaced("1 second")),
  Schedule.upTo("5 seconds")
)

const steadily = <A>(effect: Effect.Effect<A, RunnerError>) =>
  Effect.retry(effect, { schedule: persistently, while: ({ _tag }) => _tag !== "LeaseLost" && _tag !== "InvalidInput" })

/**
 * Carries a run that was taken to its end: attempts with pauses between them, then one append that ends it and moves
 * its schedule on. Where it is interrupted it is given back. Fails where somebody else has it by now.
 */
export const carry = (
  { daybook, notify }: Carrying,
  agent: string,
  claimed: Claimed,
  handler: Settled
): Effect.Effect<void, RunnerError> => {
  const { runner } = daybook
  const { backoff, backoffMost, grace } = runner.policy
  const { definition, lease: _, ...taken } = claimed

  /** What one attempt comes to. A handler that does not stop when it is told to is left behind. */
  const attempted = (attempt: number) =>
    Effect.gen(function* () {
      const deadline = (yield* Clock.currentTimeMillis) + handler.timeout
      const memory = yield* daybook.agent(agent, { trust: "full", actor: `schedule ${definition.id}` })
      const { occurrence, run } = taken
      const key = `${definition.id}@${occurrence}`
      const job: Job = { agent, schedule: definition, run, occurrence, attempt, deadline, key, memory }
      return yield* Effect.suspend(() => handler.run(job)).pipe(
        Effect.disconnect,
        Effect.timeoutFail({
          duration: handler.timeout,
          onTimeout: () => new TimedOut({ milliseconds: handler.timeout })
        })
      )
    }).pipe(Effect.matchCause({ onFailure: failed, onSuccess: outcomeOf }))

  const timed = (attempt: number): Effect.Effect<Outcome> =>
    Effect.gen(function* () {
      const began = yield* Clock.currentTimeMillis
      const outcome = yield* attempted(attempt)
      return { ...outcome, duration: (yield* Clock.currentTimeMillis) - began }
    })

  const finish = (attempt: number, outcome: Outcome) =>
    Effect.gen(function* () {
      const run = { ...taken, attempt }
      const { status } = outcome
      // What a handler fails with may quote a memory: the history has it.
      if (status !== "ok") {
        yield* Effect.logWarning("a run failed", { agent, schedule: definition.id, run: run.run, status })
      }
      const { notify: tell, state } = yield* steadily(runner.finish(agent, run, outcome))
      if (!tell || notify === undefined) return
      // That nobody could be told is no reason to do it again. What went wrong is not told here either: it may quote a memory.
      yield* Effect.catchAllCause(notify({ ...run, ...outcome, agent, of: definition, state }), () =>
        Effect.logWarning("a notification failed", { agent, schedule: definition.id, run: run.run })
      )
    }).pipe(Effect.uninterruptible)

  const from = (tried: number): Effect.Effect<void, RunnerError> =>
    Effect.gen(function* () {
      const attempt = taken.attempt + tried
      const outcome = yield* timed(attempt)
      if (outcome.status === "ok" || tried >= handler.retries) return yield* finish(attempt, outcome)
      const pause = Math.min(backoff * 2 ** tried, backoffMost)
      const lease = (yield* Clock.currentTimeMillis) + pause + handler.timeout + grace
      yield* steadily(runner.renew(agent, { ...taken, attempt: attempt + 1 }, lease))
      yield* Effect.sleep(pause)
      return yield* from(tried + 1)
    })

  return Effect.onInterrupt(from(0), () => Effect.ignore(runner.release(agent, taken)))
}

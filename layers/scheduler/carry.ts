import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { Daybook } from "../../src/Daybook.js"
import type { Claimed, Finished, Outcome, RunnerError, RunOf } from "../../src/schedules/Runner.js"
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

/** How long somebody may be told of a run, in milliseconds: whoever is not reached by then is not told of it. */
const telling = 30_000

/** How long a handler may go on that was told to stop as the program ends, in milliseconds, before its run is left to its lease. */
const stopping = 1_000

/**
 * Carries a run that was taken to its end: attempts with pauses between them, then one append that ends it and moves
 * its schedule on. Where it is interrupted it is given back, once its handler came to its end; where that goes on, nobody
 * else begins it before its lease runs out. Fails where somebody else has it by now.
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
  const handling = handlersUnderWay()
  /** As the log has it. */
  let run: RunOf = taken

  /** What one attempt comes to. A handler that does not stop when it is told to is left behind. */
  const attempted = Effect.gen(function* () {
    const deadline = (yield* Clock.currentTimeMillis) + handler.timeout
    const memory = yield* daybook.agent(agent, { trust: "full", actor: `schedule ${definition.id}` })
    const { attempt, occurrence } = run
    const key = `${definition.id}@${occurrence}`
    const job: Job = { agent, schedule: definition, run: run.run, occurrence, attempt, deadline, key, memory }
    return yield* handling.one(Effect.suspend(() => handler.run(job))).pipe(
      Effect.disconnect,
      Effect.timeoutFail({
        duration: handler.timeout,
        onTimeout: () => new TimedOut({ milliseconds: handler.timeout })
      })
    )
  }).pipe(Effect.matchCause({ onFailure: failed, onSuccess: outcomeOf }))

  const timed: Effect.Effect<Outcome> = Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const outcome = yield* attempted
    return { ...outcome, duration: (yield* Clock.currentTimeMillis) - began }
  })

  /** The attempts until one succeeds or is the last one, and what that came to. */
  const from = (tried: number): Effect.Effect<Outcome, RunnerError> =>
    Effect.gen(function* () {
      const outcome = yield* timed
      if (outcome.status === "ok" || tried >= handler.retries) return outcome
      const pause = Math.min(backoff * 2 ** tried, backoffMost)
      const lease = (yield* Clock.currentTimeMillis) + pause + handler.timeout + grace
      const next = { ...taken, attempt: taken.attempt + tried + 1 }
      yield* steadily(runner.renew(agent, next, lease)).pipe(
        Effect.zipRight(
          Effect.sync(() => {
            run = next
          })
        ),
        Effect.uninterruptible
      )
      yield* Effect.sleep(pause)
      return yield* from(tried + 1)
    })

  const giveBack = Effect.flatMap(handling.ended(stopping), (ended) =>
    ended
      ? Effect.ignore(runner.release(agent, run))
      : Effect.logWarning("a handler did not stop", { agent, schedule: definition.id, run: run.run })
  )

  /** Whoever is to be told is; the run is over by now, so that one that cannot be stopped is left behind. */
  const tell = (outcome: Outcome, { notify: wanted, state }: Finished) =>
    !wanted || notify === undefined
      ? Effect.void
      : Effect.suspend(() => notify({ ...run, ...outcome, agent, of: definition, state })).pipe(
          Effect.disconnect,
          Effect.timeoutFail({ duration: telling, onTimeout: () => "took too long" })
        )

  return Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const outcome = yield* Effect.onInterrupt(restore(from(0)), () => giveBack)
      const { status } = outcome
      // What a handler fails with may quote a memory: the history has it.
      if (status !== "ok") {
        yield* Effect.logWarning("a run failed", { agent, schedule: definition.id, run: run.run, status })
      }
      const finished = yield* steadily(runner.finish(agent, run, outcome))
      // That nobody could be told is no reason to do it again. What went wrong is not told here either: it may quote a memory.
      yield* Effect.catchAllCause(restore(tell(outcome, finished)), () =>
        Effect.logWarning("a notification failed", { agent, schedule: definition.id, run: run.run })
      )
    })
  )
}

/** Knows which handlers have not come to their end, those too that were left behind. */
const handlersUnderWay = () => {
  let going = 0
  const none = Effect.runSync(Effect.makeLatch(true))
  return {
    one: <A, E>(handler: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          going++
          none.unsafeClose()
        }),
        () => handler,
        () =>
          Effect.sync(() => {
            if (--going === 0) none.unsafeOpen()
          })
      ),
    /** Whether all of them have within so many milliseconds. */
    ended: (within: number): Effect.Effect<boolean> =>
      Effect.map(Effect.timeoutOption(Effect.interruptible(none.await), within), Option.isSome)
  }
}

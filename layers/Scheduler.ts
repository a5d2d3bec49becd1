import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Daybook } from "../src/Daybook.js"
import { failureNames } from "../src/model/failureNames.js"
import type { Claimed, ClaimResult, RunAttempt } from "../src/schedules/Runner.js"
import type { Handler, Notification } from "./scheduler/Handler.js"
import { type HandlerWithLimits, runClaimed } from "./scheduler/runClaimed.js"

export type { Handler, Job, Notification, Result } from "./scheduler/Handler.js"

export interface SchedulerOptions {
  /** The handlers by name. This program does not run schedules of other handlers. */
  readonly handlers: Readonly<Record<string, Handler | Handler["run"]>>
  /**
   * Sends a notification at most once. If the program ends before the notification is sent, the notification is lost.
   * A call is interrupted after 30 seconds, or when the program ends.
   */
  readonly notify?: (notification: Notification) => Effect.Effect<void, unknown>
}

/** Runs the schedules that use its handlers, for all agents, while its scope is open. */
export class Scheduler extends Context.Tag("daybook/Scheduler")<
  Scheduler,
  {
    /** Checks for due schedules at once. The scheduler also checks at the next due time and every `schedules.poll`. */
    readonly checkNow: Effect.Effect<void>
    /** The runs of this process that have not ended. */
    readonly running: Effect.Effect<ReadonlyArray<RunAttempt & { readonly agent: string }>>
    /** When it last checked for due schedules, milliseconds since the epoch. */
    readonly checkedAt: Effect.Effect<number>
  }
>() {}

export const layer = (options: SchedulerOptions): Layer.Layer<Scheduler, never, Daybook> =>
  Layer.scoped(Scheduler, make(options))

/** Maximum timers per read of the log. */
const timersPerPage = 100

/** An agent whose check claimed no run is skipped for this many polls. Then its version is compared. */
const skippedPolls = 10

/**
 * Maximum milliseconds for which an agent is skipped. The time starts at `skippedPolls` polls and doubles after each
 * further check that claims no run.
 */
const maxSkipMillis = 5 * 60_000

/** An agent whose last check found no run to claim. Times are milliseconds since the epoch. */
interface Skip {
  /** The due time of the agent's timer. */
  readonly due: number
  /** The agent's version before the check; undefined if the check failed. */
  readonly version: number | undefined
  /** Consecutive checks that claimed no run for this due time. */
  readonly times: number
  /** When the scheduler next compares the agent's version, to detect new events. */
  readonly events: number
  /** When the agent is checked again, with or without new events. */
  readonly until: number
}

/** The agents to skip, so that agents without work for these handlers are not opened at every poll. */
const skipList = (poll: number) => {
  const skips = new Map<string, Skip>()
  return {
    size: () => skips.size,
    remove: (agent: string) => skips.delete(agent),
    /** True if the agent is skipped without reading its version. */
    isSkipped: (agent: string, due: number, now: number): boolean => {
      const skip = skips.get(agent)
      return skip?.due === due && now < Math.min(skip.events, skip.until)
    },
    /** True if the agent is skipped because it has no new events. Its version is then compared again later. */
    isUnchanged: (agent: string, due: number, version: number, now: number): boolean => {
      const skip = skips.get(agent)
      if (skip === undefined || skip.due !== due || now >= skip.until) return false
      if (skip.version !== undefined && skip.version !== version) return false
      skips.set(agent, { ...skip, events: now + skippedPolls * poll })
      return true
    },
    /** Skips an agent if its check took no run. `claims` is undefined if the check failed. */
    add: (
      agent: string,
      due: number,
      version: number,
      { claims, now }: { claims: ClaimResult | undefined; now: number }
    ) => {
      const previous = skips.get(agent)
      // New events that change no due time do not reset the count.
      const times = previous?.due === due ? previous.times + 1 : 1
      const events = now + skippedPolls * poll
      const pause = Math.min(skippedPolls * poll * 2 ** (times - 1), Math.max(maxSkipMillis, skippedPolls * poll))
      const until = Math.min(claims?.next ?? Number.POSITIVE_INFINITY, now + pause)
      skips.set(agent, { due, times, events, until, version: claims === undefined ? undefined : version })
    }
  }
}

export const make = Effect.fnUntraced(function* (
  options: SchedulerOptions
): Effect.fn.Return<Context.Tag.Service<Scheduler>, never, Daybook | Scope.Scope> {
  const daybook = yield* Daybook
  const { concurrency, drain, grace, poll, retries, timeout } = daybook.runner.policy
  const handlers = new Map(
    Object.entries(options.handlers).map(([name, handler]): readonly [string, HandlerWithLimits] => [
      name,
      { timeout, retries, ...(typeof handler === "function" ? { run: handler } : handler) }
    ])
  )
  const leases = new Map([...handlers].map(([name, handler]) => [name, handler.timeout + grace]))
  const running: Running = new Map()
  const woken = yield* Effect.makeLatch(false)
  // The finalizer below waits for the runs first. Closing this set then interrupts the remaining runs, which release
  // their claims.
  const fibers = yield* FiberSet.make<void>()

  const start = (agent: string, claimed: Claimed) => {
    const { attempt, occurrence, run, schedule } = claimed
    running.set(run, { agent, attempt, occurrence, run, schedule })
    const handler = handlers.get(claimed.definition.handler)!
    return runClaimed({ daybook, notify: options.notify }, agent, claimed, handler).pipe(
      Effect.interruptible,
      // Another process has taken over the run, or will take it over when the lease expires.
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.void
          : Effect.logWarning("cannot end a run", { agent, schedule, run, failure: failureNames(cause) })
      ),
      Effect.ensuring(
        Effect.sync(() => {
          running.delete(run)
          woken.unsafeOpen()
        })
      ),
      FiberSet.run(fibers)
    )
  }

  const { claimDue, pauseMillis } = dueRuns({ runner: daybook.runner, leases, running, start })

  let checkedAt = yield* Clock.currentTimeMillis
  const round = Effect.gen(function* () {
    woken.unsafeClose()
    const claimedAny = yield* claimDue
    checkedAt = yield* Clock.currentTimeMillis
    // Checks again at once: more runs may be due.
    if (claimedAny && running.size < concurrency) return
    yield* Effect.raceFirst(Effect.sleep(yield* pauseMillis), woken.await)
  })

  const loop = round.pipe(
    // After a failure, the loop retries after `poll` milliseconds.
    Effect.catchAllCause((cause) =>
      Effect.zipRight(
        Effect.logWarning("cannot check the schedules", { failure: failureNames(cause) }),
        Effect.sleep(poll)
      )
    ),
    Effect.forever,
    Effect.interruptible
  )
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(Effect.interruptible(FiberSet.awaitEmpty(fibers)), drain))
  )
  yield* Effect.forkScoped(loop)
  return {
    checkNow: Effect.sync(() => woken.unsafeOpen()),
    running: Effect.sync(() => [...running.values()]),
    checkedAt: Effect.sync(() => checkedAt)
  }
})

/** The runs of this process that have not ended, by id. */
type Running = Map<string, RunAttempt & { readonly agent: string }>

interface ClaimServices {
  readonly runner: Context.Tag.Service<Daybook>["runner"]
  /** Milliseconds of a lease, by handler. */
  readonly leases: ReadonlyMap<string, number>
  readonly running: Running
  readonly start: (agent: string, claimed: Claimed) => Effect.Effect<unknown>
}

/** Finds the agents with due schedules and claims their runs. */
const dueRuns = ({ leases, runner, running, start }: ClaimServices) => {
  const { concurrency, poll } = runner.policy
  const skips = skipList(poll)

  const warnedAgents = new Set<string>()
  const warnOfClock = (agent: string) =>
    Effect.suspend(() => {
      if (warnedAgents.has(agent)) return Effect.void
      warnedAgents.add(agent)
      return Effect.logWarning(
        "schedules wait: the clock jumped by more than a year; correct the clock, or run 'daybook maintain --confirm-clock'",
        { agent }
      )
    })

  /** Claims an agent's due runs and starts them; undefined if that fails. */
  const claimFrom = (agent: string, freeSlots: number) =>
    // Claims half of the free slots, so that other agents get the rest.
    runner.claim(agent, leases, Math.ceil(freeSlots / 2)).pipe(
      Effect.tap(({ waitsForClock }) => (waitsForClock ? warnOfClock(agent) : Effect.void)),
      Effect.tap(({ claimed }) => Effect.forEach(claimed, (claim) => start(agent, claim), { discard: true })),
      // If a claimed run did not start, it would wait until its lease expires.
      Effect.uninterruptible,
      // One agent's failure must not stop the others.
      Effect.catchAllCause((cause) =>
        Effect.as(
          Effect.logWarning("cannot check the schedules of an agent", { agent, failure: failureNames(cause) }),
          undefined
        )
      )
    )

  /** Claims and starts due runs while slots are free. True if it claimed runs and slots are still free. */
  const claimDue = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    let claimedAny = false
    for (let offset = 0; ; offset += timersPerPage) {
      const timers = yield* runner.due({ until: now, limit: timersPerPage, offset })
      const runsOf = (agent: string) => [...running.values()].filter((run) => run.agent === agent).length
      // Agents with fewer running runs go first, so that a busy agent does not block the others.
      const ordered = timers.map((timer) => [runsOf(timer.agent), timer] as const).sort(([a], [b]) => a - b)
      for (const [, { agent, due }] of ordered) {
        const freeSlots = concurrency - running.size
        if (freeSlots <= 0) return false
        if (skips.isSkipped(agent, due, now)) continue
        // If the version cannot be read, the claim below reports the problem.
        const version = yield* Effect.orElseSucceed(runner.version(agent), () => -1)
        if (skips.isUnchanged(agent, due, version, now)) continue
        const claims = yield* claimFrom(agent, freeSlots)
        if (claims !== undefined && claims.claimed.length > 0) {
          claimedAny = true
          skips.remove(agent)
        } else skips.add(agent, due, version, { claims, now })
      }
      if (timers.length < timersPerPage) return claimedAny
    }
  })

  /** Milliseconds until the next due time, at most `poll`. */
  const pauseMillis = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const timers = yield* runner.due({ until: now + poll, limit: timersPerPage + skips.size() })
    const next = timers.find(({ due }) => due > now)
    return next === undefined ? poll : next.due - now
  })

  return { claimDue, pauseMillis }
}

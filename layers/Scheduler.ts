import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Daybook } from "../src/Daybook.js"
import type { Claimed, Claims, RunOf } from "../src/schedules/Runner.js"
import { carry, type Settled } from "./scheduler/carry.js"
import type { Handler, Notification } from "./scheduler/Handler.js"

export type { Handler, Job, Notification, Result } from "./scheduler/Handler.js"

export interface SchedulerOptions {
  /** By the name that schedules give. Schedules of other names are left to other programs. */
  readonly handlers: Readonly<Record<string, Handler | Handler["run"]>>
  /**
   * Tells somebody: once at the most, as it is not told again where the program ends in between. It is stopped after 30
   * seconds, and when the program ends.
   */
  readonly notify?: (notification: Notification) => Effect.Effect<void, unknown>
}

/** Carries out schedules as long as its scope is open: of every agent, those whose handlers it has. */
export class Scheduler extends Context.Tag("daybook/Scheduler")<
  Scheduler,
  {
    /** Looks at once whether something is due, which it does by itself at the next due time and every `schedules.poll`. */
    readonly look: Effect.Effect<void>
    /** What is under way here. */
    readonly running: Effect.Effect<ReadonlyArray<RunOf & { readonly agent: string }>>
  }
>() {}

export const layer = (options: SchedulerOptions): Layer.Layer<Scheduler, never, Daybook> =>
  Layer.scoped(Scheduler, make(options))

/** Agents whose timers are read at once. */
const page = 100

/** So many polls later an agent is looked at again in which nothing was due that has a handler here, if it has new events. */
const pollsInVain = 10

/** Where it has none the pauses double from there up to so many milliseconds, unless so many polls take longer. */
const longestInVain = 5 * 60_000

/** An agent that was looked at in vain. Times are milliseconds since the epoch. */
interface Vain {
  /** What its timer said. */
  readonly due: number
  /** Its newest event before it was looked at; absent where it could not be. */
  readonly version: number | undefined
  /** How often that was, one after the other. */
  readonly times: number
  /** When it is found out whether it has new events. */
  readonly events: number
  /** When it is looked at again, whether it has or not. */
  readonly until: number
}

export const make = (
  options: SchedulerOptions
): Effect.Effect<Context.Tag.Service<Scheduler>, never, Daybook | Scope.Scope> =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    const { runner } = daybook
    const { concurrency, drain, grace, poll, retries, timeout } = runner.policy
    const handlers = new Map(
      Object.entries(options.handlers).map(([name, handler]): readonly [string, Settled] => [
        name,
        { timeout, retries, ...(typeof handler === "function" ? { run: handler } : handler) }
      ])
    )
    const leases = new Map([...handlers].map(([name, handler]) => [name, handler.timeout + grace]))
    const running = new Map<string, RunOf & { readonly agent: string }>()
    const woken = yield* Effect.makeLatch(false)
    // Closed after the finalizer below: what is still under way then is interrupted, and gives back what it took.
    const fibers = yield* FiberSet.make<void>()

    /** Agents that have something due and nothing for these handlers, or that could not be looked at. */
    const inVain = new Map<string, Vain>()

    /** Whether an agent is let be for now; nobody opens it to find out. */
    const letBe = (agent: string, due: number, version: number, now: number): boolean => {
      const vain = inVain.get(agent)
      if (vain === undefined || vain.due !== due || now >= vain.until) return false
      if (vain.version !== undefined && vain.version !== version) return false
      inVain.set(agent, { ...vain, events: now + pollsInVain * poll })
      return true
    }

    const foundNothing = (agent: string, due: number, version: number, claims: Claims | undefined, now: number) => {
      const before = inVain.get(agent)
      // What others wrote may have been about something else.
      const times = before?.due === due ? before.times + 1 : 1
      const events = now + pollsInVain * poll
      const pause = Math.min(pollsInVain * poll * 2 ** (times - 1), Math.max(longestInVain, pollsInVain * poll))
      const until = Math.min(claims?.next ?? Number.POSITIVE_INFINITY, now + pause)
      inVain.set(agent, { due, times, events, until, version: claims === undefined ? undefined : version })
    }

    const start = (agent: string, claimed: Claimed) => {
      const { attempt, occurrence, run, schedule } = claimed
      running.set(run, { agent, attempt, occurrence, run, schedule })
      const handler = handlers.get(claimed.definition.handler)!
      return carry({ daybook, notify: options.notify }, agent, claimed, handler).pipe(
        Effect.interruptible,
        // Somebody else has it, or it will be taken over when its lease runs out.
        Effect.catchAllCause((cause) =>
          Cause.isInterruptedOnly(cause)
            ? Effect.void
            : Effect.logWarning("a run could not be ended", { agent, schedule, run })
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

    /** Takes what is due, as far as there is room for it; whether there was something to take. */
    const pass = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      let took = false
      for (let offset = 0; ; offset += page) {
        const found = yield* runner.due({ until: now, limit: page, offset })
        const here = (agent: string) => [...running.values()].filter((one) => one.agent === agent).length
        // Whoever has less under way goes first, so that an agent that has much to do leaves some to others.
        const fairly = found.map((one) => [here(one.agent), one] as const).sort(([a], [b]) => a - b)
        for (const [, { agent, due }] of fairly) {
          const room = concurrency - running.size
          if (room <= 0) return false
          const vain = inVain.get(agent)
          if (vain?.due === due && now < Math.min(vain.events, vain.until)) continue
          // Where that cannot be read, looking at it says what is wrong.
          const version = yield* Effect.orElseSucceed(runner.version(agent), () => -1)
          if (letBe(agent, due, version, now)) continue
          // Half of the room each. What was taken and not begun would be nobody's until its lease runs out.
          const claims = yield* runner.claim(agent, leases, Math.ceil(room / 2)).pipe(
            Effect.tap(({ claimed }) => Effect.forEach(claimed, (one) => start(agent, one), { discard: true })),
            Effect.uninterruptible,
            // Whoever comes after it is not to wait for it. What went wrong may quote what it was about.
            Effect.catchAllCause(() =>
              Effect.as(Effect.logWarning("schedules of an agent could not be looked at", { agent }), undefined)
            )
          )
          if (claims !== undefined && claims.claimed.length > 0) {
            took = true
            inVain.delete(agent)
          } else foundNothing(agent, due, version, claims, now)
        }
        if (found.length < page) return took
      }
    })

    /** Milliseconds until something is due that is not now. */
    const pause = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const soon = yield* runner.due({ until: now + poll, limit: page + inVain.size })
      const next = soon.find(({ due }) => due > now)
      return next === undefined ? poll : next.due - now
    })

    const round = Effect.gen(function* () {
      woken.unsafeClose()
      const took = yield* pass
      // There may be more of it.
      if (took && running.size < concurrency) return
      yield* Effect.raceFirst(Effect.sleep(yield* pause), woken.await)
    })

    const loop = round.pipe(
      // A log that cannot be read now can be later; what went wrong may quote what it was about.
      Effect.catchAllCause(() =>
        Effect.zipRight(Effect.logWarning("schedules could not be looked at"), Effect.sleep(poll))
      ),
      Effect.forever,
      Effect.interruptible
    )
    yield* Effect.addFinalizer(() =>
      Effect.ignore(Effect.timeout(Effect.interruptible(FiberSet.awaitEmpty(fibers)), drain))
    )
    yield* Effect.forkScoped(loop)
    return {
      look: Effect.sync(() => woken.unsafeOpen()),
      running: Effect.sync(() => [...running.values()])
    }
  })

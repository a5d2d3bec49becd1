import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Daybook } from "../src/Daybook.js"
import type { Claimed, RunOf } from "../src/schedules/Runner.js"
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

/** So many polls later an agent is looked at again in which nothing was due that has a handler here. */
const pollsInVain = 10

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

    /** Agents that have something due and nothing for these handlers: since which timer, and until when they are let be. */
    const inVain = new Map<string, { readonly due: number; readonly until: number }>()

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
          if (vain !== undefined && vain.due === due && vain.until > now) continue
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
          } else
            inVain.set(agent, {
              due,
              until: Math.min(claims?.next ?? Number.POSITIVE_INFINITY, now + pollsInVain * poll)
            })
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

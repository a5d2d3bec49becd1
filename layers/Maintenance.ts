import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Daybook } from "../src/Daybook.js"
import type { StageRun } from "../src/maintenance/maintain.js"
import type { StageName } from "../src/model/stages.js"
import * as Scheduler from "./Scheduler.js"

export interface MaintenanceOptions {
  /** Schedules of these handlers are carried out beside the engine's own: see `Scheduler.layer`. */
  readonly handlers?: Scheduler.SchedulerOptions["handlers"]
  readonly notify?: Scheduler.SchedulerOptions["notify"]
  /** Milliseconds after which agents are looked for that were not there before; a minute where absent. */
  readonly every?: number
  /** Milliseconds that one job may take; an hour where absent. What is not done by then is left to the next time. */
  readonly timeout?: number
}

/** Keeps the memory of all agents in order as long as its scope is open. */
export class Maintenance extends Context.Tag("daybook/Maintenance")<
  Maintenance,
  {
    /** Looks at once for agents that are new and for what is due. */
    readonly look: Effect.Effect<void>
    /** What is under way here. */
    readonly running: Context.Tag.Service<Scheduler.Scheduler>["running"]
  }
>() {}

/**
 * The engine's own jobs, `daybook/daily`, `daybook/gc` and `daybook/weekly`, on the scheduler: begun with the program,
 * which does what was missed, and from then on at the times of the policy. An agent gets its schedules when it is first
 * seen; who has something due stands in the log's timers, so that nobody is opened to find out.
 */
export const layer = (options: MaintenanceOptions = {}): Layer.Layer<Maintenance, never, Daybook> =>
  Layer.scoped(Maintenance, make(options))

/** Runs of its stages that one job may make one after the other while each leaves something to the next. */
const mostRounds = 50

export const make = ({
  every = 60_000,
  handlers = {},
  notify,
  timeout = 3_600_000
}: MaintenanceOptions = {}): Effect.Effect<Context.Tag.Service<Maintenance>, never, Daybook | Scope.Scope> =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    const { runner } = daybook
    const woken = yield* Effect.makeLatch(false)
    const known = new Set<string>()

    /** Gives schedules to whoever has none: at the start of the program due at once, as nobody looked after them. */
    const welcome = (first: number | undefined) =>
      Effect.gen(function* () {
        for (const { name } of yield* daybook.agents) {
          if (known.has(name)) continue
          // What cannot be done now can be later; what went wrong may quote what it was about.
          yield* Effect.matchCauseEffect(runner.ensure(name, first), {
            onFailure: () => Effect.logWarning("an agent could not be given its schedules", { agent: name }),
            onSuccess: () => Effect.sync(() => known.add(name))
          })
        }
      }).pipe(Effect.catchAllCause(() => Effect.logWarning("agents could not be looked for")))

    const own = runner.jobs.map(({ handler, stages }): readonly [string, Scheduler.Handler] => [
      handler,
      { timeout, run: (job) => Effect.zipRight(runner.adjust(job.agent), carriedOut(job, stages)) }
    ])
    const scheduler = yield* Scheduler.make({
      handlers: { ...handlers, ...Object.fromEntries(own) },
      ...(notify === undefined ? {} : { notify })
    })
    const later = Effect.gen(function* () {
      woken.unsafeClose()
      yield* Effect.raceFirst(Effect.sleep(every), woken.await)
      yield* welcome(undefined)
      yield* scheduler.look
    })
    yield* Clock.currentTimeMillis.pipe(
      Effect.flatMap(welcome),
      Effect.zipRight(scheduler.look),
      Effect.zipRight(Effect.forever(later)),
      Effect.interruptible,
      Effect.forkScoped
    )
    return { look: Effect.sync(() => woken.unsafeOpen()), running: scheduler.running }
  })

/** Runs stages until they leave nothing, or there is no more time. */
const carriedOut = ({ deadline, memory }: Scheduler.Job, stages: ReadonlyArray<StageName>) =>
  Effect.gen(function* () {
    const done: Array<StageRun> = []
    const began = yield* Clock.currentTimeMillis
    // Whatever is under way by then comes to its end before it would be stopped.
    const end = Math.floor(deadline - Math.min(30_000, (deadline - began) / 10))
    let open = stages
    for (let round = 0; round < mostRounds && open.length > 0; round++) {
      const runs = yield* memory.maintain({ stages: open, deadline: end })
      done.push(...runs.filter(({ run }) => run !== undefined))
      open = runs.flatMap(({ left, run, stage }) => (left && run !== undefined ? [stage] : []))
    }
    const counts: Record<string, number> = {}
    for (const run of done) {
      for (const [what, number] of Object.entries(run.counts)) counts[what] = (counts[what] ?? 0) + number
    }
    const output = done.map(({ counts, run, stage }) => {
      const what = Object.entries(counts).map(([name, number]) => `${number} ${name}`)
      return `${stage} (run ${run}): ${what.join(", ")}`
    })
    return { output: output.length === 0 ? "nothing to do" : output.join("\n"), counts }
  })

import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { traceEvent } from "../events/tracing.js"
import { Daybook } from "../src/Daybook.js"
import type { StageRun } from "../src/maintenance/maintain.js"
import { failureNames } from "../src/model/failureNames.js"
import type { StageName } from "../src/model/stages.js"
import * as Scheduler from "./Scheduler.js"

export interface MaintenanceOptions {
  /** Handlers in addition to the engine's own: see `Scheduler.layer`. */
  readonly handlers?: Scheduler.SchedulerOptions["handlers"]
  readonly notify?: Scheduler.SchedulerOptions["notify"]
  /** Milliseconds between two checks for new agents; default: a minute. */
  readonly every?: number
  /** Time-out of one job in milliseconds; default: an hour. The next run continues the work. */
  readonly timeout?: number
}

/** Runs the maintenance of all agents while its scope is open. */
export class Maintenance extends Context.Tag("daybook/Maintenance")<
  Maintenance,
  {
    /** Checks at once for new agents and due schedules. */
    readonly checkNow: Effect.Effect<void>
    /** The runs of this process that have not ended. */
    readonly running: Context.Tag.Service<Scheduler.Scheduler>["running"]
    /** When it last checked for due schedules, milliseconds since the epoch. */
    readonly checkedAt: Effect.Effect<number>
  }
>() {}

/**
 * Runs the engine's own jobs, `daybook/daily`, `daybook/gc` and `daybook/weekly`, on the scheduler. At the start of the
 * program it runs missed jobs; afterwards it follows the policy's times. An agent gets its schedules when the engine
 * first sees it. The due times are timers in the log, so no agent is opened only to check them.
 */
export const layer = (options: MaintenanceOptions = {}): Layer.Layer<Maintenance, never, Daybook> =>
  Layer.scoped(Maintenance, make(options))

/** The maximum number of times that one job repeats its stages while work remains. */
const maxRounds = 50

export const make = Effect.fnUntraced(function* ({
  every = 60_000,
  handlers = {},
  notify,
  timeout = 3_600_000
}: MaintenanceOptions = {}): Effect.fn.Return<Context.Tag.Service<Maintenance>, never, Daybook | Scope.Scope> {
  const daybook = yield* Daybook
  const { runner } = daybook
  const woken = yield* Effect.makeLatch(false)
  const scheduledAgents = new Set<string>()

  /**
   * Adds the schedules of new agents and resumes their capture. `first` is the first due time. At the start of the
   * program, it is the current time.
   */
  const addSchedules = (first: number | undefined) =>
    Effect.gen(function* () {
      for (const { name } of yield* daybook.agents) {
        if (scheduledAgents.has(name)) continue
        // After a failure, the next check retries.
        yield* Effect.matchCauseEffect(Effect.zipRight(runner.ensure(name, first), daybook.resume(name)), {
          onFailure: (cause) =>
            Effect.logWarning("cannot add an agent's schedules", { agent: name, failure: failureNames(cause) }),
          onSuccess: () => Effect.sync(() => scheduledAgents.add(name))
        })
      }
    }).pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("cannot list the agents", { failure: failureNames(cause) }))
    )

  const engineHandlers = runner.jobs.map(({ handler, stages }): readonly [string, Scheduler.Handler] => [
    handler,
    { timeout, run: (job) => Effect.zipRight(runner.adjust(job.agent), runStages(job, stages)) }
  ])
  const scheduler = yield* Scheduler.make({
    handlers: { ...handlers, ...Object.fromEntries(engineHandlers) },
    ...(notify === undefined ? {} : { notify })
  })
  const checkAgain = Effect.gen(function* () {
    woken.unsafeClose()
    yield* Effect.raceFirst(Effect.sleep(every), woken.await)
    yield* addSchedules(undefined)
    yield* scheduler.checkNow
  })
  yield* traceEvent("maintenance.loop_started", { loop: "maintenance" })
  yield* Clock.currentTimeMillis.pipe(
    Effect.flatMap(addSchedules),
    Effect.zipRight(scheduler.checkNow),
    Effect.zipRight(Effect.forever(checkAgain)),
    Effect.interruptible,
    Effect.forkScoped
  )
  return {
    checkNow: Effect.sync(() => woken.unsafeOpen()),
    running: scheduler.running,
    checkedAt: scheduler.checkedAt
  }
})

/** Runs stages until no work remains or the deadline is near. */
const runStages = Effect.fnUntraced(function* ({ deadline, memory }: Scheduler.Job, stages: ReadonlyArray<StageName>) {
  const completed: Array<StageRun> = []
  const startedAt = yield* Clock.currentTimeMillis
  // Stops early, so that the current step can finish before the scheduler interrupts it.
  const stageDeadline = Math.floor(deadline - Math.min(30_000, (deadline - startedAt) / 10))
  let remaining = stages
  for (let round = 0; round < maxRounds && remaining.length > 0; round++) {
    const runs = yield* memory.maintenance.run({ stages: remaining, deadline: stageDeadline })
    completed.push(...runs.filter(({ run }) => run !== undefined))
    remaining = runs.flatMap(({ left, run, stage }) => (left && run !== undefined ? [stage] : []))
  }
  const counts: Record<string, number> = {}
  for (const run of completed) {
    for (const [name, number] of Object.entries(run.counts)) counts[name] = (counts[name] ?? 0) + number
  }
  const output = completed.map(({ counts, run, stage }) => {
    const numbers = Object.entries(counts).map(([name, number]) => `${number} ${name}`)
    return `${stage} (run ${run}): ${numbers.join(", ")}`
  })
  return { output: output.length === 0 ? "nothing to do" : output.join("\n"), counts }
})

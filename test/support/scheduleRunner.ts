import { appendFileSync, writeSync } from "node:fs"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Default from "../../layers/Default.js"
import * as Scheduler from "../../layers/Scheduler.js"
import { defaults } from "../../src/ports/Policy.js"

// A process that carries out schedules until it is killed, or told to stop: see scheduleStorm.ts.

export interface RunnerOptions {
  readonly folder: string
  /** Where each handler that begins leaves the key of its occurrence, a line each. */
  readonly journal: string
}

/** Schedules are due every second, attempts short, and nobody is given up however often their process is killed. */
export const policy = {
  ...defaults,
  schedules: {
    ...defaults.schedules,
    minInterval: 1_000,
    timeout: 1_500,
    grace: 500,
    backoff: 50,
    retries: 3,
    takeovers: 1_000,
    failures: 0,
    poll: 100,
    concurrency: 32,
    drain: 2_000
  }
}

const handler =
  (journal: string): Scheduler.Handler["run"] =>
  ({ attempt, key, memory, run }) =>
    Effect.gen(function* () {
      appendFileSync(journal, `${key}\n`)
      if (attempt === 1 && Math.random() < 0.05) return yield* Effect.fail("refused once")
      // Longer than it may take, and then its late end has to be refused.
      if (attempt === 1 && Math.random() < 0.005) yield* Effect.uninterruptible(Effect.sleep(4_000))
      yield* memory.remember({ title: `did ${key}` }, { commandId: key, run, reconcile: false })
      return key
    })

const text = process.argv[2]
if (text !== undefined) {
  const { folder, journal } = JSON.parse(text) as RunnerOptions
  const fiber = Effect.runFork(
    Layer.launch(
      Scheduler.layer({ handlers: { work: handler(journal) } }).pipe(
        Layer.provide(Default.layer({ folder, policy, vectorExtension: null }))
      )
    )
  )
  process.once("SIGTERM", () => void Effect.runFork(Fiber.interrupt(fiber)))
  fiber.addObserver((exit) => {
    if (exit._tag === "Failure" && !Cause.isInterruptedOnly(exit.cause)) console.error(Cause.pretty(exit.cause))
  })
  writeSync(1, "begun\n")
}

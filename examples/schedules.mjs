// A program that runs scheduled work. From a checkout: npm run build && node examples/schedules.mjs
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Daybook, Scheduler } from "daybook"
import { Effect, Layer } from "effect"

const tides = ({ attempt, key, memory, occurrence, run }) =>
  Effect.gen(function* () {
    if (attempt === 1) return yield* Effect.fail("the harbour office is closed")
    const title = `High tide, told at ${new Date(occurrence).toISOString().slice(0, 16)}`
    // With `commandId`, retries store the memory only once. With `run`, it belongs to this run and is undone with it.
    yield* memory.remember({ title, store: "shared" }, { commandId: key, run })
    return { output: title, counts: { turns: 1 } }
  })

const program = Effect.gen(function* () {
  const memory = yield* (yield* Daybook).agent("coop", { trust: "full" })
  const daily = yield* memory.schedules.add({
    goal: "Remember the tide of the day",
    handler: "tides",
    cron: "30 2 * * *",
    zone: "Europe/Berlin"
  })
  const { nextRunAt } = yield* memory.schedules.add({ goal: "Once, soon", handler: "tides", at: Date.now() + 200 })
  yield* Effect.sleep(nextRunAt - Date.now() + 2_500)

  const [once] = yield* memory.schedules.list({ statuses: ["completed"] })
  const [run] = yield* memory.schedules.runs(once.id)
  console.log(once.goal, "-", once.status, "-", run.status, "at attempt", run.attempt, run.counts)
  console.log("told:", run.notified, "- the daily one is", (yield* memory.schedules.get(daily.id)).status)
  console.log("remembered:", (yield* memory.list()).length, "- undone:", (yield* memory.undo({ run: run.run })).undone.length)
})

const notify = ({ definition, status, summary }) => Effect.sync(() => console.log("notification:", definition.goal, status, `(${typeof summary})`))
const folder = mkdtempSync(join(tmpdir(), "daybook-"))
const daybook = Daybook.layer({ folder })
const scheduler = Scheduler.layer({ handlers: { tides }, notify })
try {
  await Effect.runPromise(program.pipe(Effect.provide(Layer.provideMerge(scheduler, daybook))))
} finally {
  rmSync(folder, { recursive: true })
}

// A program with automatic maintenance of its memory. From a checkout: npm run build && node examples/maintenance.mjs
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Daybook, Maintenance } from "daybook"
import { Effect, Layer } from "effect"

const folder = mkdtempSync(join(tmpdir(), "daybook-"))

/** An earlier program that stored captured memories without maintenance. */
const before = Effect.gen(function* () {
  const memory = yield* (yield* Daybook).agent("coop", { trust: "full" })
  for (let at = 0; at < 503; at++) {
    yield* memory.remember({ title: `Ship ${at} came`, type: "event", source: { kind: "auto" } }, { reconcile: false })
  }
})

const program = Effect.gen(function* () {
  const memory = yield* (yield* Daybook).agent("coop", { trust: "full" })
  yield* Effect.sleep(2_000)
  for (const { handler, id, nextRunAt } of (yield* memory.schedules.list()).reverse()) {
    const [run] = yield* memory.schedules.runs(id)
    console.log(handler, "-", run.status, "-", run.summary, "- next", new Date(nextRunAt).toISOString().slice(11, 16))
  }
  console.log("in the archive:", (yield* memory.archive.list()).length)
})
const kept = Layer.provideMerge(Maintenance.layer(), Daybook.layer({ folder }))
try {
  await Effect.runPromise(before.pipe(Effect.provide(Daybook.layer({ folder }))))
  await Effect.runPromise(program.pipe(Effect.provide(kept)))
} finally {
  rmSync(folder, { recursive: true })
}

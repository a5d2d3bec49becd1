// A program that gives an agent memory. In a checkout, after `npm run demo`: node examples/quickstart.mjs
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Daybook } from "daybook"
import { Effect } from "effect"

const program = Effect.gen(function* () {
  const daybook = yield* Daybook
  const memory = yield* daybook.agent("coop", { trust: "full" })

  const written = yield* memory.remember({
    type: "decision",
    title: "Deploys happen on Tuesdays",
    narrative: "Mondays are for reviews, and nobody wants to mend a release on a Friday.",
    facts: ["deploy day: Tuesday"],
    tags: ["deploys"],
    people: ["Alice Moreau"],
    store: "shared"
  })
  console.log("remembered", written.outcome, "as version", written.version)

  yield* memory.update(written.id, { title: "Deploys happen on Thursdays", facts: ["deploy day: Thursday"] })

  const [hit] = yield* memory.search({ text: "when do we deploy", types: ["decision"], limit: 10 })
  console.log("now:", hit.title, hit.parts)

  const then = yield* daybook.agent("coop", { trust: "full", asOf: { version: written.version } })
  const [before] = yield* then.search({ text: "when do we deploy" })
  console.log("then:", before.title)

  for (const { version, type, actor, memory: was } of yield* memory.history(hit.id)) {
    console.log("history:", version, type, "by", actor, "-", was.title)
  }

  const familiar = yield* daybook.agent("coop", { trust: "familiar" })
  console.log("a familiar sees", (yield* familiar.search({ text: "deploy" })).length, "memories")
  console.log("verified:", (yield* daybook.verify()).ok)
})

const folder = mkdtempSync(join(tmpdir(), "daybook-"))
try {
  await Effect.runPromise(program.pipe(Effect.provide(Daybook.layer({ folder }))))
} finally {
  rmSync(folder, { recursive: true })
}

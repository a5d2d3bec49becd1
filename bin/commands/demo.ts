import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type { Verification } from "../../events/verify.js"
import type { IndexRow } from "../../projections/observationSearch.js"
import type { Person } from "../../projections/people.js"
import type { HistoryEntry } from "../../src/history.js"
import type { Imported } from "../../src/import/importFiles.js"
import type { WholeMemory } from "../../src/model/wholeMemory.js"
import type { Remembered } from "../../src/remember/remembered.js"
import type { Updated } from "../../src/remember/update.js"
import type { Hit } from "../../src/search/search.js"
import type { Undone } from "../../src/undo/undo.js"
import type { WhatIf } from "../../src/whatIf/WhatIf.js"
import type { Why } from "../../src/why.js"
import { chatDemo } from "../demoChat.js"
import { demoRunner } from "../demoRunner.js"
import { option } from "../options.js"
import type { Command } from "./Command.js"

type Hits = ReadonlyArray<Hit>

/** The memories of an invented assistant. In the package, `examples/` is next to `dist/`. */
const examples = fileURLToPath(new URL("../examples/memories", import.meta.url))

/** `run` stays one long function: it is the script of the demo, step by step. */
export const demo: Command<{ readonly keep?: boolean; readonly chat?: boolean }> = {
  usage: "demo",
  summary: "show what Daybook does, on example memories in a temporary folder",
  options: [
    option("--keep", "keep the temporary folder"),
    option("--chat", "replay a conversation instead of memories, and print each prompt")
  ],
  run: (call, { chat, keep }) =>
    Effect.gen(function* () {
      const folder = yield* temporary(keep === true)
      const folderNote = keep === true ? ` The folder is ${folder}.` : ""
      if (chat === true) {
        const steps = yield* chatDemo(call, folder)
        return yield* call.out.show({ ok: true, folder, steps }, () => `\nAll checks passed.${folderNote}`)
      }
      const { daybook, heading, must, steps } = demoRunner(call, folder)

      yield* heading(`Import a folder of markdown, into ${folder}`)
      const memories = relative(process.cwd(), examples) || "."
      const first = yield* daybook<Imported>("import", memories)
      yield* must(first.added > 0 && first.refused.length === 0, "the import adds memories")
      const second = yield* daybook<Imported>("import", memories)
      yield* must(second.added + second.duplicates === 0 && second.unchanged > 0, "a second import adds nothing")

      yield* heading("Search by words and meaning, in any script")
      const model = yield* daybook<Hits>("search", "trust model", "--limit", "3")
      yield* must(model.length > 0, "the trust model is found")
      const tokyo = yield* daybook<Hits>("search", "東京", "--limit", "3")
      yield* must(tokyo[0]?.title.includes("東京") === true, "東京 is found")
      const hits = yield* daybook<Hits>("search", "deploys happen on", "--limit", "3")
      const hit = hits.find(({ title }) => title.includes("Deploys happen on Tuesdays"))
      if (hit === undefined) return yield* must(false, "deploys happen on Tuesdays")

      yield* heading("Look closer: its neighbours in time, then the whole memory")
      const around = yield* daybook<ReadonlyArray<IndexRow>>("timeline", hit.id, "--before", "2", "--after", "2")
      yield* must(around.length === 5, "the timeline shows five rows")
      const [whole] = yield* daybook<ReadonlyArray<WholeMemory>>("get", hit.id)
      yield* must(whole?.id === hit.id, "the whole memory is read")

      yield* heading("Correct it")
      const titleIn = (rows: Hits) => rows.find(({ id }) => id === hit.id)?.title
      const corrected = hit.title.replace("Tuesdays", "Thursdays")
      const correction = yield* daybook<Updated>("update", hit.id, "--title", corrected)
      const now = yield* daybook<Hits>("search", "deploys happen on", "--limit", "3")
      yield* must(titleIn(now) === corrected, "deploys happen on Thursdays from now on")

      yield* heading("Audit: who changed what, when and why; and the people mentioned")
      const history = yield* daybook<ReadonlyArray<HistoryEntry>>("history", hit.id)
      yield* must(history.at(-1)?.version === correction.version, "the history ends with the correction")
      const people = yield* daybook<ReadonlyArray<Person>>("people", "--limit", "3")
      yield* must(people.length === 3, "people are known")

      yield* heading("Rewind: the same search as of the version before the correction")
      const before = String(correction.version! - 1)
      const pastHits = yield* daybook<Hits>("search", "deploys happen on", "--limit", "3", "--as-of", before)
      yield* must(titleIn(pastHits) === hit.title, "the search of the past finds the old title")

      yield* heading("Decide: rules compare a new statement with what is known")
      const port = "The staging database of Mooring listens on port"
      const repeated = yield* daybook<Remembered>("remember", `${port} 5432`, "--type", "config")
      const decided = yield* daybook<Remembered>("remember", `${port} 6543 now`, "--type", "config")
      yield* must(decided.outcome === "replaced" && decided.replaced === repeated.id, "the old port is replaced")

      yield* heading("Why: who decided that, and for which reason")
      const why = yield* daybook<Why>("why", decided.id)
      yield* must(why.supersedes[0]?.id === repeated.id, "the old port is shown")

      yield* heading("Undo it, then undo the undo")
      const undone = yield* daybook<Undone>("undo", "--event", String(decided.version))
      const ports = yield* daybook<Hits>("search", port, "--limit", "1")
      yield* must(ports[0]?.id === repeated.id, "the old port is back")
      yield* daybook<Undone>("undo", "--run", undone.run!)

      yield* heading("What if: replay the same history without a reconciler, in a temporary branch")
      const other = yield* daybook<WhatIf>("what-if", "--reconciler", "none")
      yield* must(other.decisions.length > 0, "some decisions differ")

      yield* heading("Trust: the same question at lower trust levels")
      const full = yield* daybook<Hits>("search", "Alice", "--limit", "3")
      const inner = yield* daybook<Hits>("--trust", "inner", "search", "Alice", "--limit", "3")
      const familiar = yield* daybook<Hits>("--trust", "familiar", "search", "Alice", "--limit", "3")
      yield* must(stores(full).includes("private"), "full trust reads the private store")
      yield* must(inner.length > 0 && !stores(inner).includes("private"), "inner trust reads nothing private")
      const social = stores(familiar).every((store) => store === "social")
      yield* must(familiar.length > 0 && social, "familiar trust reads the social store only")

      yield* heading("Rebuild the view from the log: the same to the last byte")
      const { equal } = yield* daybook<{ readonly equal: boolean }>("rebuild", "--check")
      yield* must(equal, "the digests are equal")

      yield* heading("Verify the log")
      const { events, head, ok } = yield* daybook<Verification>("verify")
      yield* must(ok && events > 0 && head !== null, "the log is sound")
      yield* call.out.show({ ok: true, folder, steps }, () => `\nAll checks passed.${folderNote}`)
    })
}

const stores = (hits: Hits) => hits.map(({ store }) => store)

const temporary = (keep: boolean) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-demo-"))),
    (folder) => Effect.sync(() => keep || rmSync(folder, { recursive: true, force: true }))
  )

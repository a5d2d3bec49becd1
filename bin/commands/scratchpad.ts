import * as Effect from "effect/Effect"
import type { Store } from "../../events/Trust.js"
import type { ScratchpadEntry } from "../../src/notes/Scratchpads.js"
import { usageError } from "../exit.js"
import { countText, oneLine, timestampText } from "../format.js"
import { type AsOfOptions, asOfOption, commandIdOption, option, parseRowCount, parseStore } from "../options.js"
import { type Column, table } from "../table.js"
import type { Command } from "./Command.js"

interface ScratchpadCall extends AsOfOptions {
  readonly store?: Store
  readonly limit?: number
  readonly commandId?: string
}

const actions = ["read", "write", "clear", "history"]

export const scratchpad: Command<
  ScratchpadCall,
  readonly [action: string, session: string, items: ReadonlyArray<string>]
> = {
  usage: "scratchpad <read|write|clear|history> <session> [items...]",
  creates: "write",
  summary: "read, replace or clear the working notes of a session",
  options: [
    option("--store <store>", "use the scratchpad in this store: private, shared or social", parseStore),
    option("--limit <n>", "for `history`: show at most n states (default: 50)", parseRowCount),
    asOfOption,
    commandIdOption
  ],
  details: ["`write` replaces the whole scratchpad. It takes up to 32 items of at most 240 characters each."],
  examples: [
    'scratchpad write monday "goal: move the deploy to Thursday" "done: calendar" "next: tell Alice"',
    "scratchpad read monday",
    "scratchpad clear monday"
  ],
  run: ({ memory, out, reader }, { asOf, commandId, limit, store }, [action, session, items]) =>
    Effect.gen(function* () {
      if (!actions.includes(action)) return yield* usageError(`action: must be one of ${actions.join(", ")}`)
      if (action === "write" ? items.length === 0 : items.length > 0) {
        return yield* usageError(`'scratchpad ${action}' ${action === "write" ? "needs items" : "takes no items"}`)
      }
      if ((action === "write" || action === "clear") && asOf !== undefined)
        return yield* usageError(`'scratchpad ${action}' takes no --as-of`)
      if (action === "write") {
        const written = yield* Effect.flatMap(memory, (opened) =>
          opened.scratchpad.write(session, items, { store, commandId })
        )
        const versionText = written.version === undefined ? "" : ` (version ${written.version})`
        return yield* out.show(
          written,
          () => `${written.outcome} ${countText(written.items, "item")} of ${session}${versionText}`
        )
      }
      if (action === "clear") {
        const cleared = yield* Effect.flatMap(memory, (opened) =>
          opened.scratchpad.clear(session, { store, commandId })
        )
        return yield* out.show({ session, cleared }, () =>
          cleared ? `cleared the scratchpad of ${session}` : noScratchpad(session)
        )
      }
      const past = yield* reader(asOf)
      if (action === "history") {
        const entries = yield* past.scratchpad.history(session, { store, limit })
        return yield* out.show(entries, () => table<ScratchpadEntry>(out, entries, columns))
      }
      const state = yield* past.scratchpad.read(session, { store })
      yield* out.show(state, () =>
        state === null ? noScratchpad(session) : state.items.map((item) => `- ${oneLine(item)}`).join("\n")
      )
    })
}

const noScratchpad = (session: string): string => `session ${session} has no scratchpad`

const columns: ReadonlyArray<Column<ScratchpadEntry>> = [
  { name: "version", cell: ({ version }) => version ?? "", alignRight: true },
  { name: "written", cell: ({ recordedAt }) => timestampText(recordedAt) },
  { name: "actor", cell: ({ actor }) => actor, colour: "cyan" },
  { name: "level", cell: ({ level }) => level ?? "" },
  { name: "items", cell: ({ items }) => (items === null ? "(cleared)" : items.join(" · ")), elastic: true }
]

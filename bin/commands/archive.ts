import * as Effect from "effect/Effect"
import type { ArchivedMemory } from "../../src/maintenance/Archive.js"
import { usageError } from "../exit.js"
import { dayText } from "../format.js"
import { type AsOfOptions, asOfOption, commandIdOption, type PageOptions, pageOptions } from "../options.js"
import { type Column, table } from "../table.js"
import { awaitVectors } from "../vectors.js"
import type { Command } from "./Command.js"

interface ArchiveCall extends AsOfOptions, PageOptions {
  readonly commandId?: string
}

export const archive: Command<ArchiveCall, readonly [action: string, words: ReadonlyArray<string>]> = {
  usage: "archive <list|search|add|restore> [words...]",
  summary: "list, search, archive or restore memories",
  options: [...pageOptions, asOfOption, commandIdOption],
  // No other read shows the archive.
  examples: ["archive list", "archive search harbour crane", "archive add 8k2v0q5w1x", "archive restore 8k2v0q5w1x"],
  run: (call, { asOf, commandId, limit, offset }, [action, words]) =>
    Effect.gen(function* () {
      const { memory, out, reader } = call
      if (action === "add" || action === "restore") {
        const [id, ...others] = words
        if (id === undefined || others.length > 0) return yield* usageError(`'archive ${action}' needs exactly one id`)
        if (asOf !== undefined) return yield* usageError(`'archive ${action}' takes no --as-of`)
        if (action === "add") {
          const archived = yield* Effect.flatMap(memory, (opened) => opened.archive.add(id, { commandId }))
          return yield* out.show(archived, () => `archived ${id}`)
        }
        const restored = yield* Effect.flatMap(memory, (opened) => opened.archive.restore(id, { commandId }))
        yield* awaitVectors(call)
        return yield* out.show(restored, () => `restored ${id}`)
      }
      if (action !== "list" && action !== "search")
        return yield* usageError("action: must be one of list, search, add, restore")
      if (action === "list" && words.length > 0)
        return yield* usageError("'archive list' takes no words; use 'archive search'")
      if (action === "search" && words.length === 0) return yield* usageError("'archive search' needs words")
      const text = words.join(" ")
      const rows = yield* Effect.flatMap(reader(asOf), (opened) => opened.archive.list({ text, limit, offset }))
      yield* out.show(rows, () => table<ArchivedMemory>(out, rows, columns))
    })
}

const columns: ReadonlyArray<Column<ArchivedMemory>> = [
  { name: "id", cell: ({ id }) => id, colour: "cyan" },
  { name: "type", cell: ({ type }) => type },
  { name: "store", cell: ({ store }) => store },
  { name: "archived", cell: ({ archivedAt }) => dayText(archivedAt) },
  { name: "why", cell: ({ reason }) => reason },
  { name: "title", cell: ({ title }) => title, elastic: true }
]

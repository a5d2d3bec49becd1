import * as Effect from "effect/Effect"
import { type FilterOptions, filterOf, filterOptions } from "../filters.js"
import { noteMissingAgent } from "../noteMissingAgent.js"
import { type AsOfOptions, asOfOption, option, wholeNumber } from "../options.js"
import { idColumn, indexColumns } from "../rows.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

export const list: Command<FilterOptions & AsOfOptions & { readonly offset?: number }> = {
  usage: "list",
  summary: "list memories, newest first",
  options: [...filterOptions, option("--offset <n>", "skip the n newest memories", wholeNumber(0)), asOfOption],
  examples: ["list --limit 20", "list --person Alice --store shared --offset 20 --limit 20"],
  run: (call, options) =>
    Effect.gen(function* () {
      const { out } = call
      const memory = yield* call.reader(options.asOf)
      const rows = yield* memory.list({ ...(yield* filterOf(call, options)), offset: options.offset })
      yield* noteMissingAgent(call)
      yield* out.show(rows, () => table(out, rows, [idColumn, ...indexColumns]))
    })
}

import * as Effect from "effect/Effect"
import { type ListOrder, listOrders } from "../../src/search/MemoryReads.js"
import { type FilterOptions, filterOf, filterOptions, noteUnknownFilters } from "../filters.js"
import { type AsOfOptions, asOfOption, oneOfParser, option, wholeNumberParser } from "../options.js"
import { idColumn, indexColumns } from "../rows.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

export const list: Command<FilterOptions & AsOfOptions & { readonly offset?: number; readonly sort?: ListOrder }> = {
  usage: "list",
  summary: "list memories, newest first unless --sort says otherwise",
  options: [
    ...filterOptions,
    option("--offset <n>", "skip the first n memories", wholeNumberParser(0)),
    option("--sort <order>", `sort by ${listOrders.join(", ")}`, oneOfParser(listOrders)),
    asOfOption
  ],
  examples: [
    "list --limit 20",
    "list --tier mid --sort mentions",
    "list --person Alice --store shared --offset 20 --limit 20"
  ],
  needsNoRules: true,
  run: (call, options) =>
    Effect.gen(function* () {
      const { out } = call
      const memory = yield* call.reader(options.asOf)
      const rows = yield* memory.list({
        ...(yield* filterOf(call, options)),
        offset: options.offset,
        sort: options.sort
      })
      if (rows.length === 0) yield* noteUnknownFilters(out, memory, options)
      yield* out.show(rows, () => table(out, rows, [idColumn, ...indexColumns]))
    })
}

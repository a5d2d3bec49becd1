import * as Effect from "effect/Effect"
import { limits } from "../../src/model/limits.js"
import { type AsOfOptions, asOfOption, option, wholeNumberParser } from "../options.js"
import { idColumn, indexColumns } from "../rows.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

const neighbours = wholeNumberParser(0, limits.around)

export const timeline: Command<
  AsOfOptions & { readonly before?: number; readonly after?: number },
  readonly [id: string]
> = {
  usage: "timeline <id>",
  summary: "list memories shortly before and after a memory, oldest first",
  options: [
    option("--before <n>", `show n older memories, up to ${limits.around} (default: 5)`, neighbours),
    option("--after <n>", `show n newer memories, up to ${limits.around} (default: 5)`, neighbours),
    asOfOption
  ],
  examples: ["timeline 8k2v0q5w1x --before 3 --after 3"],
  needsNoRules: true,
  run: ({ out, reader }, { after, asOf, before }, [anchor]) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const rows = yield* memory.timeline({ anchor, before, after })
      yield* out.show(rows, () =>
        table(out, rows, [{ name: "", cell: ({ id }) => (id === anchor ? ">" : "") }, idColumn, ...indexColumns])
      )
    })
}

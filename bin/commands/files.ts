import * as Effect from "effect/Effect"
import { dayText } from "../format.js"
import { type AsOfOptions, asOfOption, type PageOptions, pageOptions } from "../options.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

export const files: Command<AsOfOptions & PageOptions> = {
  usage: "files",
  summary: "list the indexed files, newest first",
  options: [...pageOptions, asOfOption],
  examples: ["files", "files --limit 5"],
  run: ({ out, reader }, { asOf, limit, offset }) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const rows = yield* memory.files.list({ limit, offset })
      yield* out.show(rows, () =>
        table(out, rows, [
          { name: "changed", cell: ({ occurredAt }) => dayText(occurredAt) },
          { name: "store", cell: ({ store }) => store },
          { name: "kind", cell: ({ media }) => media },
          { name: "lines", cell: ({ lines }) => lines, alignRight: true },
          { name: "tokens", cell: ({ tokens }) => tokens, alignRight: true },
          { name: "session", cell: ({ session }) => session ?? "" },
          { name: "path", cell: ({ path }) => path, elastic: true }
        ])
      )
    })
}

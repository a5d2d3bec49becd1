import * as Effect from "effect/Effect"
import { dayText, oneLine } from "../format.js"
import { type AsOfOptions, asOfOption, flag, type PageOptions, pageOptions } from "../options.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

interface DecisionsOptions extends AsOfOptions, PageOptions {
  readonly open?: boolean
}

export const decisions: Command<DecisionsOptions> = {
  usage: "decisions",
  summary: "list contradictions that nobody has settled",
  options: [flag("--open", "list the open ones (the default)"), ...pageOptions, asOfOption],
  examples: ["decisions --open"],
  run: ({ out, reader }, { asOf, limit, offset }) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const open = yield* memory.decisions({ limit, offset })
      yield* out.show(open, () =>
        table(out, open, [
          { name: "id", cell: ({ id }) => id, colour: "cyan" },
          { name: "day", cell: ({ at }) => dayText(at) },
          { name: "level", cell: ({ level }) => level },
          { name: "sure", cell: ({ confidence }) => confidence?.toFixed(2) ?? "", alignRight: true },
          { name: "title", cell: ({ title }) => title },
          {
            name: "disputes",
            cell: ({ disputedBy = [], moreSides }) => {
              const sides = disputedBy.map(({ id, level, title }) => `${id} (${level}) ${oneLine(title)}`)
              return [...sides, ...(moreSides === undefined ? [] : [`${moreSides} more`])].join("; ")
            },
            elastic: true
          }
        ])
      )
    })
}

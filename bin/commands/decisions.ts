import * as Effect from "effect/Effect"
import type { DisputeDecision } from "../../src/search/MemoryReads.js"
import { dayText, oneLine } from "../format.js"
import { type AsOfOptions, asOfOption, flag, type PageOptions, pageOptions } from "../options.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

interface DecisionsOptions extends AsOfOptions, PageOptions {
  readonly open?: boolean
}

export const decisions: Command<DecisionsOptions> = {
  usage: "decisions",
  summary: "list contradictions between memories, and how they were settled",
  options: [flag("--open", "list only contradictions that nobody has settled"), ...pageOptions, asOfOption],
  examples: ["decisions --open"],
  needsNoRules: true,
  run: ({ out, reader }, { asOf, limit, offset, open }) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const listed = yield* memory.decisions({ open, limit, offset })
      yield* out.show(listed, () =>
        table(out, listed, [
          { name: "id", cell: ({ id }) => id, colour: "cyan" },
          { name: "day", cell: ({ at }) => dayText(at) },
          ...(open === true ? [] : [{ name: "state", cell: ({ state }: DisputeDecision) => state }]),
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

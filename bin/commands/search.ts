import * as Effect from "effect/Effect"
import type { Hit } from "../../src/search.js"
import { type FilterOptions, filterOf, filterOptions } from "../filters.js"
import { type AsOfOptions, asOf } from "../options.js"
import { idColumn, indexColumns } from "../rows.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

export const search: Command<FilterOptions & AsOfOptions, readonly [words: ReadonlyArray<string>]> = {
  usage: "search <query...>",
  summary: "find memories by words and likeness, best first",
  options: [...filterOptions, asOf],
  examples: [
    'search "when do we deploy"',
    "search trust model --type decision --after 2026-01-01 --limit 5",
    "search 東京 --as-of 2026-03-01 --json"
  ],
  run: ({ out, reader }, options, [words]) =>
    Effect.gen(function* () {
      const memory = yield* reader(options.asOf)
      const hits = yield* memory.search({ ...filterOf(options), text: words.join(" ") })
      yield* out.show(hits, () => {
        const score = { name: "score", of: (hit: Hit) => hit.score.toFixed(3), right: true }
        return table(out, hits, [idColumn, score, ...indexColumns])
      })
    })
}

import * as Effect from "effect/Effect"
import { second } from "../format.js"
import { type AsOfOptions, asOf, type PageOptions, pageOptions } from "../options.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

export const sessions: Command<AsOfOptions & PageOptions> = {
  usage: "sessions",
  summary: "conversations, the most recently used first",
  options: [...pageOptions, asOf],
  examples: ["sessions", "sessions --limit 5"],
  run: ({ out, reader }, { asOf, limit, offset }) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const found = yield* memory.sessions({ limit, offset })
      yield* out.show(found, () =>
        table(out, found, [
          { name: "session", of: ({ session }) => session, colour: "cyan" },
          { name: "store", of: ({ store }) => store },
          { name: "turns", of: ({ turns }) => turns, right: true },
          { name: "tokens", of: ({ tokens }) => tokens, right: true },
          { name: "last said", of: ({ lastAt }) => second(lastAt) },
          { name: "speakers", of: ({ speakers }) => speakers.join(", "), elastic: true }
        ])
      )
    })
}

import * as Effect from "effect/Effect"
import { secondText } from "../format.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

export const agents: Command = {
  usage: "agents",
  summary: "list the agents in the data folder",
  operator: true,
  run: ({ daybook, out }) =>
    Effect.gen(function* () {
      const found = yield* Effect.flatMap(daybook, (one) => one.agents)
      yield* out.show(found, () =>
        table(out, found, [
          { name: "name", of: ({ name }) => name, colour: "bold" },
          { name: "version", of: ({ version }) => version, right: true },
          { name: "last event", of: ({ recordedAt }) => secondText(recordedAt) }
        ])
      )
    })
}

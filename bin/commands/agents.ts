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
      const rows = yield* Effect.flatMap(daybook, (opened) => opened.agents)
      yield* out.show(rows, () =>
        table(out, rows, [
          { name: "name", cell: ({ name }) => name, colour: "bold" },
          { name: "version", cell: ({ version }) => version, alignRight: true },
          { name: "last event", cell: ({ recordedAt }) => secondText(recordedAt) }
        ])
      )
    })
}

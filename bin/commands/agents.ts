import * as Effect from "effect/Effect"
import { timestampText } from "../format.js"
import { confusionText, findLookAlikes } from "../lookAlikes.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

export const agents: Command = {
  usage: "agents",
  summary: "list the agents in the data folder",
  operator: true,
  needsNoRules: true,
  run: ({ daybook, out }) =>
    Effect.gen(function* () {
      const known = yield* Effect.flatMap(daybook, (opened) => opened.agents)
      const lookAlikes = yield* Effect.promise(() => findLookAlikes(known.map(({ name }) => name)))
      const rows = known.map((agent) => ({ ...agent, ...lookAlikes.get(agent.name) }))
      yield* out.show(rows, () =>
        table(out, rows, [
          { name: "name", cell: ({ name }) => name, colour: "bold" },
          { name: "version", cell: ({ version }) => version, alignRight: true },
          { name: "last event", cell: ({ recordedAt }) => timestampText(recordedAt) },
          ...(rows.some((row) => confusionText(row) !== "") ? [{ name: "warning", cell: confusionText }] : [])
        ])
      )
    })
}

import * as Effect from "effect/Effect"
import { cardFactText } from "../../projections/cardFacts.js"
import type { Card } from "../../projections/people.js"
import { oneLine, timestampText } from "../format.js"
import { type AsOfOptions, asOfOption, type PageOptions, pageOptions } from "../options.js"
import { table } from "../table.js"
import type { Command } from "./Command.js"

export const people: Command<AsOfOptions & PageOptions, readonly [name: string | undefined]> = {
  usage: "people [name]",
  summary: "list the people in memories; with a name, show facts about them",
  options: [...pageOptions, asOfOption],
  examples: ["people", "people alice"],
  run: ({ out, reader }, { asOf, limit, offset }, [name]) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const mentioned = yield* memory.people({ name, limit, offset })
      yield* out.show(mentioned, async () => {
        const rows = await table(out, mentioned, [
          { name: "name", cell: ({ name }) => name, colour: "bold" },
          { name: "mentions", cell: ({ mentions }) => mentions, alignRight: true },
          { name: "last mentioned", cell: ({ lastMentionedAt }) => timestampText(lastMentionedAt) },
          { name: "facts", cell: ({ facts }) => facts.length, alignRight: true },
          { name: "stores", cell: ({ stores }) => stores.join(", ") }
        ])
        if (name === undefined) return rows
        return [
          rows,
          ...mentioned.flatMap(({ cards, facts, name }) =>
            facts.map((fact) => `${oneLine(name)}: ${oneLine(fact)}${storesOf(fact, cards)}`)
          )
        ].join("\n")
      })
    })
}

/** If a person has cards in several stores, lists the stores whose card contains the fact. */
const storesOf = (fact: string, cards: ReadonlyArray<Card>): string => {
  const having = cards.filter(({ facts }) =>
    Object.entries(facts).some(([name, value]) => cardFactText(name, value) === fact)
  )
  return cards.length < 2 || having.length === 0 ? "" : ` (${having.map(({ store }) => store).join(", ")})`
}

import * as Effect from "effect/Effect"
import type { Store } from "../../events/Trust.js"
import { usageError } from "../exit.js"
import { oneLine } from "../format.js"
import { commandIdOption, option, parseStore } from "../options.js"
import { awaitVectors } from "../vectors.js"
import type { Command } from "./Command.js"

interface PersonCall {
  readonly store?: Store
  readonly commandId?: string
}

export const updatePerson: Command<PersonCall, readonly [name: string, facts: ReadonlyArray<string>]> = {
  usage: "update-person <name> <facts...>",
  creates: true,
  summary: "set facts about a person by name, such as a birthday",
  options: [
    option("--store <store>", "set the facts in this store: private, shared or social", parseStore),
    commandIdOption
  ],
  details: ["A fact is NAME=VALUE, and NAME= removes it. `birthday` takes a day, with or without the year."],
  examples: [
    'update-person "Ada Lovelace" birthday=1990-12-10 relationship=colleague "favourite tea=oolong"',
    'update-person "Ada Lovelace" relationship='
  ],
  run: (call, { commandId, store }, [name, given]) =>
    Effect.gen(function* () {
      const facts = new Map<string, string | null>()
      for (const [index, fact] of given.entries()) {
        const end = fact.indexOf("=")
        const key = fact.slice(0, Math.max(end, 0)).trim()
        if (key === "")
          return yield* usageError(`facts: argument ${index + 1} must be NAME=VALUE, or NAME= to remove a fact`)
        if (facts.has(key)) return yield* usageError(`${key}: is set twice`)
        const value = fact.slice(end + 1).trim()
        facts.set(key, value === "" ? null : value)
      }
      const memory = yield* call.memory
      const updated = yield* memory.updatePerson(name, Object.fromEntries(facts), { store, commandId })
      yield* awaitVectors(call)
      yield* call.out.show(updated, () =>
        [
          `${updated.outcome} ${updated.id}${updated.version === undefined ? "" : ` (version ${updated.version})`}`,
          ...Object.entries(updated.card).map(([key, value]) => `${key}: ${oneLine(value)}`)
        ].join("\n")
      )
    })
}

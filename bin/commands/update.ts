import * as Effect from "effect/Effect"
import { type ContentOptions, contentFromOptions, contentOptions, warnOfPastExpiry } from "../content.js"
import { loweredFieldsNote } from "../lowered.js"
import { commandIdOption, oneOfParser, option, repeatableOption } from "../options.js"
import { awaitVectors } from "../vectors.js"
import type { Command } from "./Command.js"

/** The options that `--clear` accepts, with the value that empties each field. */
const emptyValues = {
  narrative: { narrative: null },
  fact: { facts: [] },
  tag: { tags: [] },
  person: { people: [] },
  file: { files: [] },
  project: { project: null },
  topic: { topic: null },
  at: { occurredAt: null },
  expires: { expiresAt: null }
} as const

interface UpdateOptions extends ContentOptions {
  readonly title?: string
  readonly clear?: ReadonlyArray<keyof typeof emptyValues>
  readonly commandId?: string
}

export const update: Command<UpdateOptions, readonly [id: string]> = {
  usage: "update <id>",
  summary: "change the given fields of a memory; a list replaces the old list",
  options: [
    option("--title <text>", "set the title"),
    ...contentOptions,
    repeatableOption(
      "--clear <option>",
      "clear the field that this option sets",
      oneOfParser(Object.keys(emptyValues))
    ),
    commandIdOption
  ],
  details: [`--clear takes: ${Object.keys(emptyValues).join(", ")}`],
  examples: ['update 8k2v0q5w1x --title "Deploys happen on Thursdays"', "update 8k2v0q5w1x --store shared --clear tag"],
  run: (call, options, [id]) =>
    Effect.gen(function* () {
      const { clear = [], commandId, title } = options
      const memory = yield* call.memory
      const changes = {
        ...(title === undefined ? {} : { title }),
        ...contentFromOptions(options),
        ...Object.assign({}, ...clear.map((field) => emptyValues[field]))
      }
      const updated = yield* memory.update(id, changes, { commandId })
      yield* awaitVectors(call)
      yield* warnOfPastExpiry(updated.id, options.expires)
      yield* call.out.show(
        updated,
        () =>
          `${updated.outcome} ${updated.id}${updated.version === undefined ? "" : ` (version ${updated.version})`}${loweredFieldsNote(updated, call.trust)}`
      )
    })
}

import * as Effect from "effect/Effect"
import type { Memory } from "../../src/Memory.js"
import { limits } from "../../src/model/limits.js"
import { type CommandEnded, refusalError, usageError } from "../exit.js"
import { commandIdOption, option, parseNonEmpty } from "../options.js"
import type { Command, Failure } from "./Command.js"

interface ForgetOptions {
  readonly text?: string
  readonly commandId?: string
}

export const forget: Command<ForgetOptions, readonly [id: string | undefined]> = {
  usage: "forget [id]",
  alias: "rm",
  summary: "hide a memory; its history stays in the log",
  options: [
    option("--text <text>", "choose the memory by its title, or by a part of its text", parseNonEmpty),
    commandIdOption
  ],
  details: ["--text must match exactly one memory: by its title or, if no title matches, by a part of its text."],
  examples: ["forget 8k2v0q5w1x", 'forget --text "Deploys happen on Tuesdays"'],
  run: ({ memory, out }, { commandId, text }, [id]) =>
    Effect.gen(function* () {
      if ((id === undefined) === (text === undefined)) return yield* usageError("'forget' needs either an id or --text")
      const opened = yield* memory
      const chosen = id ?? (yield* findByText(opened, text!))
      const forgotten = yield* opened.forget(chosen, { commandId })
      yield* out.show(
        forgotten,
        () => `forgot ${forgotten.id}${forgotten.version === undefined ? "" : ` (version ${forgotten.version})`}`
      )
    })
}

/** Returns the id of the only memory with this title or, if no title matches, of the only one with this text in it. */
const findByText = (memory: Memory, text: string): Effect.Effect<string, Failure | CommandEnded> =>
  Effect.gen(function* () {
    const needle = folded(text)
    const hits = yield* memory.search({ text: `"${text.replaceAll('"', " ")}"`, limit: limits.ids })
    const whole = yield* memory.get(hits.map(({ id }) => id))
    const titled = whole.filter(({ title }) => folded(title) === needle)
    const matches =
      titled.length > 0
        ? titled
        : whole.filter(({ facts, narrative = "", title }) =>
            [title, narrative, ...facts].some((field) => folded(field).includes(needle))
          )
    const [only, ...others] = matches
    if (only === undefined) return yield* refusalError("no memory has this title or contains this text")
    if (others.length > 0) {
      const ids = matches.slice(0, maxIds).map(({ id }) => id)
      const more = matches.length > maxIds ? `, and ${matches.length - maxIds} more` : ""
      return yield* refusalError(`${matches.length} memories match: pass the id of one: ${ids.join(", ")}${more}`)
    }
    return only.id
  })

const maxIds = 10

const folded = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim()

import * as Effect from "effect/Effect"
import type { MemoryReader } from "../../src/Memory.js"
import { SessionNotFound } from "../../src/model/errors.js"
import type { ReadError } from "../../src/model/filters.js"
import { limits } from "../../src/model/limits.js"
import { oneLine, timestampText } from "../format.js"
import { type AsOfOptions, asOfOption, option, parseRowCount } from "../options.js"
import type { Command } from "./Command.js"

export const turns: Command<AsOfOptions & { readonly last?: number }, readonly [session: string]> = {
  usage: "turns <session>",
  summary: "list the last turns of a conversation, oldest first",
  options: [
    option("--last <n>", `show the last n turns, up to ${limits.page} (default: 100)`, parseRowCount),
    asOfOption
  ],
  examples: ["turns monday --last 10"],
  needsNoRules: true,
  run: ({ out, reader }, { asOf, last }, [session]) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const result = yield* memory.sessions.get(session, { last })
      if (result.length === 0 && !(yield* hasFiles(memory, session))) return yield* new SessionNotFound({ session })
      yield* out.show(result, () =>
        result.length === 0
          ? out.colours.dim("nothing found")
          : result
              .map(({ occurredAt, role, sequence, speaker, text, toolCalls = [] }) =>
                [
                  String(sequence).padStart(5),
                  out.colours.dim(timestampText(occurredAt)),
                  `${out.colours.bold(oneLine(speaker ?? role))}: ${oneLine([text, ...toolCalls.map(({ name }) => `[${name}]`)].join(" ").trim())}`
                ].join("  ")
              )
              .join("\n")
      )
    })
}

/** True if a session has files. Such a session exists even without turns. */
const hasFiles = (memory: MemoryReader, session: string): Effect.Effect<boolean, ReadError> =>
  Effect.gen(function* () {
    for (let offset = 0; ; offset += limits.page) {
      const files = yield* memory.files.list({ limit: limits.page, offset })
      if (files.some((file) => file.session === session)) return true
      if (files.length < limits.page) return false
    }
  })

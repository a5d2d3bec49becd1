import * as Effect from "effect/Effect"
import * as Prompt from "../../src/context/shapes.js"
import { limits } from "../../src/model/limits.js"
import { countText } from "../format.js"
import { type AsOfOptions, asOfOption, oneOfParser, option, parseIsoTime, wholeNumberParser } from "../options.js"
import type { Command } from "./Command.js"

const formats = ["text", "markdown", "messages", "anthropic"] as const

/** With a smaller budget, hardly anything fits, so the prompt would be empty. */
const minTokens = 250

interface ContextOptions extends AsOfOptions {
  readonly k?: number
  readonly tokens?: number
  readonly at?: number
  readonly format?: (typeof formats)[number]
}

export const getContext: Command<ContextOptions, readonly [session: string, message?: string]> = {
  usage: "get-context <session> [message]",
  summary: "print the prompt for the model's next turn in a session",
  options: [
    option("--k <n>", "recall at most n memories (default: 20)", wholeNumberParser(1, limits.ids)),
    option(
      "--tokens <n>",
      `use at most n tokens, n ≥ ${minTokens} (default: 8000, or the policy's)`,
      wholeNumberParser(minTokens)
    ),
    option("--format <format>", `set the output format: ${formats.join(", ")}`, oneOfParser(formats)),
    option("--at <time>", "set the time of the message, ISO 8601 (default: now)", parseIsoTime),
    asOfOption
  ],
  examples: [
    "get-context monday",
    'get-context monday "When do we deploy?" --tokens 2000',
    'get-context monday "When do we deploy?" --format anthropic'
  ],
  run: ({ out, reader }, { asOf, format = "text", ...options }, [session, message]) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const heading = format === "text" ? "text" : "markdown"
      const context = yield* memory.context({ session, message, ...options, format: heading })
      if (format === "messages")
        yield* out.show(Prompt.messages(context, message), () => json(Prompt.messages(context, message)))
      else if (format === "anthropic") {
        yield* out.show(Prompt.anthropic(context, message), () => json(Prompt.anthropic(context, message)))
      } else yield* out.show(context, () => Prompt.text(context))
      for (const { part, reason } of context.leftOut) out.note(`left out ${part}: ${reason}`)
      out.note(`${countText(context.tokens, "token")} of ${context.budget}`)
    })
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

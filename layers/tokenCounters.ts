import { createRequire } from "node:module"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InvalidPolicy } from "../src/model/errors.js"
import type { PolicyValues } from "../src/ports/Policy.js"
import { TokenCounter } from "../src/ports/TokenCounter.js"
import { countMixedTokens, estimateTokens } from "../text/normalise/countTokens.js"

const counters = { estimate: estimateTokens, mixed: countMixedTokens }
const encodings = ["o200k_base", "cl100k_base"] as const
type Encoding = (typeof encodings)[number]

/** The encoding of an OpenAI model, or of an encoding's own name; undefined if the name is unknown. */
const encodingOf = (name: string): Encoding | undefined =>
  encodings.find((encoding) => encoding === name) ??
  (/^(?:gpt-(?:4o|4\.[15]|[5-9])|chatgpt-4o|o[1-9](?:-|$))/.test(name)
    ? "o200k_base"
    : /^(?:gpt-(?:4|3\.5)|text-embedding-(?:3|ada))/.test(name)
      ? "cl100k_base"
      : undefined)

const require = createRequire(import.meta.url)

/** The tokenizer of an encoding. The first count loads its tables, which takes about 0.3 s. */
const tokenizerOf = (encoding: Encoding): Effect.Effect<(text: string) => number, string> =>
  Effect.try({
    try: () => require.resolve(`gpt-tokenizer/encoding/${encoding}`),
    catch: () => "the package gpt-tokenizer is not installed: npm install gpt-tokenizer@4"
  }).pipe(
    Effect.map((path) => {
      let tokenizer: { readonly encode: (text: string, options: object) => ArrayLike<number> } | undefined
      // Text that looks like a control token ("<|endoftext|>") is data.
      const options = { allowedSpecial: new Set(), disallowedSpecial: new Set() }
      return (text: string): number => {
        tokenizer ??= require(path) as NonNullable<typeof tokenizer>
        return tokenizer.encode(text, options).length
      }
    })
  )

/** The counter with a name. The name is a value of the setting `tokens.counter`. */
export const tokenCounterLayer = (name: string): Layer.Layer<TokenCounter, InvalidPolicy> => {
  const invalid = (problem: string) => new InvalidPolicy({ problems: [`tokens.counter: ${problem}`] })
  if (name === "estimate" || name === "mixed") return Layer.succeed(TokenCounter, { count: counters[name] })
  const encoding = encodingOf(name)
  return encoding === undefined
    ? Layer.fail(invalid(`must be estimate, mixed, ${encodings.join(", ")} or an OpenAI model`))
    : Layer.effect(
        TokenCounter,
        Effect.mapBoth(tokenizerOf(encoding), { onFailure: invalid, onSuccess: (count) => ({ count, isExact: true }) })
      )
}

/** The policy's counter. With the default `estimate`, the layer is empty, so a program can provide its own counter. */
export const policyTokenCounterLayer = ({
  tokens: { counter }
}: Pick<PolicyValues, "tokens">): Layer.Layer<never, InvalidPolicy> =>
  counter === "estimate" ? Layer.empty : tokenCounterLayer(counter)

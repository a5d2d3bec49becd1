import * as Context from "effect/Context"
import { estimateTokens } from "../../text/normalise/countTokens.js"

/** Counts the tokens of a text. The default estimates; a layer or the setting `tokens.counter` replaces it. */
export class TokenCounter extends Context.Reference<TokenCounter>()("daybook/TokenCounter", {
  defaultValue: () => ({ count: estimateTokens })
}) {}

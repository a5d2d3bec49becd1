import * as Context from "effect/Context"
import { estimateTokens } from "../../text/normalise/countTokens.js"

export interface TokenCounterService {
  readonly count: (text: string) => number
  /**
   * True if the count is the model's own. Otherwise the count is an estimate, and prompts leave a margin. Default:
   * false.
   */
  readonly isExact?: boolean
}

/** Counts the tokens of a text. The default estimates; a layer or the setting `tokens.counter` replaces it. */
export class TokenCounter extends Context.Reference<TokenCounter>()("daybook/TokenCounter", {
  defaultValue: (): TokenCounterService => ({ count: estimateTokens })
}) {}

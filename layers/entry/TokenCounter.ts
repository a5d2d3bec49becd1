/** Token counters. `TokenCounter` is the port: an Effect reference, whose default is an estimate. */
import * as Layer from "effect/Layer"
import type { InvalidPolicy } from "../../src/model/errors.js"
import { TokenCounter } from "../../src/ports/TokenCounter.js"
import { countMixedTokens } from "../../text/normalise/countTokens.js"
import { tokenCounterLayer } from "../tokenCounters.js"

export { TokenCounter } from "../../src/ports/TokenCounter.js"
export { estimateTokens as estimate } from "../../text/normalise/countTokens.js"

/** Words × 0.75 and CJK characters × 1.5. */
export const layerMixed: Layer.Layer<TokenCounter> = Layer.succeed(TokenCounter, { count: countMixedTokens })

/**
 * The tokenizer of an encoding ("o200k_base", "cl100k_base") or of an OpenAI model ("gpt-4o"). Needs the optional
 * package `gpt-tokenizer`, which the first count loads.
 */
export const layerTokenizer = (name: string): Layer.Layer<TokenCounter, InvalidPolicy> => tokenCounterLayer(name)

/** Counters of tokens. `TokenCounter` is the port, a reference whose default estimates. */
import * as Layer from "effect/Layer"
import type { InvalidPolicy } from "../../src/model/errors.js"
import { TokenCounter } from "../../src/ports/TokenCounter.js"
import { countMixed } from "../../text/normalise/countTokens.js"
import { tokenCounterLayer } from "../tokenCounters.js"

export { TokenCounter } from "../../src/ports/TokenCounter.js"
export { estimateTokens as estimate } from "../../text/normalise/countTokens.js"

/** Words × 0.75 and CJK characters × 1.5. */
export const layerMixed: Layer.Layer<TokenCounter> = Layer.succeed(TokenCounter, { count: countMixed })

/**
 * The tokenizer of an encoding ("o200k_base", "cl100k_base") or of a model of OpenAI ("gpt-4o"). Needs the optional
 * package `gpt-tokenizer`, which is loaded with the first text.
 */
export const layerTokenizer = (name: string): Layer.Layer<TokenCounter, InvalidPolicy> => tokenCounterLayer(name)

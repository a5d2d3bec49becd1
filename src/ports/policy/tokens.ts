import * as Schema from "effect/Schema"
import { withDefault } from "./fields.js"

/** Counting of tokens. */
export const Tokens = Schema.Struct({
  /**
   * "estimate", which needs no package and is usually within 5 % of OpenAI's o200k; "mixed", words × 0.75 and CJK
   * characters × 1.5; an encoding ("o200k_base", "cl100k_base") or an OpenAI model ("gpt-4o"), counted by the
   * optional package gpt-tokenizer.
   */
  counter: withDefault(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200)), "estimate")
})

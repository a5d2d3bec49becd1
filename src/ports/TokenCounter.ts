import * as Context from "effect/Context"

/** Counts the tokens of a text. The default estimates; provide a tokenizer as a layer to replace it. */
export class TokenCounter extends Context.Reference<TokenCounter>()("daybook/TokenCounter", {
  defaultValue: () => ({ count: estimate })
}) {}

/** CJK characters × 1.5 + other words × 0.75, rounded up. An estimate that needs no tokenizer. */
export const estimate = (text: string): number => {
  let ideographs = 0
  let words = 0
  let inWord = false
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0x3040 && unit <= 0x9fff) {
      ideographs++
      inWord = false
    } else if (unit > 0x20 && unit !== 0x3000) {
      if (!inWord) words++
      inWord = true
    } else inWord = false
  }
  return Math.ceil(ideographs * 1.5 + words * 0.75)
}

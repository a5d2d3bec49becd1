import * as Context from "effect/Context"

/** Counts what a text costs a reader in tokens. The default estimates; a tokenizer takes its place as a layer. */
export class TokenCounter extends Context.Reference<TokenCounter>()("daybook/TokenCounter", {
  defaultValue: () => ({ count: estimate })
}) {}

/** CJK characters × 1.5 + other words × 0.75, rounded up. An estimate: no tokenizer is loaded for it. */
export const estimate = (text: string): number => {
  let ideographs = 0
  let words = 0
  let inWord = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
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

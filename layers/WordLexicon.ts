import * as Layer from "effect/Layer"
import { Lexicon } from "../src/ports/Lexicon.js"
import { wordTable } from "./wordTable.js"

/** The words of the word embedder's table: the 50,000 most frequent words and names of English. */
export const layer: Layer.Layer<never> = Layer.succeed(Lexicon, {
  has: (word) => {
    try {
      return wordTable().rowOf(word) !== undefined
    } catch {
      // Without the table, every word counts as possibly misspelt.
      return false
    }
  }
})

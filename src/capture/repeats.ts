import type { Memory } from "../../events/Memory.js"
import type { Role } from "../../events/Turn.js"
import { foldLetters } from "../../text/normalise/letters.js"
import { sentencesOf } from "../../text/normalise/sentences.js"

/** Finds what a turn repeats of the memories that were shown in its session. */
export interface Repeats {
  /** The titles and facts of the shown memories. */
  readonly texts: ReadonlyArray<string>
  /** The text of a turn without the sentences that repeat a shown memory. */
  readonly remove: (text: string, role: Role) => string
  /** Whether a text has the words of a title or fact, in the same order. */
  readonly isShown: (text: string) => boolean
}

/** Minimum words of a shown text that is recognised within a longer sentence, and its least share of that sentence. */
const minWords = 4
const minShare = 0.6

export const makeRepeats = (shown: ReadonlyArray<Pick<Memory, "id" | "title" | "facts">>): Repeats => {
  const texts = [...new Set(shown.flatMap(({ facts, title }) => [title, ...facts]))]
  const keys = new Set(texts.map(wordsOf).filter((words) => words !== ""))
  const long = [...keys].filter((words) => countWords(words) >= minWords)
  const ids = shown.map(({ id }) => id)
  const isPart = (words: string) => {
    const count = countWords(words)
    return long.some((key) => countWords(key) >= minShare * count && ` ${words} `.includes(` ${key} `))
  }
  /**
   * A user may add something to a shown text, so only its repetition as a whole or a pasted line of a prompt counts.
   */
  const isRepeated = (sentence: string, role: Role) => {
    const words = wordsOf(sentence)
    return keys.has(words) || ids.some((id) => sentence.includes(id)) || (role !== "user" && isPart(words))
  }
  return {
    texts,
    remove: (text, role) =>
      shown.length === 0 ? text : withoutSentences(text, (sentence) => isRepeated(sentence, role)),
    isShown: (text) => keys.has(wordsOf(text))
  }
}

/** Leaves out sentences; the text stays as it is if it has none of them. */
const withoutSentences = (text: string, isLeftOut: (sentence: string) => boolean): string => {
  const sentences = sentencesOf(text)
  const kept = sentences.filter((sentence) => !isLeftOut(sentence))
  return kept.length === sentences.length ? text : kept.join("\n")
}

/** The words of a text, lower-case and without accents and punctuation. */
const wordsOf = (text: string): string =>
  (
    foldLetters(text)
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).join(" ")

const countWords = (words: string): number => words.split(" ").length

import type { Memory } from "../../events/Memory.js"
import type { Role } from "../../events/Turn.js"
import { foldLetters } from "../../text/normalise/letters.js"
import { sentencesOf } from "../../text/normalise/sentences.js"

/** Finds the parts of a turn that repeat memories shown in its session. */
export interface RepeatFinder {
  /** The titles and facts of the shown memories. */
  readonly texts: ReadonlyArray<string>
  /** The text of a turn without the sentences that repeat a shown memory. */
  readonly remove: (text: string, role: Role) => string
  /** Returns true if a text has the same words as a shown title or fact, in the same order. */
  readonly isShown: (text: string) => boolean
}

/**
 * A shown text is recognised within a longer sentence if it has at least this many words, and at least this share of
 * the sentence's words.
 */
const minWords = 4
const minShare = 0.6

export const makeRepeatFinder = (shown: ReadonlyArray<Pick<Memory, "id" | "title" | "facts">>): RepeatFinder => {
  const texts = [...new Set(shown.flatMap(({ facts, title }) => [title, ...facts]))]
  const keys = new Set(texts.map(wordsOf).filter((words) => words !== ""))
  const long = [...keys].filter((words) => countWords(words) >= minWords)
  const ids = shown.map(({ id }) => id)
  const isPart = (words: string) => {
    const count = countWords(words)
    return long.some((key) => countWords(key) >= minShare * count && ` ${words} `.includes(` ${key} `))
  }
  /**
   * A user may add something to a shown text. A user's sentence is therefore a repeat only if it equals a shown text,
   * or if it contains a memory's id, as a pasted line of a prompt does.
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

/** Removes sentences from a text. If no sentence is removed, the text stays unchanged. */
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

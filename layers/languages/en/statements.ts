import type { Statement } from "../../../src/ports/StatementReader.js"
import { functionWords, setOf } from "../../../text/normalise/functionWords.js"
import { foldLetters } from "../../../text/normalise/letters.js"
import { sentencesOf, specificWords } from "../../../text/normalise/sentences.js"
import { stemOf } from "../../../text/normalise/stem.js"

export const statementOf = (text: string): Statement => {
  const words = wordsOf(text)
  const telling = [...specificWords(text)].flatMap((word) => wordsOf(word))
  return {
    words: new Set(words),
    turning: new Set(words.filter((word) => turning.has(word))),
    telling: [...new Set(telling)]
  }
}

/** The words of a text in order, without words that do not change its meaning. */
const wordsOf = (text: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  const folded = foldLetters(text).toLowerCase().replaceAll("’", "'")
  for (const [word] of folded.matchAll(wordOrRun)) {
    if (unspaced.test(word))
      for (let index = 0; index + 1 < word.length; index++) words.push(word.slice(index, index + 2))
    else if (word === "cannot" || word.endsWith("n't")) words.push("not")
    else {
      const withoutSuffix = word.replace(/'(?:s|re|m|ve|d|ll)?$/u, "")
      if (!empty.has(withoutSuffix)) words.push(turning.has(withoutSuffix) ? withoutSuffix : stemOf(withoutSuffix))
    }
  }
  return words
}

/**
 * Splits a text at the first kind of separator that it contains: sentence ends, then colons and semicolons, then
 * commas, dashes and brackets, then conjunctions.
 */
export const piecesOf = (text: string): ReadonlyArray<string> => {
  const separators = [/(?<=[;:…])\s+|(?<=；)/u, /,\s+|\s+[–—-]\s+|[()]|[，、]/u, /\s+(?:and|but|while)\s+/u]
  for (const split of [sentencesOf, ...separators.map((separator) => (part: string) => part.split(separator))]) {
    const pieces = split(text).filter((piece) => wordsOf(piece).length > 0)
    if (pieces.length > 1) return pieces
  }
  return [text]
}

const scripts = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}"
const unspaced = new RegExp(`^[${scripts}ー]{2,}$`, "u")
const number = "(?<![\\p{L}\\p{N}])[-−]?\\p{N}+(?:[.,:/-]\\p{N}+)*|\\p{N}+(?:[.,:/-]\\p{N}+)*"
const sign = "[\\p{Sc}\\p{Sm}%°‰#?？]"
const wordOrRun = new RegExp(`[${scripts}ー]+|${number}|[\\p{L}\\p{M}]+(?:'[\\p{L}\\p{M}]+)*|${sign}`, "gu")

const words = functionWords

/**
 * Words that do not change the meaning of a statement: pronouns, present forms, and prepositions without a direction.
 * All other function words count: "not", "before", "was" and "all" change the meaning.
 */
const empty = setOf(
  words.articles,
  words.demonstratives,
  words.speaker,
  words.group,
  words.listener,
  words.persons,
  words.things,
  words.reflexives,
  words.presentBe,
  words.have,
  "of to in at on for by with and as so also which who whom there"
)

/** English words that change the meaning of a statement in any position. In other languages, every word counts. */
const turning = setOf(
  words.negations,
  words.modals,
  words.pastBe,
  words.had,
  `been only until before after above below under over against from off out more most if once than about some all any
  each few both again never none nobody nothing neither without till less fewer least except unless whether maybe perhaps
  possibly used formerly previously instead rather almost nearly ? every either still yet already soon`
)

/** True if a sentence says that something was decided. */
export const statesDecision = (sentence: string): boolean => decisionPattern.test(sentence)

/** True if a sentence names an open task. */
export const statesOpenItem = (sentence: string): boolean => openPattern.test(sentence)

const decisionPattern = new RegExp(
  [
    String.raw`\b(?:decided|agreed|chose|chosen|settled on|made up (?:my|our) minds?|signed off on)\b`,
    String.raw`\b(?:we|i|let's|let us|we'll|i'll)\s+(?:will\s+|are\s+|am\s+)?(?:go|going|went|stick|sticking)\s+with\b`,
    String.raw`^\W*(?:decision|agreed|resolved|conclusion)\s*:`,
    String.raw`\b(?:is|are|was)\s+(?:the|our)\s+decision\b`
  ].join("|"),
  "iu"
)

const openPattern = new RegExp(
  [
    String.raw`\b(?:todo|tbd|to-do|follow[- ]?ups?|open (?:question|item|issue|point)s?|next steps?|outstanding|unresolved)\b`,
    String.raw`\b(?:still|yet|later|tomorrow|next)\b.*\b(?:need|needs|have|has|must|should|remains?|want|wants)\s+to\b`,
    String.raw`\b(?:need|needs|have|has|must|should|remains?|want|wants)\s+to\b.*\b(?:still|yet|later|tomorrow|next)\b`,
    String.raw`\b(?:still|yet) (?:need|needs|have|has|remains?|to be|open|missing|unclear|undecided|not)\b`,
    String.raw`\b(?:is|are|was|were|has|have|had|do|does|did)(?:n't| not)\b.*\byet\b`
  ].join("|"),
  "iu"
)

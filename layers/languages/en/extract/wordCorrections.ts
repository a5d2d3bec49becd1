import { isStopWord } from "../../../../text/normalise/functionWords.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { lexicon } from "../rules/lexicon.js"
import { tenseOf } from "./tense.js"

// Corrections of ordinary words, in any letter case: "I meant walnuts, not peanuts".

/** The wrong words of an earlier statement and the right ones, without articles. */
export interface WordCorrection {
  readonly wrong: string
  readonly right: string
}

const lead = "(?:(?:oh|ah|no|sorry|wait|oops|actually|well)[,.!\\s]+)*"
const meaning = "(?<meaning>i (?:meant?|said) |(?:it|that)(?:'s| is) |make (?:it|that) )?"
const before = "(?:in |at |to |with |on |from |as )?(?:the |an? |my |our )?"
const words = "[\\p{L}'-]+(?: [\\p{L}'-]+){0,2}?"
const forms = [
  new RegExp(
    `^${lead}${meaning}${before}(?<right>${words})(?:,? (?:and |but )?|, ?)not ${before}(?<wrong>${words})[.!]*$`,
    "iu"
  ),
  new RegExp(`^${lead}not ${before}(?<wrong>${words}), (?:but )?${meaning}${before}(?<right>${words})[.!]*$`, "iu"),
  new RegExp(
    `^${lead}(?:it|that)(?:'s| is) not ${before}(?<wrong>${words}), (?:but )?(?<meaning>(?:it|that)(?:'s| is) )?${before}(?<right>${words})[.!]*$`,
    "iu"
  )
]

/** Reads a text that only says which words are wrong and which are right: "walnuts, not peanuts", "not tea, coffee". */
export const readWordCorrection = (text: string): WordCorrection | undefined => {
  for (const form of forms) {
    const { meaning: mark, right = "", wrong = "" } = form.exec(text)?.groups ?? {}
    if (right !== "" && isNounPhrase(right, mark !== undefined) && isNounPhrase(wrong, true)) return { right, wrong }
  }
  return undefined
}

/**
 * True if words can name something. "Drinks coffee" is a clause; without "I meant", a first word that ends with "s" may be
 * its verb.
 */
const isNounPhrase = (text: string, isMarked: boolean): boolean => {
  const parts = text.toLowerCase().split(" ")
  return (
    !parts.some((word) => isStopWord(word)) &&
    tenseOf(parts) === "none" &&
    (isMarked || parts.length === 1 || !parts[0]!.endsWith("s"))
  )
}

/** Writes the right words into an earlier text. Undefined if the wrong words name nothing there. */
export const replaceWrongWords = (text: string, { right, wrong }: WordCorrection): string | undefined => {
  if (wrong.toLowerCase() === right.toLowerCase()) return undefined
  const lower = text.toLowerCase()
  const index = lower.lastIndexOf(wrong.toLowerCase())
  const end = index + wrong.length
  if (index < 0 || isLetter.test(lower[index - 1] ?? "") || isLetter.test(lower[end] ?? "")) return undefined
  // "Hot" in "hot chocolate" only describes what is named.
  const next = /^ ([\p{L}'-]+)/u.exec(lower.slice(end, end + maxWord))?.[1]
  if (next !== undefined && !isStopWord(next) && !afterNoun.test(next)) return undefined
  return withArticleFor(text.slice(0, index), right) + right + text.slice(end)
}
const afterNoun = /^(?:every|each|daily|since|today|tomorrow|now|usually|instead|please)$/u
const isLetter = /[\p{L}\p{N}-]/u
const maxWord = 40

/** Writes "a" or "an" at the end of a text for the word that follows. */
const withArticleFor = (text: string, next: string): string =>
  text.replace(/(?<=(?:^|\s)a)n?(?= $)/iu, /^[aeiou]/iu.test(next) ? "n" : "")

const slip = /\bi meant\b|\b(?:no|wait|sorry|oops|whoops)[^\p{L}]+i mean\b|\b(?:correction|make that|or rather)\b/iu
const repair =
  /^(?:(?<article>the|an?|my|our) )?(?<right>[\p{L}'-]+(?: [\p{L}'-]+)?)(?:,? (?:and )?not (?:the |an? |my |our )?(?<wrong>[\p{L}'-]+(?: [\p{L}'-]+)?))?(?=\s*(?:[.!;)]|$)|,? (?:on|in|at|with|for|from|since|every|and|but|because)\b)/iu

/**
 * Repairs a slip in an ordinary word: "I hate cilantro. Wait, no, I meant parsley." `start`, `end`: the words between the
 * slip and its repair. Undefined if no slip is certain.
 */
export const repairWords = (
  text: string,
  { end, start }: { readonly end: number; readonly start: number }
): string | undefined => {
  const cue = text.slice(start, end)
  if (!slip.test(cue) || cue.includes("\n")) return undefined
  const said = repair.exec(text.slice(end, end + maxRepair))
  const { article, right = "", wrong } = said?.groups ?? {}
  if (said === null || !isNounPhrase(right, true) || /^(?:every|each|all|any|what|that|this)\b/iu.test(right))
    return undefined
  const from = Math.max(0, start - maxRepair)
  const slipped = text.slice(from, start)
  const rest = text.slice(end + said[0].length)
  if (wrong !== undefined) {
    const repaired = replaceWrongWords(slipped, { right, wrong })
    return repaired === undefined ? undefined : text.slice(0, from) + repaired + rest
  }
  const phrase = nounPhraseAtEnd(slipped)
  // "I take the tram to the office. I meant the bus": nothing says which of the two is wrong.
  const clause = slipped
    .split(/[.!?;,]\s/u)
    .at(-1)!
    .replace(onePhrase, "")
  if (phrase === undefined || /\b(?:for|at|to|in|on|with|from|of|by|about|as)\b/iu.test(clause)) return undefined
  const kept = slipped.slice(0, -phrase.length)
  // "I live near the station. I meant to call."
  if (/\bto\s+$/iu.test(cue) && !/\bto $/iu.test(kept)) return undefined
  const determiner = /(?<=^|\s)(?:the|an?|my|our) $/iu
  const isDetermined = determiner.test(kept)
  const lead =
    article === undefined
      ? withArticleFor(kept, right)
      : withArticleFor(`${kept.replace(determiner, "")}${article} `, right)
  // The cue may have taken the article of the right words: "I meant the cello".
  return isDetermined || article !== undefined || !/\b(?:the)\s+$/iu.test(cue)
    ? text.slice(0, from) + lead + right + rest
    : `${text.slice(0, from)}${kept}the ${right}${rest}`
}
/** A beginning after which only one thing is named: "I work in …", "Tom is allergic to …". */
const onePhrase = /^\s*\S+ (?:\S+ |(?:is|am|are) allergic )(?:for|at|to|in|on|with|from|by|about|as) /iu
/** Maximum characters before and after a slip that are read. */
const maxRepair = 80

/** The noun phrase at the end of a text: the words after the last verb, preposition or article, at most three. */
const nounPhraseAtEnd = (text: string): string | undefined => {
  const parts = text.split(" ")
  let count = 0
  while (count < maxPhrase && isNounAt(parts, parts.length - 1 - count)) count++
  return count === 0 ? undefined : parts.slice(-count).join(" ")
}
const maxPhrase = 3
const isNounAt = (parts: ReadonlyArray<string>, index: number): boolean => {
  const word = parts[index]?.toLowerCase() ?? ""
  if (!/^\p{L}[\p{L}'-]*$/u.test(word) || isStopWord(word)) return false
  const isLast = index === parts.length - 1
  const isVerb =
    lexicon.entries.get(stemOf(word))?.verb === true || /^(?:i|we|you|they|he|she)$/iu.test(parts[index - 1] ?? "")
  return isLast ? !/^(?:i|we|you|they|he|she)$/iu.test(parts[index - 1] ?? "") : !isVerb
}

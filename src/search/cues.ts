import type { ChunkCandidate, ChunkFacts } from "../../projections/conversationSearch.js"
import { type NamedSpeakers, nameWords } from "../../projections/speakers.js"
import {
  insideSentencePattern,
  isEverydayName,
  looksLikeName,
  lowerCaseWordPattern
} from "../../text/normalise/everydayNames.js"
import { isStopWord } from "../../text/normalise/functionWords.js"
import { lazy } from "../../text/normalise/lazy.js"
import { mentionsAsker } from "../../text/normalise/questionWords.js"
import { months } from "../../text/when/dateWords.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { Word } from "./querySyntax.js"

// A question has further cues besides its words and times: the speakers that it names, and neighbouring turns that
// match too.

/**
 * Computes the score that a short chunk gains from its neighbours. A subject usually lasts for several turns. Often one
 * turn names the subject and another turn answers the question. Each neighbour adds its score × contextWeight ×
 * contextDecay^(distance − 1).
 */
export const neighbourScores = (
  fused: ReadonlyArray<{ readonly candidate: ChunkCandidate; readonly text: number; readonly vector: number }>,
  { contextDecay, contextTurns, contextWeight }: PolicyValues["search"]
): ((chunk: ChunkFacts) => number) => {
  /** The best score of each turn of a session, by its sequence. */
  const sessions = new Map<string, Map<number, number>>()
  const keyOf = ({ session, store }: ChunkFacts) => `${store} ${session}`
  for (const { candidate, text, vector } of fused) {
    const { kind, sequence, sequenceEnd } = candidate.chunk
    if (kind !== "turn") continue
    const key = keyOf(candidate.chunk)
    const scores = sessions.get(key) ?? new Map<number, number>()
    sessions.set(key, scores)
    // A repeated turn has two places, `sequence` and `sequenceEnd`, each with neighbours.
    for (const edge of [sequence!, sequenceEnd!]) {
      scores.set(edge, Math.max(scores.get(edge) ?? 0, text + vector))
    }
  }
  const contextAt = (scores: ReadonlyMap<number, number>, number: number) => {
    let context = 0
    let weight = contextWeight
    for (let distance = 1; distance <= contextTurns; distance++) {
      context += weight * (scores.get(number - distance) ?? 0)
      context += weight * (scores.get(number + distance) ?? 0)
      weight *= contextDecay
    }
    return context
  }
  return (chunk) => {
    if (chunk.kind !== "turn" || chunk.length > maxLength) return 0
    const scores = sessions.get(keyOf(chunk))!
    const context = contextAt(scores, chunk.sequence!)
    return chunk.sequenceEnd === chunk.sequence ? context : Math.max(context, contextAt(scores, chunk.sequenceEnd!))
  }
}

/** Maximum characters of a short chunk. A longer one (over about 80 words) is clear without its neighbours. */
const maxLength = 450

/**
 * Drops the words that name a speaker, unless no other words remain; `speakerMatcher` scores speakers instead. A word
 * names a speaker if the text contains the whole name, or if the word is written as a name: "did Mira go" names "Mira Holt",
 * but "when did we deploy" does not name "Deploy Bot".
 */
export const dropSpeakerNames = (
  words: ReadonlyArray<Word>,
  names: NamedSpeakers,
  plainText: string
): ReadonlyArray<Word> => {
  const sentence = lowerCaseWordPattern().test(plainText)
  const isName = ({ offset, text }: Word) => {
    const parts = nameWords(text.replace(possessive, ""))
    if (parts.length === 0 || !parts.every((part) => names.words.has(part))) return false
    if (parts.every((part) => names.completeWords.has(part))) return true
    // In a sentence with lower-case words, a capital marks a name or a month.
    const isWrittenAsName =
      sentence && capital().test(text) && !absolute.test(text) && insideSentencePattern.test(plainText.slice(0, offset))
    return isWrittenAsName && parts.every((part) => names.words.has(part))
  }
  const others = words.filter((word) => !word.isDroppable || !isName(word))
  return others.length === 0 ? words : others
}

/**
 * Finds the speakers that a text names. An everyday word counts only if it is written as a name: "will it rain" does
 * not name a speaker "Will", and "in May" does not name a speaker "May". A whole name of several words always counts.
 */
export const speakersNamedIn = (names: NamedSpeakers, text: string): NamedSpeakers => {
  const doubtful = new Set([...names.words].filter(isEverydayName))
  if (doubtful.size === 0) return names
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const [part] = nameWords(word)
    if (part !== undefined && doubtful.has(part) && looksLikeName(text, index, word.length)) doubtful.delete(part)
  }
  for (const row of names.rows) if (row.length > 1) for (const part of row) doubtful.delete(part)
  const certain = (words: ReadonlySet<string>) => new Set([...words].filter((word) => !doubtful.has(word)))
  return { words: certain(names.words), completeWords: certain(names.completeWords), rows: names.rows }
}

const absolute = new RegExp(`\\d|^(?:${months.join("|")})$`, "iu")
const possessive = /['’]s$/u
const capital = lazy(() => /^[^\p{L}]*\p{Lu}\p{M}*\p{Ll}/u)

/**
 * Matches the chunks of the speakers that a question names, by the whole name or a word of it. If the question names
 * nobody and says "I" or "my", it matches the user's turns.
 */
export const speakerMatcher = (text: string, { words: names }: NamedSpeakers): ((chunk: ChunkFacts) => boolean) => {
  if (names.size > 0) return ({ speaker }) => speaker !== null && nameWords(speaker).some((word) => names.has(word))
  const words = new Set(lowerCaseWords(text))
  return mentionsAsker(text, words) ? ({ role }) => role === "user" : () => false
}

/** Matches a project whose words all occur in the question. */
export const projectMatcher = (text: string): ((project: string | null) => boolean) => {
  const words = new Set(lowerCaseWords(text))
  return (project) => {
    const projectWords = project === null ? [] : lowerCaseWords(project)
    return projectWords.length > 0 && projectWords.every((word) => words.has(word) && !isStopWord(word))
  }
}

/** The words of a text in lower case. */
export const lowerCaseWords = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

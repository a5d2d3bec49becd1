import type { ChunkCandidate, ChunkFacts } from "../../projections/conversationSearch.js"
import { type NamedSpeakers, nameWords } from "../../projections/speakers.js"
import { insideSentence, isEverydayName, lowerCaseWord, writtenAsName } from "../../text/normalise/everydayNames.js"
import { isStopWord } from "../../text/normalise/functionWords.js"
import {
  daysNamedIn,
  isAmbiguousTime,
  isFrameWord,
  isRelativeTime,
  isRelativeWord,
  namesAsker,
  namesMay
} from "../../text/normalise/questionWords.js"
import { earliest, latest } from "../../text/when/dates.js"
import { dateWords, months } from "../../text/when/dateWords.js"
import { type ResolvedTime, resolveTimes } from "../../text/when/resolveTimes.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { LeftOut } from "./explain.js"
import type { TimeReference } from "./fields.js"
import type { ParsedQuery, Word } from "./query.js"

// Besides its words, a question has other cues: speakers, times, and matching turns shortly before and after a turn.

/**
 * Computes the score that a short chunk gains from its neighbours. A subject usually lasts for several turns, and often
 * one turn names it and another one answers. Each neighbour adds its score × contextWeight × contextDecay^(distance −
 * 1).
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
    if (kind === "file") continue
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
    if (chunk.kind === "file" || chunk.length > maxLength) return 0
    const scores = sessions.get(keyOf(chunk))!
    const context = contextAt(scores, chunk.sequence!)
    return chunk.sequenceEnd === chunk.sequence ? context : Math.max(context, contextAt(scores, chunk.sequenceEnd!))
  }
}

/** Maximum characters of a short chunk. A longer one (over about 80 words) is clear without its neighbours. */
const maxLength = 450

/**
 * Drops the words that name a speaker, unless no other words remain; `speakerCue` scores speakers instead. A word names
 * a speaker if the text contains the whole name, or if the word is written as a name: "did Mira go" names "Mira Holt",
 * but "when did we deploy" does not name "Deploy Bot".
 */
export const dropSpeakerNames = (
  words: ReadonlyArray<Word>,
  names: NamedSpeakers,
  plainText: string
): ReadonlyArray<Word> => {
  const sentence = lowerCaseWord.test(plainText)
  const isName = ({ offset, text }: Word) => {
    const parts = nameWords(text.replace(possessive, ""))
    if (parts.length === 0 || !parts.every((part) => names.words.has(part))) return false
    if (parts.every((part) => names.completeWords.has(part))) return true
    // In a sentence with lower-case words, a capital marks a name or a month.
    const isWrittenAsName =
      sentence && capital.test(text) && !absolute.test(text) && insideSentence.test(plainText.slice(0, offset))
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
    if (part !== undefined && doubtful.has(part) && writtenAsName(text, index, word.length)) doubtful.delete(part)
  }
  for (const row of names.rows) if (row.length > 1) for (const part of row) doubtful.delete(part)
  const certain = (words: ReadonlySet<string>) => new Set([...words].filter((word) => !doubtful.has(word)))
  return { words: certain(names.words), completeWords: certain(names.completeWords), rows: names.rows }
}

const absolute = new RegExp(`\\d|^(?:${months.join("|")})$`, "iu")
const possessive = /['’]s$/u
const capital = /^[^\p{L}]*\p{Lu}\p{M}*\p{Ll}/u

/**
 * Matches the chunks of the speakers that a question names, by the whole name or a word of it. If the question names
 * nobody and says "I" or "my", it matches the user's turns.
 */
export const speakerCue = (text: string, { words: names }: NamedSpeakers): ((chunk: ChunkFacts) => boolean) => {
  if (names.size > 0) return ({ speaker }) => speaker !== null && nameWords(speaker).some((word) => names.has(word))
  const words = new Set(wordsOf(text))
  return namesAsker(text, words) ? ({ role }) => role === "user" : () => false
}

/** The times that a query names, and its words without those that only name a time. */
export interface Times {
  readonly ranges: ReadonlyArray<ResolvedTime>
  readonly words: ReadonlyArray<Word>
  readonly leftOut: ReadonlyArray<LeftOut>
  /** Whether the query names only times. It then asks for everything in these times. */
  readonly hasOnlyTimes: boolean
  /** For each time, its words that may occur in the text of a memory ("March", "2026-03-14"). */
  readonly timeWords: ReadonlyArray<ReadonlyArray<Word>>
  readonly hints: ReadonlyArray<string>
}

/** Maximum named times of a query. Each costs an SQL query. */
const maxTimes = 8

/**
 * Finds the times of a query. Words like "last week" do not occur in the text of a memory, so they are not searched.
 * Months, days, feasts, years and dates may occur, so they are.
 */
export const timesIn = ({ must, plainText, should }: ParsedQuery, { now, zone }: TimeReference): Times => {
  const times = resolveTimes(plainText, now, zone)
  const ranges = times.slice(0, maxTimes)
  const hints = times.length > maxTimes ? [`only the first ${maxTimes} times are used`] : []
  if (ranges.length === 0) return { ranges, words: should, leftOut: [], hasOnlyTimes: false, timeWords: [], hints }
  const isWithin = ({ offset }: Word, { index, text }: ResolvedTime) => offset >= index && offset < index + text.length
  const isRelative = (word: Word) =>
    word.isDroppable &&
    ranges.some((range) => {
      const [ago, counted] = [isRelativeTime(range.text), /^\d{1,3}$/.test(word.text)]
      return isWithin(word, range) && (isRelativeWord(word.text) || (ago && counted))
    })
  const searchedWords = should.filter((word) => !isRelative(word))
  const inTimes = (word: Word) => ranges.some((range) => isWithin(word, range))
  const hasOnlyTimes =
    must.length === 0 && searchedWords.every((word) => inTimes(word) || isStopWord(word.text) || isFrameWord(word.text))
  const timeWords = ranges.flatMap((range) => {
    const words = searchedWords.filter((word) => isWithin(word, range))
    // An open range such as "before May" names no time, and "may" and "march" alone may be other words.
    const names = range.from !== earliest && range.to !== latest && words.some(({ text }) => !isAmbiguousTime(text))
    return names ? [words] : []
  })
  const leftOut = should
    .filter((word) => !searchedWords.includes(word))
    .map(({ text }) => ({ word: text, reason: "time" as const }))
  return { ranges, words: searchedWords, leftOut, hasOnlyTimes, timeWords, hints }
}

/** Matches a project whose words all occur in the question. */
export const projectCue = (text: string): ((project: string | null) => boolean) => {
  const words = new Set(wordsOf(text))
  return (project) => {
    const projectWords = project === null ? [] : wordsOf(project)
    return projectWords.length > 0 && projectWords.every((word) => words.has(word) && !isStopWord(word))
  }
}

/**
 * Matches instants in a time that a question names: in one of `ranges`, or on a named day, in a named month or year. A
 * month without a year matches in every year. UTC.
 */
export const dateCue = (text: string, ranges: ReadonlyArray<ResolvedTime>): ((instant: number) => boolean) => {
  const matchesCue = calendarCue(text)
  return (instant) => matchesCue(instant) || ranges.some(({ from, to }) => instant >= from && instant < to)
}

const calendarCue = (text: string): ((instant: number) => boolean) => {
  const words = wordsOf(text)
  const years = words.filter((word) => /^(19|20)\d\d$/.test(word))
  const days = [...text.matchAll(iso)].map(([day]) => day)
  const monthWords = words.filter((word) => word !== "may" && months.some((month) => month.toLowerCase() === word))
  if (namesMay(text)) monthWords.push("may")
  const numbers = daysNamedIn(text)
  if (years.length + monthWords.length + days.length === 0) return () => false
  return (instant) => {
    const [day, month, year, , isoDay] = dateWords(instant).split(" ") as [string, string, string, string, string]
    if (days.length > 0) return days.includes(isoDay)
    if (years.length > 0 && !years.includes(year)) return false
    if (monthWords.length === 0) return true
    if (!monthWords.includes(month.toLowerCase())) return false
    return numbers.length === 0 || numbers.includes(Number(day))
  }
}

const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

const iso = /\b\d{4}-\d{2}-\d{2}\b/gu

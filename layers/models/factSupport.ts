import type { ExtractTurn } from "../../src/ports/Extractor.js"
import type { Statement } from "../../src/ports/StatementReader.js"
import { setOf } from "../../text/normalise/functionWords.js"
import { sentencesOf } from "../../text/normalise/sentences.js"
import { credentialMask } from "../../text/personal/maskCredentials.js"
import { piecesOf, statementOf } from "../languages/en/statements.js"
import { hasNegation, hasNegativeMeaning } from "./denials.js"
import { impliedDate, matchesRange, type Range, rangesOf, timesOf } from "./spokenTimes.js"

/** The turns that a fact names, prepared for comparison. */
export interface FactSources {
  /** The words of all texts, speakers and tool calls of the turns. */
  readonly words: ReadonlySet<string>
  /** The part of `words` that says nothing about the subject: names of speakers, "user" and "assistant". */
  readonly context: ReadonlySet<string>
  readonly clauses: ReadonlyArray<Clause>
  /** The days of the turns, and all times that the texts may mean. Milliseconds since the epoch. */
  readonly times: ReadonlyArray<Range>
  /** The time of the last turn. */
  readonly at: number
}

interface Clause {
  readonly words: ReadonlySet<string>
  readonly isNegative: boolean
  readonly isDenied: boolean
  readonly isQuestion: boolean
}

/** The minimum share of a text's words, without the speakers, that its sources must contain. */
const minShare = 0.5
const day = 86_400_000

/** Prepares turns. `accepted`: turns of the assistant that the user agreed to. Their questions count as statements. */
export const prepareFactSources = (
  turns: ReadonlyArray<ExtractTurn>,
  accepted: ReadonlySet<ExtractTurn>
): FactSources => {
  const context = wordsOf(statementOf(`user assistant ${turns.map(({ speaker = "" }) => speaker).join(" ")}`))
  const texts = turns.flatMap(({ channel = "", text, toolCalls = [] }) => [
    text,
    channel,
    ...toolCalls.flatMap((call) => [call.name, call.arguments ?? "", call.result ?? ""])
  ])
  return {
    words: new Set([
      ...context,
      ...[...texts, ...turns.map(impliedDate)].flatMap((text) => [...wordsOf(statementOf(text))])
    ]),
    context,
    clauses: turns.flatMap((turn) =>
      [turn.text, ...(turn.toolCalls ?? []).map(({ result = "" }) => result)].flatMap(sentencesOf).flatMap((sentence) =>
        clausesOf(sentence).map((clause) => ({
          words: wordsOf(statementOf(clause)),
          isNegative: hasNegativeMeaning(clause),
          isDenied: hasNegation(clause),
          isQuestion: /[?？]\s*$/u.test(sentence) && !accepted.has(turn)
        }))
      )
    ),
    times: turns.flatMap(({ at, text }) => [
      { from: Math.floor(at / day) * day, to: Math.floor(at / day + 1) * day },
      ...sentencesOf(text).flatMap((sentence) => timesOf(sentence, at).flatMap(rangesOf))
    ]),
    at: Math.max(...turns.map(({ at }) => at))
  }
}

/**
 * True if the turns state what a text states, judged by words. The turns must contain every number, name and date of
 * the text, and at least half of its other words. Each clause of the text must deny what the turns deny and nothing
 * else, and must not state what the turns only ask. A date may be written in full. A paraphrase in other words is not
 * supported.
 */
export const isSupported = (text: string, support: FactSources): boolean => {
  if (text.includes(credentialMask)) return false
  const claim = statementOf(withoutKnownTimes(text, support))
  if (partsOf(tellingOf(text, claim)).some((word) => !support.words.has(word))) return false
  const words = [...wordsOf(claim)].filter((word) => !support.context.has(word))
  const shared = words.filter((word) => support.words.has(word))
  return shared.length >= minShare * words.length && clausesOf(text).every((clause) => isMeant(clause, support))
}

/** True if the sources agree with a clause: they assert what it asserts, or deny what it denies. */
const isMeant = (text: string, { clauses, context }: FactSources): boolean => {
  const words = [...wordsOf(statementOf(text))].filter((word) => !context.has(word))
  const shares = clauses.map((clause) => words.filter((word) => clause.words.has(word)).length)
  const most = Math.max(0, ...shares)
  if (most === 0) return true
  const nearest = clauses.filter((_, index) => shares[index] === most)
  if (nearest.every(({ isQuestion }) => isQuestion)) return false
  return hasNegation(text)
    ? clauses.some(({ isNegative }, index) => isNegative && shares[index]! >= most / 2)
    : hasNegativeMeaning(text) || nearest.some((clause) => !clause.isDenied && !clause.isQuestion)
}

/**
 * The numbers, names and dates of a claim. The first word is not a name if a word like "a" or "him" follows: it is then
 * the verb of a task, as in "Get a ramp".
 */
const tellingOf = (text: string, { telling, turning }: Statement): ReadonlyArray<string> => {
  const [, first = "", second = ""] = /^\P{L}*(\p{L}+)\s+(\p{L}+)/u.exec(text) ?? []
  const verb = afterVerb.has(second.toLowerCase()) ? [...statementOf(first).words][0] : undefined
  return telling.filter((word) => word !== verb && !turning.has(word))
}

const afterVerb = setOf(
  "a an the this that these those my your his her its our their him them me us it all any some no"
)

/** True if the sources contain all words of a phrase. */
export const supportsPhrase = (phrase: string, { words }: FactSources): boolean => {
  const spoken = [...wordsOf(statementOf(phrase))]
  return spoken.length > 0 && spoken.every((word) => words.has(word))
}

/** True if the sources give a time: the day of a turn, or a time in its text. Allows a day more, for time zones. */
export const supportsTime = (instant: number, { times }: FactSources): boolean =>
  times.some(({ from, to }) => instant >= from - day && instant < to + day)

/** True if a text repeats another text: at least 80 % of its words are in the other text. */
export const repeatsText = (text: string, other: string): boolean => {
  const [words, otherWords] = [wordsOf(statementOf(text)), wordsOf(statementOf(other))]
  const shared = [...words].filter((word) => otherWords.has(word)).length
  return words.size > 0 && shared >= 0.8 * words.size
}

const clausesOf = (sentence: string): ReadonlyArray<string> =>
  piecesOf(sentence)
    .flatMap(piecesOf)
    .flatMap((piece) => piece.split(conjunctions))

/** Words that begin a new clause. The new clause may deny something although the previous clause does not. */
const conjunctions =
  /\s+(?:so|because|since|but|although|though|unless|if|which|who|when|weil|aber|denn|mais|parce|pero|porque)\s+/iu

const wordsOf = ({ words }: Statement): ReadonlySet<string> => new Set(partsOf(words))

/** Numbers are compared part by part and with one separator: "8-10" is "8" and "10", "16.40" is "16:40". */
const partsOf = (words: Iterable<string>): ReadonlyArray<string> =>
  [...words].flatMap((word) =>
    /^[-−]?\p{N}/u.test(word)
      ? word
          .split(/[-−/]/)
          .flatMap((part) => (part === "" ? [] : [part.replace(/[:,]/g, ".").replace(/^0+(?=\d)/, "")]))
      : [word]
  )

/** Removes from a text the times that its sources state in other words. */
const withoutKnownTimes = (text: string, { at, times }: FactSources): string => {
  let rest = text
  for (const time of [...timesOf(text, at)].reverse()) {
    if (matchesRange(times, time)) rest = `${rest.slice(0, time.index)} ${rest.slice(time.index + time.text.length)}`
  }
  return rest
}

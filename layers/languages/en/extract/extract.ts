import type {
  ExtractedEnd,
  ExtractedFact,
  Extraction,
  ExtractRequest,
  ExtractTurn
} from "../../../../src/ports/Extractor.js"
import { headAndTail } from "../../../../text/normalise/headAndTail.js"
import { detectLanguage } from "../../detectLanguage.js"
import { statementOf } from "../statements.js"
import { findRetraction, formerState } from "./changes.js"
import { contradictsEarlier, correctionKindOf, mayReplace } from "./corrections.js"
import type { Draft, PriorConversation } from "./Draft.js"
import { factOf } from "./fact.js"
import { type Mention, mentionsIn } from "./people.js"
import { draftsOf } from "./readTurn.js"
import { keepDay } from "./rescheduling.js"
import { isForOtherDays, isLimitedInTime, isUnaffected, mayCorrect } from "./timeLimits.js"
import { unnamedSpeaker } from "./titles.js"
import { type Weigh, weighPiece } from "./worth.js"

/** Hooks for the training of the weights. */
interface Weighing {
  readonly weigh?: Weigh
  /** Called for each piece of `turns`, not for the pieces of `context`. */
  readonly onPiece?: (...piece: Parameters<Weigh>) => void
}

/** Extracts facts from the user's English turns. Pure. */
export const extractEnglish = (
  { context, recalled, turns }: ExtractRequest,
  { onPiece, weigh = weighPiece }: Weighing = {}
): Pick<Extraction, "archive" | "facts"> => {
  if (!turns.some(({ role }) => role === "user")) return { facts: [] }
  const all = [...context, ...turns].map(shortenTurn)
  const mentions: Array<Mention> = []
  const facts: Array<ExtractedFact> = []
  const ends: Array<ExtractedEnd> = []
  let ofContext: ReadonlyArray<ExtractedFact> | undefined
  const observed: Weigh = (...piece) => {
    onPiece?.(...piece)
    return weigh(...piece)
  }
  const earlier = () => {
    ofContext ??=
      context.length === 0 ? [] : extractEnglish({ context: [], turns: context, recalled: [] }, { weigh }).facts
    return ofContext
  }
  for (const [position, turn] of all.entries()) {
    if (position >= context.length && turn.role === "user" && isEnglish(turn.text)) {
      const background = backgroundOf(all, position, mentions, () => (facts.length > 0 ? facts : earlier()))
      const taken = takenFrom(all, position, { facts, earlier, offset: context.length })
      if (taken !== undefined && facts.includes(taken)) facts.splice(facts.indexOf(taken), 1)
      else if (taken !== undefined) ends.push(endOf(taken, { turn: position - context.length }))
      for (const draft of draftsOf(turn, position - context.length, background, observed)) {
        const stated = factOf(draft, turn, background.speaker)
        const found = correctedBy(draft, stated, { at: turn.at, facts, earlier, speaker: background.speaker.name })
        const correction = found === undefined ? undefined : completed(stated, found, draft, turn.at)
        const retired = correction === undefined ? undefined : found
        const fact = correction ?? stated
        const former = formerTitle(draft, turn, background)
        if (former !== undefined) ends.push({ ...endOf({ title: former }, draft), reason: "replaced" })
        if (retired !== undefined && !facts.includes(retired)) ends.push(endOf(retired, draft))
        if (retired !== undefined && facts.includes(retired)) facts.splice(facts.indexOf(retired), 1)
        if (!isRecalled(fact.title, recalled) && !facts.some(({ title }) => title === fact.title)) facts.push(fact)
      }
    }
    if (turn.role === "user" || turn.role === "assistant") mentions.push(...mentionsIn(turn.text))
  }
  return ends.length === 0 ? { facts } : { facts, archive: ends }
}

/** The beginning and the end of a long turn: statements are read from the beginning, questions from the end. */
const shortenTurn = (turn: ExtractTurn): ExtractTurn => ({
  ...turn,
  text: headAndTail(turn.text, readCharacters.start, readCharacters.end)
})
/** Maximum characters that are read from a turn. A long turn must not block the event loop. */
const readCharacters = { start: 32_000, end: 8_000 }

/**
 * True unless a text is clearly in another language. Short texts have too few words to decide. The word "in" does not
 * count, because it exists in many languages.
 */
const isEnglish = (text: string): boolean => {
  if (text.length < minForeign || englishOnly.test(text)) return true
  const language = detectLanguage(text.replaceAll(/(?<!\p{L})in(?!\p{L})/giu, " "))
  return language === undefined || language === "en"
}
/** "I" inside a sentence, "I'm", "he's", "don't", "Ada's". */
const englishOnly =
  /(?<=[\p{L},;-] )I(?= \p{Ll})|\p{L}\p{L}['’](?:s|re|ve|ll|t|d)(?!\p{L})|(?<!\p{L})I['’](?:m|ve|ll|d)(?!\p{L})/u
/** Minimum characters of a text whose language is detected. */
const minForeign = 25

const backgroundOf = (
  all: ReadonlyArray<ExtractTurn>,
  position: number,
  mentions: ReadonlyArray<Mention>,
  earlier: PriorConversation["earlier"]
): PriorConversation => {
  const before = all.slice(0, position)
  const named = all.slice(0, position + 1).findLast(({ role, speaker }) => role === "user" && speaker !== undefined)
  const answered = before.at(-1)
  return {
    speaker: { name: named?.speaker ?? unnamedSpeaker },
    mentions,
    answered: answered?.role === "assistant" ? answered : undefined,
    userText: textOf(before.filter(({ role }) => role === "user")),
    around: textOf(all.slice(Math.max(0, position - 2), position + 1)),
    earlier
  }
}

/** Maximum characters that are read from each turn of the background. */
const maxBefore = 4_000

const textOf = (turns: ReadonlyArray<ExtractTurn>): string =>
  turns.map(({ text }) => text.slice(0, maxBefore)).join("\n")

/** True if a title only repeats a memory that was shown in the session. */
const isRecalled = (title: string, recalled: ReadonlyArray<string>): boolean => {
  if (recalled.length === 0) return false
  const { words } = statementOf(title)
  return recalled.some((shown) => {
    const known = statementOf(shown).words
    return [...words].every((word) => known.has(word))
  })
}

/** The facts that a correction is compared with. `at` and `speaker`: the time and the speaker of the correction. */
interface Known extends Pick<PriorConversation, "earlier"> {
  readonly at: number
  readonly facts: ReadonlyArray<ExtractedFact>
  readonly speaker: string
}

/** Finds the fact of an earlier turn that a draft corrects: first in this request, then in the context. */
const correctedBy = (
  { corrected, isCorrecting = false, reading, turn }: Draft,
  fact: ExtractedFact,
  { at, earlier, facts, speaker }: Known
): ExtractedFact | undefined => {
  const force = correctionKindOf(reading.piece.text, isCorrecting || reading.isCorrection)
  const isException = isLimitedInTime(reading)
  const isCorrected = (other: ExtractedFact) =>
    other.title !== fact.title &&
    contradictsEarlier(fact, other, { at, force, speaker }) &&
    !(isException && !mayCorrect(fact, other, at)) &&
    !isForOtherDays(reading.text, other.title) &&
    !isUnaffected(reading.piece.text, other, at)
  const isBefore = (other: ExtractedFact) => other.sources[0].turn !== turn
  if (corrected !== undefined && corrected !== fact.title) {
    const isRewritten = ({ title }: ExtractedFact) => title === corrected
    const rewritten =
      facts.findLast((other) => isBefore(other) && isRewritten(other)) ?? earlier().findLast(isRewritten)
    if (rewritten !== undefined) return rewritten
  }
  return (
    facts.findLast((other) => isBefore(other) && isCorrected(other)) ??
    (mayReplace(fact.title, force) ? earlier().findLast(isCorrected) : undefined)
  )
}

/**
 * Takes over what a correction does not say again: the type of a statement that gets another value, or the day of one
 * that gets another time. Undefined if the correction would lose such a day: both statements are kept.
 */
const completed = (
  fact: ExtractedFact,
  retired: ExtractedFact,
  { corrected }: Draft,
  at: number
): ExtractedFact | undefined => {
  if (retired.title !== corrected) return keepDay(fact, retired, at)
  const { importance, rule, type } = retired
  return { ...fact, rule, type, ...(importance === undefined ? {} : { importance }) }
}

/**
 * Finds the fact that a turn takes back: the last fact with the named word. If no word is named, the last fact of the
 * user's previous turn.
 */
const takenFrom = (
  all: ReadonlyArray<ExtractTurn>,
  position: number,
  { earlier, facts, offset }: Pick<Known, "earlier" | "facts"> & { readonly offset: number }
): ExtractedFact | undefined => {
  const back = findRetraction(all[position]!.text)
  if (back === undefined) return undefined
  const { word } = back
  if (word !== undefined) {
    const names = ({ title }: ExtractedFact) => title.toLowerCase().includes(word)
    return facts.findLast(names) ?? earlier().findLast(names)
  }
  const before = all.slice(0, position).findLastIndex(({ role }) => role === "user")
  const isBefore = (start: number) => (fact: ExtractedFact) => fact.sources[0].turn + start === before
  return facts.findLast(isBefore(offset)) ?? earlier().findLast(isBefore(0))
}

/** The title of the former statement that, according to a draft, is no longer true. */
const formerTitle = ({ former }: Draft, turn: ExtractTurn, { speaker }: PriorConversation): string | undefined =>
  former === undefined ? undefined : formerState(factOf(former, turn, speaker).title)

const endOf = ({ title }: Pick<ExtractedFact, "title">, { turn }: Pick<Draft, "turn">): ExtractedEnd => ({
  title,
  reason: "corrected",
  sources: [{ turn, reason: "corrects it" }]
})

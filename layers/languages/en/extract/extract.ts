import type {
  ExtractedEnd,
  ExtractedFact,
  Extraction,
  ExtractRequest,
  ExtractTurn
} from "../../../../src/ports/Extractor.js"
import { detectLanguage } from "../../detectLanguage.js"
import { statementOf } from "../statements.js"
import { replaces } from "./corrections.js"
import type { Background, Draft } from "./Draft.js"
import { factOf } from "./fact.js"
import { type Mention, mentionsIn } from "./people.js"
import { draftsOf } from "./readTurn.js"
import { unnamed } from "./titles.js"

/** Extracts what the user states in English turns. Pure. */
export const extractEnglish = ({ context, recalled, turns }: ExtractRequest): Pick<Extraction, "archive" | "facts"> => {
  if (!turns.some(({ role }) => role === "user")) return { facts: [] }
  const all = [...context, ...turns]
  const mentions: Array<Mention> = []
  const facts: Array<ExtractedFact> = []
  const ends: Array<ExtractedEnd> = []
  let ofContext: ReadonlyArray<ExtractedFact> | undefined
  const earlier = () => {
    ofContext ??= context.length === 0 ? [] : extractEnglish({ context: [], turns: context, recalled: [] }).facts
    return ofContext
  }
  for (const [position, turn] of all.entries()) {
    if (position >= context.length && turn.role === "user" && isEnglish(turn.text)) {
      const background = backgroundOf(all, position, mentions, () => (facts.length > 0 ? facts : earlier()))
      for (const draft of draftsOf(turn, position - context.length, background)) {
        const fact = factOf(draft, turn, background.speaker)
        const retired = correctedBy(draft, fact, turn.at, { facts, earlier })
        if (retired !== undefined && !facts.includes(retired)) ends.push(endOf(retired, draft))
        if (retired !== undefined && facts.includes(retired)) facts.splice(facts.indexOf(retired), 1)
        if (!isRecalled(fact.title, recalled) && !facts.some(({ title }) => title === fact.title)) facts.push(fact)
      }
    }
    if (turn.role === "user" || turn.role === "assistant") mentions.push(...mentionsIn(turn.text))
  }
  return ends.length === 0 ? { facts } : { facts, archive: ends }
}

/** Whether a text is not clearly in another language. Short texts have too few words to tell. */
const isEnglish = (text: string): boolean => {
  const language = text.length < minForeign ? undefined : detectLanguage(text)
  return language === undefined || language === "en"
}
/** Fewest characters of a text whose language is detected. */
const minForeign = 25

const backgroundOf = (
  all: ReadonlyArray<ExtractTurn>,
  position: number,
  mentions: ReadonlyArray<Mention>,
  earlier: Background["earlier"]
): Background => {
  const before = all.slice(0, position)
  const named = all.slice(0, position + 1).findLast(({ role, speaker }) => role === "user" && speaker !== undefined)
  const answered = before.at(-1)
  return {
    speaker: { name: named?.speaker ?? unnamed },
    mentions,
    answered: answered?.role === "assistant" ? answered : undefined,
    userText: textOf(before.filter(({ role }) => role === "user")),
    around: textOf(all.slice(Math.max(0, position - 2), position + 1)),
    earlier
  }
}

/** Characters of each turn around one that are read. */
const maxBefore = 4_000

const textOf = (turns: ReadonlyArray<ExtractTurn>): string =>
  turns.map(({ text }) => text.slice(0, maxBefore)).join("\n")

/** Whether a title only repeats a memory that was shown in the session. */
const isRecalled = (title: string, recalled: ReadonlyArray<string>): boolean => {
  if (recalled.length === 0) return false
  const { words } = statementOf(title)
  return recalled.some((shown) => {
    const known = statementOf(shown).words
    return [...words].every((word) => known.has(word))
  })
}

/** The fact of an earlier turn that a draft corrects: of the same request, otherwise of the context. */
const correctedBy = (
  { isWritten = false, reading, turn }: Draft,
  fact: ExtractedFact,
  at: number,
  { earlier, facts }: { readonly facts: ReadonlyArray<ExtractedFact>; readonly earlier: Background["earlier"] }
): ExtractedFact | undefined => {
  const isSaid = isWritten || reading.isCorrection
  const isCorrected = (other: ExtractedFact) => other.title !== fact.title && replaces(fact, other, at, isSaid)
  const mayBeEarlier = isSaid || (fact.occurredAt !== undefined && fact.people.length > 0)
  const isBefore = (other: ExtractedFact) => other.sources[0].turn !== turn
  return (
    facts.findLast((other) => isBefore(other) && isCorrected(other)) ??
    (mayBeEarlier ? earlier().findLast(isCorrected) : undefined)
  )
}

const endOf = ({ title }: ExtractedFact, { turn }: Draft): ExtractedEnd => ({
  title,
  reason: "corrected",
  sources: [{ turn, reason: "corrects it" }]
})

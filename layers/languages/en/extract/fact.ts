import type { ExtractedFact, ExtractTurn } from "../../../../src/ports/Extractor.js"
import { shortenText } from "../../../../text/normalise/sentences.js"
import { valuesIn } from "../values/readValues.js"
import type { PlacedValue } from "../values/Value.js"
import type { Draft } from "./Draft.js"
import { endOfSpan, resolveDates } from "./dates.js"
import { chooseFactType } from "./factType.js"
import { mentionsIn } from "./people.js"
import type { WorthSign } from "./points.js"
import type { Reading } from "./reading.js"
import { addOmittedSubject, asReminder, asTitle, replaceFirstPerson, resolvePronoun, type Speaker } from "./titles.js"
import { projectOf, tagsOf, topicOf } from "./topics.js"

/** Turns a draft into a fact. The title can be understood on its own, because it names the speaker, people and days. */
export const factOf = (draft: Draft, turn: ExtractTurn, speaker: Speaker): ExtractedFact => {
  const { reading, signs, text, turn: index } = draft
  const { mention, times, title } = titleOf(draft, turn, speaker)
  const held = draft.former === undefined ? [] : [titleOf(draft.former, turn, speaker)]
  const further = [...held, ...(draft.further ?? []).map((other) => titleOf(other, turn, speaker))].filter(
    (other) => !title.startsWith(other.title)
  )
  const mentioned = [text, ...(draft.further ?? []).map((other) => other.text)].flatMap((said) => mentionsIn(said))
  // "Karim doesn't drink": only people do or are this, so "Karim" is the name of a person.
  const isHuman = reading.subject === "named" && humanSigns.some((sign) => signs.has(sign))
  const people = [...mentioned, ...(mention === undefined ? [] : [mention])].flatMap(({ isWeak, label, name }) =>
    isWeak === true && !(isHuman && text.startsWith(label)) ? [] : (name ?? [])
  )
  const isDone = reading.tense === "past" || reading.tense === "perfect"
  const { importance, rule, type } = chooseFactType(signs, reading, {
    isAboutPerson: isAboutPerson(people, reading, signs),
    isAhead: times.occurredAt !== undefined && times.occurredAt >= turn.at - (isDone ? 0 : dayLength)
  })
  const project = projectOf(text)
  const topic = topicOf(reading)
  const expiresAt =
    times.expiresAt ?? (signs.has("fleeting") ? endOfDay(turn.at) : isDone ? undefined : endOfSpan(text, turn.at))
  return {
    title,
    ...(further.length === 0 ? {} : { facts: further.map((other) => other.title) }),
    type,
    importance,
    people: [...new Set(people)],
    tags: tagsOf(reading.piece.text),
    sources: [{ turn: index, reason: draft.isCorrecting === true ? "corrects an earlier statement" : reasonOf(signs) }],
    rule,
    statedBy: "user",
    ...(project === undefined ? {} : { project }),
    ...(topic === undefined ? {} : { topic }),
    ...(times.occurredAt === undefined ? {} : { occurredAt: times.occurredAt }),
    ...(expiresAt === undefined ? {} : { expiresAt })
  }
}

const humanSigns: ReadonlyArray<WorthSign> = ["own state", "liking", "own health", "aged", "was a"]

/**
 * True if a statement is about somebody other than its speaker. A statement about a pet or the speaker's own name is
 * about the speaker.
 */
const isAboutPerson = (
  people: ReadonlyArray<string>,
  { hits, text, words }: Reading,
  signs: ReadonlySet<WorthSign>
): boolean => {
  if (/^my (?:full |first |last |real )?name(?:'s| is)\b|^(?:i'm|i am) (?:called|named)\b/iu.test(text)) return false
  const isOwn = words[0] === "i" && signs.has("has a") && !hits.has("kin") && people.length === 0
  return !isOwn && (people.length > 0 || signs.has("pronoun") || signs.has("relative"))
}

/** True if people moved to a place ("I moved to Ghent in May"); false if an appointment moved to another day. */
const isMove = ({ subject }: Reading, text: string, values: ReadonlyArray<PlacedValue>): boolean =>
  (subject === "speaker" || subject === "omitted" || subject === "group") &&
  !values.some(({ index }) => /\b(?:to|until|till)\s+(?:the\s+)?$/iu.test(text.slice(0, index)))

/**
 * Writes a statement as a title that can be understood on its own. Returns also its times and the person to whom its
 * pronoun refers.
 */
const titleOf = (
  { isWritten = false, keptQuestion, mentions, reading, signs, text }: Draft,
  turn: ExtractTurn,
  speaker: Speaker
) => {
  const values = text === reading.text ? reading.values : valuesIn(text, turn.at)
  const isWithoutTense = isWritten || (signs.has("shifted") && !isMove(reading, text, values))
  const times = resolveDates(text, values, isWithoutTense ? "none" : reading.tense, turn.at)
  const resolved = resolvePronoun(times.text, mentions)
  const heading = reading.piece.heading === undefined ? "" : `${reading.piece.heading}: `
  const stated = signs.has("accepts") ? resolved.text.replace(openingApproval, "") : resolved.text
  const sentence = replaceFirstPerson(
    addOmittedSubject(
      `${heading}${asReminder(signs.has("instructs") ? asInstruction(stated) : stated)}`,
      reading,
      speaker
    ),
    speaker
  )
  if (keptQuestion !== undefined) {
    const question = resolveDates(keptQuestion, valuesIn(keptQuestion, turn.at), "none", turn.at).text.replaceAll(
      '"',
      "'"
    )
    const title = `${speaker.name}, asked "${shortenText(question, maxQuestion)}": ${asTitle(times.text)}`
    return { title: shortenText(title, maxTitle), times, mention: undefined }
  }
  const title = asTitle(signs.has("accepts") ? `Decided: ${sentence.replace(approval, "")}` : sentence)
  return { title: isWritten ? asTitle(times.text) : shortenText(title, maxTitle), times, mention: resolved.mention }
}

/**
 * Turns a lasting wish into an instruction: "would you use larger letters in future?" becomes "use larger letters in
 * future".
 */
const asInstruction = (text: string): string =>
  text.replace(/^(?:please |so |and )*(?:can|could|would|will) you (?:please |kindly )?/iu, "").replace(/[\s?]+$/u, "")

/** Words of approval after the thing that was chosen: "copper beech, yes, perfect". */
const approval =
  /(?:[\s,]+(?:yes|perfect|please|it is|that's the one|that one|let's (?:do|go with|take) that|sounds (?:good|great|perfect)|good idea)|(?: is|'s) (?:good|great|perfect|fine))+[\s.!]*$/iu

/** Words of approval at the start, before a mark or "let's": "sounds good, let's do eight". */
const openingApproval =
  /^(?:(?:yes|yep|ok|okay|sure|deal|agreed|perfect|great|fine|(?:that |it )?(?:sounds|looks) (?:good|great|perfect|fine)|good idea|that works|works for me)(?:\s*[,.!–—-]\s*|\s+(?=let's )))+(?=\S)/iu

/** Maximum characters of a title, and of a question that a title quotes. */
const maxTitle = 280
const maxQuestion = 160

const reasonOf = (signs: ReadonlySet<WorthSign>): string =>
  signs.has("accepts") ? "accepts a proposal" : signs.has("corrects") ? "corrects an earlier statement" : "states it"

const dayLength = 86_400_000
const endOfDay = (at: number): number => (Math.floor(at / dayLength) + 1) * dayLength

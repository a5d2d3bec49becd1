import type { ExtractedFact, ExtractTurn } from "../../../../src/ports/Extractor.js"
import { shortenText } from "../../../../text/normalise/sentences.js"
import { valuesIn } from "../values/readValues.js"
import type { PlacedValue } from "../values/Value.js"
import type { Draft } from "./Draft.js"
import { endOfSpan, withDates } from "./dates.js"
import { typeOf } from "./factType.js"
import { mentionsIn } from "./people.js"
import type { Sign } from "./points.js"
import type { Reading } from "./reading.js"
import { asReminder, asTitle, type Speaker, withAntecedent, withOmittedSubject, withSpeaker } from "./titles.js"
import { projectOf, tagsOf, topicOf } from "./topics.js"

/** The fact that a draft states. Its title stands alone: the speaker, people and days are named. */
export const factOf = (draft: Draft, turn: ExtractTurn, speaker: Speaker): ExtractedFact => {
  const { reading, signs, text, turn: index } = draft
  const { mention, times, title } = titleOf(draft, turn, speaker)
  const held = draft.former === undefined ? [] : [titleOf(draft.former, turn, speaker)]
  const further = [...held, ...(draft.further ?? []).map((other) => titleOf(other, turn, speaker))].filter(
    (other) => !title.startsWith(other.title)
  )
  const mentioned = [text, ...(draft.further ?? []).map((other) => other.text)].flatMap((said) => mentionsIn(said))
  // "Karim doesn't drink": what only people do makes the name that of a person.
  const isHuman = reading.subject === "named" && humanSigns.some((sign) => signs.has(sign))
  const people = [...mentioned, ...(mention === undefined ? [] : [mention])].flatMap(({ isWeak, label, name }) =>
    isWeak === true && !(isHuman && text.startsWith(label)) ? [] : (name ?? [])
  )
  const isDone = reading.tense === "past" || reading.tense === "perfect"
  const { importance, rule, type } = typeOf(signs, reading, {
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

const humanSigns: ReadonlyArray<Sign> = ["own state", "liking", "own health", "aged", "was a"]

/** Whether a statement is about somebody other than its speaker. Pets and the speaker's own name are the speaker's. */
const isAboutPerson = (
  people: ReadonlyArray<string>,
  { hits, text, words }: Reading,
  signs: ReadonlySet<Sign>
): boolean => {
  if (/^my (?:full |first |last |real )?name(?:'s| is)\b|^(?:i'm|i am) (?:called|named)\b/iu.test(text)) return false
  const isOwn = words[0] === "i" && signs.has("has a") && !hits.has("kin") && people.length === 0
  return !isOwn && (people.length > 0 || signs.has("pronoun") || signs.has("relative"))
}

/** Whether people moved to a place ("I moved to Ghent in May"), and not an appointment to another day. */
const isMove = ({ subject }: Reading, text: string, values: ReadonlyArray<PlacedValue>): boolean =>
  (subject === "speaker" || subject === "omitted" || subject === "group") &&
  !values.some(({ index }) => /\b(?:to|until|till)\s+(?:the\s+)?$/iu.test(text.slice(0, index)))

/** A statement as a sentence that stands alone, its times, and the person for whom its pronoun stands. */
const titleOf = (
  { isWritten = false, keptQuestion, mentions, reading, signs, text }: Draft,
  turn: ExtractTurn,
  speaker: Speaker
) => {
  const values = text === reading.text ? reading.values : valuesIn(text, turn.at)
  const isWithoutTense = isWritten || (signs.has("shifted") && !isMove(reading, text, values))
  const times = withDates(text, values, isWithoutTense ? "none" : reading.tense, turn.at)
  const resolved = withAntecedent(times.text, mentions)
  const heading = reading.piece.heading === undefined ? "" : `${reading.piece.heading}: `
  const stated = signs.has("accepts") ? resolved.text.replace(openingApproval, "") : resolved.text
  const sentence = withSpeaker(
    withOmittedSubject(
      `${heading}${asReminder(signs.has("instructs") ? asInstruction(stated) : stated)}`,
      reading,
      speaker
    ),
    speaker
  )
  if (keptQuestion !== undefined) {
    const question = withDates(keptQuestion, valuesIn(keptQuestion, turn.at), "none", turn.at).text.replaceAll('"', "'")
    const title = `${speaker.name}, asked "${shortenText(question, maxQuestion)}": ${asTitle(times.text)}`
    return { title: shortenText(title, maxTitle), times, mention: undefined }
  }
  const title = asTitle(signs.has("accepts") ? `Decided: ${sentence.replace(approval, "")}` : sentence)
  return { title: isWritten ? asTitle(times.text) : shortenText(title, maxTitle), times, mention: resolved.mention }
}

/** A lasting wish as an instruction: "would you use larger letters in future?" is "use larger letters in future". */
const asInstruction = (text: string): string =>
  text.replace(/^(?:please |so |and )*(?:can|could|would|will) you (?:please |kindly )?/iu, "").replace(/[\s?]+$/u, "")

/** Words of approval at the end of what was chosen: "copper beech, yes, perfect". */
const approval =
  /(?:[\s,]+(?:yes|perfect|please|it is|that's the one|that one|let's (?:do|go with|take) that|sounds (?:good|great|perfect)|good idea)|(?: is|'s) (?:good|great|perfect|fine))+[\s.!]*$/iu

/** The same at the start, before a mark or "let's": "sounds good, let's do eight". */
const openingApproval =
  /^(?:(?:yes|yep|ok|okay|sure|deal|agreed|perfect|great|fine|(?:that |it )?(?:sounds|looks) (?:good|great|perfect|fine)|good idea|that works|works for me)(?:\s*[,.!–—-]\s*|\s+(?=let's )))+(?=\S)/iu

/** Maximum characters of a title, and of a question in it. */
const maxTitle = 280
const maxQuestion = 160

const reasonOf = (signs: ReadonlySet<Sign>): string =>
  signs.has("accepts") ? "accepts a proposal" : signs.has("corrects") ? "corrects an earlier statement" : "states it"

const dayLength = 86_400_000
const endOfDay = (at: number): number => (Math.floor(at / dayLength) + 1) * dayLength

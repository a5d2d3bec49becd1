import type { ExtractedFact, ExtractTurn } from "../../../../src/ports/Extractor.js"
import { shortenText } from "../../../../text/normalise/sentences.js"
import type { Draft } from "./Draft.js"
import { withDates } from "./dates.js"
import { typeOf } from "./factType.js"
import { mentionsIn } from "./people.js"
import { readPiece } from "./reading.js"
import { asTitle, type Speaker, withAntecedent, withOmittedSubject, withSpeaker } from "./titles.js"
import type { Sign } from "./worth.js"

/** The fact that a draft states. Its title stands alone: the speaker, people and days are named. */
export const factOf = (
  { isWritten = false, mentions, reading, signs, text, turn: index }: Draft,
  turn: ExtractTurn,
  speaker: Speaker
): ExtractedFact => {
  const times = withDates(
    text,
    text === reading.text ? reading.values : readPiece({ ...reading.piece, text }, turn.at).values,
    reading.tense
  )
  const resolved = withAntecedent(times.text, mentions)
  const heading = reading.piece.heading === undefined ? "" : `${reading.piece.heading}: `
  const sentence = withSpeaker(withOmittedSubject(`${heading}${resolved.text}`, reading, speaker), speaker)
  const title = isWritten
    ? text
    : shortenText(asTitle(signs.has("accepts") ? `Decided: ${sentence}` : sentence), maxTitle)
  const people = [...mentionsIn(text), ...(resolved.mention === undefined ? [] : [resolved.mention])].flatMap(
    ({ name }) => name ?? []
  )
  const { importance, rule, type } = typeOf(signs, reading, {
    isAboutPerson: people.length > 0 || signs.has("pronoun") || signs.has("relative"),
    isAhead: times.occurredAt !== undefined && times.occurredAt >= turn.at - dayLength
  })
  const expiresAt = times.expiresAt ?? (signs.has("fleeting") ? endOfDay(turn.at) : undefined)
  return {
    title,
    type,
    importance,
    people: [...new Set(people)],
    tags: [],
    sources: [{ turn: index, reason: reasonOf(signs) }],
    rule,
    statedBy: "user",
    ...(times.occurredAt === undefined ? {} : { occurredAt: times.occurredAt }),
    ...(expiresAt === undefined ? {} : { expiresAt })
  }
}

/** Maximum characters of a title. */
const maxTitle = 280

const reasonOf = (signs: ReadonlySet<Sign>): string =>
  signs.has("accepts") ? "accepts a proposal" : signs.has("corrects") ? "corrects an earlier statement" : "states it"

const dayLength = 86_400_000
const endOfDay = (at: number): number => (Math.floor(at / dayLength) + 1) * dayLength

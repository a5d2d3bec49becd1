import type { ExtractedFact, ExtractTurn } from "../../../../src/ports/Extractor.js"
import { acceptedDraft, isAnswer, isPick } from "./accepted.js"
import { withValue } from "./corrections.js"
import type { Background, Draft } from "./Draft.js"
import { mentionsIn } from "./people.js"
import { piecesOfTurn } from "./pieces.js"
import { minWorth, worthOf } from "./points.js"
import { type Reading, readPiece } from "./reading.js"
import { mayHoldSecret } from "./secrets.js"
import { signsOf } from "./signs.js"
import { withAntecedent } from "./titles.js"

/** The statements of a user's turn that are worth keeping, in text order. */
export const draftsOf = (turn: ExtractTurn, index: number, background: Background): ReadonlyArray<Draft> => {
  const { answered, around, earlier, mentions } = background
  const drafts: Array<Draft> = []
  const known = [...mentions]
  for (const reading of readingsOf(turn, around)) {
    const { piece } = reading
    if (isIntroduction(reading.text, turn.speaker) || agreement.test(reading.text)) continue
    const signs = signsOf(reading, {
      isAnswer: isAnswer(piece, answered),
      isAccepting: isPick(reading, answered, turn)
    })
    const last = drafts.at(-1)
    const corrected = rightValueOf(reading, turn, earlier)
    const isUnresolved = signs.has("pronoun") && withAntecedent(reading.text, known).mention === undefined
    if (corrected !== undefined)
      drafts.push({ reading, signs, text: corrected, mentions: [], turn: index, isWritten: true })
    else if (worthOf(signs) - (isUnresolved ? unresolved : 0) >= minWorth) {
      const draft: Draft = { reading, signs, text: reading.text, mentions: [...known], turn: index }
      if (last !== undefined && isFurther(draft, last))
        drafts[drafts.length - 1] = { ...last, further: [...(last.further ?? []), draft] }
      else drafts.push(draft)
    } else if (last !== undefined && isContinuation(reading, last))
      drafts[drafts.length - 1] = { ...last, text: `${last.text}, ${reading.text}` }
    known.push(...mentionsIn(piece.text, answered?.text))
  }
  return [...acceptedDraft(turn, index, background, drafts), ...drafts]
}

/** Points that a pronoun costs if the person is not known. */
const unresolved = 1

/** Reads the pieces of a turn that hold no secret. "For the record, …" and "no, sorry, …" count for what follows. */
const readingsOf = (turn: ExtractTurn, around: string): ReadonlyArray<Reading> => {
  const readings: Array<Reading> = []
  let marked: number | undefined
  let isCorrection = false
  const pieces = piecesOfTurn(turn.text)
  const jokes = new Set(pieces.flatMap(({ sentence, text }) => (jokeMark.test(text) ? [sentence] : [])))
  for (const piece of pieces) {
    if (jokes.has(piece.sentence)) continue
    if (mayHoldSecret(piece.text, around)) continue
    const reading = readPiece(piece, turn.at)
    isCorrection ||= reading.isCorrection
    const isMarked = reading.isMarked || marked === piece.sentence
    readings.push({ ...reading, isCorrection, isMarked })
    if (reading.isMarked && reading.words.length < 2) marked = piece.sentence
  }
  return readings
}

/** Words that only accept something; `acceptedDraft` keeps what they accept. */
const agreement =
  /^(?:(?:yes|yep|ok|okay|sure|great|please|right)[, ]+)*(?:let's (?:do|go with)|do|take) (?:that|it|this)(?: then| please)?$/iu

const introduction = /^(?:i'm|i am|my name is|my name's|this is) (?<name>.+)$/iu

/** Whether a piece only says the name of a speaker whose name is known. */
const isIntroduction = (text: string, speaker: string | undefined): boolean =>
  speaker !== undefined && introduction.exec(text)?.groups?.name?.toLowerCase() === speaker.toLowerCase()

/** A sentence with it is a joke as a whole: "I live on the moon, just kidding". */
const jokeMark = /(?<!\b(?:no|not) )\b(?:kidding|joking|jk)\b/iu

/** Words with which somebody finds a mistake of their own. */
const noticing = /\b(?:hang on|checked|wait|oops|sorry|no)\b|!!/iu

/** The last statement before with the value that a piece names; undefined if the piece says more. */
const rightValueOf = (
  { act, isCorrection, text, values }: Reading,
  turn: ExtractTurn,
  earlier: () => ReadonlyArray<ExtractedFact>
): string | undefined => {
  if (values.length !== 1 || act !== "states" || !(isCorrection || noticing.test(turn.text))) return undefined
  return [...earlier()].reverse().flatMap(({ title }) => withValue({ text, values }, title, turn.at) ?? [])[0]
}

/** Whether a draft says more about the person or the thing of the last one: it begins with a pronoun for them. */
const isFurther = ({ mentions, reading, text }: Draft, last: Draft): boolean => {
  const distance = reading.piece.sentence - last.reading.piece.sentence
  if (reading.isCorrection || distance > 1) return false
  if (reading.subject === "it") return reading.piece.continues && distance === 0
  const label = withAntecedent(text, mentions).mention?.label
  return (
    reading.subject === "pronoun" &&
    (label === undefined ? distance === 0 : last.text.includes(label) || last.mentions.at(-1)?.label === label)
  )
}

const addition = /^(?:with|without|and|in|at|for|on)\s/iu

/** Whether a piece only adds to the piece before it. */
const isContinuation = (reading: Reading, { reading: last, signs }: Draft): boolean => {
  const { act, hits, identifiers, isQuoted, names, piece, values } = reading
  const isChosen = signs.has("accepts") && addition.test(piece.text)
  const continues = piece.continues && piece.sentence === last.piece.sentence
  if (act !== "states" || isQuoted || hits.has("joking") || hits.has("supposing") || hits.has("fleeting")) return false
  return (
    (isChosen && piece.sentence === last.piece.sentence + 1) ||
    (continues && values.length + names.length + identifiers.length > 0)
  )
}

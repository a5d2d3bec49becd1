import type { ExtractedFact, ExtractTurn } from "../../../../src/ports/Extractor.js"
import { valuesIn } from "../values/readValues.js"
import { findAcceptedProposal, isAnswer, makesChoice } from "./accepted.js"
import { readAffirmation } from "./affirmations.js"
import { questionOf, questionToKeep, statementOfAnswer } from "./answers.js"
import { findRetraction, isChange, moveNowToEnd } from "./changes.js"
import { applyCorrection } from "./corrections.js"
import type { Draft, PriorConversation } from "./Draft.js"
import { addOmittedPerson } from "./omitted.js"
import { mentionsIn } from "./people.js"
import { type Piece, piecesOfTurn } from "./pieces.js"
import { minWorth, type WorthSign } from "./points.js"
import { type Reading, readPiece } from "./reading.js"
import { applyRepairs } from "./repairs.js"
import { concernsSecrets, createSecretTest, givesDocumentNumber } from "./secrets.js"
import { signsOf } from "./signs.js"
import { isBoundInTime, isLimitedInTime, isUnaffected } from "./timeLimits.js"
import { resolvePronoun } from "./titles.js"
import { readWordCorrection } from "./wordCorrections.js"
import type { Weigh } from "./worth.js"

/** The statements of a user's turn that are worth keeping, in text order. */
export const draftsOf = (
  turn: ExtractTurn,
  index: number,
  background: PriorConversation,
  weigh: Weigh
): ReadonlyArray<Draft> => {
  const { answered, around, mentions } = background
  const drafts: Array<Draft> = []
  const known = [...mentions]
  let isSettled = false
  let previous: Reading | undefined
  const mayHoldSecret = createSecretTest(around)
  const readings = readingsOf(turn, mayHoldSecret, answered?.text)
  for (const [position, said] of readings.entries()) {
    const complete = addOmittedPerson(said, known, { at: turn.at, before: previous })
    const named = withNoun(complete, previous, turn.at)
    const reading = isSettled ? { ...named, isCorrection: false } : named
    const { piece } = reading
    const before = previous
    if (findRetraction(piece.text)?.word === undefined && findRetraction(piece.text) !== undefined) {
      const said = drafts.at(-1)
      if (said !== undefined && piece.sentence - said.reading.piece.sentence <= 1) drafts.pop()
    }
    previous = reading
    if (isIntroduction(reading.text, turn.speaker) || agreement.test(reading.text)) continue
    // Words after a correction explain it; they are no answers.
    const answers = !isSettled && isAnswer(piece, answered)
    const own = signsOf(reading, { isAnswer: answers, isAccepting: makesChoice(reading, answered, turn) })
    const isCure = own.has("past") && [position - 1, position + 1].some((other) => isSuccess(readings[other]))
    const signs: ReadonlySet<WorthSign> = isCure
      ? new Set([...own, "solution" as const].filter((sign) => sign !== "past"))
      : own
    const last = drafts.at(-1)
    const corrected = isSettled ? undefined : rightValueOf(reading, turn, background)
    const asked = answers ? questionOf(answered?.text) : undefined
    const question = asked === undefined || mayHoldSecret(asked) ? undefined : asked
    const isFirst = position === 0 && piece.sentence === 0
    const keptQuestion = isFirst && isFragment(reading, signs) ? questionToKeep(question, reading.text) : undefined
    const isUnresolved = signs.has("pronoun") && resolvePronoun(reading.text, known).mention === undefined
    if (corrected !== undefined) {
      drafts.push({
        signs: signsOf(corrected.reading, plain),
        mentions: [...known],
        turn: index,
        ...corrected,
        isCorrecting: true
      })
      isSettled = true
    } else if (isChange(before, reading)) {
      if (last?.reading.piece === before.piece) drafts.pop()
      drafts.push(changeOf(before, { reading, signs, text: reading.text, mentions: [...known], turn: index }))
    } else if (weigh(reading, signs, { isUnresolved, keptQuestion, question }) >= minWorth) {
      const draft: Draft = { reading, signs, text: reading.text, mentions: [...known], turn: index, keptQuestion }
      if (last !== undefined && isFurther(draft, last))
        drafts[drafts.length - 1] = { ...last, further: [...(last.further ?? []), draft] }
      else drafts.push(draft)
    } else if (last !== undefined && isContinuation(reading, last))
      drafts[drafts.length - 1] = { ...last, text: `${last.text}, ${reading.text}` }
    known.push(...mentionsIn(piece.text, answered?.text))
  }
  return [...findAcceptedProposal(turn, index, background, drafts), ...drafts]
}

/** True if a piece has no verb and makes no choice, so that it is only understood together with its question. */
const isFragment = ({ act, tense }: Reading, signs: ReadonlySet<WorthSign>): boolean =>
  act === "states" && tense === "none" && !signs.has("accepts")

/**
 * Turns a draft of the present state into one that also has the former state. "It" refers to the subject of the clause
 * before.
 */
const changeOf = (before: Reading, draft: Draft): Draft => {
  const former: Draft = { ...draft, reading: before, signs: signsOf(before, plain), text: before.text }
  return draft.reading.subject === "it"
    ? { ...draft, reading: before, text: `${before.text}, ${draft.text}`, former }
    : { ...draft, text: moveNowToEnd(draft.text), former }
}

/** True if a piece only says that something helped: "that did it!" */
const isSuccess = (reading: Reading | undefined): boolean =>
  reading !== undefined &&
  /^(?:(?:that|it|this|which)(?: finally| really)? (?:did (?:it|the trick)|worked|works(?: now| again)?|helped|fixed (?:it|that)|solved (?:it|that))|found it|works now|solved|fixed)[\s!.]*$/iu.test(
    reading.text
  )

/** Replaces "it" at the start of a clause with its noun: the only noun phrase of the sentence before. */
const withNoun = (reading: Reading, before: Reading | undefined, at: number): Reading => {
  const [start, ending = ""] = /^it('s| is| has| runs| was)(?=\s)/iu.exec(reading.text) ?? []
  if (start === undefined || before === undefined || reading.piece.sentence !== before.piece.sentence + 1)
    return reading
  if (reading.values.length + reading.names.length + reading.identifiers.length === 0) return reading
  const nouns = [...before.text.matchAll(nounPhrase)]
  if (concernsSecrets(before.text)) return reading
  if (nouns.length !== 1 || /\b(?:it|that|this)\b/iu.test(before.text)) return reading
  const text = `the ${nouns[0]![1]!}${ending === "'s" ? " is" : ending}${reading.text.slice(start.length)}`
  return { ...readPiece({ ...reading.piece, text, continues: false }, at), isCorrection: reading.isCorrection }
}
const nounPhrase =
  /(?<!\p{L})(?:the|my|our|an?) ((?:[\p{L}-]+ ){0,2}?[\p{L}-]+)(?=$|[.,;:!?]| (?:is|are|at|in|on|for|with|from|of|and|to|that|which|this|next|before|today|tomorrow)(?!\p{L}))/giu

const plain = { isAnswer: false, isAccepting: false }

/**
 * Reads the pieces of a turn that contain no secret. "For the record, …" and "no, sorry, …" also apply to the pieces
 * after them.
 */
const readingsOf = (
  turn: ExtractTurn,
  mayHoldSecret: (text: string) => boolean,
  question: string | undefined
): ReadonlyArray<Reading> => {
  const readings: Array<Reading> = []
  let marked: number | undefined
  let isCorrection = false
  const pieces = piecesOfTurn(turn.text, (prose) => applyRepairs(prose, turn.at))
  const jokes = new Set(pieces.flatMap(({ sentence, text }) => (jokeMark.test(text) ? [sentence] : [])))
  for (const piece of pieces) {
    if (jokes.has(piece.sentence)) continue
    if (mayHoldSecret(piece.text) || givesDocumentNumber(questionOf(question), piece.text)) continue
    const reading = readPiece(piece, turn.at)
    isCorrection ||= reading.isCorrection
    const isMarked = reading.isMarked || marked === piece.sentence
    readings.push({ ...(readings.length > 0 ? reading : asAnswer(reading, question, turn.at)), isCorrection, isMarked })
    if (reading.isMarked && reading.words.length < 2) marked = piece.sentence
  }
  const { text, value } = (question === undefined ? undefined : readAffirmation(question, turn.text)) ?? {}
  if (text === undefined || mayHoldSecret(text)) return readings
  if (givesDocumentNumber(questionOf(question), text)) return readings
  const others = readings.filter(
    ({ piece }) =>
      value === undefined || piece.sentence > 1 || (!value.includes(piece.text) && !piece.text.includes(value))
  )
  return [readPiece({ ...pieceOf(text), isAffirmed: true }, turn.at), ...others]
}

/** Turns the first piece of a turn into a statement if it is a short answer to a question. */
const asAnswer = (reading: Reading, question: string | undefined, at: number): Reading => {
  if (question === undefined || reading.act !== "states" || reading.tense !== "none") return reading
  const text = statementOfAnswer(question, reading.text)
  return text === undefined || createSecretTest(question)(text) ? reading : readPiece({ ...reading.piece, text }, at)
}

/** Words that only accept a proposal; `findAcceptedProposal` keeps the proposal itself. */
const agreement =
  /^(?:(?:yes|yep|ok|okay|sure|great|please|right)[, ]+)*(?:let's (?:do|go with)|do|take) (?:that|it|this)(?: then| please)?$/iu

const introduction = /^(?:i'm|i am|my name is|my name's|this is) (?<name>.+)$/iu

/** True if a piece only introduces a speaker whose name is known. */
const isIntroduction = (text: string, speaker: string | undefined): boolean =>
  speaker !== undefined && introduction.exec(text)?.groups?.name?.toLowerCase() === speaker.toLowerCase()

/** Marks the whole sentence as a joke: "I live on the moon, just kidding". */
const jokeMark = /(?<!\b(?:no|not) )\b(?:kidding|joking|jk)\b/iu

/** Words of somebody who notices their own mistake. */
const noticing =
  /\b(?:hang on|checked|wait|oops|sorry|no|i mean|make (?:that|it)|wrong|actually|update|correction|instead|rather|well)\b|!!/iu

/**
 * The last earlier statement, with the values of a correcting piece written into it. Undefined if the piece says more
 * than its values. If the earlier statement was not kept, the user's earlier turns are read again.
 */
const rightValueOf = (
  reading: Reading,
  turn: ExtractTurn,
  { around, earlier, userText }: Pick<PriorConversation, "around" | "earlier" | "userText">
): Pick<Draft, "corrected" | "text" | "reading" | "isWritten"> | undefined => {
  const { act, isCorrection, piece, text, values } = reading
  const isAbout = piece.sentence === 0 && /^(?:it|that|he|she|they)(?:'s|\s)/iu.test(piece.text)
  const isNaming =
    /\b(?:not (?:in |at |with |on )*\p{Lu}|[Ii] said)/u.test(text) || readWordCorrection(text) !== undefined
  const isMeant = isCorrection || isAbout || isNaming || noticing.test(turn.text)
  if ((values.length === 0 && !isNaming) || act === "asks" || !isMeant) return undefined
  const core = isNaming ? text : text.split(coreEnd)[0]!
  const ownValues = core === text ? values : valuesIn(core, turn.at)
  const isException = isLimitedInTime(reading)
  const corrected = (said: Pick<ExtractedFact, "expiresAt" | "title">) =>
    (isException && !isBoundInTime(said, turn.at)) || isUnaffected(piece.text, said, turn.at)
      ? undefined
      : applyCorrection({ text: core, values: ownValues }, said.title, turn.at)
  for (const fact of [...earlier()].reverse()) {
    const { title } = fact
    const written = corrected(fact)
    if (written === undefined) continue
    return { text: written, reading: readPiece(pieceOf(written), turn.at), isWritten: true, corrected: title }
  }
  const pieces = isCorrection ? [...piecesOfTurn(userText.slice(-maxCorrected))].reverse() : []
  const mayHoldSecret = createSecretTest(`${userText}\n${around}`)
  for (const piece of pieces) {
    const written = piece.isAsked || mayHoldSecret(piece.text) ? undefined : corrected({ title: piece.text })
    if (written === undefined) continue
    const reading = readPiece({ ...piece, text: written }, turn.at)
    return { text: reading.text, reading }
  }
  return undefined
}
/** The end of the corrected words; the reason for the correction follows. */
const coreEnd = /\s(?:if|because|as|so|since|for)\s|(?<=\d\S*),\s(?!not\b)/iu
/** Characters at the end of the user's earlier turns that are searched for the corrected statement. */
const maxCorrected = 1_000

const pieceOf = (text: string): Piece => ({ text, sentence: 0, isAsked: false, continues: false })

/**
 * True if a draft says more about the person or thing of the last draft: it begins with a pronoun that refers to that
 * person or thing.
 */
const isFurther = ({ mentions, reading, text }: Draft, last: Draft): boolean => {
  const distance = reading.piece.sentence - last.reading.piece.sentence
  if (reading.isCorrection || distance > 1) return false
  if (reading.subject === "it") return reading.piece.continues && distance === 0
  const label = resolvePronoun(text, mentions).mention?.label
  return (
    reading.subject === "pronoun" &&
    (label === undefined ? distance === 0 : last.text.includes(label) || last.mentions.at(-1)?.label === label)
  )
}

const addition = /^(?:with|without|and|in|at|for|on)\s/iu

/** True if a piece only adds something to the piece before it. */
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

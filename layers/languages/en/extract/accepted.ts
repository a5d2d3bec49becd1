import type { ExtractTurn } from "../../../../src/ports/Extractor.js"
import { sentencesOf } from "../../../../text/normalise/sentences.js"
import { statementOf } from "../statements.js"
import type { Draft, PriorConversation } from "./Draft.js"
import type { Piece } from "./pieces.js"
import type { WorthSign } from "./points.js"
import {
  acceptsProposal,
  expressesChoice,
  isAlternative,
  isConsent,
  isDecidingRequest,
  leavesChoiceOpen,
  proposalOf
} from "./proposals.js"
import { type Reading, readPiece } from "./reading.js"
import { createSecretTest } from "./secrets.js"

/** True if the assistant's turn ends with a question. */
export const isAsking = (answered: ExtractTurn | undefined): boolean =>
  answered !== undefined && /\?["')\s]*$/u.test(answered.text)

/** Only this many sentences at the start of a turn can answer a question. */
const answerSentences = 2
/** Maximum words of an answer that only names one of several choices. */
const maxChoiceWords = 7

/** True if a piece can be the answer to the assistant's question. */
export const isAnswer = ({ sentence }: Piece, answered: ExtractTurn | undefined): boolean =>
  sentence < answerSentences && isAsking(answered)

/** True if a piece chooses something that the assistant's turn names or asks for, and names the choice itself. */
export const makesChoice = (
  { piece, ...reading }: Reading,
  answered: ExtractTurn | undefined,
  turn: Pick<ExtractTurn, "text">
): boolean => {
  if (
    answered === undefined ||
    piece.isAffirmed === true ||
    !hasContent(reading) ||
    isConsent(reading.text) ||
    formerIntent.test(piece.text)
  )
    return false
  const asked = isAsking(answered)
  if (expressesChoice(piece.text)) return asked || sharesContent(reading.text, answered.text)
  const isShort = reading.words.length < 5 && !isOwnStatement(reading)
  if (isShort && approving.test(turn.text) && sharesContent(reading.text, answered.text)) return true
  if (!asked || piece.sentence >= answerSentences || offering.test(answered.text)) return false
  return (
    isDecidingRequest(reading.text) ||
    (leavesChoiceOpen(answered.text) &&
      reading.words.length <= maxChoiceWords &&
      sharesContent(reading.text, answered.text))
  )
}

/** True if somebody only says what is so: "yes, I'm allergic to nuts", "yes, we use pnpm". */
const isOwnStatement = ({ subject, tense, text }: Omit<Reading, "piece">): boolean =>
  tense === "present" &&
  subject !== "thing" &&
  subject !== "it" &&
  !/\b(?:want|need|prefer|take|pick|choose)\b/iu.test(text)

/** An abandoned or undecided intention is not a choice: "I was going to go with BT". */
const formerIntent = /\b(?:was|were) (?:going|about|planning|thinking)\b/iu

/** A question that offers help but names no task. */
const offering =
  /\b(?:can|could|may|shall) i (?:do|help|assist)\b|\bhow (?:can|may) i\b|\banything (?:i|else)\b|\bwhat (?:can|do you need|would you like|should i)\b|\bneed (?:any )?help\b[^?]{0,200}\?\s*$/iu

/** Words of approval, anywhere in a turn. */
const approving = /\b(?:yes|perfect|exactly|do that|go with|that one|deal|agreed|good idea)\b/iu

const hasContent = ({ identifiers, names, text, values }: Omit<Reading, "piece">): boolean =>
  identifiers.length + names.length + values.length > 0 ||
  [...statementOf(text).words].some((word) => word.length > 3 && !vague.test(word))

const sharesContent = (text: string, other: string): boolean => {
  const words = statementOf(other.slice(0, maxAnswered)).words
  for (const word of statementOf(text).words)
    if (words.has(word) && (word.length > 3 || /\d/u.test(word)) && !vague.test(word)) return true
  return false
}
/** Stems of words that choose or approve something but do not name it. */
const vague =
  /^(?:good|great|sound|work|that|yes|pleas|idea|let|keep|perfect|fine|mak|tak|on|like|thing|care|way|exact|agree|agreed|sure|right|then|well|this|thank|thanks)$/u

/**
 * The proposal that a user accepts with words such as "yes, exactly"; empty if the user's own words already state it.
 */
export const findAcceptedProposal = (
  turn: ExtractTurn,
  index: number,
  { answered, userText }: PriorConversation,
  drafts: ReadonlyArray<Draft>
): ReadonlyArray<Draft> => {
  if (answered === undefined || drafts.some(({ signs }) => signs.has("accepts")) || !acceptsProposal(turn.text))
    return []
  const sentences = sentencesOf(answered.text.slice(0, maxAnswered).replace(/```[\s\S]*?```/gu, " "))
  const proposal = sentences.flatMap((sentence) => proposalOf(sentence) ?? []).at(-1)
  if (proposal === undefined || leavesChoiceOpen(proposal) || sentences.some(isAlternative)) return []
  if (isRecap(proposal, userText) || createSecretTest(answered.text)(proposal)) return []
  const text = proposal
    .replaceAll(/\byou're\b/giu, "I am")
    .replaceAll(/\byour\b/giu, "my")
    .replaceAll(/\byou\b/giu, "I")
  const reading: Reading = { ...readPiece({ text, sentence: 0, isAsked: false, continues: false }, turn.at), text }
  const signs = new Set<WorthSign>(["accepts", reading.subject])
  return [{ reading: { ...reading, act: "states" }, signs, text, mentions: [], turn: index }]
}

/** Maximum characters of the assistant's turn that are searched for proposals. */
const maxAnswered = 4_000

/** True if a proposal only repeats what the user said before. */
const isRecap = (proposal: string, userText: string): boolean => {
  const { words } = statementOf(proposal)
  const said = statementOf(userText).words
  return [...words].filter((word) => said.has(word)).length >= recapShare * words.size
}
const recapShare = 0.7

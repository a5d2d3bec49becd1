import { isStopWord, setOf } from "../../../../text/normalise/functionWords.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { lexicon } from "../rules/lexicon.js"
import type { Value } from "../values/Value.js"
import { phrasePatterns } from "./frames.js"
import type { WordClass } from "./lexicon.js"
import {
  clockTimePattern,
  conditionalPattern,
  goodbyePattern,
  hypotheticalPattern,
  laughterPattern,
  suppositionPattern
} from "./meant.js"
import { type AnswerContext, type PieceView, viewOf } from "./pieceView.js"
import type { WorthSign } from "./points.js"
import { isReminder, type Reading, type SpeechAct, type Subject } from "./reading.js"
import type { Tense } from "./tense.js"
import { relativesByPronoun } from "./words.js"

type Test = (view: PieceView) => boolean
type Tested = Exclude<WorthSign, SpeechAct | Subject | Tense>

const statedTests = {
  day: ({ hasDate }) => hasDate,
  dated: ({ isPast, reading }) => isPast && reading.values.some(({ value }) => isAbsoluteDate(value)),
  clock: ({ hasClock }) => hasClock,
  number: ({ hasFigure }) => hasFigure,
  name: ({ reading }) => reading.names.length > 0,
  names: ({ reading }) => reading.names.length > 1,
  identifier: ({ hasIdentifier }) => hasIdentifier,
  identifiers: ({ reading }) => reading.identifiers.length > 1,
  dense: ({ reading: { identifiers, names, values } }) => values.length + names.length + identifiers.length > 2,
  "is a": ({ isSomebody, line, reading }) =>
    (isSomebody && phrasePatterns.isA.test(line)) || /^I(?:'m| am) \p{Lu}\p{Ll}+/u.test(reading.text),
  calling: ({ isSomebody, line }) => isSomebody && phrasePatterns.calling.test(line),
  aged: ({ isSomebody, line }) => isSomebody && phrasePatterns.aged.test(line),
  "has a": ({ isFirst, line }) => isFirst && phrasePatterns.hasA.test(line),
  "named so": ({ line }) => phrasePatterns.namedSo.test(line),
  lasts: ({ line }) => phrasePatterns.lasts.test(line),
  frequency: ({ line }) => phrasePatterns.frequency.test(line),
  relative: ({ line }) => phrasePatterns.relative.test(line),
  household: ({ line }) => phrasePatterns.household.test(line),
  family: ({ line }) => phrasePatterns.family.test(line),
  health: ({ has, line }) => has("health") || phrasePatterns.body.test(line),
  "own health": ({ has, isSomebody, line }) => isSomebody && (has("health") || phrasePatterns.body.test(line)),
  matters: ({ has, isSomebody, hasDate, reading }) =>
    has("mattering") && (isSomebody || hasDate || reading.names.length > 0 || reading.values.length > 0),
  introduces: ({ line, reading }) =>
    phrasePatterns.introduces.test(line) && reading.subject === "own" && introduced.test(reading.text),
  form: ({ line }) => phrasePatterns.form.test(line),
  "never again": ({ isFirst, line }) => isFirst && phrasePatterns.neverAgain.test(line),
  liking: ({ isSomebody, reading: { hitList, words } }) =>
    isSomebody &&
    hitList.some(
      ({ index, wordClass }) => wordClass === "liking" && !(words[index] === "like" && isFiller(words[index - 1]))
    ),
  taste: ({ line }) => phrasePatterns.taste.test(line),
  preferring: ({ line }) => phrasePatterns.preferring.test(line) && !phrasePatterns.inquiring.test(line),
  "own state": ({ has, isFirst, isPast, isSomebody }) => isSomebody && (!isPast || isFirst) && has("stative"),
  "now so": ({ has, isFirst, line, reading: { tense } }) =>
    isFirst && tense === "present" && / now $/u.test(line) && (has("stative") || phrasePatterns.isA.test(line)),
  having: ({ has, isPast, isSomebody }) => isSomebody && !isPast && has("having"),
  practice: ({ line, reading: { subject, tense } }) =>
    subject === "group" && tense === "present" && !phrasePatterns.being.test(line),
  pursuit: ({ has, isFirst }) => isFirst && has("pursuing"),
  habit: ({ line, reading: { subject, tense } }) =>
    (subject === "named" || phrasePatterns.relative.test(line)) &&
    tense === "present" &&
    phrasePatterns.habit.test(line),
  "was a": ({ line }) => phrasePatterns.wasA.test(line),
  aim: ({ has, isFirst }) => isFirst && has("aiming"),
  decision: ({ has }) => has("deciding"),
  duty: ({ has, isFirst, line }) => has("duty") || (isFirst && phrasePatterns.due.test(line)),
  change: ({ has, hasDate, hasFigure, hasIdentifier, isSomebody, reading: { names, subject, tense } }) =>
    has("changing") &&
    (isSomebody || hasIdentifier || hasFigure || names.length > 0 || (hasDate && subject === "thing")) &&
    tense !== "future" &&
    tense !== "modal",
  happening: ({ has, isSomebody }) => isSomebody && has("happening"),
  plan: ({ has, hasDate }) => hasDate && has("planning"),
  affected: ({ isFirst, line, reading: { tense } }) =>
    !isFirst && (tense === "past" || tense === "perfect") && phrasePatterns.affected.test(line),
  shifted: ({ line, reading: { values } }) =>
    phrasePatterns.shifted.test(line) && values.some(({ value }) => value.kind === "day" || value.kind === "clock"),
  keeping: ({ line, reading: { tense } }) => tense === "present" && phrasePatterns.keeping.test(line),
  reminder: ({ reading }) => isReminder(reading.text),
  amount: ({ line }) => phrasePatterns.amount.test(line),
  condition: ({ isFirst, line }) => isFirst && phrasePatterns.condition.test(line),
  solution: ({ has, isFirst, isPast, isSomebody, line }) =>
    has("solving") ||
    (!isFirst && phrasePatterns.helped.test(line)) ||
    (isPast && !isSomebody && phrasePatterns.caused.test(line)),
  culprit: ({ has, line }) => has("solving") && phrasePatterns.culprit.test(line),
  lasting: ({ has }) => has("lasting"),
  rule: ({ has }) => has("ruling"),
  constraint: ({ line, reading }) =>
    reading.act === "states" && phrasePatterns.constraint.test(line) && !phrasePatterns.unconstrained.test(line),
  limit: ({ line }) => phrasePatterns.limit.test(line),
  deadline: ({ line }) => phrasePatterns.deadline.test(line),
  contrast: ({ line, reading: { tense, text } }) =>
    (tense === "none" && contrasted.test(text)) || phrasePatterns.insteadOf.test(line),
  listing: ({ isAnswer, reading: { tense, text } }) => isAnswer && tense === "none" && /^[^,]+,[^,]+,[^,]+/u.test(text),
  attribute: ({ line }) => isAttribute(phrasePatterns.attribute.exec(line)?.[1]),
  keyed: ({ reading }) => reading.isKeyed,
  value: ({ hasClock, hasFigure, hasIdentifier, line, reading: { isQuoted, names, subject, tense } }) =>
    !isQuoted &&
    tense === "present" &&
    (subject === "thing" || subject === "own" || subject === "named") &&
    (hasFigure || hasClock || hasIdentifier || (names.length > 0 && phrasePatterns.copula.test(line)))
} satisfies Partial<Record<Tested, Test>>

/** A relative with a name after it. */
const introduced = new RegExp(
  `\\b(?:${[relativesByPronoun.she, relativesByPronoun.he, relativesByPronoun.either].join(" ").trim().split(/\s+/u).join("|")}),? \\p{Lu}\\p{Ll}`,
  "u"
)

/** True if "like" after this word is a preposition or a filler: "it was like ten", "like, no". */
const isFiller = (before: string | undefined): boolean => before === undefined || beforeFiller.has(before)
const beforeFiller = setOf(
  `is was are were be been it's that's he's she's i'm it that this and but so or feel feels felt look looks looked sound sounds sounded seem seems
  taste tastes smell smells something nothing anything things stuff more much just for with in at if`
)

const contrasted = /,? not (?:the |an? )?[\w'-]+(?: [\w'-]+){0,2}$/u

const isAbsoluteDate = ({ day, isRelative, kind, month, year }: Value): boolean =>
  kind === "day" &&
  isRelative !== true &&
  (month !== undefined || year !== undefined) &&
  (day !== undefined || year !== undefined)

/** True if a noun names something that has one value at a time: a port, a theme, a budget. */
const isAttribute = (noun: string | undefined): boolean =>
  noun !== undefined && lexicon.entries.get(stemOf(noun))?.singular === true

/** Maximum words before a verb of speech: "my old boss says". */
const maxSpeakerWords = 5
/** Signs of how a piece is meant, and of its position. */
const meantTests = {
  marked: ({ reading }) => reading.isMarked,
  accepts: ({ isAccepting }) => isAccepting,
  corrects: ({ reading: { isCorrection, names, values } }) => isCorrection && (values.length > 0 || names.length > 0),
  answers: ({ isAnswer, reading }) => isAnswer && reading.words.length > 1,
  listed: ({ reading }) => reading.piece.heading !== undefined,
  continues: ({ reading }) => reading.piece.continues,
  fleeting: ({ has, line, reading }) =>
    has("fleeting") || clockTimePattern.test(reading.text) || phrasePatterns.soon.test(line),
  passing: ({ line, reading: { subject } }) =>
    phrasePatterns.passing.test(line) ||
    ((subject === "named" || subject === "pronoun") && phrasePatterns.indisposed.test(line)),
  leaving: ({ hasDate, line, reading }) =>
    goodbyePattern.test(reading.piece.text) ||
    (!hasDate &&
      !phrasePatterns.frequency.test(line) &&
      !/ for good /u.test(line) &&
      phrasePatterns.leaving.test(line)),
  just: ({ line }) => phrasePatterns.just.test(line),
  supposing: (view) => view.has("supposing") && !phrasePatterns.preferring.test(view.line) && !isConditional(view),
  hypothesis: ({ reading: { text } }) => hypotheticalPattern.test(text),
  conditional: (view) => isConditional(view),
  believing: ({ has }) => has("believing"),
  joking: ({ has }) => has("joking"),
  laughing: ({ reading }) => laughterPattern.test(reading.piece.text),
  smiling: ({ reading }) => /[:;]-?[)DP]|\p{Extended_Pictographic}/u.test(reading.piece.text),
  quoted: ({ reading }) => reading.isQuoted,
  saying: ({ isFirst, reading }) =>
    !isFirst && reading.hitList.some(({ index, wordClass }) => wordClass === "saying" && index < maxSpeakerWords),
  indirect: ({ line }) => phrasePatterns.indirect.test(line),
  inquiring: ({ isFirst, line }) => isFirst && phrasePatterns.inquiring.test(line),
  minding: ({ isFirst, line }) => isFirst && phrasePatterns.minding.test(line),
  pleased: ({ isFirst, line }) => isFirst && phrasePatterns.pleased.test(line),
  judged: ({ has, isAccepting, reading: { subject } }) =>
    has("judging") && !isAccepting && !has("solving") && subject !== "speaker" && subject !== "group",
  generic: ({ isFirst, line, reading }) => !isFirst && reading.act === "states" && phrasePatterns.generic.test(line),
  dangling: ({ line, reading: { piece } }) => !piece.continues && phrasePatterns.dangling.test(line),
  messaged: ({ line }) => phrasePatterns.messaged.test(line),
  compared: ({ line }) => phrasePatterns.compared.test(line),
  exclaimed: ({ reading }) => reading.piece.text.includes("!"),
  trouble: ({ has, isFirst, line, reading: { subject } }) =>
    !isFirst &&
    subject !== "pronoun" &&
    !has("stative") &&
    !has("health") &&
    !phrasePatterns.body.test(line) &&
    phrasePatterns.trouble.test(line),
  empty: (view) => isEmpty(view),
  short: (view) => !isClause(view) && view.reading.words.length < 4,
  "very short": (view) => view.reading.words.length < 3 && (!isClause(view) || /^\p{L}+$/u.test(view.reading.text))
} satisfies Partial<Record<Tested, Test>>

/** True if a statement comes first and its condition follows: "I'll do it on Sunday if the weather holds". */
const isConditional = ({ reading: { tense, text } }: PieceView): boolean =>
  tense !== "modal" && conditionalPattern.test(text) && !suppositionPattern.test(text)

/** Classes of words that describe somebody or something, so that a statement needs no other content word. */
const telling: ReadonlySet<WordClass> = new Set(["stative", "liking", "health", "kin", "pet", "mattering"])

/** True if a piece names nothing specific: "I'm taking it", "by no means", "first week of July". */
const isEmpty = ({ has, hasDate, isAnswer, isFirst, isSomebody, line, reading }: PieceView): boolean => {
  const { hitList, identifiers, names, values, words } = reading
  if (identifiers.length + names.length > 0 || reading.isCorrection) return false
  if (isAnswer && values.length > 0) return false
  if (hitList.some(({ wordClass }) => telling.has(wordClass)) || phrasePatterns.aged.test(` ${words.join(" ")} `))
    return false
  const covered = new Set(hitList.flatMap(({ index, length }) => words.slice(index, index + length)))
  const spoken = values.flatMap(({ value: { form } }) => form.split(/\s+/u))
  const rest = words.filter(
    (word) => word.length > 2 && !isStopWord(word) && !covered.has(word) && !spoken.includes(word) && !vague.has(word)
  )
  if (rest.length > 0) return false
  if (hasDate && ((isFirst && has("having")) || (isSomebody && phrasePatterns.away.test(line)))) return false
  return values.length === 0 || (hasDate && !has("planning") && !has("changing") && !has("duty"))
}
const vague = setOf(
  "one turns thing things stuff way means matter let let's like get got going week month year end first last bit lot"
)

const isClause = ({ isSomebody, reading }: PieceView): boolean => isSomebody && reading.tense !== "none"

const tests = Object.entries({ ...statedTests, ...meantTests } satisfies Record<Tested, Test>) as ReadonlyArray<
  [Tested, Test]
>

/** The signs of a piece, for and against keeping it. */
export const signsOf = (reading: Reading, circumstances: AnswerContext): ReadonlySet<WorthSign> => {
  const view = viewOf(reading, circumstances)
  const { act, subject, tense } = reading
  const signs = new Set<WorthSign>([subject, tense])
  if (act !== "states" && !(act === "requests" && view.isAccepting)) signs.add(act)
  for (const [sign, test] of tests) if (test(view)) signs.add(sign)
  if (act === "instructs") for (const sign of ["modal", "supposing", "listener"] as const) signs.delete(sign)
  const isWish = phrasePatterns.preferring.test(view.line) || (view.isFirst && phrasePatterns.due.test(view.line))
  // "The limit should be 768 MiB" sets a value.
  if (tense === "modal" && !view.isSomebody && phrasePatterns.setting.test(view.line)) {
    signs.delete("modal")
    signs.add("present").add("value")
  }
  if (tense === "modal" && isWish) {
    signs.delete("modal")
    signs.add("present")
  }
  // A change that happened today is still true tomorrow.
  if (signs.has("change") && (tense === "past" || tense === "perfect")) signs.delete("fleeting")
  // A past event counts as present if it changed the present state.
  const hasResult =
    signs.has("was a") ||
    signs.has("named so") ||
    (view.isFirst
      ? ["change", "own state", "decision"].some((sign) => signs.has(sign as WorthSign))
      : signs.has("solution") || signs.has("aged"))
  if (view.isPast && hasResult) signs.delete("past")
  return signs
}

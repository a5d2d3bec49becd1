import { isStopWord, setOf } from "../../../../text/normalise/functionWords.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { lexicon } from "../rules/lexicon.js"
import type { Value } from "../values/Value.js"
import { frames } from "./frames.js"
import type { WordClass } from "./lexicon.js"
import {
  clockTimePattern,
  conditionalPattern,
  goodbye,
  hypotheticalPattern,
  laughter,
  suppositionPattern
} from "./meant.js"
import type { Sign } from "./points.js"
import { type Act, isReminder, type Reading, type Subject } from "./reading.js"
import type { Tense } from "./tense.js"
import { kin } from "./words.js"

/** How a piece relates to the assistant's last turn. */
export interface AnswerContext {
  readonly isAnswer: boolean
  /** The piece chooses something that was proposed. */
  readonly isAccepting: boolean
}

/** A reading, with the properties that several signs need. */
interface View extends AnswerContext {
  readonly reading: Reading
  /** The words of the piece, separated by spaces, with a space at both ends. */
  readonly line: string
  readonly has: (wordClass: WordClass) => boolean
  /** Its subject is the speaker, or a group with the speaker. */
  readonly isFirst: boolean
  /** Its subject is a person, or belongs to the speaker. */
  readonly isSomebody: boolean
  readonly isPast: boolean
  /** The piece names a season, or a day other than today and a past weekday. */
  readonly hasDate: boolean
  readonly hasClock: boolean
  /** The piece has a number in digits, or a version number. */
  readonly hasFigure: boolean
  readonly hasIdentifier: boolean
}

const viewOf = (reading: Reading, circumstances: AnswerContext): View => {
  const { hits, identifiers, subject, tense, values, words } = reading
  const isFirst = subject === "speaker" || subject === "omitted" || subject === "group"
  const isPast = tense === "past"
  return {
    ...circumstances,
    reading,
    line: ` ${words.join(" ")} `,
    has: (wordClass) => hits.has(wordClass),
    isFirst,
    isSomebody: isFirst || subject === "own" || subject === "pronoun" || subject === "named",
    isPast,
    hasDate:
      values.some(
        ({ value: { day, form, kind, month, weekday, year } }) =>
          kind === "day" && !isToday(form) && (month ?? year ?? day ?? (isPast ? undefined : weekday)) !== undefined
      ) || season.test(reading.text),
    hasClock: values.some(({ value }) => value.kind === "clock"),
    hasFigure: values.some(({ value }) => value.kind === "version" || isQuantityInDigits(value)),
    hasIdentifier: identifiers.length > 0
  }
}

const isQuantityInDigits = ({ form, kind }: Value): boolean => kind === "quantity" && /\d/u.test(form)
const isToday = (form: string): boolean => /^(?:today|tonight|this (?:morning|afternoon|evening))/u.test(form)
/** Times that are not single days: "in the autumn", "end of June". */
const season =
  /\b(?:in|this|next|by|until|last|since|over) (?:the )?(?:spring|summer|autumn|fall|winter|new year)\b|\b(?:end|beginning|start|middle) of (?:\p{Lu}\p{L}+|next|the)\b/u

type Test = (view: View) => boolean
type Tested = Exclude<Sign, Act | Subject | Tense>

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
    (isSomebody && frames.isA.test(line)) || /^I(?:'m| am) \p{Lu}\p{Ll}+/u.test(reading.text),
  calling: ({ isSomebody, line }) => isSomebody && frames.calling.test(line),
  aged: ({ isSomebody, line }) => isSomebody && frames.aged.test(line),
  "has a": ({ isFirst, line }) => isFirst && frames.hasA.test(line),
  "named so": ({ line }) => frames.namedSo.test(line),
  lasts: ({ line }) => frames.lasts.test(line),
  frequency: ({ line }) => frames.frequency.test(line),
  relative: ({ line }) => frames.relative.test(line),
  household: ({ line }) => frames.household.test(line),
  family: ({ line }) => frames.family.test(line),
  health: ({ has, line }) => has("health") || frames.body.test(line),
  "own health": ({ has, isSomebody, line }) => isSomebody && (has("health") || frames.body.test(line)),
  matters: ({ has, isSomebody, hasDate, reading }) =>
    has("mattering") && (isSomebody || hasDate || reading.names.length > 0 || reading.values.length > 0),
  introduces: ({ line, reading }) =>
    frames.introduces.test(line) && reading.subject === "own" && introduced.test(reading.text),
  form: ({ line }) => frames.form.test(line),
  "never again": ({ isFirst, line }) => isFirst && frames.neverAgain.test(line),
  liking: ({ isSomebody, reading: { hitList, words } }) =>
    isSomebody &&
    hitList.some(
      ({ index, wordClass }) => wordClass === "liking" && !(words[index] === "like" && isFiller(words[index - 1]))
    ),
  taste: ({ line }) => frames.taste.test(line),
  preferring: ({ line }) => frames.preferring.test(line) && !frames.inquiring.test(line),
  "own state": ({ has, isFirst, isPast, isSomebody }) => isSomebody && (!isPast || isFirst) && has("stative"),
  "now so": ({ has, isFirst, line, reading: { tense } }) =>
    isFirst && tense === "present" && / now $/u.test(line) && (has("stative") || frames.isA.test(line)),
  having: ({ has, isPast, isSomebody }) => isSomebody && !isPast && has("having"),
  practice: ({ line, reading: { subject, tense } }) =>
    subject === "group" && tense === "present" && !frames.being.test(line),
  pursuit: ({ has, isFirst }) => isFirst && has("pursuing"),
  habit: ({ line, reading: { subject, tense } }) =>
    (subject === "named" || frames.relative.test(line)) && tense === "present" && frames.habit.test(line),
  "was a": ({ line }) => frames.wasA.test(line),
  aim: ({ has, isFirst }) => isFirst && has("aiming"),
  decision: ({ has }) => has("deciding"),
  duty: ({ has, isFirst, line }) => has("duty") || (isFirst && frames.due.test(line)),
  change: ({ has, hasDate, hasFigure, hasIdentifier, isSomebody, reading: { names, subject, tense } }) =>
    has("changing") &&
    (isSomebody || hasIdentifier || hasFigure || names.length > 0 || (hasDate && subject === "thing")) &&
    tense !== "future" &&
    tense !== "modal",
  happening: ({ has, isSomebody }) => isSomebody && has("happening"),
  plan: ({ has, hasDate }) => hasDate && has("planning"),
  affected: ({ isFirst, line, reading: { tense } }) =>
    !isFirst && (tense === "past" || tense === "perfect") && frames.affected.test(line),
  shifted: ({ line, reading: { values } }) =>
    frames.shifted.test(line) && values.some(({ value }) => value.kind === "day" || value.kind === "clock"),
  keeping: ({ line, reading: { tense } }) => tense === "present" && frames.keeping.test(line),
  reminder: ({ reading }) => isReminder(reading.text),
  amount: ({ line }) => frames.amount.test(line),
  condition: ({ isFirst, line }) => isFirst && frames.condition.test(line),
  solution: ({ has, isFirst, isPast, isSomebody, line }) =>
    has("solving") || (!isFirst && frames.helped.test(line)) || (isPast && !isSomebody && frames.caused.test(line)),
  culprit: ({ has, line }) => has("solving") && frames.culprit.test(line),
  lasting: ({ has }) => has("lasting"),
  rule: ({ has }) => has("ruling"),
  constraint: ({ line, reading }) =>
    reading.act === "states" && frames.constraint.test(line) && !frames.unconstrained.test(line),
  limit: ({ line }) => frames.limit.test(line),
  deadline: ({ line }) => frames.deadline.test(line),
  contrast: ({ line, reading: { tense, text } }) =>
    (tense === "none" && contrasted.test(text)) || frames.insteadOf.test(line),
  listing: ({ isAnswer, reading: { tense, text } }) => isAnswer && tense === "none" && /^[^,]+,[^,]+,[^,]+/u.test(text),
  attribute: ({ line }) => isAttribute(frames.attribute.exec(line)?.[1]),
  keyed: ({ reading }) => reading.isKeyed,
  value: ({ hasClock, hasFigure, hasIdentifier, line, reading: { isQuoted, names, subject, tense } }) =>
    !isQuoted &&
    tense === "present" &&
    (subject === "thing" || subject === "own" || subject === "named") &&
    (hasFigure || hasClock || hasIdentifier || (names.length > 0 && frames.copula.test(line)))
} satisfies Partial<Record<Tested, Test>>

/** A relative with a name after it. */
const introduced = new RegExp(
  `\\b(?:${[kin.she, kin.he, kin.either].join(" ").trim().split(/\s+/u).join("|")}),? \\p{Lu}\\p{Ll}`,
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
    has("fleeting") || clockTimePattern.test(reading.text) || frames.soon.test(line),
  passing: ({ line, reading: { subject } }) =>
    frames.passing.test(line) || ((subject === "named" || subject === "pronoun") && frames.indisposed.test(line)),
  leaving: ({ hasDate, line, reading }) =>
    goodbye.test(reading.piece.text) ||
    (!hasDate && !frames.frequency.test(line) && !/ for good /u.test(line) && frames.leaving.test(line)),
  just: ({ line }) => frames.just.test(line),
  supposing: (view) => view.has("supposing") && !frames.preferring.test(view.line) && !isConditional(view),
  hypothesis: ({ reading: { text } }) => hypotheticalPattern.test(text),
  conditional: (view) => isConditional(view),
  believing: ({ has }) => has("believing"),
  joking: ({ has }) => has("joking"),
  laughing: ({ reading }) => laughter.test(reading.piece.text),
  smiling: ({ reading }) => /[:;]-?[)DP]|\p{Extended_Pictographic}/u.test(reading.piece.text),
  quoted: ({ reading }) => reading.isQuoted,
  saying: ({ isFirst, reading }) =>
    !isFirst && reading.hitList.some(({ index, wordClass }) => wordClass === "saying" && index < maxSpeakerWords),
  indirect: ({ line }) => frames.indirect.test(line),
  inquiring: ({ isFirst, line }) => isFirst && frames.inquiring.test(line),
  minding: ({ isFirst, line }) => isFirst && frames.minding.test(line),
  pleased: ({ isFirst, line }) => isFirst && frames.pleased.test(line),
  judged: ({ has, isAccepting, reading: { subject } }) =>
    has("judging") && !isAccepting && !has("solving") && subject !== "speaker" && subject !== "group",
  generic: ({ isFirst, line, reading }) => !isFirst && reading.act === "states" && frames.generic.test(line),
  dangling: ({ line, reading: { piece } }) => !piece.continues && frames.dangling.test(line),
  messaged: ({ line }) => frames.messaged.test(line),
  compared: ({ line }) => frames.compared.test(line),
  exclaimed: ({ reading }) => reading.piece.text.includes("!"),
  trouble: ({ has, isFirst, line, reading: { subject } }) =>
    !isFirst &&
    subject !== "pronoun" &&
    !has("stative") &&
    !has("health") &&
    !frames.body.test(line) &&
    frames.trouble.test(line),
  empty: (view) => isEmpty(view),
  short: (view) => !isClause(view) && view.reading.words.length < 4,
  "very short": (view) => view.reading.words.length < 3 && (!isClause(view) || /^\p{L}+$/u.test(view.reading.text))
} satisfies Partial<Record<Tested, Test>>

/** True if a statement comes first and its condition follows: "I'll do it on Sunday if the weather holds". */
const isConditional = ({ reading: { tense, text } }: View): boolean =>
  tense !== "modal" && conditionalPattern.test(text) && !suppositionPattern.test(text)

/** Classes of words that describe somebody or something, so that a statement needs no other content word. */
const telling: ReadonlySet<WordClass> = new Set(["stative", "liking", "health", "kin", "pet", "mattering"])

/** True if a piece names nothing specific: "I'm taking it", "by no means", "first week of July". */
const isEmpty = ({ has, hasDate, isAnswer, isFirst, isSomebody, line, reading }: View): boolean => {
  const { hitList, identifiers, names, values, words } = reading
  if (identifiers.length + names.length > 0 || reading.isCorrection) return false
  if (isAnswer && values.length > 0) return false
  if (hitList.some(({ wordClass }) => telling.has(wordClass)) || frames.aged.test(` ${words.join(" ")} `)) return false
  const covered = new Set(hitList.flatMap(({ index, length }) => words.slice(index, index + length)))
  const spoken = values.flatMap(({ value: { form } }) => form.split(/\s+/u))
  const rest = words.filter(
    (word) => word.length > 2 && !isStopWord(word) && !covered.has(word) && !spoken.includes(word) && !vague.has(word)
  )
  if (rest.length > 0) return false
  if (hasDate && ((isFirst && has("having")) || (isSomebody && frames.away.test(line)))) return false
  return values.length === 0 || (hasDate && !has("planning") && !has("changing") && !has("duty"))
}
const vague = setOf(
  "one turns thing things stuff way means matter let let's like get got going week month year end first last bit lot"
)

const isClause = ({ isSomebody, reading }: View): boolean => isSomebody && reading.tense !== "none"

const tests = Object.entries({ ...statedTests, ...meantTests } satisfies Record<Tested, Test>) as ReadonlyArray<
  [Tested, Test]
>

/** The signs of a piece, for and against keeping it. */
export const signsOf = (reading: Reading, circumstances: AnswerContext): ReadonlySet<Sign> => {
  const view = viewOf(reading, circumstances)
  const { act, subject, tense } = reading
  const signs = new Set<Sign>([subject, tense])
  if (act !== "states" && !(act === "requests" && view.isAccepting)) signs.add(act)
  for (const [sign, test] of tests) if (test(view)) signs.add(sign)
  if (act === "instructs") for (const sign of ["modal", "supposing", "listener"] as const) signs.delete(sign)
  const isWish = frames.preferring.test(view.line) || (view.isFirst && frames.due.test(view.line))
  // "The limit should be 768 MiB" sets a value.
  if (tense === "modal" && !view.isSomebody && frames.setting.test(view.line)) {
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
      ? ["change", "own state", "decision"].some((sign) => signs.has(sign as Sign))
      : signs.has("solution") || signs.has("aged"))
  if (view.isPast && hasResult) signs.delete("past")
  return signs
}

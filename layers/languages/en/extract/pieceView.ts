import type { Value } from "../values/Value.js"
import type { WordClass } from "./lexicon.js"
import type { Reading } from "./reading.js"

/** How a piece relates to the assistant's last turn. */
export interface AnswerContext {
  readonly isAnswer: boolean
  /** The piece chooses something that was proposed. */
  readonly isAccepting: boolean
}

/** A reading, with the properties that several signs need. */
export interface PieceView extends AnswerContext {
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

export const viewOf = (reading: Reading, circumstances: AnswerContext): PieceView => {
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

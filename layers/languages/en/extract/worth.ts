import { readFileSync } from "node:fs"
import { assetFile } from "../../../../text/assetFile.js"
import { lazy } from "../../../../text/normalise/lazy.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { sumOfPoints, type WorthSign } from "./points.js"
import type { Reading } from "./reading.js"

/** The context of a piece. */
export interface PieceContext {
  /** The piece begins with a pronoun that refers to no known person. */
  readonly isUnresolved: boolean
  /** The assistant's question that the piece answers. */
  readonly question: string | undefined
  /** The same question, if the piece is a fragment that is stored together with it. */
  readonly keptQuestion: string | undefined
}

/** Returns the points of a piece. A piece with at least `minWorth` points is kept. */
export type Weigh = (reading: Reading, signs: ReadonlySet<WorthSign>, surroundings: PieceContext) => number

/** Points that a pronoun costs if the person is not known. */
const unresolvedPronoun = 1

/** Points for a short answer to a question with "who", "which" and the like. */
const shortAnswer = 1.5

/** The points that are set by hand: for signs, unknown pronouns and short answers. `worth` adds the learned points. */
export const manualPoints: Weigh = (_reading, signs, { isUnresolved, keptQuestion }) =>
  sumOfPoints(signs) -
  (isUnresolved ? unresolvedPronoun : 0) +
  (questionWord(keptQuestion) === undefined ? 0 : shortAnswer)

const questionWord = (question: string | undefined): string | undefined =>
  question === undefined
    ? undefined
    : /\b(?:who|whose|what|which|when|where|why|how)\b/iu.exec(question)?.[0].toLowerCase()

export const weighPiece: Weigh = (reading, signs, surroundings) => {
  // The learned points do not apply to a choice among proposals: it is a decision, even if people often only choose
  // which of two things to do first.
  if (signs.has("accepts")) return manualPoints(reading, signs, surroundings)
  const { base, points } = learned()
  let sum = manualPoints(reading, signs, surroundings) + base
  for (const feature of featuresOf(reading, signs, surroundings)) sum += points[feature] ?? 0
  // Sums of hundredths are not exact: without rounding, a piece with just enough points could fall below the minimum.
  return Math.round(sum * 100) / 100
}

/**
 * The features of a piece that may have learned points: its signs; its subject, act and tense; the kind of question;
 * its words and its pairs of neighbouring words, as stems.
 */
export const featuresOf = (
  { act, piece, subject, tense, words }: Reading,
  signs: ReadonlySet<WorthSign>,
  { keptQuestion, question }: PieceContext
): ReadonlySet<string> => {
  const stems = words.map((word) => (/\p{N}/u.test(word) ? "#" : stemOf(word)))
  const framed = ["^", ...stems, "$"]
  return new Set([
    ...[...signs].map((sign) => `sign ${sign}`),
    `${subject} ${act} ${tense}`,
    ...(piece.isAsked ? ["asked"] : []),
    ...(question === undefined ? [] : [`answers ${questionWord(question) ?? "yes or no"}`]),
    ...(keptQuestion === undefined ? [] : [`replies ${questionWord(keptQuestion) ?? "yes or no"}`]),
    ...stems.map((stem) => `word ${stem}`),
    ...framed.slice(1).map((stem, index) => `pair ${framed[index]} ${stem}`)
  ])
}

/** The format of `assets/capture.json`, which `training/trainCapture.mjs` writes. */
interface Learned {
  /** Points that every piece gets. */
  readonly base: number
  readonly points: Readonly<Record<string, number>>
}

/** Without the file, only the points that are set by hand count. */
const learned = lazy((): Learned => {
  const file = assetFile("capture.json")
  return file === undefined ? { base: 0, points: {} } : JSON.parse(readFileSync(file, "utf8"))
})

import { foldLetters } from "../../text/normalise/letters.js"
import type { Attribute, Truth } from "./format.js"

/**
 * The state of an attribute in a profile. `held`: the profile states only the current truth. `contradicted`: it
 * states the current and an outdated truth. `outdated`: only an outdated truth. `missing`: no truth of the attribute.
 */
export type AttributeState = "held" | "contradicted" | "outdated" | "missing"

/** The standing of an attribute at an instant. */
export interface NamedAttributeState {
  readonly name: string
  readonly standing: AttributeState
}

/** The truth of an attribute at an instant; undefined before its first truth. */
export const truthAt = ({ truths }: Attribute, instant: number): Truth | undefined =>
  truths.findLast(({ from }) => from <= instant)

/** The standing of every attribute that has a truth at an instant. */
export const attributeStatesIn = (
  attributes: ReadonlyArray<Attribute>,
  lines: ReadonlyArray<string>,
  at: number
): Array<NamedAttributeState> => {
  const texts = lines.map(comparableText)
  return attributes.flatMap((attribute) => {
    const truth = truthAt(attribute, at)
    if (truth === undefined) return []
    const says = statesTruth(truth)
    // A value may recur, so a line that states the current truth is never outdated.
    const former = attribute.truths.filter(({ from }) => from < truth.from).map(statesTruth)
    const current = texts.some(says)
    const outdated = texts.some((text) => !says(text) && former.some((saysFormer) => saysFormer(text)))
    const standing: AttributeState = current ? (outdated ? "contradicted" : "held") : outdated ? "outdated" : "missing"
    return [{ name: attribute.name, standing }]
  })
}

/** Returns a test. It is true if a text (from `comparableText`) contains all words of one wording of the truth. */
export const statesTruth = ({ ways }: Truth): ((text: string) => boolean) => {
  const wanted = ways.map((words) => words.map((word) => ` ${comparableText(word).trim()} `))
  return (text) => wanted.some((words) => words.every((word) => text.includes(word)))
}

/**
 * The words of a text with single spaces between and around them, without case, accents and punctuation. In scripts
 * without spaces, each character counts as a word.
 */
export const comparableText = (text: string): string =>
  ` ${(foldLetters(text).toLowerCase().normalize("NFD").replace(marks, "").match(word) ?? []).join(" ")} `

const unspaced = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}"
const marks = /(?<=\p{Script=Latin})\p{M}+/gu
const word = new RegExp(
  `[${unspaced}]|(?:(?![${unspaced}])[\\p{L}\\p{M}\\p{N}])+(?:(?<=\\p{N})[.:,](?=\\p{N})\\p{N}+)*`,
  "gu"
)

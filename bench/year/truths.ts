import { folded } from "../../text/normalise/letters.js"
import type { Attribute, Truth } from "./format.js"

/**
 * How a profile stands to what is true: it says it; it says it and, in another line, something that is true no more; it
 * says only that; it says neither.
 */
export type Standing = "held" | "contradicted" | "outdated" | "missing"

/** An attribute at an instant. */
export interface Held {
  readonly name: string
  readonly standing: Standing
}

/** What is true of an attribute at an instant; undefined before its first truth. */
export const truthAt = ({ truths }: Attribute, at: number): Truth | undefined =>
  truths.findLast(({ from }) => from <= at)

/** What lines say of every attribute that has a truth at an instant. */
export const heldBy = (attributes: ReadonlyArray<Attribute>, lines: ReadonlyArray<string>, at: number): Array<Held> => {
  const texts = lines.map(comparable)
  return attributes.flatMap((attribute) => {
    const truth = truthAt(attribute, at)
    if (truth === undefined) return []
    const says = saying(truth)
    // The same may have been true before: what says what is true now is not outdated, whatever else it says.
    const former = attribute.truths.filter(({ from }) => from < truth.from).map(saying)
    const current = texts.some(says)
    const past = texts.some((text) => !says(text) && former.some((said) => said(text)))
    const standing: Standing = current ? (past ? "contradicted" : "held") : past ? "outdated" : "missing"
    return [{ name: attribute.name, standing }]
  })
}

/** Whether a text, made comparable, says something: all words of one of its ways. */
export const saying = ({ ways }: Truth): ((text: string) => boolean) => {
  const wanted = ways.map((words) => words.map((word) => ` ${comparable(word).trim()} `))
  return (text) => wanted.some((words) => words.every((word) => text.includes(word)))
}

/**
 * Words with single spaces between and around them, without case, accents and what stands between words; each character
 * of scripts that write no spaces is a word.
 */
export const comparable = (text: string): string =>
  ` ${(folded(text).toLowerCase().normalize("NFD").replace(marks, "").match(word) ?? []).join(" ")} `

const unspaced = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}"
const marks = /(?<=\p{Script=Latin})\p{M}+/gu
const word = new RegExp(
  `[${unspaced}]|(?:(?![${unspaced}])[\\p{L}\\p{M}\\p{N}])+(?:(?<=\\p{N})[.:,](?=\\p{N})\\p{N}+)*`,
  "gu"
)

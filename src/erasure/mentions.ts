import { lazy } from "../../text/normalise/lazy.js"
/** Tests whether a value contains a text, in any string at any depth. */
export type MentionTest = (value: unknown) => boolean

/** A test that no value passes. */
export const mentionsNothing: MentionTest = () => false

/**
 * Tests for a name. Case, Unicode form and the punctuation between its words do not matter. The name must be a separate
 * word: "Ann" is not in "Annual". In scripts without spaces, other characters may surround it. An inflected form counts
 * as another name.
 */
export const makeMentionsTest = (name: string): MentionTest => {
  const pattern = patternOf(name, true)
  return (value) => someTextMatches(value, (text) => pattern.test(folded(text)))
}

/**
 * A pattern for a name in folded text, with one to three other characters between its words. With `standsAlone`, a
 * match inside a longer word does not count.
 */
export const patternOf = (name: string, standsAlone: boolean): RegExp => {
  const words = folded(name).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const core = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("[^\\p{L}\\p{M}\\p{N}]{1,3}")
  const [before, after] = [words[0] ?? "", words.at(-1) ?? ""].map((word, end) =>
    unspaced().test(end === 0 ? word.slice(0, 1) : word.slice(-1)) ? "" : "[\\p{L}\\p{M}\\p{N}]"
  )
  if (!standsAlone) return new RegExp(core, "u")
  return new RegExp(`${before === "" ? "" : `(?<!${before})`}${core}${after === "" ? "" : `(?!${after})`}`, "u")
}

/** Tests for any of several names. */
export const makeAnyMentionTest = (names: ReadonlyArray<string>): MentionTest => {
  const tests = names.map(makeMentionsTest)
  return (value) => tests.some((test) => test(value))
}

const unspaced = lazy(() => /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}]/u)

const folded = (text: string): string => text.normalize("NFKC").toLowerCase()

/** Whether any string in a value passes a test, at any depth. */
export const someTextMatches = (value: unknown, test: (text: string) => boolean): boolean => {
  if (typeof value === "string") return test(value)
  if (Array.isArray(value)) return value.some((entry) => someTextMatches(entry, test))
  if (typeof value !== "object" || value === null) return false
  return Object.values(value).some((entry) => someTextMatches(entry, test))
}

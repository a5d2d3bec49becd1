import type { Cue, LanguageWords } from "./LanguageWords.js"

/** The entry of a word or a phrase. */
export interface Entry {
  readonly cue?: Cue
  readonly empty?: true
  /** Set for words that link a subject to a value: "copula", "single" for one value at a time, "open" for several. */
  readonly link?: "copula" | "single" | "open"
  readonly speaker?: true
  readonly scope?: true
  readonly clock?: true
  readonly number?: number
  /** Minutes that are added to an hour. `side`: the phrase comes after the hour, or before it. */
  readonly minutes?: { readonly side: "after" | "before"; readonly count: number }
  readonly state?: "due" | "done"
  readonly month?: number
  readonly weekday?: number
  readonly unit?: { readonly dimension: string; readonly size: number }
  /** The canonical form that synonyms share, or both sides of a pair of opposites. */
  readonly canon?: string
  /** True for the second side of a pair of opposites. */
  readonly opposite?: boolean
}

/** The words of a language, indexed. */
export interface Lexicon {
  readonly words: LanguageWords
  /** Finds the longest phrase that begins at `start`: its entry, and its length in words. */
  readonly find: (forms: ReadonlyArray<string>, start: number) => readonly [entry: Entry | undefined, length: number]
  readonly stemOf: (form: string) => string
}

/** Converts a text to lower case and removes accents. */
export const fold = (text: string): string =>
  plain.test(text)
    ? text.toLowerCase()
    : text
        .normalize("NFD")
        .replace(/\p{M}+/gu, "")
        .toLowerCase()
        .replaceAll("ß", "ss")
        .replaceAll("œ", "oe")
        .normalize("NFC")
const plain = /^[\w ]*$/

/** Minimum letters of a stem. */
const minStem = 3
/** Maximum segments of a phrase in a script without spaces. */
const maxPhrase = 5

const list = (text: string, separator: RegExp): ReadonlyArray<string> =>
  fold(text)
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "")

const pairs = (text: string): ReadonlyArray<readonly [string, number]> =>
  list(text, /\s+/).map((pair) => {
    const [word, value] = pair.split("=")
    return [word!, Number(value)]
  })

/** Adds all word lists of a language to the index. A later list extends the entries of an earlier one. */
const fill = (
  words: LanguageWords,
  add: (phrase: string, entry: Entry) => void,
  addStem: typeof add,
  stemOf: Lexicon["stemOf"]
) => {
  const each = (text: string, entry: Entry, separator = /\s+/) => {
    for (const word of list(text, separator)) add(word, entry)
  }
  each(words.empty, { empty: true })
  each(words.copulas, { link: "copula" })
  each(words.links, { link: "single" })
  each(words.openLinks, { link: "open" })
  each(words.speaker, { speaker: true })
  for (const group of list(words.same, /;/)) {
    const [canon] = list(group, /,/)
    for (const word of list(group, /,/)) addStem(word, { canon: stemOf(canon!) })
  }
  for (const pair of list(words.opposites, /;/)) {
    const canon = `±${pair}`
    for (const [side, group] of pair.split("/").entries())
      for (const word of list(group, /,/)) add(word, { canon, opposite: side === 1 })
  }
  for (const word of list(words.scopes, /\s+/)) add(word, { scope: true })
  for (const [word, number] of pairs(words.numbers)) add(word, { number })
  for (const [index, names] of list(words.months, /\s+/).entries())
    for (const name of names.split("/")) add(name, { month: index + 1 })
  for (const [index, names] of list(words.weekdays, /\s+/).entries())
    for (const name of names.split("/")) {
      add(name, { weekday: index + 1 })
      for (const word of list(words.thisWords, /\s+/))
        add(`${word}${words.unspaced === undefined ? " " : ""}${name}`, { cue: "temporary" })
    }
  for (const [dimension, sizes] of Object.entries(words.units))
    for (const [unit, size] of pairs(sizes)) add(unit, { unit: { dimension, size } })
  each(words.clock, { clock: true })
  each(words.due, { state: "due" }, /,/)
  each(words.done, { state: "done" }, /,/)
  for (const [side, text] of [
    ["after", words.minutes],
    ["before", words.minutesBefore]
  ] as const)
    for (const pair of list(text, /,/)) {
      const [phrase, count] = pair.split("=")
      add(phrase!, { minutes: { side, count: Number(count) } })
    }
  for (const [cue, phrases] of Object.entries(words.cues)) each(phrases, { cue: cue as Cue }, /,/)
}

/** Indexes the words of a language. Takes some milliseconds. */
export const lexiconOf = (words: LanguageWords): Lexicon => {
  const unspaced = words.unspaced !== undefined
  const stemOf = (form: string): string => {
    const stem = form.replace(words.endings, "")
    return stem.length < (unspaced ? 1 : minStem) || /\p{N}/u.test(form) ? form : stem
  }
  const phrases = new Map<string, Entry>()
  const stems = new Map<string, Entry>()
  const prefixes = new Map<string, Entry>()
  /** The number of words of the longest phrase that begins with a word. */
  const longest = new Map<string, number>()
  const join = unspaced ? "" : " "
  const add = (phrase: string, entry: Entry): void => {
    if (phrase.endsWith("*")) {
      prefixes.set(phrase.slice(0, -1), entry)
      return
    }
    const parts = partsOf(phrase)
    const key = parts.join(join)
    phrases.set(key, { ...phrases.get(key), ...entry })
    longest.set(parts[0]!, Math.max(longest.get(parts[0]!) ?? 1, parts.length))
  }
  const partsOf = (phrase: string) => (unspaced ? [phrase] : phrase.replace(/['_]/g, " ").trim().split(/\s+/))
  fill(
    words,
    add,
    (word, entry) => {
      add(word, entry)
      if (!word.includes(" ")) stems.set(stemOf(word), entry)
    },
    stemOf
  )
  const find: Lexicon["find"] = (forms, start) => {
    const first = forms[start]!
    for (let length = unspaced ? maxPhrase : (longest.get(first) ?? 1); length > 0; length--) {
      const entry = phrases.get(forms.slice(start, start + length).join(join))
      if (entry !== undefined && start + length <= forms.length) return [entry, length]
    }
    for (let length = first.length; prefixes.size > 0 && length > minStem; length--) {
      const entry = prefixes.get(first.slice(0, length))
      if (entry !== undefined) return [entry, 1]
    }
    return [stems.get(stemOf(first)), 1]
  }
  return { words, find, stemOf }
}

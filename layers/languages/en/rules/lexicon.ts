import { stemOf } from "../../../../text/normalise/stem.js"
import type { Cue, Language, Relation, Slot } from "./Language.js"

/** The lexicon's entry for a word or a phrase. */
export interface Entry {
  /** The canonical form of its synonyms. */
  canon: string
  cue?: Cue
  slot?: Slot
  relation?: string
  /** The kinds that it belongs to. */
  kinds?: ReadonlyArray<string>
  /** The pair of opposites that it belongs to. */
  pair?: string
  side?: boolean
  /** Both sides of its pair can be untrue. */
  gradable?: boolean
  empty?: true
  speaker?: true
  pronoun?: true
  auxiliary?: true
  determiner?: true
  joins?: true
  noun?: true
  abbreviation?: true
  verb?: true
  event?: true
  singular?: true
  generic?: true
  number?: number
  month?: number
  weekday?: number
  day?: number
  dimension?: string
  size?: number
}

/** The tables of a language, indexed by the stems of a word or a phrase. */
export interface Lexicon {
  readonly language: Language
  readonly entries: ReadonlyMap<string, Entry>
  /** By stem, the word count of the longest phrase that begins with it. */
  readonly longest: ReadonlyMap<string, number>
  /** Names of days and months, unstemmed: "wedding" is not Wednesday. */
  readonly calendar: ReadonlySet<string>
  /** The dimensions of units. */
  readonly dimensions: ReadonlySet<string>
  readonly past: ReadonlySet<string>
  readonly present: ReadonlySet<string>
  readonly relations: Readonly<Record<string, Relation>>
}

const split = (text: string, separator: RegExp | string): ReadonlyArray<string> =>
  text
    .split(separator)
    .map((part) => part.trim().replace(/\s+/g, " "))
    .filter((part) => part !== "")

/** Parses "one=1 two=2". */
const numbersIn = (text: string): ReadonlyArray<readonly [string, number]> =>
  split(text, " ").map((pair) => {
    const [word, value] = pair.split("=")
    return [word!, Number(value)]
  })

/** Builds the lexicon of a language from its tables. */
export const lexiconOf = (language: Language): Lexicon => {
  const entries = new Map<string, Entry>()
  const longest = new Map<string, number>()
  fillEntries(language, (phrase) => {
    const keys = phrase.replaceAll("_", " ").split(" ").map(stemOf)
    const joined = keys.join(" ")
    longest.set(keys[0]!, Math.max(longest.get(keys[0]!) ?? 1, keys.length))
    const existing = entries.get(joined)
    if (existing !== undefined) return existing
    const entry: Entry = { canon: joined }
    entries.set(joined, entry)
    return entry
  })
  return {
    language,
    entries,
    longest,
    calendar: new Set(split(`${language.months} ${language.weekdays}`, /[ /]/)),
    dimensions: new Set(Object.keys(language.units)),
    past: new Set(language.past.split(" ")),
    present: new Set(language.present.split(" ")),
    relations: language.relations
  }
}

/** Writes all tables into the entries. The order matters: a later table overrides a field of an earlier one. */
const fillEntries = (language: Language, entryOf: (phrase: string) => Entry) => {
  const mark = (text: string, separator: RegExp | string, entry: Partial<Entry>) => {
    for (const word of split(text, separator)) Object.assign(entryOf(word), entry)
  }
  for (const group of split(language.same, ";")) {
    const words = split(group, ",")
    for (const word of words) entryOf(word).canon = stemOf(words[0]!)
  }
  mark(language.empty, " ", { empty: true })
  mark(language.speaker, " ", { speaker: true })
  mark(language.pronouns, " ", { pronoun: true })
  mark(language.determiners, " ", { determiner: true })
  mark(language.auxiliaries, " ", { auxiliary: true })
  mark(language.abbreviations, " ", { abbreviation: true })
  mark(language.joins, " ", { joins: true })
  mark(language.verbs, " ", { verb: true })
  mark(language.events, " ", { verb: true, event: true })
  mark(language.singular, " ", { singular: true })
  mark(language.generic, " ", { generic: true })
  for (const [slot, words] of Object.entries(language.slots)) mark(words, " ", { slot: slot as Slot })
  for (const [cue, words] of Object.entries(language.cues)) mark(words, ",", { cue: cue as Cue })
  mark(language.changes, ",", { cue: "changed", verb: true })
  mark(language.cues.ended, ",", { verb: true })
  for (const [name, { cues = {}, event, nouns = "", words }] of Object.entries(language.relations)) {
    mark(words, ",", { relation: name, verb: true, ...(event === true ? { event } : {}) })
    mark(nouns, ",", { relation: name, noun: true })
    for (const [word, cue] of Object.entries(cues)) entryOf(word).cue = cue
  }
  for (const [index, pair] of split(language.opposites, ";").entries()) {
    const gradable = pair.startsWith("~")
    for (const [side, words] of split(pair.replace("~", ""), " / ").entries())
      mark(words, ",", { pair: `±${index}`, side: side === 0, ...(gradable ? { gradable } : {}) })
  }
  for (const [kind, words] of Object.entries(language.kinds)) {
    for (const word of split(words, " ")) {
      const entry = entryOf(word)
      entry.kinds = [...(entry.kinds ?? []), kind]
    }
  }
  for (const [word, number] of numbersIn(language.numbers)) entryOf(word).number = number
  for (const [index, names] of split(language.months, " ").entries()) mark(names, "/", { month: index + 1 })
  for (const [index, names] of split(language.weekdays, " ").entries()) mark(names, "/", { weekday: index })
  for (const [word, day] of numbersIn(language.days)) entryOf(word).day = day
  for (const [dimension, sizes] of Object.entries(language.units)) {
    for (const [unit, size] of numbersIn(sizes)) Object.assign(entryOf(unit), { dimension, size })
  }
}

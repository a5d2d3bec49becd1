import { setOf } from "../../../../text/normalise/functionWords.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { english } from "./english.js"
import { relations } from "./englishRelations.js"
import type { Cue, PhraseKind } from "./Language.js"

/** The lexicon's entry for a word or a phrase. */
export interface Entry {
  /** The canonical form of its synonyms. */
  canon: string
  cue?: Cue
  slot?: PhraseKind
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

/** Writes all tables into the entries. The order matters: a later table overrides a field of an earlier one. */
const fillEntries = (entryOf: (phrase: string) => Entry) => {
  const mark = (text: string, separator: RegExp | string, entry: Partial<Entry>) => {
    for (const word of split(text, separator)) Object.assign(entryOf(word), entry)
  }
  for (const group of split(english.same, ";")) {
    const words = split(group, ",")
    for (const word of words) entryOf(word).canon = stemOf(words[0]!)
  }
  mark(english.empty, " ", { empty: true })
  mark(english.speaker, " ", { speaker: true })
  mark(english.pronouns, " ", { pronoun: true })
  mark(english.determiners, " ", { determiner: true })
  mark(english.auxiliaries, " ", { auxiliary: true })
  mark(english.abbreviations, " ", { abbreviation: true })
  mark(english.joins, " ", { joins: true })
  mark(english.verbs, " ", { verb: true })
  mark(english.events, " ", { verb: true, event: true })
  mark(english.singular, " ", { singular: true })
  mark(english.generic, " ", { generic: true })
  for (const [slot, words] of Object.entries(english.slots)) mark(words, " ", { slot: slot as PhraseKind })
  for (const [cue, words] of Object.entries(english.cues)) mark(words, ",", { cue: cue as Cue })
  mark(english.changes, ",", { cue: "changed", verb: true })
  mark(english.cues.ended, ",", { verb: true })
  for (const [name, { cues = {}, event, nouns = "", words }] of Object.entries(relations)) {
    mark(words, ",", { relation: name, verb: true, ...(event === true ? { event } : {}) })
    mark(nouns, ",", { relation: name, noun: true })
    for (const [word, cue] of Object.entries(cues)) entryOf(word).cue = cue
  }
  for (const [index, pair] of split(english.opposites, ";").entries()) {
    const gradable = pair.startsWith("~")
    for (const [side, words] of split(pair.replace("~", ""), " / ").entries())
      mark(words, ",", { pair: `±${index}`, side: side === 0, ...(gradable ? { gradable } : {}) })
  }
  for (const [kind, words] of Object.entries(english.kinds)) {
    for (const word of split(words, " ")) {
      const entry = entryOf(word)
      entry.kinds = [...(entry.kinds ?? []), kind]
    }
  }
  for (const [word, number] of numbersIn(english.numbers)) entryOf(word).number = number
}

/** The number of words in the longest phrase that begins with a stem, by stem. */
const longest = new Map<string, number>()
const entries = new Map<string, Entry>()
fillEntries((phrase) => {
  const keys = phrase.replaceAll("_", " ").split(" ").map(stemOf)
  const joined = keys.join(" ")
  longest.set(keys[0]!, Math.max(longest.get(keys[0]!) ?? 1, keys.length))
  const entry = entries.get(joined) ?? { canon: joined }
  entries.set(joined, entry)
  return entry
})

/** The tables of the rules, indexed by the stems of a word or a phrase. */
export const lexicon = {
  entries: entries as ReadonlyMap<string, Entry>,
  longest: longest as ReadonlyMap<string, number>,
  /** Past forms of "be" and "have". The present forms of "be" express a state, not an event. */
  past: setOf(english.past),
  present: setOf(english.present)
}

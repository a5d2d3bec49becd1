import { setOf } from "../../../../text/normalise/functionWords.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { foreignWords, type Hint, hints, tones } from "./englishHints.js"
import { endingSensePairs, senses, singleValueSenses } from "./englishSenses.js"

/** A phrase: the stems after its first word. */
interface Phrase {
  readonly rest: ReadonlyArray<string>
  readonly hint: number
}

export const hintNames = Object.keys(hints) as ReadonlyArray<Hint>

const senseNames = Object.keys(senses)
export const isSingleValueSense: ReadonlyArray<boolean> = senseNames.map((name) => singleValueSenses.has(name))

/** For each sense of a memory, the senses of a statement that make it untrue. */
export const endingSensesOf: ReadonlyArray<ReadonlyArray<number>> = senseNames.map((name) =>
  endingSensePairs.filter(([before]) => before === name).map(([, after]) => senseNames.indexOf(after))
)

/** The indexes of the lists that contain a word, by stem. */
const placesOf = (lists: Readonly<Record<string, string>>) => {
  const places = new Map<string, ReadonlyArray<number>>()
  for (const [place, words] of Object.values(lists).entries())
    for (const word of words.split(/\s+/)) {
      const stem = stemOf(word)
      const indexes = places.get(stem) ?? []
      if (!indexes.includes(place)) places.set(stem, [...indexes, place])
    }
  return places
}

/** The phrases that begin with each stem. */
const phrasesByStem = (): ReadonlyMap<string, ReadonlyArray<Phrase>> => {
  const phrases = new Map<string, Array<Phrase>>()
  for (const [hint, name] of hintNames.entries())
    for (const phrase of hints[name].split(",")) {
      const [first, ...rest] = phrase.trim().split(/\s+/).map(stemOf)
      phrases.set(first!, [...(phrases.get(first!) ?? []), { rest, hint }])
    }
  return phrases
}

const signed = (words: string, sign: number) => words.split(/\s+/).map((word) => [stemOf(word), sign] as const)

/** The tables of hints, indexed by stem, and frequent words of other languages. */
export const hintIndex = {
  phrases: phrasesByStem(),
  tones: new Map([...signed(tones.good, 1), ...signed(tones.bad, -1)]),
  senses: placesOf(senses),
  foreign: setOf(foreignWords)
}

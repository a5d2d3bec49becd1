import { stemOf } from "../../../../text/normalise/stem.js"
import { foreign, type Hint, hints, multiValueTopics, tones, topics } from "./englishHints.js"
import { against, senses, single } from "./englishSenses.js"

/** A phrase: the stems after its first word. */
interface Phrase {
  readonly rest: ReadonlyArray<string>
  readonly hint: number
}

/** The tables of hints, indexed by stem. */
export interface Hints {
  readonly phrases: ReadonlyMap<string, ReadonlyArray<Phrase>>
  readonly topics: ReadonlyMap<string, ReadonlyArray<number>>
  readonly tones: ReadonlyMap<string, number>
  readonly senses: ReadonlyMap<string, ReadonlyArray<number>>
  readonly foreign: ReadonlySet<string>
}

export const hintNames = Object.keys(hints) as ReadonlyArray<Hint>
export const topicNames = Object.keys(topics)
export const isMultiValue: ReadonlyArray<boolean> = topicNames.map((name) => multiValueTopics.includes(name))

const senseNames = Object.keys(senses)
export const isSingle: ReadonlyArray<boolean> = senseNames.map((name) => single.has(name))

/** For each sense of a memory, the senses of a statement that make it untrue. */
export const endedBy: ReadonlyArray<ReadonlyArray<number>> = senseNames.map((name) =>
  against.filter(([before]) => before === name).map(([, after]) => senseNames.indexOf(after))
)

/** By stem, the indexes of the lists that contain the word. */
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

export const hintsOf = (): Hints => {
  const phrases = new Map<string, Array<Phrase>>()
  for (const [hint, name] of hintNames.entries())
    for (const phrase of hints[name].split(",")) {
      const [first, ...rest] = phrase.trim().split(/\s+/).map(stemOf)
      phrases.set(first!, [...(phrases.get(first!) ?? []), { rest, hint }])
    }
  const signs = new Map<string, number>()
  for (const word of tones.good.split(/\s+/)) signs.set(stemOf(word), 1)
  for (const word of tones.bad.split(/\s+/)) signs.set(stemOf(word), -1)
  return {
    phrases,
    topics: placesOf(topics),
    tones: signs,
    senses: placesOf(senses),
    foreign: new Set(foreign.split(/\s+/))
  }
}

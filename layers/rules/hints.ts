import { foreign, type Hint, hints, matters, several, tones } from "./englishHints.js"
import type { Lexicon } from "./lexicon.js"

/** A phrase of more than one word: the stems that follow its first. */
interface Phrase {
  readonly rest: ReadonlyArray<string>
  readonly hint: number
}

/** The tables of hints as they are looked up, by stems. */
export interface Hints {
  readonly phrases: ReadonlyMap<string, ReadonlyArray<Phrase>>
  readonly matters: ReadonlyMap<string, ReadonlyArray<number>>
  readonly tones: ReadonlyMap<string, number>
  readonly foreign: ReadonlySet<string>
}

export const hintNames = Object.keys(hints) as ReadonlyArray<Hint>
export const matterNames = Object.keys(matters)
export const isSeveral: ReadonlyArray<boolean> = matterNames.map((name) => several.includes(name))

export const hintsOf = ({ key }: Lexicon): Hints => {
  const phrases = new Map<string, Array<Phrase>>()
  for (const [hint, name] of hintNames.entries())
    for (const phrase of hints[name].split(",")) {
      const [first, ...rest] = phrase.trim().split(/\s+/).map(key)
      phrases.set(first!, [...(phrases.get(first!) ?? []), { rest, hint }])
    }
  const found = new Map<string, Array<number>>()
  for (const [matter, words] of Object.values(matters).entries())
    for (const word of words.split(/\s+/)) {
      const at = found.get(key(word)) ?? []
      if (!at.includes(matter)) found.set(key(word), [...at, matter])
    }
  const signs = new Map<string, number>()
  for (const word of tones.good.split(/\s+/)) signs.set(key(word), 1)
  for (const word of tones.bad.split(/\s+/)) signs.set(key(word), -1)
  return { phrases, matters: found, tones: signs, foreign: new Set(foreign.split(/\s+/)) }
}

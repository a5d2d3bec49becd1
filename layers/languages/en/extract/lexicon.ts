import { topicWords } from "./domains.js"
import { classes, relativesByPronoun } from "./words.js"

/** A class of words in `words.ts`. */
export type WordClass = keyof typeof classes | "kin" | "mattering" | "pet"

/** A word or a phrase of a class in a text: its first word and its number of words. */
export interface ClassWordMatch {
  readonly wordClass: WordClass
  readonly index: number
  readonly length: number
}

interface Phrase {
  readonly wordClass: WordClass
  readonly words: ReadonlyArray<string>
}

const lists: Readonly<Record<WordClass, string>> = {
  ...classes,
  mattering: Object.values(topicWords).join(" "),
  kin: [relativesByPronoun.she, relativesByPronoun.he, relativesByPronoun.either, relativesByPronoun.they].join(" "),
  pet: relativesByPronoun.pets
}

const phrases = new Map<string, Array<Phrase>>()
const endings: Array<readonly [ending: string, wordClass: WordClass]> = []
/** A form that ends with `*` is indexed by this many first letters. */
const prefixLength = 4

for (const [wordClass, list] of Object.entries(lists) as ReadonlyArray<[WordClass, string]>)
  for (const form of list.trim().split(/\s+/u)) {
    if (form.startsWith("*")) endings.push([form.slice(1), wordClass])
    else {
      const words = form.split("_")
      const key = words[0]!.endsWith("*") ? `${words[0]!.slice(0, prefixLength)}*` : words[0]!
      phrases.set(key, [...(phrases.get(key) ?? []), { wordClass, words }])
    }
  }

/** Minimum letters of a word before an ending. */
const minStem = 3

const isForm = (pattern: string, word: string | undefined): boolean =>
  word === pattern || (pattern.endsWith("*") && word?.startsWith(pattern.slice(0, -1)) === true)

/** Finds the words and phrases of all classes in a text. `words`: its words in lower case. */
export const findClassWords = (words: ReadonlyArray<string>): ReadonlyArray<ClassWordMatch> => {
  const hits: Array<ClassWordMatch> = []
  for (const [index, word] of words.entries()) {
    for (const key of [word, `${word.slice(0, prefixLength)}*`])
      for (const { wordClass, words: forms } of phrases.get(key) ?? [])
        if (forms.every((form, offset) => isForm(form, words[index + offset])))
          hits.push({ wordClass, index, length: forms.length })
    for (const [ending, wordClass] of endings)
      if (word.length >= ending.length + minStem && word.endsWith(ending)) hits.push({ wordClass, index, length: 1 })
  }
  return hits
}

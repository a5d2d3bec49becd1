import { areRelatedForms, cosineSimilarity, wordTableIfPresent } from "./align.js"
import type { Bag, BagWord } from "./bag.js"
import { type Features, flag } from "./clauseFeatures.js"
import { endingSensesOf, isSingleValueSense } from "./hints.js"

/** The maximum number of words of one side that are compared with the other side. */
const maxCompared = 12
/** Minimum cosine of words with almost the same meaning. */
const minCosine = 0.6

const overlaps = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean => a.some((sense) => b.includes(sense))

/** True if the word has a sense but no cue. */
const isPlain = ({ entry, senses }: BagWord): boolean => senses.length > 0 && entry?.cue === undefined

/**
 * Features of what both texts state about the names and numbers that they share. Every word has the same weight,
 * regardless of its frequency: two short texts about the same person and town may differ only in the verb.
 */
export const senseFeatures = (a: Bag, b: Bag): Features => {
  const table = wordTableIfPresent()
  const wordsOnlyIn = (bag: Bag, other: Bag): ReadonlyArray<BagWord> => {
    const words: Array<BagWord> = []
    for (const word of bag.words.values())
      if (!word.name && words.length < maxCompared && !other.words.has(word.canon)) words.push(word)
    return words
  }
  const [gone, fresh] = [wordsOnlyIn(a, b), wordsOnlyIn(b, a)]
  const matched = new Set<BagWord>()
  let [between, betweenLike, betweenSense, parted] = [0, 0, 0, 0]
  let minimum = 1
  for (const y of fresh) {
    let maximum = 0
    for (const x of gone) {
      const similarity = areRelatedForms(x.form, y.form) ? 0.95 : cosineSimilarity(table, x.row, y.row)
      const sense = overlaps(x.senses, y.senses)
      if (similarity > maximum) maximum = similarity
      if (sense) maximum = 1
      if (sense || similarity >= minCosine) matched.add(x).add(y)
      if (x.before === y.before && x.after === y.after && (x.before !== "" || x.after !== "")) {
        between++
        if (similarity > betweenLike) betweenLike = similarity
        if (sense) betweenSense = 1
        else if (similarity < minCosine && isPlain(x) && isPlain(y)) parted = 1
      }
    }
    if (maximum < minimum) minimum = maximum
  }
  let [keptPlain, keptNames] = [0, 0]
  for (const word of b.words.values())
    if (a.words.has(word.canon)) {
      if (word.name) keptNames++
      else if (word.canon !== b.first) keptPlain++
    }
  const unmatched = (words: ReadonlyArray<BagWord>) => words.filter((word) => !matched.has(word)).length
  const [senseless, hasSense] = [a.senses.length === 0, b.senses.length > 0]
  const same = b.senses.filter((sense) => a.senses.includes(sense))
  const newSenseCount = b.senses.length - same.length
  const old = a.senses.length - same.length
  return {
    "r fresh": Math.min(fresh.length, 4),
    "r gone": Math.min(gone.length, 4),
    "r unmet fresh": Math.min(unmatched(fresh), 4),
    "r unmet gone": Math.min(unmatched(gone), 4),
    "r least like": fresh.length === 0 || gone.length === 0 ? -1 : minimum,
    "r between": Math.min(between, 2),
    "r between like": betweenLike,
    "r between sense": betweenSense,
    "r between apart": flag(between > 0 && betweenSense === 0 && betweenLike < minCosine),
    "r parted": flag(parted === 1 && betweenSense === 0 && same.length === 0),
    "r kept": Math.min(keptPlain, 4),
    "r names alone": flag(keptPlain === 0 && keptNames > 0),
    "r words a": Math.min(a.words.size, 10),
    "r words b": Math.min(b.words.size, 10),
    "r ends swapped": flag(a.first === b.last && a.last === b.first && a.first !== a.last),
    "sense same": Math.min(same.length, 3),
    "sense new": Math.min(newSenseCount, 3),
    "sense gone": Math.min(old, 3),
    "sense apart": flag(same.length === 0 && hasSense && !senseless),
    "sense all": flag(hasSense && newSenseCount === 0 && old === 0),
    "sense against": flag(
      old > 0 && newSenseCount > 0 && a.senses.some((sense) => overlaps(endingSensesOf[sense]!, b.senses))
    ),
    "sense one": flag(same.some((sense) => isSingleValueSense[sense])),
    "sense none a": flag(senseless),
    "sense none b": flag(!hasSense)
  }
}

import { valueFeatures } from "../values/valueFeatures.js"
import { areRelatedForms, cosineSimilarity, wordTableIfPresent } from "./align.js"
import type { Bag, BagWord } from "./bag.js"
import { type Features, flag } from "./clauseFeatures.js"
import { hintNames } from "./hints.js"

const clip = (value: number, max: number): number => Math.min(value, max)

/** Features of the statement alone; they are equal for all candidates. */
export const statementFeaturesOf = (b: Bag): Features => {
  const f: Features = {
    "w question": flag(b.question),
    asked: flag(b.titleIsQuestion),
    foreign: flag(b.isForeign),
    "w quoted": flag(b.quoted),
    "w speaker": flag(b.speaker),
    "w nots b": clip(b.nots, 2),
    "w marks": clip(b.marks, 6)
  }
  for (const index of hintNames.keys()) f[hintFigures[index]!] = clip(b.hints[index]!, 2)
  return f
}

/** The maximum number of words of one side that are compared with the other side. */
const maxCompared = 20
/** Feature names, created once. */
const hintFigures = hintNames.map((name) => `hint ${name}`)

/** Words of a memory (`a`) and of a statement (`b`), grouped by the side that has them. */
interface WordDiff {
  /** Words that only the memory has. */
  readonly missing: ReadonlyArray<BagWord>
  /** Words that only the statement has. */
  readonly added: ReadonlyArray<BagWord>
  /** Words that both contain, in the form that the statement uses. */
  readonly common: ReadonlyArray<BagWord>
}

/**
 * Features of a memory (`a`) and a statement (`b`) as bags of words. `rare`: for each word, the number of candidates
 * that contain it. `today`: the day of the statement, in days since 1970.
 */
export const bagPairFeatures = (
  a: Bag,
  b: Bag,
  { rare, today }: { readonly rare: ReadonlyMap<string, number>; readonly today: number }
): ReadonlyArray<Features> => {
  const scalars = valueFeatures(a, b, today)
  const split: WordDiff = {
    missing: [...a.words.values()].filter(({ canon }) => !b.words.has(canon)),
    added: [...b.words.values()].filter(({ canon }) => !a.words.has(canon)),
    common: [...b.words.values()].filter(({ canon }) => a.words.has(canon))
  }
  const features = {
    ...coverageFeatures(a, b, split),
    ...firstAndLastFeatures(a, b),
    ...swapFeatures(split),
    ...neighbourFeatures(a, b, split),
    ...titleFeatures(a, b),
    ...toneFeatures(a, b),
    ...formerFeatures(a, b, split, scalars),
    ...rarityFeatures(a, b, split, rare)
  }
  return [features, scalars]
}

const sum = (words: Iterable<BagWord>): number => {
  let weights = 0
  for (const { weight } of words) weights += weight
  return weights
}

/** The share of each side that the other side contains, by words and by words of similar meaning. */
const coverageFeatures = (a: Bag, b: Bag, { added, missing, common }: WordDiff): Features => {
  const table = wordTableIfPresent()
  const comparedWords = missing.slice(0, maxCompared)
  const nearest = (word: BagWord): number => {
    let max = 0
    for (const other of comparedWords) {
      const cosine = areRelatedForms(word.form, other.form) ? 0.95 : cosineSimilarity(table, word.row, other.row)
      if (cosine > max) max = cosine
    }
    return max
  }
  const commonWeight = sum(common)
  const covered =
    commonWeight +
    added.slice(0, maxCompared).reduce((total, word) => {
      const max = nearest(word)
      return total + word.weight * (max > 0.9 ? 1 : max > 0.6 ? max : 0)
    }, 0)
  return {
    "w covered": covered / (b.weight + 0.3),
    "w kept": sum([...a.words.values()].filter(({ canon }) => b.words.has(canon))) / (a.weight + 0.3),
    "w both": clip(commonWeight, 5),
    "w fresh": clip(b.weight - covered, 6),
    "w gone": clip(sum(missing), 6),
    "w kept names": clip(common.filter(({ name }) => name).length, 3),
    "w fresh names": clip(added.filter(({ name }) => name).length, 3),
    "w gone names": clip(missing.filter(({ name }) => name).length, 3)
  }
}

/** The first words, the last words and the words with the highest weight. */
const firstAndLastFeatures = (a: Bag, b: Bag): Features => {
  const heaviestWord = ({ words }: Bag): string => {
    let best: BagWord | undefined
    for (const word of words.values()) if (best === undefined || word.weight > best.weight) best = word
    return best?.canon ?? ""
  }
  return {
    "w first kept": flag(a.words.has(b.first)),
    "w first told": flag(b.words.has(a.first)),
    "w first same": flag(a.first === b.first),
    "w first name a": flag(a.words.get(a.first)?.name === true),
    "w last kept": flag(a.words.has(b.last)),
    "w last told": flag(b.words.has(a.last)),
    "w heaviest told": flag(b.words.has(heaviestWord(a))),
    "w heaviest known": flag(a.words.has(heaviestWord(b))),
    "fresh last": flag(!a.words.has(b.last)),
    "gone last": flag(!b.words.has(a.last))
  }
}

/** Words that replaced each other: they have the same neighbours. */
const swapFeatures = ({ added, missing }: WordDiff): Features => {
  const table = wordTableIfPresent()
  let [swapBefore, swapAfter, swapNames, swapKey, looks, swapLike, swapKinds] = [0, 0, 0, 0, 0, 0, 0]
  for (const y of added.slice(0, maxCompared))
    for (const x of missing.slice(0, maxCompared)) {
      const before = y.before !== "" && y.before === x.before
      const after = y.after !== "" && y.after === x.after
      if (before) swapAfter++
      if (after) swapBefore++
      if ((before || after) && x.name && y.name) swapNames++
      if (x.inKey && y.inKey) swapKey++
      if (before || after) swapLike = Math.max(swapLike, cosineSimilarity(table, x.row, y.row))
      if (x.name && y.name && x.form.slice(0, 3) === y.form.slice(0, 3)) looks++
      if (x.entry?.kinds?.some((kind) => y.entry?.kinds?.includes(kind))) swapKinds++
    }
  return {
    "swap before": clip(swapBefore, 2),
    "swap after": clip(swapAfter, 2),
    "swap names": clip(swapNames, 2),
    "swap key": clip(swapKey, 2),
    "swap like": swapLike,
    "swap kinds": clip(swapKinds, 2),
    lookalike: clip(looks, 2)
  }
}

/** Added and removed words next to unchanged ones. An added word before an unchanged one suggests another subject. */
const neighbourFeatures = (a: Bag, b: Bag, { added, missing }: WordDiff): Features => ({
  "fresh before kept": clip(sum(added.filter(({ after }) => a.words.has(after))), 3),
  "fresh after kept": clip(sum(added.filter(({ before }) => a.words.has(before))), 3),
  "gone before kept": clip(sum(missing.filter(({ after }) => b.words.has(after))), 3),
  "gone after kept": clip(sum(missing.filter(({ before }) => b.words.has(before))), 3)
})

/** Features of titles and keys. */
const titleFeatures = (a: Bag, b: Bag): Features => {
  const shared = [...b.title].filter((canon) => a.title.has(canon)).length
  let [keysSame, keysApart] = [0, 0]
  for (const y of b.keys)
    for (const x of a.keys) {
      const bothCount = [...y].filter((canon) => x.has(canon)).length
      if (bothCount === Math.max(x.size, y.size)) keysSame++
      else if (bothCount > 0) keysApart++
    }
  return {
    "title same": shared / Math.max(1, b.title.size, a.title.size),
    "title told": [...a.title].filter((canon) => b.words.has(canon)).length / Math.max(1, a.title.size),
    "title known": [...b.title].filter((canon) => a.words.has(canon)).length / Math.max(1, b.title.size),
    "keys same": clip(keysSame, 2),
    "keys apart": clip(keysApart, 2),
    "keys a": clip(a.keys.length, 2),
    "keys b": clip(b.keys.length, 2)
  }
}

/** Features of tone and negation. */
const toneFeatures = (a: Bag, b: Bag): Features => ({
  "tone a": Math.max(-2, Math.min(2, a.tone)),
  "tone b": Math.max(-2, Math.min(2, b.tone)),
  "tone turned": flag(a.tone * b.tone < 0),
  "w nots a": clip(a.nots, 2),
  "w nots differ": flag(a.nots % 2 !== b.nots % 2)
})

/** Features of a statement that mentions the former value together with the current one. */
const formerFeatures = (a: Bag, b: Bag, { added, common }: WordDiff, scalars: Features): Features => {
  const formerNames = common.filter(({ canon, name }) => name && canon !== a.first && canon !== b.first).length
  return {
    "was and is": clip(formerNames * added.filter(({ name }) => name).length, 2),
    "was number": flag(scalars["s equal"]! > 0 && scalars["s new"]! + scalars["s differs"]! > 0)
  }
}

/** Features of words that only one candidate shares with the statement: they show which candidate is meant. */
const rarityFeatures = (a: Bag, b: Bag, { added }: WordDiff, rare: ReadonlyMap<string, number>): Features => {
  let [own, ownKept] = [0, 0]
  for (const word of a.words.values())
    if ((rare.get(word.canon) ?? 1) <= 1) {
      own += word.weight
      if (b.words.has(word.canon)) ownKept += word.weight
    }
  return {
    "own kept": clip(ownKept, 3),
    "own share": ownKept / (own + 0.3),
    "others know": clip(sum(added.filter(({ canon }) => rare.has(canon))), 3)
  }
}

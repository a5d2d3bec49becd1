import { setOf } from "../../../../text/normalise/functionWords.js"
import { expansionOf, type TextWord, type WordSequence } from "../values/abbreviations.js"
import { countItemsAmong, type List, type ListToken, listIn } from "../values/lists.js"
import { cosineSimilarity, wordTableIfPresent } from "./align.js"
import type { Bag, BagWord } from "./bag.js"
import { type Features, flag } from "./clauseFeatures.js"
import type { Item } from "./tokens.js"

/** The words of a text in order and its list, read once for each bag. */
interface Sequence extends WordSequence {
  readonly list: List | undefined
  /** Single letters before a full stop: "J." */
  readonly initials: ReadonlySet<string>
}

const sequences = new WeakMap<Bag, Sequence>()

const sequenceOf = (bag: Bag): Sequence => {
  const cached = sequences.get(bag)
  if (cached !== undefined) return cached
  const words: Array<TextWord> = []
  const initials = new Set<string>()
  const definitions = new Map<string, ReadonlyArray<string>>()
  for (const { items } of bag.texts) {
    for (const [index, item] of items.entries()) {
      if (words.length >= maxWords) break
      if (item.mark === "(") addDefinition(items, index, definitions)
      if (item.mark !== undefined) continue
      const isFunctionWord = !bag.words.has(item.canon)
      const { canon, capital, form, scalar } = item
      if (capital === true && form.length === 1 && items[index + 1]?.mark === ".") initials.add(canon)
      if (!form.includes(" "))
        words.push({ form, canon, isFunctionWord, amount: scalar?.amount, isName: capital === true })
      else for (const part of form.split(" ")) words.push({ form: part, canon, isFunctionWord })
    }
  }
  const sequence = { words, definitions, initials, list: listOf(bag) }
  sequences.set(bag, sequence)
  return sequence
}
const maxWords = 200
const maxShort = 6

/** Learns "Keycloak (KC)" and "KC (Keycloak)". Longer expansions need no definition, because their initials match. */
const addDefinition = (
  items: ReadonlyArray<Item>,
  open: number,
  definitions: Map<string, ReadonlyArray<string>>
): void => {
  const [before, inside, close] = [items[open - 1], items[open + 1], items[open + 2]]
  if (before?.capital !== true || inside?.capital !== true || close?.mark !== ")") return
  if (inside.form.length <= maxShort) definitions.set(inside.canon, [before.canon])
  if (before.form.length <= maxShort) definitions.set(before.canon, [inside.canon])
}

/** The longest list of a text; the facts of a memory are a list under its title. */
const listOf = ({ texts, title, words }: Bag): List | undefined => {
  const canonOf = ({ canon, mark, scalar }: Item): string =>
    mark === undefined && (scalar !== undefined || words.has(canon)) ? canon : ""
  const facts = texts.filter(({ part }) => part === "fact")
  if (facts.length > 1) {
    const items = facts.map(({ items }) => new Set(items.map(canonOf).filter((canon) => canon !== "")))
    if (items.every(({ size }) => size <= maxFactWords)) return { key: title, items }
  }
  const lists = texts.flatMap(({ items }) => {
    const tokens = items.map(
      (item): ListToken => ({ canon: canonOf(item), mark: item.mark, isJoint: item.entry?.slot === "and" })
    )
    return listIn(tokens) ?? []
  })
  return lists.sort((a, b) => b.items.length - a.items.length)[0]
}
const maxFactWords = 6

/** All abbreviations that the statement and its candidates define. */
export const definitionsIn = (bags: ReadonlyArray<Bag>): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(bags.flatMap((bag) => [...sequenceOf(bag).definitions]))

const addingWords = setOf(
  "also add added append another plus too more extra join joins joined include included additionally besides forgot fifth new"
)
const droppingWords = setOf(
  "without remove removed strike drop dropped dropping cross crossed delete deleted except minus off out took cut left leave longer anymore"
)

const has = ({ texts }: Bag, words: { readonly has: (word: string) => boolean }): boolean =>
  texts.some(({ items }) =>
    items.some(({ form }) => words.has(form) || form.split(" ").some((part) => words.has(part)))
  )

/**
 * Features of a memory (`a`) and a statement (`b`) after their abbreviations are matched, and of their lists. `learnt`:
 * the definitions of all candidates.
 */
export const alignmentFeatures = (a: Bag, b: Bag, learnt: ReadonlyMap<string, ReadonlyArray<string>>): Features => {
  const gone = new Map([...a.words].filter(([canon]) => !b.words.has(canon)))
  const fresh = new Map([...b.words].filter(([canon]) => !a.words.has(canon)))
  const [sequenceA, sequenceB] = [sequenceOf(a), sequenceOf(b)]
  const pairs =
    matchAbbreviations([fresh, sequenceB], [gone, sequenceA], learnt) +
    matchAbbreviations([gone, sequenceA], [fresh, sequenceB], learnt)
  const [novelA, novelB] = [novelty(gone, fresh), novelty(fresh, gone)]
  const names = (words: ReadonlyMap<string, BagWord>) => [...words.values()].filter(({ name }) => name).length
  return {
    "abbr pairs": Math.min(pairs, 3),
    "abbr fresh": Math.min(novelB, 6),
    "abbr gone": Math.min(novelA, 6),
    "abbr covered": 1 - novelB / (b.weight + 0.3),
    "abbr kept": 1 - novelA / (a.weight + 0.3),
    "abbr fresh names": Math.min(names(fresh), 3),
    "abbr gone names": Math.min(names(gone), 3),
    ...listFeatures(a, b, sequenceA.list, sequenceB.list)
  }
}

/** The words that only one side has, and all its words. */
type Side = readonly [unmatched: Map<string, BagWord>, sequence: Sequence]

/**
 * Removes the abbreviations of one side, and the words of the other side that the abbreviations stand for. Returns the
 * number of removed abbreviations.
 */
const matchAbbreviations = (
  [shorts, { initials }]: Side,
  [longs, sequence]: Side,
  learnt: ReadonlyMap<string, ReadonlyArray<string>>
): number => {
  let count = 0
  for (const word of [...shorts.values()].slice(0, maxCompared)) {
    if (word.form.length === 1 && !initials.has(word.canon)) continue
    const expansion = expansionOf(word, sequence, learnt)
    if (expansion === undefined || !expansion.some((canon) => longs.has(canon))) continue
    shorts.delete(word.canon)
    for (const canon of expansion) longs.delete(canon)
    count++
  }
  return count
}
const maxCompared = 20

/** The weight of the words without a similar word on the other side. */
const novelty = (words: ReadonlyMap<string, BagWord>, others: ReadonlyMap<string, BagWord>): number => {
  const table = wordTableIfPresent()
  const compared = [...others.values()].slice(0, maxCompared)
  let total = 0
  for (const { row, weight } of [...words.values()].slice(0, maxCompared)) {
    let closest = 0
    for (const other of compared) closest = Math.max(closest, cosineSimilarity(table, row, other.row))
    total += weight * (1 - closest)
  }
  return total
}

const listFeatures = (a: Bag, b: Bag, listA: List | undefined, listB: List | undefined): Features => {
  const itemsA = listA?.items ?? []
  const itemsB = listB?.items ?? []
  const told = countItemsAmong(itemsA, b.words)
  const known = countItemsAmong(itemsB, a.words)
  const key = [...(listA?.key ?? [])]
  return {
    "list a": Math.min(itemsA.length, 5),
    "list b": Math.min(itemsB.length, 5),
    "list told": Math.min(told, 3),
    "list left": Math.min(itemsA.length - told, 4),
    "list known": Math.min(known, 3),
    "list more": listA === undefined ? 0 : Math.min(itemsB.length - known, 3),
    "list key": key.length === 0 ? 0 : key.filter((canon) => b.words.has(canon)).length / key.length,
    "list adds": flag(listA !== undefined && has(b, addingWords)),
    "list drops": flag(listA !== undefined && has(b, droppingWords)),
    "list drops known": flag(told > 0 && told < itemsA.length && has(b, droppingWords))
  }
}

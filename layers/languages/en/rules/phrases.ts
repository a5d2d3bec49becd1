import { ownText } from "../../../../text/normalise/ownText.js"
import type { Bag, WordSort } from "./bag.js"

/**
 * The kinds of phrases:
 * - fresh, gone: words that only the statement (fresh) or only the memory (gone) contains
 * - said, known: two or three consecutive words of the statement (said), or two of the memory (known); all shared words
 *   are replaced by the same sign
 * - shape, shape known: up to four consecutive words; each word except function words is replaced by a sign for its sort
 */
export const phraseKinds = ["fresh", "gone", "said", "known", "shape", "shape known"] as const

/** A phrase: the index of its kind, combined with the hash of its words. */
export type PhraseHash = number

const kindOf = (kind: number, hash: number): PhraseHash => kind * hashCount + mixed(hash)
/** The number of possible hashes, which have 24 bits. */
export const hashCount = 2 ** 24

/** FNV-1a of 32 bits. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}

/** The last step of MurmurHash3, cut to 24 bits. It spreads similar hashes over the range. */
const mixed = (hash: number): number => {
  const first = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return (second ^ (second >>> 16)) >>> 8
}

/** The hash of a sign that replaces words. Its leading control character prevents collisions with words. */
const sign = (name: string): number => hashOf(`\u0001${name}`)
const [shared, sharedNumber] = [sign("shared"), sign("shared number")]
const signs: Readonly<Record<Exclude<WordSort, "link">, number>> = {
  mark: sign("mark"),
  name: sign("name"),
  number: sign("number"),
  content: sign("content")
}
const plainShapes = new Set([shared, signs.mark])

/** Cache of word hashes. */
const hashCache = new Map<string, number>()
const maxCachedHashes = 8_000

const stemHash = (stem: string): number => {
  const cached = hashCache.get(stem)
  if (cached !== undefined) return cached
  const hash = hashOf(stem)
  if (hashCache.size >= maxCachedHashes) hashCache.clear()
  hashCache.set(ownText(stem), hash)
  return hash
}

/** The hashed words of a text without marks, in order and as a set. */
interface HashedWords {
  readonly words: ReadonlyArray<number>
  readonly has: ReadonlySet<number>
}

const wordsOf = ({ sorts, stems }: Bag): HashedWords => {
  const words: Array<number> = []
  for (let index = 0; index < stems.length && words.length < maxWords; index++)
    if (sorts[index] !== "mark") words.push(stemHash(stems[index]!))
  return { words, has: new Set(words) }
}
const maxWords = 150

const shapeOf = ({ sorts, stems }: Bag, other: ReadonlySet<number>): ReadonlyArray<number> => {
  const shape: Array<number> = []
  for (let index = 0; index < stems.length && shape.length < maxWords; index++) {
    const sort = sorts[index]!
    const stem = stemHash(stems[index]!)
    if (sort === "link") shape.push(stem)
    else if (sort !== "mark" && other.has(stem)) shape.push(sort === "number" ? sharedNumber : shared)
    else shape.push(signs[sort])
  }
  return shape
}

/** The hash of a run of words; undefined if the run has only plain signs. */
const hashOfRun = (stems: ReadonlyArray<number>, from: number, length: number): number | undefined => {
  let hash = length
  let hasContent = false
  for (let index = from; index < from + length; index++) {
    hash = Math.imul((hash << 5) ^ (hash >>> 27) ^ stems[index]!, 0x01000193)
    hasContent ||= !plainShapes.has(stems[index]!)
  }
  return hasContent ? hash : undefined
}

const takeRuns = (stems: ReadonlyArray<number>, length: number, kind: number, into: Set<PhraseHash>) => {
  for (let from = 0; from + length <= stems.length; from++) {
    const hash = hashOfRun(stems, from, length)
    if (hash !== undefined) into.add(kindOf(kind, hash))
  }
}

/** Adds words, and pairs of words, that only one of the texts has. */
const addOneSided = (
  own: HashedWords,
  other: HashedWords,
  kinds: readonly [words: number, pairs: number],
  into: Set<PhraseHash>
) => {
  for (const word of own.has) if (!other.has.has(word)) into.add(kindOf(kinds[0], word))
  for (let index = 0; index + 1 < own.words.length; index++)
    if (!other.has.has(own.words[index]!) || !other.has.has(own.words[index + 1]!))
      into.add(kindOf(kinds[1], hashOfRun(own.words, index, 2)!))
}

/** All phrases of a memory and a statement, each once. */
export const comparePhrases = (memory: Bag, statement: Bag): ReadonlyArray<PhraseHash> => {
  const [a, b] = [wordsOf(memory), wordsOf(statement)]
  const phrases = new Set<PhraseHash>()
  addOneSided(b, a, [0, 2], phrases)
  addOneSided(a, b, [1, 3], phrases)
  const markShared = ({ words }: HashedWords, { has }: HashedWords) =>
    words.map((word) => (has.has(word) ? shared : word))
  const [mine, theirs] = [markShared(a, b), markShared(b, a)]
  for (const length of [2, 3]) takeRuns(theirs, length, 2, phrases)
  takeRuns(mine, 2, 3, phrases)
  const [shapeA, shapeB] = [shapeOf(memory, b.has), shapeOf(statement, a.has)]
  for (const length of [2, 3, 4]) takeRuns(shapeB, length, 4, phrases)
  for (const length of [2, 3]) takeRuns(shapeA, length, 5, phrases)
  return [...phrases]
}

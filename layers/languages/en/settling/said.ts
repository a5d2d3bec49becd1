import type { Wording } from "../../../../projections/wordings.js"
import { saidAt, textOf } from "../../../../src/maintenance/pairs.js"
import type { Row } from "../../../../src/model/MemoryRow.js"
import { type Reading, readingOf, stemOf } from "./clauses.js"

/** One utterance: the text of a memory, or another wording in which it was repeated. */
export interface Said {
  readonly row: Row
  /** Whether it is the memory's own text. */
  readonly own: boolean
  readonly reading: Reading
  /** When it was first said, as far as known. Milliseconds since the epoch. */
  readonly since: number
  /** When it was last said, as far as known. Milliseconds since the epoch. */
  readonly at: number
  readonly mentions: number
}

/** The utterances of a memory. Mentions that have no wording of their own count for the memory's text. */
export const saidBy = (row: Row, wordings: ReadonlyArray<Wording>): ReadonlyArray<Said> => {
  const { createdAt, mentions } = row.memory
  const at = wordings.some((wording) => wording.at === saidAt(row)) ? createdAt : saidAt(row)
  const own = Math.max(1, mentions - wordings.length)
  return [
    { row, own: true, reading: readingOf(textOf(row)), since: createdAt, at, mentions: own },
    ...wordings.map(({ at, text }) => ({ row, own: false, reading: readingOf(text), since: at, at, mentions: 1 }))
  ]
}

/** An index of utterances by stem. */
export interface Saying {
  /** Utterances that contain the word and all of the others; none where `others` is empty. */
  readonly of: (word: string, others: ReadonlySet<string>) => ReadonlyArray<Said>
  /** How many utterances contain the word. */
  readonly count: (word: string) => number
}

export const sayingIn = (all: ReadonlyArray<Said>): Saying => {
  const postings = new Map<string, Array<Said>>()
  for (const said of all) {
    for (const word of said.reading.all) {
      const posting = postings.get(word)
      if (posting === undefined) postings.set(word, [said])
      else posting.push(said)
    }
  }
  const count = (word: string): number => postings.get(word)?.length ?? 0
  return {
    count,
    of: (word, others) => {
      const rarest = [word, ...others].reduce((least, other) => (count(other) < count(least) ? other : least))
      return (postings.get(rarest) ?? []).filter(({ reading }) => reading.all.has(word) && has(reading.all, others))
    }
  }
}

/** Returns a test for names: capitalised within a sentence, or capitalised at its beginning and nowhere in lower case. */
export const namesIn = (all: ReadonlyArray<Said>): ((word: string) => boolean) => {
  const [names, initial, small] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const { reading } of all) {
    for (const word of reading.names) names.add(stemOf(word))
    for (const word of reading.initial) initial.add(stemOf(word))
    for (const word of reading.small) small.add(stemOf(word))
  }
  return (word) => {
    const stem = stemOf(word)
    return names.has(stem) || (initial.has(stem) && !small.has(stem))
  }
}

/** Whether `all` contains every one of `some`; false where `some` is empty. */
export const has = (all: ReadonlySet<string>, some: ReadonlySet<string>): boolean => {
  for (const word of some) if (!all.has(word)) return false
  return some.size > 0
}

/** The share of `some` that `all` contains: 0…1. */
export const shareOf = (some: ReadonlySet<string>, all: ReadonlySet<string>): number => {
  let shared = 0
  for (const word of some) if (all.has(word)) shared++
  return some.size === 0 ? 0 : shared / some.size
}

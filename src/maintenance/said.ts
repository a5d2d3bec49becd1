import type { Wording } from "../../projections/wordings.js"
import { type Reading, readingOf, stemOf } from "./clauses.js"
import type { Row } from "./facts.js"
import { saidAt, textOf } from "./pairs.js"

/** Something that was said: what a memory says, or what was said once more in other words. */
export interface Said {
  readonly row: Row
  /** Whether the memory says it itself. */
  readonly own: boolean
  readonly reading: Reading
  /** When it was said for the first time and the last, as far as it is known. Milliseconds since the epoch. */
  readonly since: number
  readonly at: number
  readonly mentions: number
}

/** All that a memory said. What stands in it was said whenever nothing else was. */
export const saidBy = (row: Row, wordings: ReadonlyArray<Wording>): ReadonlyArray<Said> => {
  const { createdAt, mentions } = row.memory
  const at = wordings.some((one) => one.at === saidAt(row)) ? createdAt : saidAt(row)
  const own = Math.max(1, mentions - wordings.length)
  return [
    { row, own: true, reading: readingOf(textOf(row)), since: createdAt, at, mentions: own },
    ...wordings.map(({ at, text }) => ({ row, own: false, reading: readingOf(text), since: at, at, mentions: 1 }))
  ]
}

/** What says a word and others, and how many say one. */
export interface Saying {
  readonly of: (word: string, others: ReadonlySet<string>) => ReadonlyArray<Said>
  readonly count: (word: string) => number
}

export const sayingIn = (all: ReadonlyArray<Said>): Saying => {
  const places = new Map<string, Array<Said>>()
  for (const said of all) {
    for (const word of said.reading.all) {
      const known = places.get(word)
      if (known === undefined) places.set(word, [said])
      else known.push(said)
    }
  }
  const count = (word: string): number => places.get(word)?.length ?? 0
  return {
    count,
    of: (word, others) => {
      const rarest = [word, ...others].reduce((least, one) => (count(one) < count(least) ? one : least))
      return (places.get(rarest) ?? []).filter(({ reading }) => reading.all.has(word) && has(reading.all, others))
    }
  }
}

/** What is written as a name: within a sentence, or at its beginning and nowhere small. */
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

/** Whether all of some are there, and there are some. */
export const has = (all: ReadonlySet<string>, some: ReadonlySet<string>): boolean => {
  for (const one of some) if (!all.has(one)) return false
  return some.size > 0
}

/** How much of some is there: 0…1. */
export const shareOf = (some: ReadonlySet<string>, all: ReadonlySet<string>): number => {
  let shared = 0
  for (const one of some) if (all.has(one)) shared++
  return some.size === 0 ? 0 : shared / some.size
}

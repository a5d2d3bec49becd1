import type { Wording } from "../../../../projections/wordings.js"
import { saidAt, textOf } from "../../../../src/maintenance/pairs.js"
import type { Row } from "../../../../src/model/MemoryRow.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { type Reading, readingOf } from "./readings.js"

/** One utterance: the text of a memory, or another wording in which it was repeated. */
export interface Utterance {
  readonly row: Row
  /** Whether it is the memory's own text. */
  readonly isOwnText: boolean
  readonly reading: Reading
  /** When it was first said, as far as known. Milliseconds since the epoch. */
  readonly since: number
  /** When it was last said, as far as known. Milliseconds since the epoch. */
  readonly saidAt: number
  readonly mentions: number
}

/** The utterances of a memory. Mentions that have no wording of their own count for the memory's text. */
export const utterancesOf = (row: Row, wordings: ReadonlyArray<Wording>): ReadonlyArray<Utterance> => {
  const { createdAt, mentions } = row.memory
  const lastSaid = wordings.some((wording) => wording.at === saidAt(row)) ? createdAt : saidAt(row)
  const ownMentions = Math.max(1, mentions - wordings.length)
  return [
    {
      row,
      isOwnText: true,
      reading: readingOf(textOf(row)),
      since: createdAt,
      saidAt: lastSaid,
      mentions: ownMentions
    },
    ...wordings.map(({ at, text }) => ({
      row,
      isOwnText: false,
      reading: readingOf(text),
      since: at,
      saidAt: at,
      mentions: 1
    }))
  ]
}

/** An index of utterances by stem. */
export interface UtteranceIndex {
  /** Utterances that contain the word and all of the others; none where `others` is empty. */
  readonly containing: (word: string, others: ReadonlySet<string>) => ReadonlyArray<Utterance>
  /** How many utterances contain the word. */
  readonly countOf: (word: string) => number
}

export const indexOf = (utterances: ReadonlyArray<Utterance>): UtteranceIndex => {
  const postings = new Map<string, Array<Utterance>>()
  for (const utterance of utterances) {
    for (const word of utterance.reading.allStems) {
      const posting = postings.get(word)
      if (posting === undefined) postings.set(word, [utterance])
      else posting.push(utterance)
    }
  }
  const countOf = (word: string): number => postings.get(word)?.length ?? 0
  return {
    countOf,
    containing: (word, others) => {
      const rarest = [word, ...others].reduce((rarestSoFar, other) =>
        countOf(other) < countOf(rarestSoFar) ? other : rarestSoFar
      )
      return (postings.get(rarest) ?? []).filter(
        ({ reading }) => reading.allStems.has(word) && hasAll(reading.allStems, others)
      )
    }
  }
}

/** Returns a test for stems of names: capitalised within a sentence, or capitalised at its beginning and nowhere in lower case. */
export const namesIn = (utterances: ReadonlyArray<Utterance>): ((stem: string) => boolean) => {
  const [names, initial, lowerCase] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const { reading } of utterances) {
    for (const word of reading.names) names.add(stemOf(word))
    for (const word of reading.initial) initial.add(stemOf(word))
    for (const word of reading.lowerCase) lowerCase.add(stemOf(word))
  }
  return (stem) => names.has(stem) || (initial.has(stem) && !lowerCase.has(stem))
}

/** Whether `all` contains every one of `some`; false where `some` is empty. */
export const hasAll = (required: ReadonlySet<string>, words: ReadonlySet<string>): boolean => {
  for (const word of words) if (!required.has(word)) return false
  return words.size > 0
}

/** The share of `some` that `all` contains: 0…1. */
export const shareOf = (words: ReadonlySet<string>, others: ReadonlySet<string>): number => {
  let shared = 0
  for (const word of words) if (others.has(word)) shared++
  return words.size === 0 ? 0 : shared / words.size
}

import type { Wording } from "../../../../projections/wordings.js"
import { lastMentionTime, textOf } from "../../../../src/maintenance/pairs.js"
import type { Row } from "../../../../src/model/MemoryRow.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { type Reading, readingOf } from "./readings.js"

/** One utterance: the text of a memory, or a repeat of it in other words. */
export interface Utterance {
  readonly row: Row
  /** True if it is the memory's own text. */
  readonly isOwnText: boolean
  readonly reading: Reading
  /** When it was first said, if known. Milliseconds since the epoch. */
  readonly since: number
  /** When it was last said, if known. Milliseconds since the epoch. */
  readonly saidAt: number
  readonly mentions: number
}

/** The utterances of a memory. Mentions without words of their own count as the memory's text. */
export const utterancesOf = (row: Row, wordings: ReadonlyArray<Wording>): ReadonlyArray<Utterance> => {
  const { createdAt, mentions } = row.memory
  const lastSaid = wordings.some((wording) => wording.at === lastMentionTime(row)) ? createdAt : lastMentionTime(row)
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
  /** Utterances that contain `word` and all of `others`; none if `others` is empty. */
  readonly containing: (word: string, others: ReadonlySet<string>) => ReadonlyArray<Utterance>
  /** The number of utterances that contain the word. */
  readonly countOf: (word: string) => number
}

export const indexUtterances = (utterances: ReadonlyArray<Utterance>): UtteranceIndex => {
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

/**
 * Returns a test for stems of names: capitalised inside a sentence, or at the start of a text and never in lower case.
 */
export const createNameTest = (utterances: ReadonlyArray<Utterance>): ((stem: string) => boolean) => {
  const [names, initial, lowerCase] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const { reading } of utterances) {
    for (const word of reading.names) names.add(stemOf(word))
    for (const word of reading.initial) initial.add(stemOf(word))
    for (const word of reading.lowerCase) lowerCase.add(stemOf(word))
  }
  return (stem) => names.has(stem) || (initial.has(stem) && !lowerCase.has(stem))
}

/** True if `words` contains all of `required`; false if `required` is empty. */
export const hasAll = (words: ReadonlySet<string>, required: ReadonlySet<string>): boolean => {
  for (const word of required) if (!words.has(word)) return false
  return required.size > 0
}

/** The share of `words` that `others` contains, 0…1. */
export const sharedFraction = (words: ReadonlySet<string>, others: ReadonlySet<string>): number => {
  let shared = 0
  for (const word of words) if (others.has(word)) shared++
  return words.size === 0 ? 0 : shared / words.size
}

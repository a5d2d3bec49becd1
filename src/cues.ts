import { dateWords, months } from "../projections/chunkText.js"
import type { ChunkFacts, FoundChunk } from "../projections/conversationReads.js"
import { nameWords } from "../projections/speakers.js"
import type { PolicyValues } from "./Policy.js"
import type { Word } from "./query.js"

// What a question about a conversation says besides its words: of whom, of when, and of what was said close by.

/**
 * What a short piece gains by its neighbours: people stay with a subject for a
 * few turns, and the one that names it is not always the one that answers. Each
 * neighbour gives its own score × contextWeight × contextDecay^(distance − 1).
 */
export const contextIn = (
  fused: ReadonlyArray<{ readonly candidate: FoundChunk; readonly text: number; readonly vector: number }>,
  { contextDecay, contextTurns, contextWeight }: PolicyValues["search"]
): ((chunk: ChunkFacts) => number) => {
  /** The best score of each turn of a session, by its sequence. */
  const sessions = new Map<string, Map<number, number>>()
  const keyOf = ({ session, store }: ChunkFacts) => `${store} ${session}`
  for (const { candidate, text, vector } of fused) {
    const { kind, sequence, sequenceEnd } = candidate.chunk
    if (kind === "file") continue
    const key = keyOf(candidate.chunk)
    const scores = sessions.get(key) ?? new Map<number, number>()
    sessions.set(key, scores)
    // What was said more than once has neighbours in two places.
    for (const place of [sequence!, sequenceEnd!]) {
      scores.set(place, Math.max(scores.get(place) ?? 0, text + vector))
    }
  }
  const around = (scores: ReadonlyMap<number, number>, place: number) => {
    let context = 0
    let weight = contextWeight
    for (let distance = 1; distance <= contextTurns; distance++) {
      context += weight * (scores.get(place - distance) ?? 0)
      context += weight * (scores.get(place + distance) ?? 0)
      weight *= contextDecay
    }
    return context
  }
  return (chunk) => {
    if (chunk.kind === "file" || chunk.length > longPiece) return 0
    const scores = sessions.get(keyOf(chunk))!
    const context = around(scores, chunk.sequence!)
    return chunk.sequenceEnd === chunk.sequence ? context : Math.max(context, around(scores, chunk.sequenceEnd!))
  }
}

/** A piece of more characters than this (some 80 words) speaks for itself. */
const longPiece = 450

/** Whoever speaks is asked for by `speakerCue`: a speaker's name is no word to look for while there are others. */
export const withoutNames = (words: ReadonlyArray<Word>, names: ReadonlySet<string>): ReadonlyArray<Word> => {
  const isName = (text: string) => {
    const parts = nameWords(text.replace(/['’]s$/u, ""))
    return parts.length > 0 && parts.every((part) => names.has(part))
  }
  const others = words.filter(({ droppable, text }) => !droppable || !isName(text))
  return others.length === 0 ? words : others
}

/**
 * Whose words a question asks for: those of a speaker whom it names, by the
 * whole name or a word of it (`names` are its words that are such); the user's
 * where it says "I" or "my" and names nobody.
 */
export const speakerCue = (text: string, names: ReadonlySet<string>): ((chunk: ChunkFacts) => boolean) => {
  if (names.size > 0) return ({ speaker }) => speaker !== null && nameWords(speaker).some((word) => names.has(word))
  const words = new Set(wordsOf(text))
  return firstPerson.some((word) => words.has(word)) || firstPersonInside.test(text)
    ? ({ role }) => role === "user"
    : () => false
}

/** Whether something was said on a day, in a month or a year that a question names. UTC. */
export const dateCue = (text: string): ((chunk: ChunkFacts) => boolean) => {
  const words = wordsOf(text)
  const years = words.filter((word) => /^(19|20)\d\d$/.test(word))
  const days = [...text.matchAll(iso)].map(([day]) => day)
  const named = words.filter((word) => word !== "may" && months.some((month) => month.toLowerCase() === word))
  // "may" is a month where a number or a preposition of time stands beside it.
  if (/\b(in|of|since|until|last|this|next|\d{1,2}(st|nd|rd|th)?) may\b|\bmay,? \d/i.test(text)) named.push("may")
  const numbers = [...text.matchAll(/\b(\d{1,2})(?:st|nd|rd|th)?\b/giu)].map(([, day]) => Number(day))
  if (years.length + named.length + days.length === 0) return () => false
  const isNamed = (instant: number) => {
    const [day, month, year, , whole] = dateWords(instant).split(" ") as [string, string, string, string, string]
    if (days.length > 0) return days.includes(whole)
    if (years.length > 0 && !years.includes(year)) return false
    if (named.length === 0) return true
    if (!named.includes(month.toLowerCase())) return false
    return numbers.length === 0 || numbers.includes(Number(day))
  }
  return ({ lastAt, occurredAt }) => isNamed(occurredAt) || (lastAt !== occurredAt && isNamed(lastAt))
}

const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

const firstPerson = ["i", "my", "me", "mine"]
/** Chinese "I" inside of a sentence, and Japanese before a particle; neither "we" nor "ego" nor "our country". */
const firstPersonInside = /(?<!自)我(?![们們国國々らが])|[私僕俺](?=[はがのをにもと])/u
const iso = /\b\d{4}-\d{2}-\d{2}\b/gu

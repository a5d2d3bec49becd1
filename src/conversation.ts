import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Store, type TrustLevel } from "../events/Trust.js"
import { Role } from "../events/Turn.js"
import { dateWords, months } from "../projections/conversation.js"
import {
  type Chunk,
  type ChunkFilters,
  chunks,
  type FoundChunk,
  findChunks,
  findChunksLike,
  findRecentChunks,
  findSpeakers
} from "../projections/conversationReads.js"
import type { QueryVector } from "../projections/hits.js"
import { parkedOf } from "../projections/ViewFile.js"
import { daysBetween, toInstant } from "./dates.js"
import { InvalidInput } from "./errors.js"
import type { InstantInput } from "./input.js"
import { limits } from "./limits.js"
import type { PolicyValues } from "./Policy.js"
import { matchOf, parse, type Word } from "./query.js"
import { fuse } from "./rank.js"
import { type Ranking, type Snapshot, telling } from "./search.js"

/** What narrows a search of conversations. Lists are alternatives. */
export interface ConversationFilter {
  readonly sessions?: ReadonlyArray<string> | undefined
  readonly stores?: ReadonlyArray<Store> | undefined
  readonly speakers?: ReadonlyArray<string> | undefined
  readonly roles?: ReadonlyArray<Role> | undefined
  readonly after?: InstantInput | undefined
  readonly before?: InstantInput | undefined
  /** Rows of the answer, 1…1,000. Default 10. */
  readonly limit?: number | undefined
}

/** A search of conversations. Without text it answers the newest turns that pass the filters. */
export interface ConversationQuery extends ConversationFilter {
  readonly text?: string | undefined
}

/** What the score of a piece of conversation is made of; the parts add up to it. */
export interface ConversationParts {
  readonly text: number
  readonly vector: number
  /** What was said shortly before and after it was found as well. */
  readonly context: number
  /** It was said by whom the question names, or by the user where the question says "I". */
  readonly speaker: number
  /** It was said on a day that the question names. */
  readonly date: number
  readonly recency: number
}

/** A piece of a turn that was found, its score and what the score is made of. */
export interface ConversationHit extends Omit<Chunk, "born"> {
  readonly score: number
  readonly parts: ConversationParts
}

/** Checks the filters of a search of conversations. */
export const decodeConversationFilter = (
  filter: ConversationFilter
): Either.Either<ChunkFilters & { readonly limit: number }, InvalidInput> =>
  Either.gen(function* () {
    const among = <A extends string>(field: "sessions" | "speakers" | "stores" | "roles", one: Schema.Schema<A>) => {
      const values = filter[field] ?? []
      if (!Array.isArray(values) || !values.every(Schema.is(one))) {
        const which = "literals" in one ? `must be among ${(one.literals as ReadonlyArray<string>).join(", ")}` : ""
        return invalid(field, which || "must be a list of texts")
      }
      if (values.length > limits.filterValues) return invalid(field, `has more than ${limits.filterValues} entries`)
      return Either.right(values as ReadonlyArray<A>)
    }
    const instant = (field: "after" | "before") => {
      const value = filter[field]
      if (value === undefined) return Either.right({})
      const at = toInstant(value)
      return at === undefined
        ? invalid(field, "is not a date: use an ISO 8601 time, a Date or milliseconds")
        : Either.right({ [field]: at })
    }
    const limit = filter.limit ?? 10
    if (!Number.isInteger(limit) || limit < 1 || limit > limits.page) {
      return yield* invalid("limit", `must be a whole number from 1 to ${limits.page}`)
    }
    return {
      limit,
      sessions: yield* among("sessions", Schema.String),
      stores: yield* among("stores", Store),
      speakers: yield* among("speakers", Schema.String),
      roles: yield* among("roles", Role),
      ...(yield* instant("after")),
      ...(yield* instant("before"))
    }
  })

/** Ranks what was said, as far as a level may read it, against a text. Synchronous: it sees one snapshot. */
export const searchConversationIn = (
  { db, now }: Snapshot,
  level: TrustLevel,
  text: string,
  filters: ChunkFilters & { readonly limit: number },
  vector: QueryVector | null,
  { embedder, policy }: Ranking
): ReadonlyArray<ConversationHit> => {
  if (level === "public") return []
  const recency = ({ occurredAt }: Chunk) =>
    policy.recencyWeight * Math.exp(-policy.recencyDecay * daysBetween(occurredAt, now))
  const plain = (found: ReadonlyArray<Chunk>, said: number) =>
    found.map((chunk) =>
      hitOf(chunk, { text: said, vector: 0, context: 0, speaker: 0, date: 0, recency: recency(chunk) })
    )

  const parsed = parse(text)
  if (parsed.needles.every((needle) => needle.trim() === "")) {
    return plain(findRecentChunks(db, level, filters, filters.limit), 0)
  }
  const parked = new Set(parkedOf(db).map(({ projection }) => projection))
  const speakers = findSpeakers(db, level)
  const should = telling(db, chunks, level, parsed, policy.commonShare)
  const match = matchOf({ ...parsed, should: withoutNames(should, speakers) })
  const weight = policy.vectorWeight ?? embedder.weight
  if (match === null) return plain(findChunksLike(db, level, filters, parsed.needles, filters.limit), 1 - weight)

  const found = findChunks(db, {
    level,
    filters,
    match,
    within: parsed.must.length === 0 ? null : matchOf({ must: parsed.must, should: [], not: [] }),
    without: parsed.not.length === 0 ? null : parsed.not.join(" OR "),
    vector: parked.has("chunkVectors") ? null : vector,
    pool: Math.max(policy.pool, filters.limit)
  })
  const ofSpeaker = speakerCue(text, speakers)
  const ofDate = dateCue(text)
  const fused = fuse(found, policy, weight)
  const contextOf = contextIn(fused, policy)
  const hits = fused.map(({ candidate: { born, chunk }, text, vector }) => {
    const context = contextOf(chunk)
    const base = text + vector + context
    const speaker = ofSpeaker(chunk) ? policy.speakerBoost * base : 0
    const date = ofDate(chunk) ? policy.dateBoost * (base + speaker) : 0
    return { born, hit: hitOf(chunk, { text, vector, context, speaker, date, recency: recency(chunk) }) }
  })
  hits.sort((a, b) => b.hit.score - a.hit.score || b.hit.occurredAt - a.hit.occurredAt || b.born - a.born)
  // Of several pieces of one turn the best stands for it.
  const seen = new Set<string>()
  return hits
    .filter(({ hit: { id } }) => !seen.has(id) && seen.add(id))
    .slice(0, filters.limit)
    .map(({ hit }) => hit)
}

const hitOf = ({ born: _, ...chunk }: Chunk, parts: ConversationParts): ConversationHit => ({
  ...chunk,
  score: parts.text + parts.vector + parts.context + parts.speaker + parts.date + parts.recency,
  parts
})

/**
 * What a short piece gains by its neighbours: people stay with a subject for a
 * few turns, and the one that names it is not always the one that answers. Each
 * neighbour gives its own score × contextWeight × contextDecay^(distance − 1).
 */
const contextIn = (
  fused: ReadonlyArray<{ readonly candidate: FoundChunk; readonly text: number; readonly vector: number }>,
  { contextDecay, contextTurns, contextWeight }: PolicyValues["search"]
): ((chunk: Chunk) => number) => {
  const keyOf = ({ sequence, session, store }: Chunk, by: number) => `${sequence + by} ${store} ${session}`
  const scores = new Map<string, number>()
  for (const { candidate, text, vector } of fused) {
    const key = keyOf(candidate.chunk, 0)
    scores.set(key, Math.max(scores.get(key) ?? 0, text + vector))
  }
  return (chunk) => {
    if (chunk.text.length > longPiece) return 0
    let context = 0
    let weight = contextWeight
    for (let distance = 1; distance <= contextTurns; distance++) {
      for (const by of [-distance, distance]) context += weight * (scores.get(keyOf(chunk, by)) ?? 0)
      weight *= contextDecay
    }
    return context
  }
}

/** A piece of more characters than this (some 80 words) speaks for itself. */
const longPiece = 450

/** Whoever speaks is asked for by `speakerCue`: a speaker's name is no word to look for while there are others. */
const withoutNames = (words: ReadonlyArray<Word>, speakers: ReadonlyArray<string>): ReadonlyArray<Word> => {
  const names = new Set(speakers.flatMap(wordsOf))
  const others = words.filter(
    ({ droppable, text }) => !droppable || !wordsOf(text.replace(/['’]s$/u, "")).every((word) => names.has(word))
  )
  return others.length === 0 ? words : others
}

/**
 * Whose words a question asks for: those of a speaker whom it names, by the
 * whole name or a word of it; the user's where it says "I" or "my" and names nobody.
 */
const speakerCue = (text: string, speakers: ReadonlyArray<string>): ((chunk: Chunk) => boolean) => {
  const words = new Set(wordsOf(text))
  const named = new Set(
    speakers.filter((speaker) => wordsOf(speaker).some((word) => word.length > 1 && words.has(word)))
  )
  if (named.size > 0) return ({ speaker }) => speaker !== null && named.has(speaker)
  return firstPerson.some((word) => words.has(word)) ? ({ role }) => role === "user" : () => false
}

/** Whether something was said on a day, in a month or a year that a question names. UTC. */
const dateCue = (text: string): ((chunk: Chunk) => boolean) => {
  const words = wordsOf(text)
  const years = words.filter((word) => /^(19|20)\d\d$/.test(word))
  const days = [...text.matchAll(iso)].map(([day]) => day)
  const named = words.filter((word) => word !== "may" && months.some((month) => month.toLowerCase() === word))
  // "may" is a month where a number or a preposition of time stands beside it.
  if (/\b(in|of|since|until|last|this|next|\d{1,2}(st|nd|rd|th)?) may\b|\bmay,? \d/i.test(text)) named.push("may")
  const numbers = [...text.matchAll(/\b(\d{1,2})(?:st|nd|rd|th)?\b/giu)].map(([, day]) => Number(day))
  if (years.length + named.length + days.length === 0) return () => false
  return ({ occurredAt }) => {
    const [day, month, year, , whole] = dateWords(occurredAt).split(" ") as [string, string, string, string, string]
    if (days.length > 0) return days.includes(whole)
    if (years.length > 0 && !years.includes(year)) return false
    if (named.length === 0) return true
    if (!named.includes(month.toLowerCase())) return false
    return numbers.length === 0 || numbers.includes(Number(day))
  }
}

const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

const firstPerson = ["i", "my", "me", "mine", "我", "我的"]
const iso = /\b\d{4}-\d{2}-\d{2}\b/gu

const invalid = (field: string, problem: string) => Either.left(new InvalidInput({ field, problem }))

import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Store, type TrustLevel } from "../events/Trust.js"
import { Role } from "../events/Turn.js"
import {
  type Chunk,
  type ChunkFilters,
  chunks,
  type FileChunk,
  findChunks,
  findChunksLike,
  findRecentChunks,
  readChunks,
  type TurnChunk
} from "../projections/conversationReads.js"
import type { QueryVector } from "../projections/hits.js"
import { findNameWords } from "../projections/speakers.js"
import { parkedOf } from "../projections/ViewFile.js"
import { contextIn, dateCue, speakerCue, withoutNames } from "./cues.js"
import type { InvalidInput } from "./errors.js"
import { instantOf, integerOf, listOf } from "./filters.js"
import type { InstantInput } from "./input.js"
import { limits } from "./limits.js"
import { expressionsOf, parse } from "./query.js"
import { fuse, recencyOf } from "./rank.js"
import { type Ranking, type Snapshot, telling } from "./search.js"

/** What narrows a search of conversations. Lists are alternatives. */
export interface ConversationFilter {
  readonly sessions?: ReadonlyArray<string> | undefined
  readonly stores?: ReadonlyArray<Store> | undefined
  readonly speakers?: ReadonlyArray<string> | undefined
  readonly roles?: ReadonlyArray<Role> | undefined
  /** `turn` for what was said alone, `file` for files alone. */
  readonly kinds?: ReadonlyArray<"turn" | "file"> | undefined
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

interface Scored {
  readonly score: number
  readonly parts: ConversationParts
}

/** A piece of a turn or of a file (`kind`) that was found, its score and what the score is made of. */
export type ConversationHit = (Omit<TurnChunk, "born"> & Scored) | (Omit<FileChunk, "born"> & Scored)

/** Checks the filters of a search of conversations. */
export const decodeConversationFilter = (
  filter: ConversationFilter
): Either.Either<ChunkFilters & { readonly limit: number }, InvalidInput> =>
  Either.gen(function* () {
    return {
      limit: yield* integerOf("limit", filter.limit ?? 10, 1, limits.page),
      sessions: yield* listOf("sessions", filter.sessions, Schema.String),
      stores: yield* listOf("stores", filter.stores, Store),
      speakers: yield* listOf("speakers", filter.speakers, Schema.String),
      roles: yield* listOf("roles", filter.roles, Role),
      kinds: yield* listOf("kinds", filter.kinds, Schema.Literal("turn", "file")),
      ...(yield* instantOf("after", filter.after)),
      ...(yield* instantOf("before", filter.before))
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
  const recency = ({ lastAt, occurredAt }: { readonly lastAt: number; readonly occurredAt: number }) =>
    recencyOf(Math.max(occurredAt, lastAt), policy, now)
  const plain = (found: ReadonlyArray<Chunk>, said: number) =>
    found.map((chunk) =>
      hitOf(chunk, { text: said, vector: 0, context: 0, speaker: 0, date: 0, recency: recency(chunk) })
    )

  const parsed = parse(text)
  if (parsed.needles.every((needle) => needle.trim() === "")) {
    return plain(findRecentChunks(db, level, filters, filters.limit), 0)
  }
  const parked = new Set(parkedOf(db).map(({ projection }) => projection))
  const names = findNameWords(db, level, text)
  const should = telling(db, chunks, level, parsed, policy.commonShare)
  const expressions = expressionsOf({ ...parsed, should: withoutNames(should, names) })
  const weight = policy.vectorWeight ?? embedder.weight
  if (expressions.match === null)
    return plain(findChunksLike(db, level, filters, parsed.needles, filters.limit), 1 - weight)

  const found = findChunks(db, {
    level,
    filters,
    ...expressions,
    vector: parked.has("chunkVectors") ? null : vector,
    pool: Math.max(policy.pool, filters.limit)
  })
  const ofSpeaker = speakerCue(text, names)
  const ofDate = dateCue(text)
  const fused = fuse(found, policy, weight)
  const contextOf = contextIn(fused, policy)
  const ranked = fused.map(({ candidate: { born, chunk }, text, vector }) => {
    const context = contextOf(chunk)
    const base = text + vector + context
    const speaker = ofSpeaker(chunk) ? policy.speakerBoost * base : 0
    const date = ofDate(chunk) ? policy.dateBoost * (base + speaker) : 0
    const parts = { text, vector, context, speaker, date, recency: recency(chunk) }
    return { born, time: chunk.lastAt, score: sum(parts), parts }
  })
  ranked.sort((a, b) => b.score - a.score || b.time - a.time || b.born - a.born)
  const best = new Map(ranked.slice(0, filters.limit).map(({ born, parts }) => [born, parts]))
  return readChunks(db, [...best.keys()]).map((chunk) => hitOf(chunk, best.get(chunk.born)!))
}

const sum = (parts: ConversationParts): number =>
  parts.text + parts.vector + parts.context + parts.speaker + parts.date + parts.recency

const hitOf = ({ born: _, ...chunk }: Chunk, parts: ConversationParts): ConversationHit => ({
  ...chunk,
  score: sum(parts),
  parts
})

import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type ReadingLevel, Store } from "../events/Trust.js"
import { Role } from "../events/Turn.js"
import {
  type ChunkFilters,
  chunks,
  type FileChunk,
  type FoundChunk,
  findChunks,
  findChunksLike,
  findRecentChunks,
  foundChunks,
  readChunks,
  type TurnChunk
} from "../projections/conversationReads.js"
import type { QueryVector } from "../projections/hits.js"
import { findNameWords } from "../projections/speakers.js"
import { parkedOf } from "../projections/ViewFile.js"
import { contextIn, dateCue, speakerCue, timesIn, withoutNames } from "./cues.js"
import type { InvalidInput } from "./errors.js"
import { wordsOf } from "./explain.js"
import { conversationFilters, conversationSyntax } from "./fields.js"
import { instantOf, integerOf, listOf, textOf } from "./filters.js"
import type { InstantInput } from "./input.js"
import { limits } from "./limits.js"
import type { PolicyValues } from "./Policy.js"
import { expressionsOf } from "./query.js"
import { fuse, inOrder, newestFirst, recencyOf, timeWorth } from "./rank.js"
import {
  type Answered,
  type Found,
  lookedAt,
  nothing,
  type Ranking,
  type Request,
  requestOf,
  type SearchOptions,
  type Snapshot
} from "./retrieve.js"
import { distinct, telling } from "./search.js"

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
export interface ConversationQuery extends ConversationFilter, SearchOptions {
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
  /** How the question's words stand in it. */
  readonly rerank: number
}

/** A piece of a turn or of a file (`kind`), as a search shows it. */
type Shown = Omit<TurnChunk, "born"> | Omit<FileChunk, "born">

/** A piece that was found, its score and what the score is made of. */
export type ConversationHit = Answered<Shown, ConversationParts>

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

/** Checks a search and takes its text apart. */
export const decodeConversationQuery = (
  { gate, mode, text = "", ...filter }: ConversationQuery,
  policy: PolicyValues["search"]
): Either.Either<Request<ChunkFilters>, InvalidInput> =>
  Either.gen(function* () {
    const asked = (yield* textOf("text", text)).text!
    yield* textOf("mode", mode)
    const limit = (mode ?? policy.mode) === "enhanced" ? 10 : 5
    const filters = yield* decodeConversationFilter({ limit, ...filter })
    return requestOf(asked, conversationSyntax, filters, { gate, mode }, policy)
  })

/**
 * Ranks what was said, as far as a level may read it, against a text. Synchronous: it sees one snapshot.
 * Speakers' names are looked for as well where full text has nothing else (`named`).
 */
export const searchConversationIn = (
  { db, now }: Snapshot,
  level: ReadingLevel,
  request: Request<ChunkFilters>,
  vector: QueryVector | null,
  ranking: Ranking,
  named = false
): Found<Shown, ConversationParts> => {
  const { embedder, policy } = ranking
  const { limit, parsed } = request
  const most = lookedAt(request, ranking)
  const parked = new Set(parkedOf(db).map(({ projection }) => projection))
  const asking = { now, zone: policy.zone }
  const filters: ChunkFilters = { ...request.filters, and: conversationFilters(parsed.fields, asking) }
  const times = timesIn(parsed, asking)
  const speakers = findNameWords(db, level, parsed.plain)
  // People say "last week" too: it is looked for in what they said.
  const told = telling(db, chunks, level, parsed, policy.commonShare)
  const words = named ? told.words : withoutNames(told.words, speakers, parsed.plain)
  const names = told.words.filter((word) => !words.includes(word))
  const expressions = expressionsOf({ ...parsed, should: words, joined: told.joined })
  const weight = request.mode === "classic" ? 0 : (policy.vectorWeight ?? embedder.weight)
  const ofSpeaker = speakerCue(parsed.plain, speakers)
  const ofDate = dateCue(parsed.plain, times.ranges)
  const explanation = {
    ...nothing(request),
    words: wordsOf(words),
    leftOut: [...told.leftOut, ...names.map(({ text }) => ({ word: text, reason: "speaker" as const }))],
    times: times.ranges
  }

  const foundOf = (candidates: ReadonlyArray<FoundChunk>, similarTo: QueryVector | null, byTime = false) => {
    const fused = fuse(candidates, policy, weight)
    const contextOf = contextIn(fused, policy)
    const scored = fused.map(({ candidate: { born, chunk, time }, text, vector }) => {
      const context = contextOf(chunk)
      const base = text + vector + context
      const speaker = ofSpeaker(chunk) ? policy.speakerBoost * base : 0
      const onDate = ofDate(chunk.occurredAt) || (time !== chunk.occurredAt && ofDate(time))
      const inTime = times.ranges.length === 0 ? 0 : timeWorth
      const date = onDate ? policy.dateBoost * (base + speaker) + inTime : 0
      const recency = recencyOf(Math.max(chunk.occurredAt, time), policy, now)
      return { born, time, parts: { text, vector, context, speaker, date, recency, rerank: 0 } }
    })
    const ranked = new Map(
      (byTime ? newestFirst(scored) : inOrder(scored)).slice(0, most).map((draft) => [draft.born, draft])
    )
    // Of several pieces of one turn or file the best stands for it.
    const seen = new Set<string>()
    const drafts = readChunks(db, [...ranked.keys()]).flatMap(({ born, ...row }) =>
      seen.has(row.id) || !seen.add(row.id) ? [] : { ...ranked.get(born)!, row, text: row.text }
    )
    return { drafts, settled: byTime, explanation: { ...explanation, vectors: similarTo?.model ?? null } }
  }
  const unscored = (born: ReadonlyArray<number>, text: number | null = null) =>
    foundChunks(
      db,
      born.map((one) => ({ born: one, text, similarity: null }))
    )
  const inTimes = (count: number) =>
    times.ranges.flatMap(({ from, to }) =>
      unscored(findRecentChunks(db, level, { after: from, before: to, and: filters }, count))
    )

  if (parsed.needles.every((needle) => needle.trim() === ""))
    return foundOf(unscored(findRecentChunks(db, level, filters, most)), null, true)
  if (times.only) return foundOf(distinct(inTimes(most)), null, true)
  if (expressions.match === null)
    return foundOf(unscored(findChunksLike(db, level, filters, parsed.needles, most), 1), null)

  const similarTo = parked.has("chunkVectors") || weight === 0 ? null : vector
  const pool = Math.max(policy.pool, limit)
  const found = findChunks(db, { level, filters, ...expressions, vector: similarTo, pool })
  if (names.length > 0 && found.every(({ text }) => text === null))
    return searchConversationIn({ db, now }, level, request, vector, ranking, true)
  return foundOf(times.ranges.length === 0 ? found : distinct([...found, ...inTimes(most)]), similarTo)
}

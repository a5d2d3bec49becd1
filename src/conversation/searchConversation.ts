import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Store } from "../../events/Trust.js"
import { Role } from "../../events/Turn.js"
import {
  type ChunkCandidate,
  type ChunkFilters,
  chunkCandidatesOf,
  chunkCorpus,
  type FileChunk,
  findChunkCandidates,
  findChunksBySubstring,
  findRecentChunks,
  readChunks,
  type TextChunk,
  type TurnChunk
} from "../../projections/conversationSearch.js"
import type { Db } from "../../projections/Projection.js"
import { findNameWords } from "../../projections/speakers.js"
import type { InvalidInput } from "../model/errors.js"
import {
  checkInteger,
  checkObject,
  decodeOptionalInstant,
  decodeOptionalList,
  decodeTagFilters,
  refuseUnknownOptions
} from "../model/filters.js"
import type { InstantInput } from "../model/input.js"
import { limits } from "../model/limits.js"
import type { PolicyValues } from "../ports/Policy.js"
import { dropSpeakerNames, neighbourScores, speakerMatcher, speakersNamedIn } from "../search/cues.js"
import { conversationFilters, conversationKinds, conversationSyntax } from "../search/fields.js"
import { makeRowSearch } from "../search/pipeline.js"
import type { SearchKind } from "../search/plan.js"
import { fuse, recencyGain, timeMatchScore } from "../search/rank.js"
import {
  type AnsweredHit,
  type CheckedRequest,
  decodeSearchOptions,
  defaultHitLimit,
  type FindRows,
  type SearchOptions,
  searchOptionNames,
  toRequest
} from "../search/retrieve.js"
import { dateMatcher } from "../search/timeCues.js"

/** The kind of text that a conversation search finds. */
export type ConversationKind = (typeof conversationKinds)[number]

/** Filters of a conversation search. The values of a list are alternatives, except those of `tags`. */
export interface ConversationFilter {
  readonly sessions?: ReadonlyArray<string> | undefined
  readonly stores?: ReadonlyArray<Store> | undefined
  readonly speakers?: ReadonlyArray<string> | undefined
  readonly roles?: ReadonlyArray<Role> | undefined
  /** Absent: all kinds. */
  readonly kinds?: ReadonlyArray<ConversationKind> | undefined
  /** A note must have each of these tags. Turns, files and scratchpads have no tags. */
  readonly tags?: ReadonlyArray<string> | undefined
  /** A note must have one of these tags. */
  readonly anyTags?: ReadonlyArray<string> | undefined
  readonly after?: InstantInput | undefined
  readonly before?: InstantInput | undefined
  /** Maximum rows of the answer, 1…1,000. Default 10. */
  readonly limit?: number | undefined
}

/** A conversation search. Without text it finds the newest turns that pass the filters. */
export interface ConversationQuery extends ConversationFilter, SearchOptions {
  readonly text?: string | undefined
}

/** The parts of a chunk's score; they add up to it. */
export interface ConversationParts {
  readonly text: number
  readonly vector: number
  /** Gain from matching turns shortly before and after this one. */
  readonly context: number
  /** Gain if the query names the speaker of the turn, or if it says "I" and the user said the turn. */
  readonly speaker: number
  /** Gain if the query names the day of the turn. */
  readonly date: number
  readonly recency: number
  /** Gain from the reranker. */
  readonly rerank: number
}

/** A chunk as hits show it. */
type ShownChunk = Omit<TurnChunk, "born"> | Omit<FileChunk, "born"> | Omit<TextChunk, "born">

/** A chunk, its score and the parts of the score. */
export type ConversationHit = AnsweredHit<ShownChunk, ConversationParts>

const filterNames = ["sessions", "stores", "speakers", "roles", "kinds", "tags", "anyTags", "after", "before", "limit"]

/** Checks the filters of a conversation search. */
export const decodeConversationFilter = (
  filter: ConversationFilter
): Either.Either<ChunkFilters & { readonly limit: number }, InvalidInput> =>
  Either.gen(function* () {
    yield* refuseUnknownOptions(filter, [...searchOptionNames, ...filterNames])
    return {
      limit: yield* checkInteger("limit", filter.limit ?? 10, 1, limits.page),
      sessions: yield* decodeOptionalList("sessions", filter.sessions, Schema.String),
      stores: yield* decodeOptionalList("stores", filter.stores, Store),
      speakers: yield* decodeOptionalList("speakers", filter.speakers, Schema.String),
      roles: yield* decodeOptionalList("roles", filter.roles, Role),
      kinds: yield* decodeOptionalList("kinds", filter.kinds, Schema.Literal(...conversationKinds)),
      ...(filter.tags === undefined && filter.anyTags === undefined ? {} : yield* decodeTagFilters(filter)),
      ...(yield* decodeOptionalInstant("after", filter.after)),
      ...(yield* decodeOptionalInstant("before", filter.before))
    }
  })

/** Checks a conversation search and parses its text. */
export const decodeConversationQuery = (
  query: ConversationQuery,
  policy: PolicyValues["search"]
): Either.Either<CheckedRequest<ChunkFilters>, InvalidInput> =>
  Either.gen(function* () {
    yield* checkObject("query", query, "text")
    const { at, embedding, gate, mode, text = "", textWeight, topK, vectorWeight, ...filter } = query
    const fusion = { embedding, textWeight, topK, vectorWeight }
    const options = yield* decodeSearchOptions({ text, at, gate, mode, ...fusion }, policy)
    const filters = yield* decodeConversationFilter({ limit: defaultHitLimit(mode, policy), ...filter })
    return toRequest(conversationSyntax, filters, options, policy)
  })

/** How the pipeline searches turns and files. */
const searched: SearchKind<ChunkFilters, ChunkCandidate, ShownChunk, ConversationParts> = {
  corpus: chunkCorpus,
  rowNoun: "turn or file",
  text: "conversation",
  vectors: "chunkVectors",
  // Turns contain words like "last week" too.
  hasTimeWords: true,
  filtersOf: (filters, fields, timeReference) => ({ ...filters, and: conversationFilters(fields, timeReference) }),
  filtersDuring: (filters, { from, to }) => ({ after: from, before: to, and: filters }),
  chooseWords: ({ db, level, parsed }, words) => {
    const searchedWords = dropSpeakerNames(
      words,
      speakersNamedIn(findNameWords(db, level, parsed.plainText), parsed.plainText),
      parsed.plainText
    )
    const names = words.filter((word) => !searchedWords.includes(word))
    return { words: searchedWords, leftOut: names.map(({ text }) => ({ word: text, reason: "speaker" as const })) }
  },
  find: ({ db }, query) => findChunkCandidates(db, query),
  recent: ({ db }, { filters, level, limit, required }) =>
    unscored(db, findRecentChunks(db, level, filters, limit, required)),
  findSubstrings: ({ db }, { filters, level, limit, needles }) =>
    unscored(db, findChunksBySubstring(db, level, filters, needles, limit), 1),
  score: ({ db, level, now, parsed, policy, times, weights }, candidates) => {
    const isBySpeaker = speakerMatcher(
      parsed.plainText,
      speakersNamedIn(findNameWords(db, level, parsed.plainText), parsed.plainText)
    )
    const isOnDate = dateMatcher(parsed.plainText, times.ranges)
    const timeBonus = times.ranges.length === 0 ? 0 : timeMatchScore
    const fused = fuse(candidates, policy, weights)
    const contextOf = neighbourScores(fused, policy)
    return fused.map(({ candidate: { born, chunk, time }, text, vector }) => {
      const context = contextOf(chunk)
      const base = text + vector + context
      const speaker = isBySpeaker(chunk) ? policy.speakerBoost * base : 0
      const onDate = isOnDate(chunk.occurredAt) || (time !== chunk.occurredAt && isOnDate(time))
      const date = onDate ? policy.dateBoost * (base + speaker) + timeBonus : 0
      const recency = recencyGain(Math.max(chunk.occurredAt, time), policy, now)
      return { born, time, parts: { text, vector, context, speaker, date, recency, rerank: 0 } }
    })
  },
  read: ({ db }, ranked) => {
    const rows = new Map(
      readChunks(
        db,
        ranked.map(({ born }) => born)
      ).map(({ born, ...row }) => [born, row])
    )
    return ranked.flatMap((scored) => {
      const row = rows.get(scored.born)
      return row === undefined ? [] : { ...scored, row, text: row.text, alike: 0, store: row.store }
    })
  }
}

const unscored = (db: Db, borns: ReadonlyArray<number>, text: number | null = null): ReadonlyArray<ChunkCandidate> =>
  chunkCandidatesOf(
    db,
    borns.map((born) => ({ born, text, similarity: null }))
  )

/** Ranks the chunks that a level may read. Synchronous, so that it reads one snapshot. */
export const searchConversationRows: FindRows<ChunkFilters, ShownChunk, ConversationParts> = makeRowSearch(searched)

import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Store } from "../../events/Trust.js"
import { Role } from "../../events/Turn.js"
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
} from "../../projections/conversationReads.js"
import type { Db } from "../../projections/Projection.js"
import { findNameWords } from "../../projections/speakers.js"
import type { InvalidInput } from "../model/errors.js"
import { instantOf, integerOf, listOf, noOthers, textOf } from "../model/filters.js"
import type { InstantInput } from "../model/input.js"
import { limits } from "../model/limits.js"
import type { PolicyValues } from "../ports/Policy.js"
import { contextIn, dateCue, namesIn, speakerCue, withoutNames } from "../search/cues.js"
import { conversationFilters, conversationSyntax } from "../search/fields.js"
import { lookFor, type Searched } from "../search/lookFor.js"
import { fuse, recencyOf, timeWorth } from "../search/rank.js"
import { type Answered, type Find, type Request, requestOf, type SearchOptions } from "../search/retrieve.js"

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

const filterNames = ["sessions", "stores", "speakers", "roles", "kinds", "after", "before", "limit"]

/** Checks the filters of a search of conversations. */
export const decodeConversationFilter = (
  filter: ConversationFilter
): Either.Either<ChunkFilters & { readonly limit: number }, InvalidInput> =>
  Either.gen(function* () {
    yield* noOthers(filter, filterNames)
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

/** Turns and files, as the pipeline looks for them. */
const searched: Searched<ChunkFilters, FoundChunk, Shown, ConversationParts> = {
  corpus: chunks,
  things: "turn or file",
  text: "conversation",
  vectors: "chunkVectors",
  // People say "last week" too: it is looked for in what they said.
  saysTimes: true,
  filtersOf: (asked, fields, asking) => ({ ...asked, and: conversationFilters(fields, asking) }),
  during: (filters, { from, to }) => ({ after: from, before: to, and: filters }),
  chosen: ({ db, level, parsed }, words) => {
    const chosen = withoutNames(words, namesIn(findNameWords(db, level, parsed.plain), parsed.plain), parsed.plain)
    const names = words.filter((word) => !chosen.includes(word))
    return { words: chosen, leftOut: names.map(({ text }) => ({ word: text, reason: "speaker" as const })) }
  },
  find: ({ db }, query) => findChunks(db, query),
  recent: ({ db }, level, filters, words, limit) => unscored(db, findRecentChunks(db, level, filters, limit, words)),
  like: ({ db }, level, filters, needles, limit) => unscored(db, findChunksLike(db, level, filters, needles, limit), 1),
  score: ({ db, level, now, parsed, policy, times, weights }, candidates) => {
    const ofSpeaker = speakerCue(parsed.plain, namesIn(findNameWords(db, level, parsed.plain), parsed.plain))
    const ofDate = dateCue(parsed.plain, times.ranges)
    const inTime = times.ranges.length === 0 ? 0 : timeWorth
    const fused = fuse(candidates, policy, weights)
    const contextOf = contextIn(fused, policy)
    return fused.map(({ candidate: { born, chunk, time }, text, vector }) => {
      const context = contextOf(chunk)
      const base = text + vector + context
      const speaker = ofSpeaker(chunk) ? policy.speakerBoost * base : 0
      const onDate = ofDate(chunk.occurredAt) || (time !== chunk.occurredAt && ofDate(time))
      const date = onDate ? policy.dateBoost * (base + speaker) + inTime : 0
      const recency = recencyOf(Math.max(chunk.occurredAt, time), policy, now)
      return { born, time, parts: { text, vector, context, speaker, date, recency, rerank: 0 } }
    })
  },
  read: (db, ranked) => {
    const read = new Map(
      readChunks(
        db,
        ranked.map(({ born }) => born)
      ).map(({ born, ...row }) => [born, row])
    )
    return ranked.flatMap((one) => {
      const row = read.get(one.born)
      return row === undefined ? [] : { ...one, row, text: row.text, alike: 0, store: row.store }
    })
  }
}

const unscored = (db: Db, born: ReadonlyArray<number>, text: number | null = null): ReadonlyArray<FoundChunk> =>
  foundChunks(
    db,
    born.map((one) => ({ born: one, text, similarity: null }))
  )

/** Ranks what was said, as far as a level may read it, against a text. Synchronous: it sees one snapshot. */
export const searchConversationIn: Find<ChunkFilters, Shown, ConversationParts> = lookFor(searched)

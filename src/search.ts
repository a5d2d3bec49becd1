import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { embeddingText, type Memory } from "../events/Memory.js"
import { type ReadingLevel, Store } from "../events/Trust.js"
import { type Corpus, countRows, type QueryVector } from "../projections/hits.js"
import type { Db } from "../projections/Projection.js"
import {
  type Candidate,
  candidatesOf,
  type Filters,
  findCandidates,
  findLike,
  findRecent,
  type IndexRow,
  memories,
  memoriesAt
} from "../projections/search.js"
import { parkedOf } from "../projections/ViewFile.js"
import { fewTogether, hasHalves, joined, rare, withHalves } from "./compounds.js"
import { dateCue, projectCue, timesIn } from "./cues.js"
import type { InvalidInput } from "./errors.js"
import { type LeftOut, wordsOf } from "./explain.js"
import { memoryFilters, memorySyntax } from "./fields.js"
import { instantOf, integerOf, listOf, textOf } from "./filters.js"
import type { InstantInput } from "./input.js"
import { normaliseTag } from "./input.js"
import { limits } from "./limits.js"
import type { PolicyValues } from "./Policy.js"
import { expressionsOf, type ParsedQuery, type Word } from "./query.js"
import { type Draft, inOrder, newestFirst, type ScoreParts, scored } from "./rank.js"
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
import { isStopWord } from "./stopWords.js"

/** What narrows a read. Lists are alternatives; times may be milliseconds, a Date or ISO 8601 text. */
export interface Filter {
  readonly types?: ReadonlyArray<string> | undefined
  readonly stores?: ReadonlyArray<Store> | undefined
  readonly tags?: ReadonlyArray<string> | undefined
  readonly people?: ReadonlyArray<string> | undefined
  readonly project?: string | undefined
  readonly session?: string | undefined
  readonly after?: InstantInput | undefined
  readonly before?: InstantInput | undefined
  /** Rows of the answer, 1…1,000. Default 10 for a search, 50 for a list. */
  readonly limit?: number | undefined
}

/** A search. Without text it answers the newest memories that pass the filters. */
export interface Query extends Filter, SearchOptions {
  readonly text?: string | undefined
}

/** A hit: the compact form of a memory, its score and what the score is made of. */
export type Hit = Answered<IndexRow, ScoreParts>

/** Checks the filters of a read. */
export const decodeFilter = (
  filter: Filter,
  defaultLimit: number
): Either.Either<Filters & { readonly limit: number }, InvalidInput> =>
  Either.gen(function* () {
    return {
      limit: yield* integerOf("limit", filter.limit ?? defaultLimit, 1, limits.page),
      types: yield* listOf("types", filter.types, Schema.String),
      stores: yield* listOf("stores", filter.stores, Store),
      tags: (yield* listOf("tags", filter.tags, Schema.String)).map(normaliseTag),
      people: yield* listOf("people", filter.people, Schema.String),
      ...(yield* textOf("project", filter.project)),
      ...(yield* textOf("session", filter.session)),
      ...(yield* instantOf("after", filter.after)),
      ...(yield* instantOf("before", filter.before))
    }
  })

/** Checks a search and takes its text apart. */
export const decodeQuery = (
  { gate, mode, text = "", ...filter }: Query,
  policy: PolicyValues["search"]
): Either.Either<Request<Filters>, InvalidInput> =>
  Either.gen(function* () {
    const asked = (yield* textOf("text", text)).text!
    yield* textOf("mode", mode)
    const filters = yield* decodeFilter(filter, (mode ?? policy.mode) === "enhanced" ? 10 : 5)
    return requestOf(asked, memorySyntax, filters, { gate, mode }, policy)
  })

/** Ranks what a level may read against a text. Synchronous: it sees one snapshot. */
export const searchIn = (
  { db, now }: Snapshot,
  level: ReadingLevel,
  request: Request<Filters>,
  vector: QueryVector | null,
  ranking: Ranking
): Found<IndexRow, ScoreParts> => {
  const { limit, parsed } = request
  const { embedder, policy } = ranking
  const most = lookedAt(request, ranking)
  const parked = new Set(parkedOf(db).map(({ projection }) => projection))
  const asking = { now, zone: policy.zone }
  const filters: Filters = { ...request.filters, and: memoryFilters(parsed.fields, asking) }
  const times = timesIn(parsed, asking)
  const { joined, leftOut, words } = telling(
    db,
    memories,
    level,
    { ...parsed, should: times.words },
    policy.commonShare
  )
  const expressions = expressionsOf({ ...parsed, should: words, joined })
  const weight = request.mode === "classic" ? 0 : (policy.vectorWeight ?? embedder.weight)
  const cues = { date: dateCue(parsed.plain, times.ranges), project: projectCue(parsed.plain) }
  const explanation = {
    ...nothing(request),
    words: wordsOf(words),
    leftOut: [...times.leftOut, ...leftOut],
    times: times.ranges
  }

  const foundOf = (candidates: ReadonlyArray<Candidate>, similarTo: QueryVector | null, byTime = false) => {
    const rows = scored(candidates, policy, weight, now, cues)
    const ranked = (byTime ? newestFirst(rows) : inOrder(rows)).slice(0, most)
    const drafts = draftsOf(db, ranked)
    return { drafts, settled: byTime, explanation: { ...explanation, vectors: similarTo?.model ?? null } }
  }
  const unscored = (born: ReadonlyArray<number>) =>
    candidatesOf(
      db,
      born.map((one) => ({ born: one, text: null, similarity: null }))
    )
  const recent = (narrowed: Filters, count: number) =>
    unscored(findRecent(db, level, narrowed, now, { limit: count, offset: 0 }))
  const inTimes = (count: number) =>
    times.ranges.flatMap(({ from, to }) => recent({ after: from, before: to, and: filters }, count))

  if (parsed.needles.every((needle) => needle.trim() === "")) return foundOf(recent(filters, most), null, true)
  if (times.only) return foundOf(distinct(inTimes(most)), null, true)
  if (expressions.match === null || parked.has("fulltext")) {
    const like = unscored(findLike(db, level, filters, now, parsed.needles, most))
    return foundOf(
      like.map((candidate) => ({ ...candidate, text: 1 })),
      null
    )
  }
  const similarTo = parked.has("vectors") || weight === 0 ? null : vector
  const pool = Math.max(policy.pool, limit)
  const found = findCandidates(db, { level, now, filters, ...expressions, vector: similarTo, pool })
  return foundOf(times.ranges.length === 0 ? found : distinct([...found, ...inTimes(most)]), similarTo)
}

const draftsOf = (
  db: Db,
  ranked: ReadonlyArray<Omit<Draft<unknown, ScoreParts>, "row" | "text">>
): ReadonlyArray<Draft<IndexRow, ScoreParts>> => {
  const whole = memoriesAt(
    db,
    ranked.map(({ born }) => born)
  )
  return ranked.flatMap(({ born, parts, time }) => {
    const memory = whole.get(born)
    return memory === undefined ? [] : { born, parts, time, row: indexRowOf(memory), text: embeddingText(memory) }
  })
}

const indexRowOf = ({ createdAt, id, mentions, occurredAt, people, store, title, tokens, type }: Memory): IndexRow => ({
  id,
  type,
  title,
  store,
  people,
  tokens,
  mentions,
  createdAt,
  occurredAt: occurredAt ?? null
})

/** The words of a query that are looked for, neighbours as one where they are not found apart, and what is left out. */
export interface Telling {
  readonly words: ReadonlyArray<Word>
  readonly joined: ReadonlyArray<string>
  readonly leftOut: ReadonlyArray<LeftOut>
}

/**
 * The words that tell rows apart: stop words and words of too many rows are
 * left out, while others remain.
 */
export const telling = (
  db: Db,
  corpus: Corpus,
  level: ReadingLevel,
  { must, should }: Pick<ParsedQuery, "must" | "should">,
  commonShare: number
): Telling => {
  const indexed = corpus.text.count(db, level)
  const most = Math.floor(indexed * commonShare)
  const leftOut: Array<LeftOut> = []
  const without = <A extends Word>(words: ReadonlyArray<A>, reason: LeftOut["reason"], out: (word: A) => boolean) => {
    const kept = words.filter((word) => !word.droppable || !out(word))
    if (kept.length === 0 && must.length === 0) return words
    leftOut.push(...words.filter((word) => !kept.includes(word)).map(({ text }) => ({ word: text, reason })))
    return kept
  }
  const words = without(should, "stop word", ({ text }) => isStopWord(text))
  const rows = ({ expression }: Word, most: number) => countRows(db, corpus, level, expression, most)
  const few = (expression: string, most: number) => countRows(db, corpus, level, expression, most) <= most
  const compounds = joined(words).flatMap(({ apart, together }) =>
    few(apart, rare) ? [together, together] : few(together, fewTogether) ? [together] : []
  )
  if (indexed < commonFrom) {
    const whole = words.map((word) => (hasHalves(word) ? withHalves(word, rows(word, rare)) : word))
    return { words: whole, joined: compounds, leftOut }
  }
  const counted = words.map((word) => ({ ...word, rows: word.droppable ? rows(word, most) : 0 }))
  const kept = without(counted, "in too many rows", ({ rows }) => rows > most)
  return { words: kept.map((word) => withHalves(word, word.rows)), joined: compounds, leftOut }
}

/** Below this many rows common words cost nothing, and leaving them out would only lose hits. */
const commonFrom = 1_000

/** Rows by their number, the first of each. */
export const distinct = <A extends { readonly born: number }>(rows: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(rows.toReversed().map((row) => [row.born, row])).values()
]

import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type ReadingLevel, Store, type TrustLevel } from "../events/Trust.js"
import { type Corpus, countRows, type QueryVector } from "../projections/hits.js"
import type { Db } from "../projections/Projection.js"
import {
  type Filters,
  findCandidates,
  findLike,
  findRecent,
  type IndexRow,
  indexRows,
  memories
} from "../projections/search.js"
import { parkedOf } from "../projections/ViewFile.js"
import { hasHalves, rare, withHalves } from "./compounds.js"
import type { Embedder } from "./Embedder.js"
import { embedAll } from "./Embedding.js"
import type { InvalidInput } from "./errors.js"
import { instantOf, integerOf, listOf, textOf } from "./filters.js"
import type { InstantInput } from "./input.js"
import { normaliseTag } from "./input.js"
import { limits } from "./limits.js"
import type { PolicyValues } from "./Policy.js"
import { expressionsOf, type ParsedQuery, parse, type Word } from "./query.js"
import { type Ranked, rank, type ScoreParts, standing, sum } from "./rank.js"
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
export interface Query extends Filter {
  readonly text?: string | undefined
}

/** A hit: the compact form of a memory, its score and what the score is made of. */
export interface Hit extends IndexRow {
  readonly score: number
  readonly parts: ScoreParts
}

/** What a search asks of: one snapshot of one agent's view, at one moment. */
export interface Snapshot {
  readonly db: Db
  /** The asking time, milliseconds since the epoch. */
  readonly now: number
}

export interface Ranking {
  readonly policy: PolicyValues["search"]
  readonly embedder: Context.Tag.Service<Embedder>
}

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

/** The vector of a query's text, or null where there is none in time: full text answers alone then. */
export const queryVector = (text: string, { embedder, policy }: Ranking) =>
  embedAll(embedder, [text.slice(0, limits.queryBytes)], "query", policy.queryTimeout).pipe(
    Effect.map(([vector]) =>
      vector === undefined ? null : { model: embedder.model, values: vector, floor: embedder.floor }
    ),
    Effect.orElseSucceed(() => null)
  )

/** Ranks what a level may read against a text. Synchronous: it sees one snapshot. */
export const searchIn = (
  { db, now }: Snapshot,
  level: TrustLevel,
  text: string,
  filters: Filters & { readonly limit: number },
  vector: QueryVector | null,
  { embedder, policy }: Ranking
): ReadonlyArray<Hit> => {
  if (level === "public") return []
  const parsed = parse(text)
  if (parsed.needles.every((needle) => needle.trim() === "")) return withoutText(db, now, level, filters, policy)
  const parked = new Set(parkedOf(db).map(({ projection }) => projection))
  const should = telling(db, memories, level, parsed, policy.commonShare)
  const expressions = expressionsOf({ ...parsed, should })
  const weight = policy.vectorWeight ?? embedder.weight
  if (expressions.match === null || parked.has("fulltext")) {
    const born = findLike(db, level, filters, now, parsed.needles, filters.limit)
    const rows = indexRows(db, born)
    return rows.map((row) => {
      const parts = {
        text: 1 - weight,
        vector: 0,
        ...standing({ mentions: row.mentions, time: row.occurredAt ?? row.createdAt }, policy, now)
      }
      return hit(row, { born: row.born, score: sum(parts), parts })
    })
  }
  const candidates = findCandidates(db, {
    level,
    now,
    filters,
    ...expressions,
    vector: parked.has("vectors") ? null : vector,
    pool: Math.max(policy.pool, filters.limit)
  })
  const ranked = rank(candidates, policy, weight, now).slice(0, filters.limit)
  const rows = new Map(
    indexRows(
      db,
      ranked.map(({ born }) => born)
    ).map((row) => [row.born, row])
  )
  return ranked.flatMap((one) => {
    const row = rows.get(one.born)
    return row === undefined ? [] : hit(row, one)
  })
}

/**
 * The words that tell rows apart: stop words and words of too many rows are
 * left out, while others remain.
 */
export const telling = (
  db: Db,
  corpus: Corpus,
  level: ReadingLevel,
  { must, should }: ParsedQuery,
  commonShare: number
): ReadonlyArray<Word> => {
  const indexed = corpus.text.count(db, level)
  const most = Math.floor(indexed * commonShare)
  const unless = (kept: ReadonlyArray<Word>, all: ReadonlyArray<Word>) =>
    kept.length === 0 && must.length === 0 ? all : kept
  const words = unless(
    should.filter(({ droppable, text }) => !droppable || !isStopWord(text)),
    should
  )
  const rows = ({ expression }: Word, most: number) => countRows(db, corpus, level, expression, most)
  if (indexed < commonFrom) return words.map((word) => (hasHalves(word) ? withHalves(word, rows(word, rare)) : word))
  const counted = words.map((word) => ({ ...word, rows: word.droppable ? rows(word, most) : 0 }))
  return unless(
    counted.filter(({ rows }) => rows <= most).map((word) => withHalves(word, word.rows)),
    words
  )
}

/** Below this many rows common words cost nothing, and leaving them out would only lose hits. */
const commonFrom = 1_000

const withoutText = (
  db: Db,
  now: number,
  level: TrustLevel,
  filters: Filters & { readonly limit: number },
  policy: PolicyValues["search"]
): ReadonlyArray<Hit> =>
  indexRows(db, findRecent(db, level, filters, now, { limit: filters.limit, offset: 0 })).map((row) => {
    const parts = {
      text: 0,
      vector: 0,
      ...standing({ mentions: row.mentions, time: row.occurredAt ?? row.createdAt }, policy, now)
    }
    return hit(row, { born: row.born, score: sum(parts), parts })
  })

const hit = ({ born: _, ...row }: IndexRow & { readonly born: number }, { parts, score }: Ranked): Hit => ({
  ...row,
  score,
  parts
})

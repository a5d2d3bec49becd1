import * as Schema from "effect/Schema"
import { type Memory, Stale } from "../events/Memory.js"
import { minOpennessOf, Store, TrustLevel } from "../events/Trust.js"
import { memoryTextIndex } from "./fulltext.js"
import {
  type Corpus,
  findHits,
  type HitScores,
  type HitsQuery,
  likePattern,
  noRequiredWords,
  type RequiredWords,
  requiredCondition,
  type SubstringQuery,
  substringCondition
} from "./hybridSearch.js"
import { type ConditionQuery, conditionOf, type Filters } from "./memoryFilters.js"
import { type Db, sql } from "./Projection.js"
import { memoryVectorIndex } from "./vectors.js"
import { findSimilarWords } from "./vocabularyReads.js"

/** A memory in an open dispute: it contradicts another memory, and nobody has decided which of the two is true. */
export const Side = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  /** When the memory happened or was last said, milliseconds since the epoch. */
  at: Schema.Number,
  /** The trust level of the memory's writer. */
  level: TrustLevel
})
export interface Side extends Schema.Schema.Type<typeof Side> {}

/** The open dispute of a memory; absent if it has none. */
export const disputedFields = {
  /** The memories that contradict it, at most three: the highest level first, then the newest. */
  disputedBy: Schema.optionalWith(Schema.Array(Side), { exact: true }),
  /** How many more memories contradict it; absent if `disputedBy` has all of them. */
  moreSides: Schema.optionalWith(Schema.Int, { exact: true })
}
const Disputed = Schema.Struct(disputedFields)
export interface DisputedFields extends Schema.Schema.Type<typeof Disputed> {}

/** The compact form of a memory: its key facts and the cost of reading it, never its narrative. */
export const IndexRow = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  title: Schema.String,
  store: Store,
  people: Schema.Array(Schema.String),
  /** Tokens that reading the whole memory costs. */
  tokens: Schema.Number,
  mentions: Schema.Number,
  /** The creation time, milliseconds since the epoch. */
  createdAt: Schema.Number,
  occurredAt: Schema.NullOr(Schema.Number),
  /** Why the memory may no longer be true; absent while all its sources are unchanged. */
  stale: Schema.optionalWith(Stale, { exact: true }),
  ...disputedFields
})
export interface IndexRow extends Schema.Schema.Type<typeof IndexRow> {}

/** A memory that the full-text or the vector search found, with the properties that ranking needs. */
export interface Candidate extends HitScores {
  readonly type: string
  readonly openness: number
  readonly project: string | null
  readonly importance: number
  readonly mentions: number
  /** When the memory happened or, if unknown, was created, in milliseconds. */
  readonly time: number
  readonly occurredAt: number | null
  readonly createdAt: number
  readonly expiresAt: number | null
}

export interface CandidateQuery extends HitsQuery, ConditionQuery {}

/** The searchable memories. */
export const memoryCorpus: Corpus = {
  table: "observations",
  text: memoryTextIndex,
  vectors: memoryVectorIndex,
  similarWords: findSimilarWords
}

/** Finds memories by full text and by vectors. Returns them with the properties that ranking needs. */
export const findCandidates = (db: Db, query: CandidateQuery): ReadonlyArray<Candidate> =>
  candidatesOf(db, query.level, findHits(db, memoryCorpus, conditionOf(db, query), query))

/** Adds to each hit the properties that ranking needs. Drops hits that are inactive or that the level may not read. */
export const candidatesOf = (db: Db, level: TrustLevel, hits: ReadonlyArray<HitScores>): ReadonlyArray<Candidate> => {
  if (hits.length === 0) return []
  const hitByNumber = new Map(hits.map((hit) => [hit.born, hit]))
  const statement = sql(
    db,
    `SELECT born, type, project, mentions, importance, occurred_at, created_at, expires_at, openness FROM observations
      WHERE born IN (SELECT value FROM json_each(?)) AND active = 1 AND openness >= ?`
  ).raw()
  const candidates: Array<Candidate> = []
  for (const [born, type, project, mentions, importance, occurredAt, createdAt, expiresAt, openness] of statement.all(
    JSON.stringify([...hitByNumber.keys()]),
    minOpennessOf(level)
  )) {
    const { similarity, text } = hitByNumber.get(born)!
    const time = occurredAt ?? createdAt
    const times = { time, occurredAt, createdAt, expiresAt }
    candidates.push({ born, text, similarity, type, openness, project, mentions, importance, ...times })
  }
  return candidates
}

/** Substring search, newest first. Used for text that the full-text index cannot find, or if that index is damaged. */
export const findMemoriesBySubstring = (
  db: Db,
  level: TrustLevel,
  filters: Filters,
  now: number,
  { allOf = [], anyOf, noneOf = [], required = noRequiredWords }: SubstringQuery,
  limit: number
): ReadonlyArray<number> => {
  const condition = conditionOf(db, { level, filters, now })
  const words = requiredCondition(memoryCorpus, level, required)
  const matches = `(title LIKE ? ESCAPE '\\' OR coalesce(json_extract(memory, '$.narrative'), '') LIKE ? ESCAPE '\\'
    OR EXISTS (SELECT 1 FROM json_each(memory, '$.facts') WHERE value LIKE ? ESCAPE '\\'))`
  const patternsOf = (needle: string) => Array.from({ length: 3 }, () => likePattern(needle))
  return sql(
    db,
    `SELECT born FROM observations o WHERE ${condition.sql}${words.sql} AND ${substringCondition(matches, { allOf, anyOf, noneOf })}
      ORDER BY born DESC LIMIT ?`
  )
    .all(...condition.params, ...words.params, ...[...allOf, ...anyOf, ...noneOf].flatMap(patternsOf), limit)
    .map((row) => row.born)
}

/** The sort orders of a list. The time of a memory is when it happened or, if unknown, when it was created. */
const orders = {
  newest: "coalesce(occurred_at, created_at) DESC, born DESC",
  oldest: "coalesce(occurred_at, created_at), born",
  changed: "changed DESC, born DESC",
  mentions: "mentions DESC, born DESC",
  importance: "importance DESC, born DESC"
}
export type MemoryOrder = keyof typeof orders
export const memoryOrders = Object.keys(orders) as ReadonlyArray<MemoryOrder>

/** The memories that pass the filters, by default the newest first. */
export const findRecentMemories = (
  db: Db,
  level: TrustLevel,
  filters: Filters,
  now: number,
  { limit, offset, sort = "newest" }: { readonly limit: number; readonly offset: number; readonly sort?: MemoryOrder },
  words: RequiredWords = noRequiredWords
): ReadonlyArray<number> => {
  const condition = conditionOf(db, { level, filters, now })
  const required = requiredCondition(memoryCorpus, level, words)
  return sql(
    db,
    `SELECT born FROM observations o WHERE ${condition.sql}${required.sql}
      ORDER BY ${orders[sort]} LIMIT ? OFFSET ?`
  )
    .all(...condition.params, ...required.params, limit, offset)
    .map((row) => row.born)
}

/** Index rows in the requested order. */
export const readIndexRows = (
  db: Db,
  born: ReadonlyArray<number>
): ReadonlyArray<IndexRow & { readonly born: number }> => {
  const rows = new Map(
    sql(
      db,
      `SELECT born, id, type, title, store, people, tokens, mentions, created_at AS createdAt, occurred_at AS occurredAt,
        json_extract(memory, '$.stale') AS stale FROM observations WHERE born IN (SELECT value FROM json_each(?))`
    )
      .all(JSON.stringify(born))
      .map(({ stale, ...row }) => [
        row.born,
        { ...row, people: JSON.parse(row.people), ...(stale === null ? {} : { stale: JSON.parse(stale) }) }
      ])
  )
  return born.flatMap((number) => rows.get(number) ?? [])
}

/** Whole memories by their row numbers. */
export const readMemories = (db: Db, born: ReadonlyArray<number>): ReadonlyMap<number, Memory> =>
  new Map(
    sql(db, "SELECT memory FROM observations WHERE born IN (SELECT value FROM json_each(?))")
      .pluck()
      .all(JSON.stringify(born))
      .map((text) => {
        const memory = JSON.parse(text) as Memory
        return [memory.born, memory]
      })
  )

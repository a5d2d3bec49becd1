import * as Schema from "effect/Schema"
import { type Memory, Stale } from "../events/Memory.js"
import { minOpennessOf, Store, TrustLevel } from "../events/Trust.js"
import { memoryTextIndex } from "./fulltext.js"
import {
  type Condition,
  type Corpus,
  findHits,
  type HitScores,
  type HitsQuery,
  likePattern,
  type Needles,
  needlesCondition,
  noRequiredWords,
  type RequiredWords,
  requiredCondition
} from "./hybridSearch.js"
import { type Db, floorSql, sql } from "./Projection.js"
import { personKey } from "./people.js"
import { memoryVectorIndex } from "./vectors.js"

/** Filters of a read, applied in SQL before ranking. The values of a list are alternatives; times are milliseconds. */
export interface Filters {
  readonly types?: ReadonlyArray<string>
  readonly stores?: ReadonlyArray<Store>
  readonly tags?: ReadonlyArray<string>
  readonly people?: ReadonlyArray<string>
  readonly projects?: ReadonlyArray<string>
  readonly sessions?: ReadonlyArray<string>
  /** Happened at or after this instant. Memories without a time use their creation time. */
  readonly after?: number
  /** Happened before this instant. Memories without a time use their creation time. */
  readonly before?: number
  /** Written by a writer at this trust level or a higher one. */
  readonly writers?: TrustLevel
  /** More filters; both must match. */
  readonly and?: Filters
  /** Excludes memories that match one of these lists. */
  readonly not?: FilterLists
}

export type FilterLists = Pick<Filters, "types" | "stores" | "tags" | "people" | "projects" | "sessions">

/** A memory of an open dispute: it contradicts another one, and nobody has decided which is true. */
export const Side = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  /** When it happened or was said, milliseconds since the epoch. */
  at: Schema.Number,
  /** The level of its writer. */
  level: TrustLevel
})
export interface Side extends Schema.Schema.Type<typeof Side> {}

/** The open dispute of a memory; absent if it has none. */
export const disputedFields = {
  /** The memories that contradict it: at most three, the highest level first, then the newest. */
  disputedBy: Schema.optionalWith(Schema.Array(Side), { exact: true }),
  /** How many more memories contradict it; absent if `disputedBy` has all of them. */
  moreSides: Schema.optionalWith(Schema.Int, { exact: true })
}
const Disputed = Schema.Struct(disputedFields)
export interface Disputed extends Schema.Schema.Type<typeof Disputed> {}

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

/** A memory that full text or vectors found, with the properties that ranking needs. */
export interface Candidate extends HitScores {
  readonly type: string
  readonly openness: number
  readonly project: string | null
  readonly importance: number
  readonly mentions: number
  /** When the memory happened or, if unknown, was created, in milliseconds. */
  readonly time: number
}

export interface CandidateQuery extends HitsQuery {
  /** The time of the query, in milliseconds. Memories that have expired by then are excluded. */
  readonly now: number
  readonly filters: Filters
  /**
   * The openness, if the filters match exactly the rows of one openness. The vector index has an openness column, so
   * this is faster than a list of all row numbers of a store, which would cost as much as the search. Never set for a
   * view of the past: there a row may be less open than its store.
   */
  readonly openness?: number
}

/** The searchable memories. */
export const memoryCorpus: Corpus = { table: "observations", text: memoryTextIndex, vectors: memoryVectorIndex }

/** The condition for active, unexpired memories that a level may read and that pass the filters. */
export const conditionOf = (
  db: Db,
  { filters, level, now, openness }: Pick<CandidateQuery, "level" | "filters" | "now" | "openness">
): Condition => {
  const parts: Array<string> = []
  const params: Array<unknown> = []
  addFilters(filters, parts, params)
  const someExpired =
    sql(
      db,
      `SELECT 1 FROM observations WHERE active = 1 AND ${floorSql(level)} AND expires_at IS NOT NULL AND expires_at <= ? LIMIT 1`
    ).get(now) !== undefined
  if (someExpired) {
    parts.push("(o.expires_at IS NULL OR o.expires_at > ?)")
    params.push(now)
  }
  const matchesAll = parts.length === 0
  return {
    matchesAll,
    ...(openness === undefined || someExpired ? {} : { openness }),
    sql: ["o.active = 1", floorSql(level, "o.openness"), ...parts].join(" AND "),
    params
  }
}

const addFilters = (filters: Filters, parts: Array<string>, params: Array<unknown>): void => {
  const { after, and, before, not, writers } = filters
  for (const { sql, values } of listConditions(filters)) {
    parts.push(sql)
    params.push(...values)
  }
  for (const { sql, values } of listConditions(not ?? {})) {
    // IS NOT TRUE also keeps rows where the column is NULL.
    parts.push(`(${sql}) IS NOT TRUE`)
    params.push(...values)
  }
  for (const [compare, instant] of [
    [">=", after],
    ["<", before]
  ] as const) {
    if (instant === undefined) continue
    parts.push(`coalesce(o.occurred_at, o.created_at) ${compare} ?`)
    params.push(instant)
  }
  if (writers !== undefined) {
    parts.push("o.level <= ?")
    params.push(minOpennessOf(writers))
  }
  if (and !== undefined) addFilters(and, parts, params)
}

/** The conditions for all lists that are not empty. */
const listConditions = ({
  people = [],
  projects = [],
  sessions = [],
  stores = [],
  tags = [],
  types = []
}: FilterLists) => {
  const isAmong = (
    values: ReadonlyArray<string>,
    column: string,
    condition = (list: string) => `${column} IN ${list}`
  ): ReadonlyArray<{ readonly sql: string; readonly values: ReadonlyArray<string> }> =>
    values.length === 0 ? [] : [{ sql: condition(`(${values.map(() => "?").join(", ")})`), values }]
  return [
    ...isAmong(types, "o.type"),
    ...isAmong(stores, "o.store"),
    ...isAmong(projects, "o.project"),
    ...isAmong(sessions, "o.session"),
    ...isAmong(tags, "o.tags", (list) => `EXISTS (SELECT 1 FROM json_each(o.tags) WHERE value IN ${list})`),
    ...isAmong(
      people.map(personKey),
      "o.born",
      (list) => `o.born IN (SELECT born FROM mentions WHERE person IN ${list})`
    )
  ]
}

/** The memories that full text and vectors find, with the properties that ranking needs. */
export const findCandidates = (db: Db, query: CandidateQuery): ReadonlyArray<Candidate> =>
  candidatesOf(db, query.level, findHits(db, memoryCorpus, conditionOf(db, query), query))

/** Adds to each hit the properties that ranking needs. Drops hits that are inactive or that the level may not read. */
export const candidatesOf = (db: Db, level: TrustLevel, hits: ReadonlyArray<HitScores>): ReadonlyArray<Candidate> => {
  if (hits.length === 0) return []
  const hitByNumber = new Map(hits.map((hit) => [hit.born, hit]))
  const statement = sql(
    db,
    `SELECT born, type, project, mentions, importance, coalesce(occurred_at, created_at), openness FROM observations
      WHERE born IN (SELECT value FROM json_each(?)) AND active = 1 AND openness >= ?`
  ).raw()
  const candidates: Array<Candidate> = []
  for (const [born, type, project, mentions, importance, time, openness] of statement.all(
    JSON.stringify([...hitByNumber.keys()]),
    minOpennessOf(level)
  )) {
    const { similarity, text } = hitByNumber.get(born)!
    candidates.push({ born, text, similarity, type, openness, project, mentions, importance, time })
  }
  return candidates
}

/** Substring search, newest first. Used for text that full text cannot index, and if its index is damaged. */
export const findMemoriesLike = (
  db: Db,
  level: TrustLevel,
  filters: Filters,
  now: number,
  { allOf = [], anyOf, noneOf = [], required = noRequiredWords }: Needles,
  limit: number
): ReadonlyArray<number> => {
  const condition = conditionOf(db, { level, filters, now })
  const words = requiredCondition(memoryCorpus, level, required)
  const matches = `(title LIKE ? ESCAPE '\\' OR coalesce(json_extract(memory, '$.narrative'), '') LIKE ? ESCAPE '\\'
    OR EXISTS (SELECT 1 FROM json_each(memory, '$.facts') WHERE value LIKE ? ESCAPE '\\'))`
  const patternsOf = (needle: string) => Array.from({ length: 3 }, () => likePattern(needle))
  return sql(
    db,
    `SELECT born FROM observations o WHERE ${condition.sql}${words.sql} AND ${needlesCondition(matches, { allOf, anyOf, noneOf })}
      ORDER BY born DESC LIMIT ?`
  )
    .all(...condition.params, ...words.params, ...[...allOf, ...anyOf, ...noneOf].flatMap(patternsOf), limit)
    .map((row) => row.born)
}

/** The newest memories that pass the filters, by the time they happened or were created. */
export const findRecentMemories = (
  db: Db,
  level: TrustLevel,
  filters: Filters,
  now: number,
  page: { readonly limit: number; readonly offset: number },
  words: RequiredWords = noRequiredWords
): ReadonlyArray<number> => {
  const condition = conditionOf(db, { level, filters, now })
  const required = requiredCondition(memoryCorpus, level, words)
  return sql(
    db,
    `SELECT born FROM observations o WHERE ${condition.sql}${required.sql}
      ORDER BY coalesce(occurred_at, created_at) DESC, born DESC LIMIT ? OFFSET ?`
  )
    .all(...condition.params, ...required.params, page.limit, page.offset)
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

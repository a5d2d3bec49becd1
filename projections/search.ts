import type { Memory, Stale } from "../events/Memory.js"
import { floorOf, type Store, type TrustLevel } from "../events/Trust.js"
import { memoryText } from "./fulltext.js"
import {
  type Condition,
  type Corpus,
  containing,
  findHits,
  type HitScores,
  type HitsQuery,
  holding,
  type Needles,
  nothingRequired,
  type Required,
  requiring
} from "./hits.js"
import { type Db, sql } from "./Projection.js"
import { personKey } from "./people.js"
import { memoryVectors } from "./vectors.js"

/** What narrows a read, in SQL, before anything is ranked. Times are milliseconds; lists are alternatives. */
export interface Filters {
  readonly types?: ReadonlyArray<string>
  readonly stores?: ReadonlyArray<Store>
  readonly tags?: ReadonlyArray<string>
  readonly people?: ReadonlyArray<string>
  readonly projects?: ReadonlyArray<string>
  readonly sessions?: ReadonlyArray<string>
  /** Happened (or, where unknown, was created) at or after. */
  readonly after?: number
  /** Happened (or, where unknown, was created) before. */
  readonly before?: number
  /** What must hold as well. */
  readonly and?: Filters
  /** What has one of these is left out. */
  readonly not?: FilterLists
}

export type FilterLists = Pick<Filters, "types" | "stores" | "tags" | "people" | "projects" | "sessions">

/** The compact form of a memory: what it is and what it costs to read, never its narrative. */
export interface IndexRow {
  readonly id: string
  readonly type: string
  readonly title: string
  readonly store: Store
  readonly people: ReadonlyArray<string>
  /** Tokens that reading it whole costs. */
  readonly tokens: number
  readonly mentions: number
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly occurredAt: number | null
  /** Why it may no longer be true; absent while what it was made of stands. */
  readonly stale?: Stale
}

/** A row that full text or vectors brought up, with what ranking needs to know of it. */
export interface Candidate extends HitScores {
  readonly type: string
  readonly openness: number
  readonly project: string | null
  readonly importance: number
  readonly mentions: number
  /** When it happened or was created, milliseconds. */
  readonly time: number
}

export interface CandidateQuery extends HitsQuery {
  /** The asking time, milliseconds: what has expired by then is left out. */
  readonly now: number
  readonly filters: Filters
  /**
   * Where the filters let the rows of one openness pass and no other: which.
   * Vectors know how open their rows are; to name all rows of a store to them
   * costs as much as the search itself. Never in a view of the past, where a
   * row may be less open than its store was.
   */
  readonly openness?: number
}

/** Memories, as they are searched. */
export const memories: Corpus = { table: "observations", text: memoryText, vectors: memoryVectors }

/** What filters leave of the memories that a level may read. */
export const conditionOf = (db: Db, level: TrustLevel, filters: Filters, now: number, openness?: number): Condition => {
  const parts: Array<string> = []
  const params: Array<unknown> = []
  narrow(filters, parts, params)
  const someExpired =
    sql(
      db,
      "SELECT 1 FROM observations WHERE active = 1 AND openness >= ? AND expires_at IS NOT NULL AND expires_at <= ? LIMIT 1"
    ).get(floorOf(level), now) !== undefined
  if (someExpired) {
    parts.push("(o.expires_at IS NULL OR o.expires_at > ?)")
    params.push(now)
  }
  const open = parts.length === 0
  return {
    open,
    ...(openness === undefined || someExpired ? {} : { openness }),
    sql: ["o.active = 1", "o.openness >= ?", ...parts].join(" AND "),
    params: [floorOf(level), ...params]
  }
}

const narrow = (filters: Filters, parts: Array<string>, params: Array<unknown>): void => {
  const { after, and, before, not } = filters
  for (const { sql, values } of listed(filters)) {
    parts.push(sql)
    params.push(...values)
  }
  for (const { sql, values } of listed(not ?? {})) {
    // What has no project is of none.
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
  if (and !== undefined) narrow(and, parts, params)
}

/** A condition for each list that names something. */
const listed = ({ people = [], projects = [], sessions = [], stores = [], tags = [], types = [] }: FilterLists) => {
  const among = (
    values: ReadonlyArray<string>,
    column: string,
    condition = (list: string) => `${column} IN ${list}`
  ): ReadonlyArray<{ readonly sql: string; readonly values: ReadonlyArray<string> }> =>
    values.length === 0 ? [] : [{ sql: condition(`(${values.map(() => "?").join(", ")})`), values }]
  return [
    ...among(types, "o.type"),
    ...among(stores, "o.store"),
    ...among(projects, "o.project"),
    ...among(sessions, "o.session"),
    ...among(tags, "o.tags", (list) => `EXISTS (SELECT 1 FROM json_each(o.tags) WHERE value IN ${list})`),
    ...among(people.map(personKey), "o.born", (list) => `o.born IN (SELECT born FROM mentions WHERE person IN ${list})`)
  ]
}

/** What full text and vectors find, with what ranking needs to know of each. */
export const findCandidates = (
  db: Db,
  { filters, now, openness, ...query }: CandidateQuery
): ReadonlyArray<Candidate> => {
  const hits = findHits(db, memories, conditionOf(db, query.level, filters, now, openness), query)
  return candidatesOf(db, query.level, hits)
}

/** Hits with what ranking needs to know of each; whatever the indexes say, of what is there and open to the level alone. */
export const candidatesOf = (db: Db, level: TrustLevel, hits: ReadonlyArray<HitScores>): ReadonlyArray<Candidate> => {
  if (hits.length === 0) return []
  const rows = new Map<number, Candidate>()
  for (const hit of hits) rows.set(hit.born, hit as Candidate)
  const found = sql(
    db,
    `SELECT born, type, project, mentions, importance, coalesce(occurred_at, created_at), openness FROM observations
      WHERE born IN (SELECT value FROM json_each(?)) AND active = 1 AND openness >= ?`
  ).raw()
  const candidates: Array<Candidate> = []
  for (const [born, type, project, mentions, importance, time, openness] of found.all(
    JSON.stringify([...rows.keys()]),
    floorOf(level)
  )) {
    const { similarity, text } = rows.get(born)!
    candidates.push({ born, text, similarity, type, openness, project, mentions, importance, time })
  }
  return candidates
}

/** Substring search, newest first: for text that full text cannot hold, and where its index is out of order. */
export const findLike = (
  db: Db,
  level: TrustLevel,
  filters: Filters,
  now: number,
  { all = [], any, none = [], required = nothingRequired }: Needles,
  limit: number
): ReadonlyArray<number> => {
  const condition = conditionOf(db, level, filters, now)
  const words = requiring(memories, level, required)
  const holds = `(title LIKE ? ESCAPE '\\' OR coalesce(json_extract(memory, '$.narrative'), '') LIKE ? ESCAPE '\\'
    OR EXISTS (SELECT 1 FROM json_each(memory, '$.facts') WHERE value LIKE ? ESCAPE '\\'))`
  const thrice = (needle: string) => [containing(needle), containing(needle), containing(needle)]
  return sql(
    db,
    `SELECT born FROM observations o WHERE ${condition.sql}${words.sql} AND ${holding(holds, { all, any, none })}
      ORDER BY born DESC LIMIT ?`
  )
    .all(...condition.params, ...words.params, ...[...all, ...any, ...none].flatMap(thrice), limit)
    .map((row) => row.born)
}

/** The newest rows (by when they happened or were created) that pass the filters. */
export const findRecent = (
  db: Db,
  level: TrustLevel,
  filters: Filters,
  now: number,
  page: { readonly limit: number; readonly offset: number },
  words: Required = nothingRequired
): ReadonlyArray<number> => {
  const condition = conditionOf(db, level, filters, now)
  const required = requiring(memories, level, words)
  return sql(
    db,
    `SELECT born FROM observations o WHERE ${condition.sql}${required.sql}
      ORDER BY coalesce(occurred_at, created_at) DESC, born DESC LIMIT ? OFFSET ?`
  )
    .all(...condition.params, ...required.params, page.limit, page.offset)
    .map((row) => row.born)
}

/** Index rows in the order asked for. */
export const indexRows = (db: Db, born: ReadonlyArray<number>): ReadonlyArray<IndexRow & { readonly born: number }> => {
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
  return born.flatMap((one) => rows.get(one) ?? [])
}

/** Whole memories by their numbers. */
export const memoriesAt = (db: Db, born: ReadonlyArray<number>): ReadonlyMap<number, Memory> =>
  new Map(
    sql(db, "SELECT memory FROM observations WHERE born IN (SELECT value FROM json_each(?))")
      .pluck()
      .all(JSON.stringify(born))
      .map((text) => {
        const memory = JSON.parse(text) as Memory
        return [memory.born, memory]
      })
  )

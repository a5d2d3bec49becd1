import { floorOf, type ReadingLevel, type Store, type TrustLevel } from "../events/Trust.js"
import { indexedRows, textColumns, textTable } from "./fulltext.js"
import { type Db, sql } from "./Projection.js"
import { personKey } from "./people.js"
import { setNumber } from "./vectors.js"

/** What narrows a read, in SQL, before anything is ranked. Times are milliseconds; lists are alternatives. */
export interface Filters {
  readonly types?: ReadonlyArray<string>
  readonly stores?: ReadonlyArray<Store>
  readonly tags?: ReadonlyArray<string>
  readonly people?: ReadonlyArray<string>
  readonly project?: string
  readonly session?: string
  /** Happened (or, where unknown, was created) at or after. */
  readonly after?: number
  /** Happened (or, where unknown, was created) before. */
  readonly before?: number
}

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
}

/** A row that full text or vectors brought up, with what ranking needs to know of it. */
export interface Candidate {
  readonly born: number
  /** −bm25: higher is better. Null where full text did not find it. */
  readonly text: number | null
  /** Cosine similarity, −1…1. Null where vectors did not find it. */
  readonly similarity: number | null
  readonly mentions: number
  /** When it happened or was created, milliseconds. */
  readonly time: number
}

export interface CandidateQuery {
  readonly level: TrustLevel
  /** The asking time, milliseconds: what has expired by then is left out. */
  readonly now: number
  readonly filters: Filters
  /** An FTS5 expression; null for no full text. */
  readonly match: string | null
  /** Rows outside of this FTS5 expression are no hits, however similar. */
  readonly within: string | null
  /** Nor are rows inside of this one. */
  readonly without: string | null
  readonly vector: { readonly model: string; readonly values: Float32Array; readonly floor: number } | null
  /** Candidates of each side. */
  readonly pool: number
}

/** A condition over `observations o`. */
export interface Condition {
  readonly sql: string
  readonly params: ReadonlyArray<unknown>
  /** Whether it lets every indexed row of the level pass. */
  readonly open: boolean
}

export const conditionOf = (db: Db, level: TrustLevel, filters: Filters, now: number): Condition => {
  const parts: Array<string> = []
  const params: Array<unknown> = []
  const among = (column: string, values: ReadonlyArray<string> | undefined) => {
    if (values === undefined || values.length === 0) return
    parts.push(`${column} IN (${values.map(() => "?").join(", ")})`)
    params.push(...values)
  }
  among("o.type", filters.types)
  among("o.store", filters.stores)
  among("o.project", filters.project === undefined ? undefined : [filters.project])
  among("o.session", filters.session === undefined ? undefined : [filters.session])
  if (filters.tags !== undefined && filters.tags.length > 0) {
    parts.push(`EXISTS (SELECT 1 FROM json_each(o.tags) WHERE value IN (${filters.tags.map(() => "?").join(", ")}))`)
    params.push(...filters.tags)
  }
  if (filters.people !== undefined && filters.people.length > 0) {
    parts.push(`o.born IN (SELECT born FROM mentions WHERE person IN (${filters.people.map(() => "?").join(", ")}))`)
    params.push(...filters.people.map(personKey))
  }
  if (filters.after !== undefined) {
    parts.push("coalesce(o.occurred_at, o.created_at) >= ?")
    params.push(filters.after)
  }
  if (filters.before !== undefined) {
    parts.push("coalesce(o.occurred_at, o.created_at) < ?")
    params.push(filters.before)
  }
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
    sql: ["o.active = 1", "o.openness >= ?", ...parts].join(" AND "),
    params: [floorOf(level), ...params]
  }
}

/** The union of what full text and vectors find: a hit of either side alone can win. */
export const findCandidates = (db: Db, query: CandidateQuery): ReadonlyArray<Candidate> => {
  if (query.level === "public") return []
  const condition = conditionOf(db, query.level, query.filters, query.now)
  const text = new Map(query.match === null ? [] : textHits(db, query.level, query.match, condition, query.pool))
  const similar = query.vector === null ? [] : vectorHits(db, query, query.vector, condition)
  const similarity = new Map(similar.filter(([, value]) => value >= query.vector!.floor))
  const born = [...new Set([...text.keys(), ...similarity.keys()])]
  if (born.length === 0) return []
  return sql(
    db,
    "SELECT born, mentions, coalesce(occurred_at, created_at) AS time FROM observations WHERE born IN (SELECT value FROM json_each(?))"
  )
    .all(JSON.stringify(born))
    .map((row) => ({ ...row, text: text.get(row.born) ?? null, similarity: similarity.get(row.born) ?? null }))
}

/** How many memories the index of a level holds. */
export const countIndexed = (db: Db, level: TrustLevel): number => (level === "public" ? 0 : indexedRows(db, level))

/** Whether more than `most` rows of the level contain a word: common words are worth little and cost much. */
export const isCommon = (db: Db, level: ReadingLevel, expression: string, most: number): boolean =>
  sql(
    db,
    `SELECT count(*) AS n FROM (SELECT 1 FROM ${textTable(level)} WHERE ${textTable(level)} MATCH ? LIMIT ?)`
  ).get(expression, most + 1).n > most

/** Substring search, newest first: for text that full text cannot hold, and where its index is out of order. */
export const findLike = (
  db: Db,
  level: TrustLevel,
  filters: Filters,
  now: number,
  needles: ReadonlyArray<string>,
  limit: number
): ReadonlyArray<number> => {
  const condition = conditionOf(db, level, filters, now)
  const patterns = needles.map((needle) => `%${needle.replace(/[\\%_]/g, "\\$&")}%`)
  const like = (text: string) => `(${patterns.map(() => `${text} LIKE ? ESCAPE '\\'`).join(" OR ")})`
  return sql(
    db,
    `SELECT born FROM observations o WHERE ${condition.sql} AND (${like("title")}
        OR ${like("coalesce(json_extract(memory, '$.narrative'), '')")}
        OR EXISTS (SELECT 1 FROM json_each(memory, '$.facts') WHERE ${like("value")}))
      ORDER BY born DESC LIMIT ?`
  )
    .all(...condition.params, ...patterns, ...patterns, ...patterns, limit)
    .map((row) => row.born)
}

/** The newest rows (by when they happened or were created) that pass the filters. */
export const findRecent = (
  db: Db,
  level: TrustLevel,
  filters: Filters,
  now: number,
  page: { readonly limit: number; readonly offset: number }
): ReadonlyArray<number> => {
  const condition = conditionOf(db, level, filters, now)
  return sql(
    db,
    `SELECT born FROM observations o WHERE ${condition.sql}
      ORDER BY coalesce(occurred_at, created_at) DESC, born DESC LIMIT ? OFFSET ?`
  )
    .all(...condition.params, page.limit, page.offset)
    .map((row) => row.born)
}

/** Index rows in the order asked for. */
export const indexRows = (db: Db, born: ReadonlyArray<number>): ReadonlyArray<IndexRow & { readonly born: number }> => {
  const rows = new Map(
    sql(
      db,
      `SELECT born, id, type, title, store, people, tokens, mentions, created_at AS createdAt, occurred_at AS occurredAt
        FROM observations WHERE born IN (SELECT value FROM json_each(?))`
    )
      .all(JSON.stringify(born))
      .map((row) => [row.born, { ...row, people: JSON.parse(row.people) }])
  )
  return born.flatMap((one) => rows.get(one) ?? [])
}

const weights = Object.values(textColumns).join(", ")

const textHits = (db: Db, level: ReadingLevel, match: string, condition: Condition, limit: number) => {
  const table = textTable(level)
  const rows = condition.open
    ? sql(
        db,
        `SELECT rowid AS born, bm25(${table}, ${weights}) AS score FROM ${table} WHERE ${table} MATCH ?
          ORDER BY score, born DESC LIMIT ?`
      ).all(match, limit)
    : sql(
        db,
        `SELECT t.rowid AS born, bm25(${table}, ${weights}) AS score FROM ${table} t JOIN observations o ON o.born = t.rowid
          WHERE ${table} MATCH ? AND ${condition.sql} ORDER BY score, t.rowid DESC LIMIT ?`
      ).all(match, ...condition.params, limit)
  return rows.map((row) => [row.born, -row.score] as const)
}

/** vec0 answers no more than this many. */
const mostNeighbours = 4_096

const vectorHits = (
  db: Db,
  { level, pool, within, without }: CandidateQuery,
  { model, values }: NonNullable<CandidateQuery["vector"]>,
  condition: Condition
): ReadonlyArray<readonly [number, number]> => {
  const number = setNumber(db, model, values.length)
  if (number === undefined) return []
  const clauses = ["embedding MATCH ?", "k = ?"]
  const params: Array<unknown> = [
    Buffer.from(values.buffer, values.byteOffset, values.byteLength),
    BigInt(Math.min(pool + 1, mostNeighbours))
  ]
  if (floorOf(level) > 0) {
    clauses.push("openness >= ?")
    params.push(BigInt(floorOf(level)))
  }
  // vec0 takes one list of rows: all that narrows the search goes into it.
  const table = textTable(level as ReadingLevel)
  const matching = `(SELECT rowid FROM ${table} WHERE ${table} MATCH ?)`
  const inside = within === null ? "" : ` AND o.born IN ${matching}`
  const outside = without === null ? "" : ` AND o.born NOT IN ${matching}`
  if (!condition.open || within !== null || without !== null) {
    clauses.push(`rowid IN (SELECT o.born FROM observations o WHERE ${condition.sql}${inside}${outside})`)
    params.push(...condition.params, ...[within, without].filter((one) => one !== null))
  }
  const rows = sql(
    db,
    `SELECT rowid AS born, distance FROM vectors_${number} WHERE ${clauses.join(" AND ")} ORDER BY distance`
  ).all(...params)
  // Of several that are equally far at the edge of the pool vec0 takes any: none of them is taken, so that the
  // answer does not depend on how the rows lie.
  const edge = rows.length > pool ? rows[pool].distance : Number.POSITIVE_INFINITY
  // Vectors have unit length: cosine = 1 − distance² / 2.
  return rows
    .filter(({ distance }) => distance < edge)
    .map((row) => [row.born, 1 - (row.distance * row.distance) / 2] as const)
}

import type { Tier } from "../events/Memory.js"
import { minOpennessOf, type Store, type TrustLevel } from "../events/Trust.js"
import type { TimeReading } from "../text/normalise/questionWords.js"
import type { Condition } from "./hybridSearch.js"
import { type Db, readableRowsSql, sql } from "./Projection.js"
import { personKey } from "./people.js"

/** Filters of a read, applied in SQL before ranking. The values of a list are alternatives; times are milliseconds. */
export interface Filters {
  readonly types?: ReadonlyArray<string>
  readonly stores?: ReadonlyArray<Store>
  readonly tags?: ReadonlyArray<string>
  /** Tags that a memory must all have. */
  readonly allTags?: ReadonlyArray<string>
  readonly tiers?: ReadonlyArray<Tier>
  readonly people?: ReadonlyArray<string>
  readonly projects?: ReadonlyArray<string>
  readonly sessions?: ReadonlyArray<string>
  /** Happened at or after this instant. Memories without a time use their creation time. */
  readonly after?: number
  /** Happened before this instant. Memories without a time use their creation time. */
  readonly before?: number
  /** Lies in a time span that the question names. `reading` says which times of a memory count. */
  readonly during?: { readonly from: number; readonly to: number; readonly reading: TimeReading }
  /** Written by a writer at this trust level or a higher one. */
  readonly writers?: TrustLevel
  /** More filters, which a memory must also match. */
  readonly and?: Filters
  /** Excludes memories that match one of these lists. */
  readonly not?: ListFilters
}

export type ListFilters = Pick<
  Filters,
  "types" | "stores" | "tags" | "allTags" | "tiers" | "people" | "projects" | "sessions"
>

/** Selects the memories that a level may read and that pass the filters. */
export interface ConditionQuery {
  readonly level: TrustLevel
  /** The time of the query, in milliseconds. Memories that have expired by then are excluded. */
  readonly now: number
  readonly filters: Filters
  /**
   * Set only if the filters match exactly the rows of one openness. The vector index has an openness column, so
   * filtering by it is faster than a list of all row numbers of a store. Such a list would cost as much as the search.
   * Never set for a view of the past, where a row may be less open than its store.
   */
  readonly openness?: number
}

/** The condition for active, unexpired memories that a level may read and that pass the filters. */
export const conditionOf = (db: Db, { filters, level, now, openness }: ConditionQuery): Condition => {
  const parts: Array<string> = []
  const params: Array<unknown> = []
  addFilters(filters, parts, params)
  const someExpired =
    sql(
      db,
      `SELECT 1 FROM observations WHERE active = 1 AND ${readableRowsSql(level)} AND expires_at IS NOT NULL AND expires_at <= ? LIMIT 1`
    ).get(now) !== undefined
  if (someExpired) {
    parts.push("(o.expires_at IS NULL OR o.expires_at > ?)")
    params.push(now)
  }
  const matchesAll = parts.length === 0
  return {
    matchesAll,
    ...(openness === undefined || someExpired ? {} : { openness }),
    sql: ["o.active = 1", readableRowsSql(level, "o.openness"), ...parts].join(" AND "),
    params
  }
}

const addFilters = (filters: Filters, parts: Array<string>, params: Array<unknown>): void => {
  const { after, and, before, during, not, writers } = filters
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
  if (during !== undefined) {
    const condition = timeSpanCondition(during)
    parts.push(condition.sql)
    params.push(...condition.params)
  }
  if (writers !== undefined) {
    parts.push("o.level <= ?")
    params.push(minOpennessOf(writers))
  }
  if (and !== undefined) addFilters(and, parts, params)
}

const happened = "(coalesce(o.occurred_at, o.created_at) >= ? AND coalesce(o.occurred_at, o.created_at) < ?)"
const written = "(o.occurred_at IS NOT NULL AND o.created_at >= ? AND o.created_at < ?)"

/**
 * The SQL conditions for rows that lie in a time span. Each alternative uses an index of its own. `timeMatcher` computes
 * the same for single rows.
 */
const duringConditions: Readonly<Record<TimeReading, string>> = {
  happened,
  written: `((o.occurred_at IS NULL AND ${happened}) OR ${written})`,
  due: `((o.occurred_at IS NOT NULL AND ${happened}) OR (o.expires_at IS NOT NULL AND o.expires_at >= ? AND o.expires_at < ?))`,
  any: `(${happened} OR (o.occurred_at > o.created_at AND ${written}))`
}

/** The condition for rows that lie in a time span. */
export const timeSpanCondition = ({ from, reading, to }: NonNullable<Filters["during"]>) => {
  const condition = duringConditions[reading]
  const bounds = condition.split("?").length - 1
  return { sql: condition, params: Array.from({ length: bounds }, (_, index) => (index % 2 === 0 ? from : to)) }
}

const hasTag = (list: string): string => `EXISTS (SELECT 1 FROM json_each(o.tags) WHERE value IN ${list})`

/** One SQL condition for each list that is not empty. */
const listConditions = ({
  allTags = [],
  people = [],
  projects = [],
  sessions = [],
  stores = [],
  tags = [],
  tiers = [],
  types = []
}: ListFilters) => {
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
    ...isAmong(tiers, "o.tier"),
    ...allTags.flatMap((tag) => isAmong([tag], "o.tags", hasTag)),
    ...isAmong(tags, "o.tags", hasTag),
    ...isAmong(
      people.map(personKey),
      "o.born",
      (list) => `o.born IN (SELECT born FROM mentions WHERE person IN ${list})`
    )
  ]
}

import type { Memory } from "../events/Memory.js"
import { minOpennessOf, type TrustLevel } from "../events/Trust.js"
import { conditionOf } from "./memoryFilters.js"
import { memoryOf } from "./observations.js"
import { type Db, readableRowsSql, sql } from "./Projection.js"

/** The active memories with these ids that `level` may read, in the requested order. */
export const getMemories = (
  db: Db,
  level: TrustLevel,
  ids: ReadonlyArray<string>,
  now: number
): ReadonlyArray<Memory> => {
  const rows = new Map<string, Memory>(
    sql(
      db,
      `SELECT id, born, memory FROM observations WHERE id IN (SELECT value FROM json_each(?)) AND active = 1 AND openness >= ?
        AND (expires_at IS NULL OR expires_at > ?)`
    )
      .all(JSON.stringify(ids), minOpennessOf(level), now)
      .map((row) => [row.id, memoryOf(row)])
  )
  return [...new Set(ids)].flatMap((id) => rows.get(id) ?? [])
}

/** The row number of a memory, to read its history. Inactive and expired memories are returned at full trust only. */
export const findRowNumber = (db: Db, level: TrustLevel, id: string, now: number): number | undefined =>
  sql(
    db,
    `SELECT born FROM observations WHERE id = ? AND openness >= ?
      AND (? = 'full' OR (active = 1 AND (expires_at IS NULL OR expires_at > ?)))`
  ).get(id, minOpennessOf(level), level, now)?.born

/** The row numbers around a given row, in order of time: `before` older rows, the row itself, `after` newer rows. */
export const findTimeNeighbours = (
  db: Db,
  level: TrustLevel,
  anchor: string,
  span: { readonly before: number; readonly after: number },
  now: number
): ReadonlyArray<number> | undefined => {
  const condition = conditionOf(db, { level, filters: {}, now })
  const anchorRow = sql(
    db,
    `SELECT o.born, coalesce(o.occurred_at, o.created_at) AS time FROM observations o WHERE ${condition.sql} AND o.id = ?`
  ).get(...condition.params, anchor)
  if (anchorRow === undefined) return undefined
  const side = (compare: "<" | ">", order: "DESC" | "ASC", limit: number): ReadonlyArray<number> =>
    sql(
      db,
      `SELECT o.born FROM observations o WHERE ${condition.sql}
        AND (coalesce(o.occurred_at, o.created_at), o.born) ${compare} (?, ?)
        ORDER BY coalesce(o.occurred_at, o.created_at) ${order}, o.born ${order} LIMIT ?`
    )
      .all(...condition.params, anchorRow.time, anchorRow.born, limit)
      .map((row) => row.born)
  return [...[...side("<", "DESC", span.before)].reverse(), anchorRow.born, ...side(">", "ASC", span.after)]
}

/**
 * The row numbers of the newest memories that were created, or that happen, at or after an instant; the newest creation
 * first.
 */
export const findMemoriesSince = (
  db: Db,
  level: TrustLevel,
  {
    now,
    writers,
    limit,
    since
  }: { readonly since: number; readonly writers?: TrustLevel; readonly limit: number; readonly now: number }
): ReadonlyArray<number> => {
  const condition = conditionOf(db, { level, filters: writers === undefined ? {} : { writers }, now })
  const rows = ["coalesce(o.occurred_at, o.created_at)", "o.occurred_at IS NOT NULL AND o.created_at"].flatMap((time) =>
    sql(
      db,
      `SELECT o.born, o.created_at AS createdAt FROM observations o WHERE ${condition.sql} AND ${time} >= ?
        ORDER BY o.created_at DESC, o.born DESC LIMIT ?`
    ).all(...condition.params, since, limit)
  )
  const createdAt = new Map<number, number>(rows.map((row) => [row.born, row.createdAt]))
  return [...createdAt]
    .sort(([a, aAt], [b, bAt]) => bAt - aAt || b - a)
    .slice(0, limit)
    .map(([born]) => born)
}

/** The row numbers of the memories that expire after `from` and at or before `to`, the first to expire first. */
export const findExpiringMemories = (
  db: Db,
  level: TrustLevel,
  { from, limit, to }: { readonly from: number; readonly to: number; readonly limit: number }
): ReadonlyArray<number> =>
  sql(
    db,
    `SELECT born FROM observations WHERE active = 1 AND ${readableRowsSql(level)} AND expires_at IS NOT NULL
      AND expires_at > ? AND expires_at <= ? ORDER BY expires_at, born LIMIT ?`
  )
    .pluck()
    .all(from, to, limit) as ReadonlyArray<number>

/** The memories that moved to a stricter store after a version, with their current openness. */
export const findRestrictedOpenness = (db: Db, since: number): ReadonlyMap<string, number> =>
  new Map(
    sql(
      db,
      `SELECT c.id, min(o.openness) AS openness FROM changes c JOIN observations o ON o.born = c.born
        WHERE c.version <= ? AND c.openness > o.openness GROUP BY c.id`
    )
      .all(since)
      .map((row) => [row.id, row.openness])
  )

/** Counts of memories, in total and by store, type and tier. The caller must have full trust. */
export const countMemories = (db: Db) => {
  const counts = { store: new Map<string, number>(), type: new Map<string, number>(), tier: new Map<string, number>() }
  let active = 0
  // The columns are grouped in index order, so that SQLite sorts nothing and reads no memory.
  const rows = sql(
    db,
    "SELECT type, tier, store, count(*) AS n FROM observations WHERE active = 1 GROUP BY type, openness, tier, store"
  ).all()
  for (const { n, ...names } of rows) {
    active += n
    for (const field of ["store", "type", "tier"] as const) {
      counts[field].set(names[field], (counts[field].get(names[field]) ?? 0) + n)
    }
  }
  const created: number = sql(db, "SELECT count(*) AS n FROM observations").get().n
  const sorted = (countByName: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
    Object.fromEntries([...countByName].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)))
  return {
    active,
    inactive: created - active,
    /** All memories ever created. */
    created,
    byStore: sorted(counts.store),
    byType: sorted(counts.type),
    byTier: sorted(counts.tier)
  }
}

/** The number of memories that are active and not expired at `now`. The caller must have full trust. */
export const countActive = (db: Db, now: number): number =>
  sql(db, "SELECT count(*) AS n FROM observations WHERE active = 1 AND (expires_at IS NULL OR expires_at > ?)").get(now)
    .n

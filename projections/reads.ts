import type { Memory } from "../events/Memory.js"
import { floorOf, type TrustLevel } from "../events/Trust.js"
import { type Db, sql } from "./Projection.js"
import { conditionOf } from "./search.js"

/** The active memories with these ids that `level` may read, in the order asked for. */
export const getMemories = (
  db: Db,
  level: TrustLevel,
  ids: ReadonlyArray<string>,
  now: number
): ReadonlyArray<Memory> => {
  const rows = new Map<string, Memory>(
    sql(
      db,
      `SELECT id, memory FROM observations WHERE id IN (SELECT value FROM json_each(?)) AND active = 1 AND openness >= ?
        AND (expires_at IS NULL OR expires_at > ?)`
    )
      .all(JSON.stringify(ids), floorOf(level), now)
      .map((row) => [row.id, JSON.parse(row.memory)])
  )
  return [...new Set(ids)].flatMap((id) => rows.get(id) ?? [])
}

/** The row number of a memory for its history: inactive ones too, but then at full trust only. */
export const findBorn = (db: Db, level: TrustLevel, id: string, now: number): number | undefined =>
  sql(
    db,
    `SELECT born FROM observations WHERE id = ? AND openness >= ?
      AND (? = 'full' OR (active = 1 AND (expires_at IS NULL OR expires_at > ?)))`
  ).get(id, floorOf(level), level, now)?.born

/** Row numbers around an anchor in the order of time: `before` older ones, the anchor, `after` newer ones. */
export const findAround = (
  db: Db,
  level: TrustLevel,
  anchor: string,
  span: { readonly before: number; readonly after: number },
  now: number
): ReadonlyArray<number> | undefined => {
  const condition = conditionOf(db, level, {}, now)
  const at = sql(
    db,
    `SELECT o.born, coalesce(o.occurred_at, o.created_at) AS time FROM observations o WHERE ${condition.sql} AND o.id = ?`
  ).get(...condition.params, anchor)
  if (at === undefined) return undefined
  const side = (compare: "<" | ">", order: "DESC" | "ASC", limit: number): ReadonlyArray<number> =>
    sql(
      db,
      `SELECT o.born FROM observations o WHERE ${condition.sql}
        AND (coalesce(o.occurred_at, o.created_at), o.born) ${compare} (?, ?)
        ORDER BY coalesce(o.occurred_at, o.created_at) ${order}, o.born ${order} LIMIT ?`
    )
      .all(...condition.params, at.time, at.born, limit)
      .map((row) => row.born)
  return [...[...side("<", "DESC", span.before)].reverse(), at.born, ...side(">", "ASC", span.after)]
}

/** Ids whose store was made stricter after a version, with the openness they have now. */
export const findTightened = (db: Db, since: number): ReadonlyMap<string, number> =>
  new Map(
    sql(
      db,
      `SELECT c.id, min(o.openness) AS openness FROM changes c JOIN observations o ON o.born = c.born
        WHERE c.version <= ? AND c.openness > o.openness GROUP BY c.id`
    )
      .all(since)
      .map((row) => [row.id, row.openness])
  )

/** How many memories there are, active or not, by store and by type. For full trust. */
export const countMemories = (db: Db) => {
  const counts = { store: new Map<string, number>(), type: new Map<string, number>(), tier: new Map<string, number>() }
  let active = 0
  // In the order of the index: nothing is sorted, and no memory is read.
  const rows = sql(
    db,
    "SELECT type, tier, store, count(*) AS n FROM observations WHERE active = 1 GROUP BY type, openness, tier, store"
  ).all()
  for (const { n, ...names } of rows) {
    active += n
    for (const by of ["store", "type", "tier"] as const) counts[by].set(names[by], (counts[by].get(names[by]) ?? 0) + n)
  }
  const created: number = sql(db, "SELECT count(*) AS n FROM observations").get().n
  const sorted = (some: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
    Object.fromEntries([...some].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)))
  return {
    active,
    inactive: created - active,
    /** All that there ever were. */
    created,
    byStore: sorted(counts.store),
    byType: sorted(counts.type),
    byTier: sorted(counts.tier)
  }
}

/** How many memories are active and not expired at `now`. For full trust. */
export const countActive = (db: Db, now: number): number =>
  sql(db, "SELECT count(*) AS n FROM observations WHERE active = 1 AND (expires_at IS NULL OR expires_at > ?)").get(now)
    .n

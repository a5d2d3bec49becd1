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
export const countMemories = (db: Db) => ({
  active: count(db, "active = 1"),
  inactive: count(db, "active = 0"),
  /** All that there ever were. */
  created: count(db, "1"),
  byStore: countBy(db, "store"),
  byType: countBy(db, "type"),
  byTier: countBy(db, "tier")
})

/** How many memories are active and not expired at `now`. For full trust. */
export const countActive = (db: Db, now: number): number =>
  sql(db, "SELECT count(*) AS n FROM observations WHERE active = 1 AND (expires_at IS NULL OR expires_at > ?)").get(now)
    .n

const count = (db: Db, where: string): number =>
  sql(db, `SELECT count(*) AS n FROM observations WHERE ${where}`).get().n

const countBy = (db: Db, column: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    sql(db, `SELECT ${column} AS name, count(*) AS n FROM observations WHERE active = 1 GROUP BY 1 ORDER BY 2 DESC, 1`)
      .all()
      .map((row) => [row.name, row.n])
  )

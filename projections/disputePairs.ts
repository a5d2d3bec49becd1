import { type Db, sql } from "./Projection.js"
import { type MemoryKey, withReplacedMemories } from "./takeovers.js"

/** True if any memory ever disputed another memory. Most agents have no dispute, so reads check this first. */
export const hasDisputes = (db: Db): boolean => sql(db, "SELECT 1 FROM disputes LIMIT 1").get() !== undefined

/** True if a person decided that both memories are true. A decision about memories whose place they took counts too. */
export const isDisputeSettled = (db: Db, rows: ReadonlyArray<MemoryKey>, others: ReadonlyArray<MemoryKey>): boolean =>
  hasPair(db, rows, others, 1)

/** True if there is a dispute between a memory of one list and a memory of the other, with this `settled` value. */
const hasPair = (db: Db, rows: ReadonlyArray<MemoryKey>, others: ReadonlyArray<MemoryKey>, settled: 0 | 1): boolean => {
  const between = (newer: ReadonlyArray<MemoryKey>, older: ReadonlyArray<MemoryKey>) =>
    sql(
      db,
      `SELECT 1 FROM disputes WHERE settled = ? AND born IN (SELECT value FROM json_each(?))
        AND other IN (SELECT value FROM json_each(?)) LIMIT 1`
    ).get(settled, JSON.stringify(newer.map(({ born }) => born)), JSON.stringify(older.map(({ id }) => id))) !==
    undefined
  return between(rows, others) || between(others, rows)
}

/**
 * The state of the dispute between two memories, or between memories whose place they took; undefined if there is no
 * dispute.
 */
export const findDisputeBetween = (db: Db, memory: MemoryKey, other: MemoryKey): "settled" | "raised" | undefined => {
  if (!hasDisputes(db)) return undefined
  const [rows, others] = [withReplacedMemories(db, memory), withReplacedMemories(db, other)]
  return hasPair(db, rows, others, 1) ? "settled" : hasPair(db, rows, others, 0) ? "raised" : undefined
}

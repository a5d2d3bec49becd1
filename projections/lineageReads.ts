import type { Memory } from "../events/Memory.js"
import { minOpennessOf, type TrustLevel } from "../events/Trust.js"
import type { Turn } from "../events/Turn.js"
import { memoryOf } from "./observations.js"
import { type Db, sql } from "./Projection.js"

/**
 * Memories by id, in their current state. Full trust reads all of them. A lower level reads the active and superseded
 * memories of its stores, except those that have expired by `now`.
 */
export const findReadableMemories = (
  db: Db,
  level: TrustLevel,
  ids: ReadonlyArray<string>,
  now: number
): ReadonlyMap<string, Memory> =>
  new Map(
    sql(db, "SELECT born, memory FROM observations WHERE id IN (SELECT value FROM json_each(?)) AND openness >= ?")
      .all(JSON.stringify(ids), minOpennessOf(level))
      .map(memoryOf)
      .filter(
        ({ expiresAt = Number.POSITIVE_INFINITY, status }) =>
          level === "full" || ((status === "active" || status === "superseded") && expiresAt > now)
      )
      .map((memory) => [memory.id, memory])
  )

/** The version of the event that created a revision of a memory, if a level may read that revision. */
export const findRevision = (db: Db, level: TrustLevel, born: number, revision: number): number | undefined =>
  sql(db, "SELECT version FROM changes WHERE born = ? AND revision = ? AND openness >= ? LIMIT 1").get(
    born,
    revision,
    minOpennessOf(level)
  )?.version

/** A turn by its id, if a level may read it. */
export const findTurn = (db: Db, level: TrustLevel, id: string): Turn | undefined => {
  const row = sql(db, "SELECT turn FROM turns WHERE id = ? AND openness >= ?").get(id, minOpennessOf(level))
  return row === undefined ? undefined : (JSON.parse(row.turn) as Turn)
}

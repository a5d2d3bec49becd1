import type { Memory } from "../events/Memory.js"
import { findMemoriesBySource } from "./lineage.js"
import { findById } from "./observations.js"
import { type Db, sql } from "./Projection.js"

/** Maximum takeovers that are followed from one memory. */
const maxCopies = 100

/** Identifies a memory. */
export type RowKey = Pick<Memory, "born" | "id">

/** A memory, and those whose place it took, directly or through others. */
export const withCopies = (db: Db, memory: RowKey): ReadonlyArray<RowKey> => {
  const rows = new Map([[memory.id, memory]])
  for (const { born, id } of rows.values()) {
    const isLinked = sql(db, "SELECT 1 FROM links WHERE born = ? AND kind IN ('supersedes', 'derived') LIMIT 1").get(
      born
    )
    if (isLinked === undefined) continue
    for (const copyId of copiesOf(findById(db, id)!)) {
      const copy = rows.size < maxCopies && !rows.has(copyId) ? findById(db, copyId) : undefined
      if (copy !== undefined) rows.set(copyId, copy)
    }
  }
  return [...rows.values()]
}

/** The memories with its text whose place a memory took: copies of a lower level, and sources of a merge. */
const copiesOf = ({ lineage = [] }: Memory): ReadonlyArray<string> =>
  lineage.flatMap(({ reason, to }) => (reason === "replaced" || reason === "compressed" ? [to] : []))

/** The id of the active memory that took the place of another one, directly or through others. */
export const findSurvivor = (db: Db, id: string): string | undefined => {
  const visited = new Set([id])
  for (const gone of visited) {
    const takers = (["supersedes", "derived"] as const)
      .flatMap((kind) => findMemoriesBySource(db, kind, gone))
      .filter((memory) => copiesOf(memory).includes(gone))
    for (const taker of takers) {
      if (taker.status === "active") return taker.id
      if (visited.size < maxCopies) visited.add(taker.id)
    }
  }
  return undefined
}

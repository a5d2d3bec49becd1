import type { Memory } from "../events/Memory.js"
import { findMemoriesBySource } from "./lineage.js"
import { findById } from "./observations.js"
import { type Db, sql } from "./Projection.js"

/** Maximum takeovers to follow from one memory. A takeover is a memory that takes the place of another memory. */
const maxCopies = 100

/** Identifies a memory. */
export type MemoryKey = Pick<Memory, "born" | "id">

/** A memory, and all memories whose place it took, directly or through other memories. */
export const withReplacedMemories = (db: Db, memory: MemoryKey): ReadonlyArray<MemoryKey> => {
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

/**
 * The ids of the memories whose place a memory took directly: copies of its text from a lower level, and the sources of
 * a merge.
 */
const copiesOf = ({ lineage = [] }: Memory): ReadonlyArray<string> =>
  lineage.flatMap(({ reason, to }) => (reason === "replaced" || reason === "compressed" ? [to] : []))

/** The id of the active memory that took the place of another memory, directly or through other memories. */
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

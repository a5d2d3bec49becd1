import type { Memory } from "../../events/Memory.js"
import type { Row } from "../model/MemoryRow.js"

/** Returns the memories that a memory superseded. */
export type FindPredecessors = (row: Row) => ReadonlyArray<Row>

/** Maximum wordings of a memory that the settler reads, newest first. */
export const maxWordings = 12

/**
 * Finds the memories that a memory superseded directly or indirectly: at most `maxSteps` steps back, and at most
 * `maxFormer` memories in total.
 */
export const predecessorsOf = (memory: Memory, find: (id: string) => Memory | undefined): ReadonlyArray<Row> => {
  const predecessors = new Map<string, Row>()
  let latest: ReadonlyArray<Memory> = [memory]
  for (let step = 0; step < maxSteps && latest.length > 0 && predecessors.size < maxFormer; step++) {
    latest = latest
      .flatMap(({ lineage = [] }) => lineage)
      .flatMap(({ kind, to }) => {
        const before = kind !== "supersedes" || predecessors.has(to) ? undefined : find(to)
        if (before === undefined || before.status !== "superseded") return []
        predecessors.set(to, { memory: before, accesses: undefined })
        return [before]
      })
  }
  return [...predecessors.values()].slice(0, maxFormer)
}
const maxSteps = 10
const maxFormer = 30

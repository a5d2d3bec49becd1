import type { Memory } from "../../events/Memory.js"
import type { LifePage } from "../../projections/lifePages.js"
import { withAccesses } from "../../projections/lifePages.js"
import type { Db } from "../../projections/Projection.js"

/**
 * What the stages of a dry run so far would have made of memories, by row number: those that come after them see that
 * in place of what is stored.
 */
export type Overlay = ReadonlyMap<number, Memory>

/** Row numbers of what a dry run would add: behind all that are there, in the order in which it would be written. */
const firstPlanned = 2 ** 52

export const plannedBorn = (planned: Overlay): number => firstPlanned + planned.size

export const isPlanned = ({ born }: Pick<Memory, "born">): boolean => born >= firstPlanned

/** A page of active memories behind `from` as the stages so far would leave it, whatever kind of row each was before. */
export const overlaid = (db: Db, { next, rows }: LifePage, from: number, planned: Overlay): LifePage["rows"] => {
  if (planned.size === 0) return rows
  const changed = [...planned.values()].filter(
    ({ born, status }) => status === "active" && born > from && born <= (next ?? Number.POSITIVE_INFINITY)
  )
  return [...rows.filter(({ memory }) => !planned.has(memory.born)), ...withAccesses(db, changed)].sort(
    (a, b) => a.memory.born - b.memory.born
  )
}

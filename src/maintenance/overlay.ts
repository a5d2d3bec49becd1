import type { Memory } from "../../events/Memory.js"
import type { MaintenancePage } from "../../projections/maintenancePages.js"
import { withAccesses } from "../../projections/maintenancePages.js"
import type { Db } from "../../projections/Projection.js"

/**
 * The memories that earlier stages of a dry run would have changed, by row number. Later stages read these memories
 * instead of the stored ones.
 */
export type Overlay = ReadonlyMap<number, Memory>

/**
 * The first row number for memories that a dry run would add. It is larger than every stored row number. Added memories
 * are numbered in write order.
 */
const firstPlanned = 2 ** 52

export const nextPlannedBorn = (planned: Overlay): number => firstPlanned + planned.size

export const isPlanned = ({ born }: Pick<Memory, "born">): boolean => born >= firstPlanned

/**
 * Applies the overlay to a page of active memories after row `from`. The overlay may have changed a memory's status or
 * tier.
 */
export const applyOverlay = (
  db: Db,
  { next, rows }: MaintenancePage,
  from: number,
  planned: Overlay
): MaintenancePage["rows"] => {
  if (planned.size === 0) return rows
  const active = [...planned.values()].filter(
    ({ born, status }) => status === "active" && born > from && born <= (next ?? Number.POSITIVE_INFINITY)
  )
  return [...rows.filter(({ memory }) => !planned.has(memory.born)), ...withAccesses(db, active)].sort(
    (a, b) => a.memory.born - b.memory.born
  )
}

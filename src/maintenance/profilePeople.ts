import type { TrustLevel } from "../../events/Trust.js"
import { findOpenDisputes } from "../../projections/disputeGroups.js"
import type { Db } from "../../projections/Projection.js"
import type { SettlerService } from "../ports/Settler.js"
import type { Row } from "./stageRow.js"

/**
 * Selects the memories of people that neither dispute nor repeat another row of the profile. The other row already
 * represents a memory that does.
 */
export const selectNewPeople = (
  db: Db,
  level: TrustLevel,
  now: number,
  people: ReadonlyArray<Row>,
  { repeatsIn, rows }: { readonly rows: ReadonlyArray<Row>; readonly repeatsIn: SettlerService["repeats"] | undefined }
): ReadonlyArray<Row> => {
  if (people.length === 0) return []
  const ids = people.map(({ memory }) => memory.id)
  const disputes = findOpenDisputes(db, level, ids, now)
  const known = new Set(rows.map(({ memory }) => memory.id))
  const repeats = repeatsIn?.([...people, ...rows]) ?? (() => false)
  return people.filter(
    (row) =>
      !disputes.get(row.memory.id)?.sides.some(({ id }) => known.has(id)) && !rows.some((other) => repeats(row, other))
  )
}

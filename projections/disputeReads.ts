import { minOpennessOf, type TrustLevel } from "../events/Trust.js"
import { type DisputeSide, findOpenDisputes, findPresentSide, type OpenDispute, readSides } from "./disputeGroups.js"
import { hasDisputes } from "./disputePairs.js"
import { findReadableMemories } from "./lineageReads.js"
import type { DisputedFields, Side } from "./observationSearch.js"
import { type Db, sql } from "./Projection.js"

/** Maximum number of sides that an answer shows. */
const maxShown = 3

/** The dispute of a memory as answers show it: the other sides of its group. */
export const disputedFieldsOf = (id: string, dispute: OpenDispute | undefined): DisputedFields =>
  dispute === undefined ? {} : shownSides(dispute.sides.filter((side) => side.id !== id))

const shownSides = (others: ReadonlyArray<DisputeSide>): DisputedFields => ({
  disputedBy: others.slice(0, maxShown).map(sideOf),
  ...(others.length > maxShown ? { moreSides: others.length - maxShown } : {})
})

const sideOf = ({ at, id, level, title }: DisputeSide): Side => ({ id, title, at, level })

/** Adds to each row its open dispute. Only disputes whose sides `level` may read count. */
export const withDisputes = <Row extends { readonly id: string }>(
  db: Db,
  level: TrustLevel,
  rows: ReadonlyArray<Row>,
  now: number
): ReadonlyArray<Row & DisputedFields> => {
  const ids = rows.map(({ id }) => id)
  const groups = findOpenDisputes(db, level, ids, now)
  return groups.size === 0 ? rows : rows.map((row) => ({ ...row, ...disputedFieldsOf(row.id, groups.get(row.id)) }))
}

/** A memory that raised disputes. */
export interface DisputeDecision extends Side, DisputedFields {
  /**
   * `open`: nobody has decided which memory is true. `settled`: a person decided that both are true. `ended`: the
   * memory, or every memory that it disputes, is no longer active.
   */
  readonly state: "open" | "settled" | "ended"
  /** The highest confidence of its contradictions, 0…1; absent if nobody estimated one. */
  readonly confidence?: number
}

interface DecisionsPage {
  readonly limit: number
  readonly offset: number
  /** True to list open disputes only. */
  readonly isOpen: boolean
}

/** Rows to read in one query. */
const rowsPerRead = 200

/**
 * The memories that raised disputes, sorted by the writer's level, highest first, then newest first. Only disputes
 * whose sides `level` may read count.
 */
export const findDecisions = (
  db: Db,
  level: TrustLevel,
  now: number,
  { isOpen, limit, offset }: DecisionsPage
): ReadonlyArray<DisputeDecision> => {
  const found: Array<DisputeDecision> = []
  if (!hasDisputes(db)) return found
  const listed = new Set<string>()
  for (let from = 0; found.length < offset + limit; from += rowsPerRead) {
    const raisers = findRaisers(db, level, from)
    const ids = new Set(raisers.map((id) => findPresentSide(db, level, id, now)?.id ?? id))
    for (const id of listed) ids.delete(id)
    const groups = findOpenDisputes(db, level, [...ids], now)
    for (const id of ids) {
      listed.add(id)
      const decision = openDecision(id, groups.get(id)) ?? (isOpen ? undefined : pastDecision(db, level, id, now))
      if (decision !== undefined) found.push(decision)
    }
    if (raisers.length < rowsPerRead) break
  }
  return found.slice(offset, offset + limit)
}

/** The ids of memories that raised disputes. An id occurs once for each dispute that the memory raised. */
const findRaisers = (db: Db, level: TrustLevel, offset: number): ReadonlyArray<string> =>
  sql(
    db,
    `SELECT n.id FROM disputes d CROSS JOIN observations n WHERE n.born = d.born AND n.openness >= ?
      ORDER BY d.level, d.born DESC LIMIT ? OFFSET ?`
  )
    .pluck()
    .all(minOpennessOf(level), rowsPerRead, offset) as ReadonlyArray<string>

const openDecision = (id: string, dispute: OpenDispute | undefined): DisputeDecision | undefined => {
  const raised = [...(dispute?.opponents.get(id)?.values() ?? [])].filter(({ isRaised }) => isRaised)
  const side = dispute?.sides.find((one) => one.id === id)
  if (raised.length === 0 || side === undefined) return undefined
  const confidences = raised.flatMap(({ confidence }) => confidence ?? [])
  return { ...sideOf(side), state: "open", ...disputedFieldsOf(id, dispute), ...highestOf(confidences) }
}

const pastDecision = (db: Db, level: TrustLevel, id: string, now: number): DisputeDecision | undefined => {
  const memory = findReadableMemories(db, level, [id], now).get(id)
  const { disputes = [], status } = memory ?? {}
  const others = disputes.map((dispute) => dispute.id)
  const readable = findReadableMemories(db, level, others, now)
  const known = disputes.filter((dispute) => readable.has(dispute.id))
  if (known.length === 0) return undefined
  const [own, ...sides] = readSides(db, [id, ...readable.keys()])
  const isSettled = status === "active" && known.some(({ settled }) => settled !== undefined)
  const confidences = known.flatMap(({ confidence }) => confidence ?? [])
  return { ...sideOf(own!), state: isSettled ? "settled" : "ended", ...shownSides(sides), ...highestOf(confidences) }
}

const highestOf = (confidences: ReadonlyArray<number>) =>
  confidences.length === 0 ? {} : { confidence: Math.max(...confidences) }

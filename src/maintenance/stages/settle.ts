import type { Dispute, Link, Memory } from "../../../events/Memory.js"
import { isAtLeast, levelOf, readingLevels, type TrustLevel } from "../../../events/Trust.js"
import { findOpenDisputes } from "../../../projections/disputes.js"
import { findById } from "../../../projections/observations.js"
import type { Db } from "../../../projections/Projection.js"
import { findWordings } from "../../../projections/wordings.js"
import { similarity, wordSet } from "../../../text/normalise/similarity.js"
import type { DecidedEvent } from "../../actor/Command.js"
import type { MaintenancePolicy } from "../../ports/policy/maintenance.js"
import type { Judge } from "../../ports/Reconciler.js"
import type { Settlement, SettlerService } from "../../ports/Settler.js"
import { maySettleGroup } from "../../remember/levels.js"
import { contradictsBy, disputeBetween, pairRelation, saidAt, textOf } from "../pairs.js"
import { maxWordings, predecessorsOf } from "../predecessors.js"
import { emptyPlan, type Gathering, nextRevision, ruleDecision, type Stage, type StagePlan } from "../Stage.js"
import type { Row } from "../stageRow.js"

/** Maximum memories of a level that one run compares: the most recently mentioned ones. */
const maxRows = 2_000
/** Steps of the settler between two runs of the event loop. */
const stepsPerTurn = 200

/**
 * Compares statements across a whole store and retires memories that a later statement supersedes, in any wording. A
 * write compares only a few candidates and retires at most one memory. Needs a judge and a settler.
 *
 * The memories of each level are compared with those of that level and above. So text of a lower level never
 * supersedes text of a higher one, and is no evidence about it. Only a certain change retires a memory. An uncertain
 * change is recorded as a dispute if the judge also sees a contradiction.
 */
export const settle: Stage = {
  name: "settle",
  kind: "profile",
  before: (_, now) => now,
  gather: (policy, now, { judge, settler }): Gathering => {
    let rows: Array<Row> = []
    let round: Generator<void, Settlement> | undefined
    /** The levels that remain to be settled, highest first. */
    const pendingLevels: Array<TrustLevel> = [...readingLevels]
    /** Superseded rows, each with the row that supersedes it, in the order in which they were found. */
    const superseded = new Map<Row, Row>()
    /** Rows that are superseded, but not certainly, each with the newer row that disputes it. */
    const disputed = new Map<Row, Row>()
    const newest = (candidates: ReadonlyArray<Row>): Array<Row> =>
      candidates.toSorted((a, b) => saidAt(b) - saidAt(a)).slice(0, maxRows)
    const isPinned = ({ memory }: Row): boolean =>
      (memory.tier === "core" && memory.coreFrom === undefined) || memory.tags.includes(policy.tiers.pin)
    const beginRound = (db: Db, level: TrustLevel, { settle }: SettlerService): Generator<void, Settlement> => {
      const isTrusted = ({ memory }: Row) => isAtLeast(levelOf(memory), level)
      return settle(newest(rows.filter((row) => isTrusted(row) && !superseded.has(row))), {
        contradicts: contradictsBy(judge, policy.reconcile),
        predecessors: (row) => allPredecessorsOf(db, row, superseded).filter(isTrusted),
        wordings: ({ memory: { born, mentions } }) => (mentions > 1 ? findWordings(db, born, maxWordings) : [])
      })
    }
    return {
      addRows: (addedRows) => {
        if (judge === undefined || settler === undefined) return
        rows.push(...addedRows)
        if (rows.length <= 2 * readingLevels.length * maxRows) return
        rows = [...Map.groupBy(rows, ({ memory }) => levelOf(memory)).values()].flatMap(newest)
      },
      readMore: (db) => {
        const hasRows = (level: TrustLevel) => rows.some(({ memory }) => levelOf(memory) === level)
        while (pendingLevels[0] !== undefined && !hasRows(pendingLevels[0])) pendingLevels.shift()
        const [level] = pendingLevels
        if (judge === undefined || settler === undefined || level === undefined) return false
        round ??= beginRound(db, level, settler)
        for (let step = 0; step < stepsPerTurn; step++) {
          const result = round.next()
          if (result.done !== true) continue
          round = undefined
          // The remaining rows may now give another result, so start another round until one finds nothing.
          const { superseded: outdated, unsure } = result.value
          const ofLevel = [...outdated].filter(([row]) => levelOf(row.memory) === level && !isPinned(row))
          const supersededRows = ofLevel.filter(([row, by]) => unsure?.has(row) !== true && maySettle(db, row, by, now))
          for (const [row, by] of supersededRows) superseded.set(row, by)
          for (const [row, by] of ofLevel) if (unsure?.has(row) === true) disputed.set(row, by)
          if (supersededRows.length === 0) pendingLevels.shift()
          return pendingLevels.length > 0 && superseded.size < policy.maintenance.rows
        }
        return true
      },
      plan: () => planOf(superseded, disputesByNewer(disputed, superseded, judge), policy, now)
    }
  }
}

/**
 * Whether `by` may retire `row`. False if a person decided that both are true. If `row` is in an open dispute, `by`
 * must be allowed to settle it: see `maySettleGroup`.
 */
const maySettle = (db: Db, row: Row, by: Row, now: number): boolean => {
  if (disputeBetween(row, by)?.settled !== undefined) return false
  const sides = findOpenDisputes(db, "full", [row.memory.id], now).get(row.memory.id)?.sides ?? []
  return sides.length === 0 || maySettleGroup(by.memory, sides)
}

/** The disputes to record, by newer row: contradictory pairs, by the judge, without a recorded dispute or decision. */
const disputesByNewer = (
  disputed: ReadonlyMap<Row, Row>,
  superseded: ReadonlyMap<Row, Row>,
  judge: Judge | undefined
): ReadonlyMap<Row, ReadonlyArray<Row>> =>
  Map.groupBy(
    [...disputed.keys()].filter((older) => {
      const newer = disputed.get(older)!
      return (
        !superseded.has(older) &&
        !superseded.has(newer) &&
        disputeBetween(older, newer) === undefined &&
        pairRelation(judge, newer, older).kind === "contradicted"
      )
    }),
    (older) => disputed.get(older)!
  )

/** Older rows that a newer row disputes. */
type Disputed = ReadonlyMap<Row, ReadonlyArray<Row>>

/**
 * The events that retire superseded rows and link each to its successor, and the events that record disputes, within
 * the row limit of one run.
 */
const planOf = (
  superseded: ReadonlyMap<Row, Row>,
  disputed: Disputed,
  policy: MaintenancePolicy,
  now: number
): StagePlan => {
  if (superseded.size === 0 && disputed.size === 0) return emptyPlan
  const events: Array<DecidedEvent> = []
  let remainingRows = policy.maintenance.rows
  let retired = 0
  const updated = new Set<Row>()
  const bySuccessor = Map.groupBy(superseded.keys(), (row) => superseded.get(row)!)
  for (const [successor, predecessors] of bySuccessor) {
    // Reserves one row for the successor.
    const batch = predecessors.slice(0, Math.max(0, remainingRows - 1))
    if (batch.length === 0) break
    for (const row of batch) events.push(retirementOf(row, successor, now))
    remainingRows -= batch.length
    retired += batch.length
    if (superseded.has(successor)) continue
    remainingRows--
    updated.add(successor)
    events.push({
      type: "UPDATE",
      payload: {
        memory: nextRevision(successor.memory, {
          lineage: linked(successor, batch),
          ...coreOf(successor, batch),
          ...disputesOf(successor, disputed.get(successor))
        }),
        reason: "promoted",
        decision: ruleDecision("UPDATE", "settle", "takes the place of what is no longer so", [successor], policy, now)
      }
    })
  }
  const disputing = [...disputed.keys()].filter((row) => !updated.has(row))
  const recorded = disputing.slice(0, remainingRows)
  for (const row of recorded) events.push(disputeEvent(row, disputed.get(row)!))
  const counts = { superseded: retired, disputed: recorded.length }
  return { events, counts, left: retired < superseded.size || recorded.length < disputing.length }
}

const disputesOf = ({ memory }: Row, older: ReadonlyArray<Row> = []): Pick<Memory, "disputes"> =>
  older.length === 0
    ? {}
    : {
        disputes: [
          ...(memory.disputes ?? []),
          ...older.map(({ memory: { id } }): Dispute => ({ id, ground: "unsure" }))
        ]
      }

/** The event that records which memories a memory disputes. The older memories get no event. */
const disputeEvent = (row: Row, older: ReadonlyArray<Row>): DecidedEvent => ({
  type: "UPDATE",
  payload: {
    memory: nextRevision(row.memory, disputesOf(row, older)),
    reason: "disputed",
    decision: {
      action: "DISPUTE",
      by: { kind: "rule", name: "settle" },
      reason: "contradicts what was said before, but not certainly",
      candidates: older.map((other) => {
        const { id, revision } = other.memory
        return { id, revision, score: likenessOf(other, row) }
      })
    }
  }
})

const retirementOf = (row: Row, successor: Row, now: number): DecidedEvent => {
  // If maintenance made the memory core, it loses that tier; its successor becomes core.
  const { coreFrom, ...rest } = row.memory
  const memory = nextRevision(rest, {
    status: "superseded",
    updatedAt: now,
    ...(coreFrom === undefined ? {} : { tier: coreFrom })
  })
  const { id, revision } = row.memory
  return {
    type: "DELETE",
    payload: {
      memory,
      reason: "replaced",
      decision: {
        action: "DELETE",
        by: { kind: "rule", name: "settle" },
        reason: "no longer so by what was said since",
        candidates: [{ id, revision, score: likenessOf(row, successor) }]
      }
    }
  }
}

/** The memories that a row superseded, in this run or before. */
const allPredecessorsOf = (db: Db, successor: Row, superseded: ReadonlyMap<Row, Row>): ReadonlyArray<Row> => [
  ...predecessorsOf(successor.memory, (id) => findById(db, id)),
  ...[...superseded].flatMap(([row, newer]) => (newer === successor ? [row] : []))
]

/** The share of words that two memories have in common, 0…1, rounded to four places. */
const likenessOf = (row: Row, successor: Row): number =>
  Math.round(similarity(wordSet(textOf(row)), wordSet(textOf(successor))) * 10_000) / 10_000

const linked = ({ memory }: Row, rows: ReadonlyArray<Row>): ReadonlyArray<Link> => [
  ...(memory.lineage ?? []),
  ...rows.map((row): Link => ({ kind: "supersedes", to: row.memory.id, reason: "conflict" }))
]

/** The tier that makes a core memory's successor core. */
const coreOf = ({ memory }: Row, rows: ReadonlyArray<Row>) =>
  memory.tier !== "core" && rows.some((row) => row.memory.tier === "core")
    ? ({ tier: "core", coreFrom: memory.tier } as const)
    : {}

import type { Decision } from "../../../events/catalogue.js"
import type { Dispute, Link, Memory } from "../../../events/Memory.js"
import { isAtLeast, levelOf, readingLevels, type TrustLevel } from "../../../events/Trust.js"
import { findDisputeBetween } from "../../../projections/disputePairs.js"
import { findById } from "../../../projections/observations.js"
import type { Db } from "../../../projections/Projection.js"
import { findWordings } from "../../../projections/wordings.js"
import { wordSet, wordSetSimilarity } from "../../../text/normalise/similarity.js"
import type { DecidedEvent } from "../../actor/Command.js"
import { inheritedTier } from "../../model/inheritedTier.js"
import { nextRevision } from "../../model/nextRevision.js"
import type { MaintenancePolicy } from "../../ports/policy/maintenance.js"
import type { Judge } from "../../ports/Reconciler.js"
import type { Settlement, SettlerService } from "../../ports/Settler.js"
import { maySettle } from "../maySettle.js"
import { lastMentionTime, makeContradictionTest, pairRelation, textOf } from "../pairs.js"
import { maxWordings, predecessorsOf } from "../predecessors.js"
import { emptyPlan, ruleDecision, type Stage, type StagePlan, type StagePlanner } from "../Stage.js"
import type { Row } from "../stageRow.js"

/** Maximum memories of a level that one run compares; the most recently mentioned memories are used. */
const maxRows = 2_000
/** Steps of the settler between two pauses for the event loop. */
const stepsPerTurn = 200

/**
 * Compares the statements of a whole store and retires memories that a later statement supersedes in any wording. In
 * contrast, a write compares only a few candidates and retires at most one memory. Needs a judge and a settler.
 *
 * The memories of each level are compared with memories of that level and above. A lower level neither supersedes
 * memories of a higher level nor is evidence about them. A memory is retired only if the judge is certain of the
 * contradiction. Otherwise, the stage records a dispute if the settler has evidence besides the wording, or if the
 * judge also sees a contradiction.
 */
export const settle: Stage = {
  name: "settle",
  kind: "profile",
  before: (_, now) => now,
  gather: (policy, now, { judge, settler }): StagePlanner => {
    let rows: Array<Row> = []
    let round: Generator<void, Settlement> | undefined
    /** The levels that remain to be settled, highest first. */
    const pendingLevels: Array<TrustLevel> = [...readingLevels]
    /** Superseded rows, each with the row that supersedes it, in the order in which they were found. */
    const superseded = new Map<Row, Row>()
    /** Rows that are disputed instead of superseded, each with the disputing row and the reason. */
    const disputed = new Map<Row, Raised>()
    const contradicts = makeContradictionTest(judge, policy.reconcile)
    const newest = (candidates: ReadonlyArray<Row>): Array<Row> =>
      candidates.toSorted((a, b) => lastMentionTime(b) - lastMentionTime(a)).slice(0, maxRows)
    const isPinned = ({ memory }: Row): boolean =>
      (memory.tier === "core" && memory.coreFrom === undefined) || memory.tags.includes(policy.tiers.pin)
    const beginRound = (db: Db, level: TrustLevel, { settle }: SettlerService): Generator<void, Settlement> => {
      const isTrusted = ({ memory }: Row) => isAtLeast(levelOf(memory), level)
      // A disputed memory is evidence of a change of value, like a superseded one.
      const former = new Map([...recordedDisputes(rows), ...superseded])
      for (const [row, { by }] of disputed) former.set(row, by)
      return settle(newest(rows.filter((row) => isTrusted(row) && !superseded.has(row))), {
        contradicts,
        predecessors: (row) => allPredecessorsOf(db, row, former).filter(isTrusted),
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
          // The remaining rows may now yield another result, so rounds repeat until one finds nothing.
          const { superseded: outdated, unsure } = result.value
          const before = superseded.size + disputed.size
          for (const [row, by] of outdated) {
            if (levelOf(row.memory) !== level || isPinned(row)) continue
            const isCertain = contradicts(by, row)
            if (isCertain && maySettle(db, row.memory, by.memory, now)) superseded.set(row, by)
            else if (findDisputeBetween(db, row.memory, by.memory) !== undefined) continue
            else if (isCertain) disputed.set(row, { by, ground: "group" })
            else if (unsure?.has(row) !== true || pairRelation(judge, by, row).kind === "contradicted") {
              disputed.set(row, { by, ground: "unsure" })
            }
          }
          if (superseded.size + disputed.size === before) pendingLevels.shift()
          return pendingLevels.length > 0 && superseded.size < policy.maintenance.rows
        }
        return true
      },
      plan: () => planOf(superseded, disputesByNewer(disputed, superseded), { policy, judge, now })
    }
  }
}

/** Maps each row to the later row that disputes it, according to the recorded open disputes. */
const recordedDisputes = (rows: ReadonlyArray<Row>): ReadonlyMap<Row, Row> => {
  const byId = new Map(rows.map((row) => [row.memory.id, row]))
  return new Map(
    rows.flatMap((row) =>
      (row.memory.disputes ?? []).flatMap(({ id, settled }): ReadonlyArray<readonly [Row, Row]> => {
        const older = settled === undefined ? byId.get(id) : undefined
        return older === undefined || lastMentionTime(older) >= lastMentionTime(row) ? [] : [[older, row]]
      })
    )
  )
}

/** A dispute to record: the newer row, and the reason why it does not retire the older row. */
interface Raised {
  readonly by: Row
  readonly ground: Dispute["ground"]
}

/** The older rows that each newer row disputes, each with the reason why the newer row does not retire it. */
type Disputed = ReadonlyMap<Row, ReadonlyArray<readonly [older: Row, ground: Dispute["ground"]]>>

/** Groups the disputes to record by newer row, without rows that are retired. */
const disputesByNewer = (disputed: ReadonlyMap<Row, Raised>, superseded: ReadonlyMap<Row, Row>): Disputed => {
  const byNewer = new Map<Row, Array<readonly [Row, Dispute["ground"]]>>()
  for (const [older, { by, ground }] of disputed) {
    if (superseded.has(older) || superseded.has(by)) continue
    byNewer.set(by, [...(byNewer.get(by) ?? []), [older, ground]])
  }
  return byNewer
}

interface PlanContext {
  readonly policy: MaintenancePolicy
  readonly judge: Judge | undefined
  readonly now: number
}

/**
 * Plans the events that retire superseded rows and link each to its successor, and the events that record disputes,
 * within the row limit of one run. A row is retired after the rows that it superseded, because a write checks that the
 * successor is unchanged.
 */
const planOf = (superseded: ReadonlyMap<Row, Row>, disputed: Disputed, context: PlanContext): StagePlan => {
  if (superseded.size === 0 && disputed.size === 0) return emptyPlan
  const { judge, now, policy } = context
  const events: Array<DecidedEvent> = []
  let remainingRows = policy.maintenance.rows
  let retired = 0
  const updated = new Set<Row>()
  const bySuccessor = Map.groupBy(superseded.keys(), (row) => superseded.get(row)!)
  for (const successor of inOrder(bySuccessor, superseded)) {
    // Reserves one row for the successor.
    const batch = bySuccessor.get(successor)!.slice(0, Math.max(0, remainingRows - 1))
    if (batch.length === 0) break
    for (const row of batch) events.push(retirementOf(row, successor, context))
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
          ...inheritedTier(
            successor.memory,
            batch.map(({ memory }) => memory)
          ),
          ...disputesOf(successor, disputed.get(successor), judge)
        }),
        reason: "promoted",
        decision: ruleDecision("UPDATE", "settle", "takes the place of what is no longer so", [successor], policy, now)
      }
    })
  }
  const disputing = [...disputed.keys()].filter((row) => !updated.has(row))
  const recorded = disputing.slice(0, remainingRows)
  for (const row of recorded) events.push(disputeEvent(row, disputed.get(row)!, judge))
  const counts = { superseded: retired, disputed: recorded.length }
  return { events, counts, left: retired < superseded.size || recorded.length < disputing.length }
}

/** Sorts the successors, each before the row that superseded it. */
const inOrder = (bySuccessor: ReadonlyMap<Row, unknown>, superseded: ReadonlyMap<Row, Row>): ReadonlyArray<Row> => {
  const depthOf = (row: Row): number => {
    let depth = 0
    for (let next = superseded.get(row); next !== undefined && depth < superseded.size; depth++)
      next = superseded.get(next)
    return depth
  }
  return [...bySuccessor.keys()].toSorted((a, b) => depthOf(b) - depthOf(a))
}

const disputesOf = (
  row: Row,
  older: Disputed extends ReadonlyMap<Row, infer Others> ? Others | undefined : never,
  judge: Judge | undefined
): Pick<Memory, "disputes"> =>
  older === undefined
    ? {}
    : {
        disputes: [
          ...(row.memory.disputes ?? []),
          ...older.map(([other, ground]): Dispute => ({ id: other.memory.id, ground, ...estimate(judge, row, other) }))
        ]
      }

/** The judge's confidence that a newer row contradicts an older one; absent if it sees no contradiction. */
const estimate = (judge: Judge | undefined, newer: Row, older: Row) => {
  const { confidence, kind } = pairRelation(judge, newer, older)
  return kind === "contradicted" ? { confidence } : {}
}

/** Makes the event that records which memories a memory disputes. The older memories get no event. */
const disputeEvent = (
  row: Row,
  older: ReadonlyArray<readonly [Row, Dispute["ground"]]>,
  judge: Judge | undefined
): DecidedEvent => ({
  type: "UPDATE",
  payload: {
    memory: nextRevision(row.memory, disputesOf(row, older, judge)),
    reason: "disputed",
    decision: {
      action: "DISPUTE",
      by: { kind: "rule", name: "settle" },
      reason: "contradicts what was said before, but not certainly",
      ...estimate(judge, row, older[0]![0]),
      candidates: older.map(([other]) => candidateOf(other, row))
    }
  }
})

const retirementOf = (row: Row, successor: Row, { judge, now }: PlanContext): DecidedEvent => {
  // If maintenance made the memory core, the memory returns to its former tier and its successor becomes core.
  const { coreFrom, ...rest } = row.memory
  const memory = nextRevision(rest, {
    status: "superseded",
    updatedAt: now,
    ...(coreFrom === undefined ? {} : { tier: coreFrom })
  })
  return {
    type: "DELETE",
    payload: {
      memory,
      reason: "replaced",
      decision: {
        action: "DELETE",
        by: { kind: "rule", name: "settle" },
        reason: "no longer so by what was said since",
        ...estimate(judge, successor, row),
        candidates: [candidateOf(row, successor), candidateOf(successor, row)]
      }
    }
  }
}

const candidateOf = (row: Row, other: Row): Decision["candidates"][number] => {
  const { id, revision } = row.memory
  return { id, revision, score: likenessOf(row, other) }
}

/** Finds the memories that a row superseded or disputes, in this run or before. */
const allPredecessorsOf = (db: Db, successor: Row, former: ReadonlyMap<Row, Row>): ReadonlyArray<Row> => [
  ...predecessorsOf(successor.memory, (id) => findById(db, id)),
  ...[...former].flatMap(([row, newer]) => (newer === successor ? [row] : []))
]

/** The share of words that two memories have in common, 0…1, rounded to four places. */
const likenessOf = (row: Row, successor: Row): number =>
  Math.round(wordSetSimilarity(wordSet(textOf(row)), wordSet(textOf(successor))) * 10_000) / 10_000

const linked = ({ memory }: Row, rows: ReadonlyArray<Row>): ReadonlyArray<Link> => [
  ...(memory.lineage ?? []),
  ...rows.map((row): Link => ({ kind: "supersedes", to: row.memory.id, reason: "conflict" }))
]

import type { Memory } from "../../../events/Memory.js"
import { levelOf, minOpennessOf } from "../../../events/Trust.js"
import type { DecidedEvent } from "../../actor/Command.js"
import { nextRevision } from "../../model/nextRevision.js"
import type { MaintenancePolicy } from "../../ports/policy/maintenance.js"
import { lifeScoreOf, scoreFactsOf } from "../../search/score.js"
import { verdictOf } from "../rules.js"
import { archiveEvents, groupByReason, ruleDecision, type Stage, type StagePlan, type StagePlanner } from "../Stage.js"
import { isProtected, type Row } from "../stageRow.js"

/**
 * Scores mid, daily and promoted memories. Promotes memories in use, demotes promoted memories that are no longer used,
 * and removes memories with a low score or long without use. If a store has more mid memories than its capacity,
 * removes memories of the lowest level first and, within a level, those with the lowest scores first.
 */
export const gc: Stage = {
  name: "gc",
  kind: "working",
  before: (_, now) => now,
  gather: (policy, now): StagePlanner => {
    const { gc: rules, tiers } = policy
    // Each queue keeps as many memories as one run may change, and counts the others.
    const queues: Queues = {
      promoted: queueOf(rules.rows, byAge),
      demoted: queueOf(rules.rows, byAge),
      removed: queueOf(rules.rows, byScore),
      keptRows: queueOf(rules.rows, byLevelAndScore)
    }
    const scored = (row: Row): ScoredRow => ({ row, score: lifeScoreOf(scoreFactsOf(row), tiers, now).score })
    return {
      addRows: (rows) => {
        for (const row of rows) {
          const { action } = verdictOf(row, policy, now)
          if (action === "promote") queues.promoted.add(row)
          else if (action === "demote") queues.demoted.add(row)
          else if (action === "remove") queues.removed.add(scored(row))
          else if (row.memory.tier === "mid" && !isProtected(row.memory, tiers.pin)) queues.keptRows.add(scored(row))
        }
      },
      plan: () => planChanges(queues, policy, now)
    }
  }
}

interface Queues {
  readonly promoted: Queue<Row>
  readonly demoted: Queue<Row>
  readonly removed: Queue<ScoredRow>
  /** Mid memories that the rules keep. If the store is over capacity, some of them are removed. */
  readonly keptRows: Queue<ScoredRow>
}

const planChanges = (
  { demoted, promoted, removed, keptRows }: Queues,
  policy: MaintenancePolicy,
  now: number
): StagePlan => {
  const { gc: rules } = policy
  const overCapacity = Math.max(0, keptRows.count() - rules.capacity)
  // A demoted memory becomes mid, so demote no more than the capacity allows.
  const demotable = Math.min(demoted.count(), Math.max(0, rules.capacity - keptRows.count()))
  let remainingRows = rules.rows
  const takeFrom = <A>(queue: Queue<A>, count: number): ReadonlyArray<A> => {
    const items = queue.first(Math.min(remainingRows, count))
    remainingRows -= items.length
    return items
  }
  const promoting = takeFrom(promoted, promoted.count())
  const removing = takeFrom(removed, removed.count())
  const displaced = takeFrom(keptRows, overCapacity)
  const demoting = takeFrom(demoted, demotable)
  const totalCount = promoted.count() + removed.count() + overCapacity + demotable
  const ruleOf = (row: Row) => verdictOf(row, policy, now).rule
  const move = (row: Row, tier: "long" | "mid"): DecidedEvent => {
    const { promotedAt: _, ...rest } = row.memory
    const memory: Memory = tier === "long" ? { ...rest, promotedAt: now } : rest
    return {
      type: "UPDATE",
      payload: {
        memory: nextRevision(memory, { tier, movedAt: now }),
        reason: tier === "long" ? "promoted" : "demoted",
        decision: ruleDecision("UPDATE", "gc", ruleOf(row), [row], policy, now)
      }
    }
  }
  const capacityReason = `the store has more than ${rules.capacity} mid memories; the lowest scores go`
  const reasons = new Map([
    ...removing.map(({ row }) => [row, ruleOf(row)] as const),
    ...displaced.map(({ row }) => [row, capacityReason] as const)
  ])
  return {
    events: [
      ...promoting.map((row) => move(row, "long")),
      ...removalEvents(reasons, policy, now),
      ...demoting.map((row) => move(row, "mid"))
    ],
    counts: {
      promoted: promoting.length,
      [rules.removal === "archive" ? "archived" : "expired"]: reasons.size,
      demoted: demoting.length
    },
    left: promoting.length + reasons.size + demoting.length < totalCount
  }
}

/** Archives or expires memories, by the policy's `gc.removal`. */
const removalEvents = (
  reasons: ReadonlyMap<Row, string>,
  policy: MaintenancePolicy,
  now: number
): ReadonlyArray<DecidedEvent> => {
  if (policy.gc.removal === "archive") {
    const byReason = groupByReason([...reasons.keys()], (row) => reasons.get(row)!)
    return archiveEvents("gc", byReason, policy, now)
  }
  return [...reasons].map(
    ([row, reason]): DecidedEvent => ({
      type: "UPDATE",
      payload: {
        memory: nextRevision(row.memory, { status: "expired", updatedAt: now }),
        reason: "expired",
        decision: ruleDecision("UPDATE", "gc", reason, [row], policy, now)
      }
    })
  )
}

interface ScoredRow {
  readonly row: Row
  readonly score: number
}

const byScore = (a: ScoredRow, b: ScoredRow): number => a.score - b.score || a.row.memory.born - b.row.memory.born

/** Sorts lower levels first, so that memories of a lower level never displace memories of a higher level. */
const byLevelAndScore = (a: ScoredRow, b: ScoredRow): number =>
  minOpennessOf(levelOf(b.row.memory)) - minOpennessOf(levelOf(a.row.memory)) || byScore(a, b)

const byAge = (a: Row, b: Row): number => a.memory.born - b.memory.born

/** Keeps the first `capacity` items of an order, and counts all items. */
interface Queue<A> {
  readonly add: (item: A) => void
  readonly count: () => number
  /** Returns at most `limit` items, in order. */
  readonly first: (limit: number) => ReadonlyArray<A>
}

const queueOf = <A>(capacity: number, order: (a: A, b: A) => number): Queue<A> => {
  let count = 0
  let items: Array<A> = []
  return {
    add: (item) => {
      count++
      items.push(item)
      // Sort only when the list is twice as long as needed, so that additions stay cheap on average.
      if (items.length > 2 * capacity) items = items.sort(order).slice(0, capacity)
    },
    count: () => count,
    first: (limit) => items.sort(order).slice(0, Math.min(limit, capacity))
  }
}

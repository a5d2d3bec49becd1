import { opennessOf } from "../../../events/Trust.js"
import { findArchivedBefore } from "../../../projections/archive.js"
import type { DecidedEvent } from "../../actor/Command.js"
import { nextRevision } from "../../model/nextRevision.js"
import { archiveEvents, groupByReason, ruleDecision, type Stage, type StagePlanner } from "../Stage.js"
import { ageInDays, dayMillis, isProtected, lastTouchedAt, type Row } from "../stageRow.js"

/** Archives old mid and daily memories, and expired memories of any tier. */
export const archive: Stage = {
  name: "archive",
  kind: "aged",
  before: ({ archive }, now) => now - archive.after * dayMillis,
  gather: (policy, now): StagePlanner => {
    const { after, rows: maxRows } = policy.archive
    const candidates: Array<Row> = []
    const reasonOf = (row: Row): string | undefined => {
      const { expiresAt, tier } = row.memory
      if (isProtected(row.memory, policy.tiers.pin)) return undefined
      if (expiresAt !== undefined && expiresAt <= now) return "it has expired"
      const isAged = (tier === "mid" || tier === "daily") && ageInDays(lastTouchedAt(row), now) > after
      return isAged ? `left alone for more than ${after} days` : undefined
    }
    let left = false
    return {
      addRows: (rows) => {
        for (const row of rows) {
          if (reasonOf(row) === undefined) continue
          if (candidates.length < maxRows) candidates.push(row)
          else left = true
        }
      },
      isFull: () => left,
      plan: () => ({
        events: archiveEvents(
          "archive",
          groupByReason(candidates, (row) => reasonOf(row)!),
          policy,
          now
        ),
        counts: { archived: candidates.length },
        left
      })
    }
  }
}

/** Expires memories that were in the archive for `archive.deleteAfter` days. Their events stay in the log. */
export const cleanup: Stage = {
  name: "cleanup",
  kind: "aged",
  before: (_, now) => now,
  read: (db, { archive }, now, store) =>
    findArchivedBefore(db, opennessOf(store), now - archive.deleteAfter * dayMillis, archive.rows + 1).map(
      (memory) => ({
        memory,
        accesses: undefined
      })
    ),
  gather: (policy, now): StagePlanner => {
    const { deleteAfter, rows: maxRows } = policy.archive
    const candidates: Array<Row> = []
    return {
      addRows: (rows) => {
        // People are never removed, not even from the archive.
        for (const row of rows) if (!isProtected(row.memory, policy.tiers.pin)) candidates.push(row)
      },
      plan: () => {
        const expiring = candidates.slice(0, maxRows)
        return {
          events: expiring.map(
            (row): DecidedEvent => ({
              type: "UPDATE",
              payload: {
                memory: nextRevision(row.memory, { status: "expired", updatedAt: now }),
                reason: "expired",
                decision: ruleDecision(
                  "UPDATE",
                  "cleanup",
                  `in the archive for ${deleteAfter} days`,
                  [row],
                  policy,
                  now
                )
              }
            })
          ),
          counts: { expired: expiring.length },
          left: candidates.length > maxRows
        }
      }
    }
  }
}

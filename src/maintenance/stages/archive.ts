import { opennessOf } from "../../../events/Trust.js"
import { findArchivedBefore } from "../../../projections/archive.js"
import type { DecidedEvent } from "../../actor/Command.js"
import { ageOf, day, isKept, type Row, touchedAt } from "../facts.js"
import { archiving, changed, decided, type Gathering, grouped, type Stage } from "../Stage.js"

/** Puts into the archive what is old and was not kept on purpose, and what has expired. */
export const archive: Stage = {
  name: "archive",
  kind: "aged",
  before: ({ archive }, now) => now - archive.after * day,
  gather: (policy, now): Gathering => {
    const { after, rows: most } = policy.archive
    const going: Array<Row> = []
    const reasonOf = (row: Row): string | undefined => {
      const { expiresAt, tier } = row.memory
      if (isKept(row.memory, policy.tiers.pin)) return undefined
      if (expiresAt !== undefined && expiresAt <= now) return "it has expired"
      const aged = (tier === "mid" || tier === "daily") && ageOf(touchedAt(row), now) > after
      return aged ? `left alone for more than ${after} days` : undefined
    }
    let left = false
    return {
      take: (rows) => {
        for (const row of rows) {
          if (reasonOf(row) === undefined) continue
          if (going.length < most) going.push(row)
          else left = true
        }
      },
      full: () => left,
      plan: () => ({
        events: archiving(
          "archive",
          grouped(going, (row) => reasonOf(row)!),
          policy,
          now
        ),
        counts: { archived: going.length },
        left
      })
    }
  }
}

/** Takes out of the archive what was long enough in there. Its events stay in the log. */
export const cleanup: Stage = {
  name: "cleanup",
  kind: "aged",
  before: (_, now) => now,
  read: (db, { archive }, now, store) =>
    findArchivedBefore(db, opennessOf(store), now - archive.deleteAfter * day, archive.rows + 1).map((memory) => ({
      memory,
      accesses: undefined
    })),
  gather: (policy, now): Gathering => {
    const { deleteAfter, rows: most } = policy.archive
    const found: Array<Row> = []
    return {
      take: (rows) => {
        // People are never removed, not even from here.
        for (const row of rows) if (!isKept(row.memory, policy.tiers.pin)) found.push(row)
      },
      plan: () => {
        const going = found.slice(0, most)
        return {
          events: going.map(
            (row): DecidedEvent => ({
              type: "UPDATE",
              payload: {
                memory: changed(row.memory, { status: "expired", updatedAt: now }),
                reason: "expired",
                decision: decided("UPDATE", "cleanup", `in the archive for ${deleteAfter} days`, [row], policy, now)
              }
            })
          ),
          counts: { expired: going.length },
          left: found.length > most
        }
      }
    }
  }
}

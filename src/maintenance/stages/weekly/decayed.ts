import { daysBetween } from "../../../../text/when/dates.js"
import { decayOf, retained } from "../../../search/score.js"
import { isKept, type Row, seenAt } from "../../facts.js"
import { passing } from "../../notes.js"
import { archiving } from "../../Stage.js"
import type { MakePart } from "./Part.js"

/** Archives temporary and debug memories whose recency has decayed to the policy's limit. */
export const decayed: MakePart = (policy, now) => {
  const { maintenance, tiers } = policy
  const candidates: Array<Row> = []
  return {
    take: (row) => {
      const { tier, type } = row.memory
      if (!passing.has(type) || isKept(row.memory, tiers.pin)) return
      if (!(maintenance.decayedTiers as ReadonlyArray<string>).includes(tier)) return
      if (retained(decayOf(type, tiers), daysBetween(seenAt(row), now)) > maintenance.decayed) return
      if (candidates.length <= maintenance.rows) candidates.push(row)
    },
    wanted: () => [],
    plan: (_rows, room) => {
      const archived = candidates.slice(0, room)
      const reason = `its recency has decayed to ${maintenance.decayed} or less`
      return {
        events: archived.length === 0 ? [] : archiving("weekly", new Map([[reason, archived]]), policy, now),
        counts: { archived: archived.length },
        left: candidates.length > archived.length,
        touched: archived.length
      }
    }
  }
}

import { daysBetween } from "../../../../text/when/dates.js"
import { decayOf, retained } from "../../../search/score.js"
import { isKept, type Row, seenAt } from "../../facts.js"
import { passing } from "../../notes.js"
import { archiving } from "../../Stage.js"
import type { MakePart } from "./Part.js"

/** Archives temporary and debugging memories of which next to nothing is left. */
export const decayed: MakePart = (policy, now) => {
  const { maintenance, tiers } = policy
  const found: Array<Row> = []
  return {
    take: (row) => {
      const { tier, type } = row.memory
      if (!passing.has(type) || isKept(row.memory, tiers.pin)) return
      if (!(maintenance.decayedTiers as ReadonlyArray<string>).includes(tier)) return
      if (retained(decayOf(type, tiers), daysBetween(seenAt(row), now)) > maintenance.decayed) return
      if (found.length <= maintenance.rows) found.push(row)
    },
    wanted: () => [],
    plan: (_rows, room) => {
      const going = found.slice(0, room)
      const reason = `no more than ${maintenance.decayed} of its recency is left`
      return {
        events: going.length === 0 ? [] : archiving("weekly", new Map([[reason, going]]), policy, now),
        counts: { archived: going.length },
        left: found.length > going.length,
        touched: going.length
      }
    }
  }
}

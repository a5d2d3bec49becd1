import { daysBetween } from "../../../../text/when/dates.js"
import { decayOf, lastSeenAt, remainingRecency } from "../../../search/score.js"
import { temporaryTypes } from "../../notes.js"
import { archiveEvents } from "../../Stage.js"
import { isProtected, type Row } from "../../stageRow.js"
import type { MakeWeeklyTask } from "./WeeklyTask.js"

/** Archives temporary and debug memories whose recency has decayed to the policy's limit. */
export const makeDecayedTask: MakeWeeklyTask = (policy, now) => {
  const { maintenance, tiers } = policy
  const candidates: Array<Row> = []
  return {
    add: (row) => {
      const { tier, type } = row.memory
      if (!temporaryTypes.has(type) || isProtected(row.memory, tiers.pin)) return
      if (!(maintenance.decayedTiers as ReadonlyArray<string>).includes(tier)) return
      if (remainingRecency(decayOf(type, tiers), daysBetween(lastSeenAt(row), now)) > maintenance.decayed) return
      if (candidates.length <= maintenance.rows) candidates.push(row)
    },
    neededRows: () => [],
    plan: (_rows, maxChanged) => {
      const archived = candidates.slice(0, maxChanged)
      const reason = `its recency has decayed to ${maintenance.decayed} or less`
      return {
        events: archived.length === 0 ? [] : archiveEvents("weekly", new Map([[reason, archived]]), policy, now),
        counts: { archived: archived.length },
        left: candidates.length > archived.length,
        changed: archived.length
      }
    }
  }
}

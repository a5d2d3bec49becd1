import { startOfWeek } from "../calendar.js"
import type { Gathering, Planned, Stage } from "../Stage.js"
import { core } from "./weekly/core.js"
import { decayed } from "./weekly/decayed.js"
import { merge } from "./weekly/merge.js"

/**
 * What is done about a week that is over: the profile is chosen anew, what was tried and has decayed goes, what belongs
 * together becomes one.
 */
export const weekly: Stage = {
  name: "weekly",
  kind: "weekly",
  before: ({ maintenance }, now) => startOfWeek(now, maintenance) - 1,
  gather: (policy, now, tools): Gathering => {
    const parts = [core, decayed, merge].map((make) => make(policy, now, tools))
    return {
      take: (rows) => {
        for (const row of rows) for (const { take } of parts) take(row)
      },
      wanted: () => parts.flatMap(({ wanted }) => wanted()),
      plan: (_tools, rows) => {
        let room = policy.maintenance.rows
        let whole: Planned = { events: [], counts: {}, left: false, drafts: [] }
        for (const { plan } of parts) {
          const { counts, drafts = [], events, left, touched } = plan(rows, room)
          room -= touched
          const moved = drafts.map((draft) => ({ ...draft, at: draft.at + whole.events.length }))
          whole = {
            events: [...whole.events, ...events],
            drafts: [...whole.drafts!, ...moved],
            counts: { ...whole.counts, ...counts },
            left: whole.left || left
          }
        }
        return whole
      }
    }
  }
}

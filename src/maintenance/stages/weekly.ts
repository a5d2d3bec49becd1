import { startOfWeek } from "../calendar.js"
import { type Gathering, type Planned, type Stage, together } from "../Stage.js"
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
        const all: Array<Planned> = []
        for (const { plan } of parts) {
          const { touched, ...planned } = plan(rows, room)
          room -= touched
          all.push(planned)
        }
        return together(all)
      }
    }
  }
}

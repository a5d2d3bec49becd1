import { startOfWeek } from "../calendar.js"
import { type Gathering, mergePlans, type Stage, type StagePlan } from "../Stage.js"
import { core } from "./weekly/core.js"
import { decayed } from "./weekly/decayed.js"
import { merge } from "./weekly/merge.js"

/**
 * The work of a finished week: choose the core memories again, archive decayed temporary memories, and merge related
 * memories.
 */
export const weekly: Stage = {
  name: "weekly",
  kind: "weekly",
  before: ({ maintenance }, now) => startOfWeek(now, maintenance) - 1,
  gather: (policy, now, tools): Gathering => {
    const parts = [core, decayed, merge].map((makePart) => makePart(policy, now, tools))
    return {
      take: (rows) => {
        for (const row of rows) for (const { take } of parts) take(row)
      },
      wanted: () => parts.flatMap(({ wanted }) => wanted()),
      plan: (_tools, rows) => {
        let room = policy.maintenance.rows
        const plans: Array<StagePlan> = []
        for (const { plan } of parts) {
          const { touched, ...planned } = plan(rows, room)
          room -= touched
          plans.push(planned)
        }
        return mergePlans(plans)
      }
    }
  }
}

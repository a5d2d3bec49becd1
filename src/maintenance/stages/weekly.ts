import { startOfWeek } from "../calendar.js"
import { mergePlans, type Stage, type StagePlan, type StagePlanner } from "../Stage.js"
import { makeCoreTask } from "./weekly/core.js"
import { makeDecayedTask } from "./weekly/decayed.js"
import { makeMergeTask } from "./weekly/merge.js"

/**
 * The work for finished weeks: chooses the core memories again, archives decayed temporary memories, and merges related
 * memories.
 */
export const weekly: Stage = {
  name: "weekly",
  kind: "weekly",
  before: ({ maintenance }, now) => startOfWeek(now, maintenance) - 1,
  gather: (policy, now, tools): StagePlanner => {
    const parts = [makeCoreTask, makeDecayedTask, makeMergeTask].map((makePart) => makePart(policy, now, tools))
    return {
      addRows: (rows) => {
        for (const row of rows) for (const { add } of parts) add(row)
      },
      neededRows: () => parts.flatMap(({ neededRows }) => neededRows()),
      plan: (_tools, rows) => {
        let remainingRows = policy.maintenance.rows
        const plans: Array<StagePlan> = []
        for (const { plan } of parts) {
          const { changed, ...planned } = plan(rows, remainingRows)
          remainingRows -= changed
          plans.push(planned)
        }
        return mergePlans(plans)
      }
    }
  }
}

import type { MaintenancePolicy } from "../../../ports/policy/maintenance.js"
import type { StagePlan, StageTools } from "../../Stage.js"
import type { Row } from "../../stageRow.js"

/** A part of the weekly stage. No two parts change the same memory. */
export interface WeeklyTask {
  readonly add: (row: Row) => void
  /** Row numbers of the memories to read in full before planning. */
  readonly neededRows: () => ReadonlyArray<number>
  /** Plans at most `maxChanged` changes to memories. `changed` is the number of memories that the plan changes. */
  readonly plan: (rows: ReadonlyArray<Row>, maxChanged: number) => StagePlan & { readonly changed: number }
}

export type MakeWeeklyTask = (policy: MaintenancePolicy, now: number, tools: StageTools) => WeeklyTask

import type { MaintenancePolicy } from "../../../ports/policy/maintenance.js"
import type { StagePlan, StageTools } from "../../Stage.js"
import type { Row } from "../../stageRow.js"

/** A part of the weekly stage. No two parts change the same memory. */
export interface WeeklyTask {
  readonly take: (row: Row) => void
  /** Row numbers of the memories to read in full before planning. */
  readonly wanted: () => ReadonlyArray<number>
  /** Plans within a limit of `room` changed memories; `touched` is the number that the plan changes. */
  readonly plan: (rows: ReadonlyArray<Row>, room: number) => StagePlan & { readonly touched: number }
}

export type MakeWeeklyTask = (policy: MaintenancePolicy, now: number, tools: StageTools) => WeeklyTask

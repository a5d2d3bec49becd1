import type { LifePolicy } from "../../../ports/policy/life.js"
import type { Row } from "../../facts.js"
import type { Planned, Tools } from "../../Stage.js"

/** A part of the weekly stage. No two parts change the same memory. */
export interface Part {
  readonly take: (row: Row) => void
  /** Row numbers of the memories to read in full before planning. */
  readonly wanted: () => ReadonlyArray<number>
  /** Plans within a limit of `room` changed memories; `touched` is the number that the plan changes. */
  readonly plan: (rows: ReadonlyArray<Row>, room: number) => Planned & { readonly touched: number }
}

export type MakePart = (policy: LifePolicy, now: number, tools: Tools) => Part

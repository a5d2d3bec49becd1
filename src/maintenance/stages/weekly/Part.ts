import type { LifePolicy } from "../../../ports/policy/life.js"
import type { Row } from "../../facts.js"
import type { Planned, Tools } from "../../Stage.js"

/** One of the things that the week's run does, each to other memories than the others. */
export interface Part {
  readonly take: (row: Row) => void
  /** Memories, by row number, that are to be read again whole before anything is planned. */
  readonly wanted: () => ReadonlyArray<number>
  /** What it comes to where it may touch so many memories; `touched` counts them. */
  readonly plan: (rows: ReadonlyArray<Row>, room: number) => Planned & { readonly touched: number }
}

export type MakePart = (policy: LifePolicy, now: number, tools: Tools) => Part

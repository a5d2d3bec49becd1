import type * as Effect from "effect/Effect"
import type { CommandError } from "../actor/Actor.js"
import { operation } from "../model/operation.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import type { Runner } from "../remember/runner.js"
import { type ObservedTool, type ObserveToolRefusal, observeTool, type ToolObservation } from "./observeTool.js"

export type { ObservedTool, ToolObservation } from "./observeTool.js"

/** Writes of tool runs. */
export interface ToolWriter {
  /**
   * Stores what a tool was called with and what it answered. It always counts as `familiar`. Results that
   * are true only for the moment expire. Maintenance compresses the runs of a session into what was done, which errors
   * occurred, and what solved them.
   */
  readonly observeTool: (
    run: ToolObservation,
    options?: WriteOptions
  ) => Effect.Effect<ObservedTool, CommandError | ObserveToolRefusal>
}

/** @internal */
export const makeToolWriter = ({ run }: Runner, writer: Writer): ToolWriter => ({
  observeTool: operation("Memory.observeTool")((observed, options) =>
    run(() => observeTool(writer, observed, options), options)
  )
})

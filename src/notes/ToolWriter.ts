import type * as Effect from "effect/Effect"
import type { CommandError } from "../actor/Actor.js"
import { defineMethod } from "../model/operation.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import type { Runner } from "../remember/runner.js"
import { type ObservedTool, type ObserveToolRefusal, observeTool, type ToolObservation } from "./observeTool.js"

export type { ObservedTool, ToolObservation } from "./observeTool.js"

/** Writes of tool runs. */
export interface ToolWriter {
  /**
   * Stores a tool run: the input and output of a call. The stored memory always has level `familiar`. Results that are
   * true only for the moment expire. Maintenance compresses the runs of a session into memories about the work done,
   * the errors, and their solutions.
   */
  readonly observeTool: (
    run: ToolObservation,
    options?: WriteOptions
  ) => Effect.Effect<ObservedTool, CommandError | ObserveToolRefusal>
}

/** @internal */
export const makeToolWriter = ({ run }: Runner, writer: Writer): ToolWriter => ({
  observeTool: defineMethod("Memory.observeTool")((observed, options) =>
    run(() => observeTool(writer, observed, options), options)
  )
})

/** A toolkit for `@effect/ai`: `daybook/hosts/effect-ai`. */
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Daybook } from "../../../src/Daybook.js"
import type { InvalidInput } from "../../../src/model/errors.js"
import { refuseUnknownOptions } from "../../../src/model/filters.js"
import { decodeKey } from "../../../src/model/input.js"
import { type HostOptions, hostMemory, hostOptionNames } from "../HostMemory.js"
import { descriptions, parameters, runTool, type ToolOptions } from "../tools.js"

export { type HostMemory, type HostOptions, hostMemory } from "../HostMemory.js"
export { MemoryClosed } from "../MemoryClosed.js"
export { openMemory } from "../openMemory.js"
export type { ToolOptions } from "../tools.js"

const success = Schema.Unknown

/** The tools `memory_search`, `memory_get`, `memory_write` and `memory_forget`. `layer` provides their handlers. */
export const MemoryToolkit = Toolkit.make(
  Tool.make("memory_search", {
    description: descriptions.memory_search,
    parameters: parameters.memory_search,
    success
  }).annotate(Tool.Readonly, true),
  Tool.make("memory_get", {
    description: descriptions.memory_get,
    parameters: parameters.memory_get,
    success
  }).annotate(Tool.Readonly, true),
  Tool.make("memory_write", {
    description: descriptions.memory_write,
    parameters: parameters.memory_write,
    success
  }).annotate(Tool.Destructive, false),
  Tool.make("memory_forget", { description: descriptions.memory_forget, parameters: parameters.memory_forget, success })
)

/**
 * The handlers of `MemoryToolkit` on an agent's memory. A refusal becomes the answer `{ error }`, so that the model can
 * act on it. Fails with `InvalidInput` for invalid options.
 */
export const layer = (
  options: HostOptions & ToolOptions
): Layer.Layer<Tool.HandlersFor<Toolkit.Tools<typeof MemoryToolkit>>, InvalidInput, Daybook> =>
  MemoryToolkit.toLayer(
    Effect.gen(function* () {
      yield* refuseUnknownOptions(options, [...hostOptionNames, "session"])
      const { agent, session, trust } = options
      if (session !== undefined) yield* decodeKey("session", session)
      const memory = yield* hostMemory({ agent, trust })
      return MemoryToolkit.of({
        memory_search: (input) => runTool(memory, { name: "memory_search", input }, { session }),
        memory_get: (input) => runTool(memory, { name: "memory_get", input }, { session }),
        memory_write: (input) => runTool(memory, { name: "memory_write", input }, { session }),
        memory_forget: (input) => runTool(memory, { name: "memory_forget", input }, { session })
      })
    })
  )

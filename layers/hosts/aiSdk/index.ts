/**
 * Daybook for the AI SDK: `daybook/hosts/ai-sdk`. Tools for models, and a middleware that adds context and stores
 * turns.
 */
import { type JSONSchema7, jsonSchema, type Tool, tool } from "ai"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import { checkAdapterOptions, checkMemory, type HostMemory } from "../HostMemory.js"
import { descriptions, parameters, runTool, type ToolInput, type ToolName, type ToolOptions } from "../tools.js"

export { type HostMemory, type HostOptions, hostMemory } from "../HostMemory.js"
export { MemoryClosed } from "../MemoryClosed.js"
export { openMemory } from "../openMemory.js"
export type { ToolOptions } from "../tools.js"
export { type MiddlewareOptions, memoryMiddleware } from "./middleware.js"

/**
 * The tools `memory_search`, `memory_get`, `memory_write` and `memory_forget` for `generateText` and `streamText`.
 * Throws `InvalidInput` for invalid options, and for a promise in place of the memory.
 */
export const memoryTools = (
  memory: HostMemory,
  options: ToolOptions = {}
): { readonly [Name in ToolName]: Tool<ToolInput[Name], unknown> } => {
  checkMemory(memory)
  checkAdapterOptions(options, ["session"])
  return {
    memory_search: toolOf(memory, "memory_search", options),
    memory_get: toolOf(memory, "memory_get", options),
    memory_write: toolOf(memory, "memory_write", options),
    memory_forget: toolOf(memory, "memory_forget", options)
  }
}

const toolOf = <Name extends ToolName>(
  memory: HostMemory,
  name: Name,
  options: ToolOptions
): Tool<ToolInput[Name], unknown> => {
  const schema = Schema.Struct(parameters[name]) as unknown as Schema.Schema<ToolInput[Name]>
  const decode = Schema.decodeUnknownEither(schema)
  const inputSchema = jsonSchema<ToolInput[Name]>(JSONSchema.make(schema) as JSONSchema7, {
    validate: (value) =>
      Either.match(decode(value), {
        onLeft: (error) => ({ success: false, error }),
        onRight: (input) => ({ success: true, value: input })
      })
  })
  return tool({
    description: descriptions[name],
    inputSchema,
    execute: (input: ToolInput[Name]) => memory.run(runTool(memory, { name, input }, options))
  }) as Tool<ToolInput[Name], unknown>
}

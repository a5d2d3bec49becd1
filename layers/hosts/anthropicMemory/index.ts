/**
 * Anthropic's memory tool on Daybook: `daybook/hosts/anthropic-memory`. Each file is a note with its history. Results
 * have the wording of the tool's documentation and of the file system tool in `@anthropic-ai/sdk`.
 */
import { randomUUID } from "node:crypto"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { makeDocuments } from "../documents.js"
import { checkMemory, type HostMemory, logFailure } from "../HostMemory.js"
import { type CommandInput, type CommandName, type MemoryCommand, planCommand } from "./commands.js"
import { FileProblem } from "./paths.js"

export { type HostMemory, type HostOptions, hostMemory } from "../HostMemory.js"
export { MemoryClosed } from "../MemoryClosed.js"
export { openMemory } from "../openMemory.js"
export type { MemoryCommand } from "./commands.js"

/**
 * Carries out commands of the memory tool, one after the other, at the level of the model. For `@ai-sdk/anthropic`:
 * `anthropic.tools.memory_20250818({ execute: memoryExecutor(memory) })`. A refused command rejects the promise with an
 * error that the model can act on. Throws `InvalidInput` for a promise in place of the memory.
 */
export const memoryExecutor = (memory: HostMemory): ((command: MemoryCommand) => Promise<string>) => {
  checkMemory(memory)
  const documents = makeDocuments(memory, "anthropic-memory")
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
  const perform = Effect.fnUntraced(function* (command: MemoryCommand): Effect.fn.Return<string, unknown> {
    const files = new Map((yield* documents.list()).map((file) => [file.name, file]))
    const { answer, changes } = yield* Effect.try({
      try: () => planCommand(files, command),
      catch: (problem) => problem
    })
    const run = changes.length > 1 ? `anthropic-memory-${randomUUID()}` : undefined
    for (const { file, path, text } of changes) {
      if (path === undefined) yield* documents.remove(file!, run)
      else if (file === undefined) yield* documents.save(path, text)
      else yield* documents.replace(file, path, text, run)
    }
    return answer
  })
  return (command) =>
    memory.run(
      oneAtATime(perform(command)).pipe(
        Effect.tapErrorCause((cause) =>
          Cause.squash(cause) instanceof FileProblem ? Effect.void : logFailure("memory tool", cause)
        )
      )
    )
}

/** `memoryExecutor` as `MemoryToolHandlers` for `@anthropic-ai/sdk`: `betaMemoryTool(memoryHandlers(memory))`. */
export const memoryHandlers = (
  memory: HostMemory
): { readonly [Name in CommandName]: (command: CommandInput<Name>) => Promise<string> } => {
  const execute = memoryExecutor(memory)
  return { view: execute, create: execute, str_replace: execute, insert: execute, delete: execute, rename: execute }
}

import * as Effect from "effect/Effect"
import type { MemoryNotFound } from "../../src/model/errors.js"
import type { Connection } from "./connection.js"
import type { ToolFailure } from "./Tool.js"

/** The memory can be read, but it is in a store that tools cannot write to. */
class ReadOnlyMemory implements ToolFailure {
  readonly _tag = "ReadOnlyMemory"
  readonly message: string
  constructor(id: string, { writeLevel }: Connection) {
    this.message =
      `memory ${id} is in a store that tools, at trust level ${writeLevel}, cannot change: ` +
      "store what is new with memory_write, or ask the user to change it with 'daybook update' or 'daybook forget'"
  }
}

/** Fails a write to a memory that the writer cannot see. If the reader can see it, the error says what to do. */
export const failNotFound = (connection: Connection, error: MemoryNotFound): Effect.Effect<never, ToolFailure> =>
  Effect.flatMap(connection.reader.get([error.id]), (memories) =>
    Effect.fail(memories.length === 0 ? error : new ReadOnlyMemory(error.id, connection))
  )

import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { lowestLevel, readableStores, type Store, type TrustLevel } from "../../events/Trust.js"
import type { Daybook } from "../../src/Daybook.js"
import type { Memory, MemoryReader } from "../../src/Memory.js"
import type { InvalidInput } from "../../src/model/errors.js"
import { modelLevel } from "../access/modelLevel.js"

/** One agent's memory, as the tools of one caller use it. */
export interface Connection {
  /** Reads at the caller's level. */
  readonly reader: MemoryReader
  /** Writes at the lower of the caller's level and the level of a model. */
  readonly writer: Memory
  readonly writeLevel: TrustLevel
  /** The strictest store that the writer may write to. If there is none: `social`, where its writes are refused. */
  readonly defaultStore: Store
}

export interface ConnectionOptions {
  readonly agent: string
  /** The level of the caller. It limits what tools read and write. */
  readonly trust: TrustLevel
  /** The writer's name in the history. Default: `mcp`. */
  readonly actor?: string | undefined
}

/** Opens an agent's memory for the tools of one caller. */
export const openConnection = Effect.fnUntraced(function* (
  daybook: Context.Tag.Service<Daybook>,
  { actor = "mcp", agent, trust }: ConnectionOptions
): Effect.fn.Return<Connection, InvalidInput> {
  const writeLevel = lowestLevel(trust, modelLevel)
  return {
    reader: yield* daybook.agent(agent, { trust, actor }),
    writer: yield* daybook.agent(agent, { trust: writeLevel, actor, record: false }),
    writeLevel,
    defaultStore: readableStores(writeLevel)[0] ?? "social"
  }
})

import { type GeneratedMemory, makeMemories } from "./data.js"
import { temporaryFolder } from "./harness.js"
import { seed } from "./seed.js"

/**
 * One agent of a given size in its own folder. It is cached in the process, because several groups use the same agent.
 */
export interface World {
  readonly folder: string
  readonly agent: string
  readonly memories: ReadonlyArray<GeneratedMemory>
}

const worlds = new Map<number, Promise<World>>()

export const worldOf = (size: number): Promise<World> => {
  const world = worlds.get(size) ?? make(size)
  worlds.set(size, world)
  return world
}

const make = async (size: number): Promise<World> => {
  const world = { folder: temporaryFolder(), agent: "agent", memories: makeMemories(size) }
  await seed(world.folder, new Map([[world.agent, world.memories]]))
  return world
}

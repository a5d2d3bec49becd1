import { type Made, makeMemories } from "./data.js"
import { temporary } from "./harness.js"
import { seed } from "./seed.js"

/** One agent of a given size in a folder of its own, made once a process: more than one group measures the large one. */
export interface World {
  readonly folder: string
  readonly agent: string
  readonly memories: ReadonlyArray<Made>
}

const made = new Map<number, Promise<World>>()

export const worldOf = (size: number): Promise<World> => {
  const known = made.get(size) ?? make(size)
  made.set(size, known)
  return known
}

const make = async (size: number): Promise<World> => {
  const world = { folder: temporary(), agent: "agent", memories: makeMemories(size) }
  await seed(world.folder, new Map([[world.agent, world.memories]]))
  return world
}

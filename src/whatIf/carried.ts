import type { DaybookEvent } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { differing } from "./diff.js"

export interface Carrying {
  /** What a memory is in the log just before the event. */
  readonly liveNow: (id: string) => Memory | undefined
  /** What it is in the branch. */
  readonly find: (id: string) => Memory | undefined
  /** To be told of what the branch has not. */
  readonly skip: (event: DaybookEvent, memory: Memory) => void
}

/** An event that nobody decides again, with its images as the branch has them; undefined where it has none of them. */
export const carried = (event: DaybookEvent, { find, liveNow, skip }: Carrying): DaybookEvent | undefined => {
  const onto = (after: Memory): Memory | undefined => {
    const before = liveNow(after.id)
    const mine = find(after.id)
    if (before === undefined) return after.born === event.version ? after : undefined
    const restored = after.status === "active" && before.status !== "active"
    if (mine !== undefined && (mine.status === before.status || restored)) return patched(mine, before, after)
    skip(event, after)
    return undefined
  }
  const all = (images: ReadonlyArray<Memory>) => images.flatMap((image) => onto(image) ?? [])
  switch (event.type) {
    case "COMPRESS": {
      const sources = all(event.payload.sources)
      return sources.length === 0 ? undefined : { ...event, payload: { ...event.payload, sources } }
    }
    case "ARCHIVE":
      return { ...event, payload: { ...event.payload, memories: all(event.payload.memories) } }
    case "ADD":
    case "UPDATE":
    case "DELETE": {
      const memory = onto(event.payload.memory)
      return memory === undefined ? undefined : ({ ...event, payload: { ...event.payload, memory } } as DaybookEvent)
    }
    default:
      return event
  }
}

/** Does to a memory of the branch what an event did to the one in the log. */
const patched = (branch: Memory, before: Memory, after: Memory): Memory => {
  const next: Record<string, unknown> = { ...branch }
  for (const field of differing(before, after)) {
    const value = (after as unknown as Record<string, unknown>)[field]
    if (value === undefined) delete next[field]
    else next[field] = value
  }
  return { ...(next as unknown as Memory), revision: branch.revision + after.revision - before.revision }
}

import { isDeepStrictEqual } from "node:util"
import type { DaybookEvent } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { differingFields } from "./diff.js"

export interface CarryOverContext {
  /** A memory as it is in the log just before the event. */
  readonly liveNow: (id: string) => Memory | undefined
  /** A memory as it is in the branch. */
  readonly find: (id: string) => Memory | undefined
  /** Reports a memory that the branch does not have with the same status. */
  readonly skip: (event: DaybookEvent, memory: Memory) => void
}

/**
 * Adapts an event that is not decided again to the branch's memories. Returns undefined if the branch has none of the
 * event's memories.
 */
export const carryOver = (event: DaybookEvent, { find, liveNow, skip }: CarryOverContext): DaybookEvent | undefined => {
  const inBranch = (after: Memory): Memory | undefined => {
    const before = liveNow(after.id)
    const branchMemory = find(after.id)
    if (before === undefined) return after.born === event.version ? after : undefined
    const isRestored = after.status === "active" && before.status !== "active"
    if (branchMemory !== undefined && (branchMemory.status === before.status || isRestored)) {
      return applyPatch(branchMemory, before, after)
    }
    skip(event, after)
    return undefined
  }
  const allInBranch = (images: ReadonlyArray<Memory>) => images.flatMap((image) => inBranch(image) ?? [])
  switch (event.type) {
    case "COMPRESS": {
      const sources = allInBranch(event.payload.sources)
      return sources.length === 0 ? undefined : { ...event, payload: { ...event.payload, sources } }
    }
    case "ARCHIVE":
      return { ...event, payload: { ...event.payload, memories: allInBranch(event.payload.memories) } }
    case "ADD":
    case "UPDATE":
    case "DELETE": {
      const memory = inBranch(event.payload.memory)
      return memory === undefined ? undefined : ({ ...event, payload: { ...event.payload, memory } } as DaybookEvent)
    }
    default:
      return event
  }
}

const fieldOf = (memory: Memory, field: string): unknown => (memory as unknown as Record<string, unknown>)[field]

/** Applies the event's changes of disputes to the branch's disputes. Returns undefined if no dispute remains. */
const patchedDisputes = (branch: Memory, before: Memory, after: Memory): Memory["disputes"] => {
  const [then, now] = [before, after].map(
    ({ disputes = [] }) => new Map(disputes.map((dispute) => [dispute.id, dispute]))
  )
  const patched = new Map((branch.disputes ?? []).map((dispute) => [dispute.id, dispute]))
  for (const id of then!.keys()) if (!now!.has(id)) patched.delete(id)
  for (const [id, dispute] of now!) if (!isDeepStrictEqual(dispute, then!.get(id))) patched.set(id, dispute)
  return patched.size === 0 ? undefined : [...patched.values()]
}

/** Applies an event's change of a memory in the log to the branch's memory. */
const applyPatch = (branch: Memory, before: Memory, after: Memory): Memory => {
  const patched: Record<string, unknown> = { ...branch }
  for (const field of differingFields(before, after)) {
    const value = field === "disputes" ? patchedDisputes(branch, before, after) : fieldOf(after, field)
    if (value === undefined) delete patched[field]
    else patched[field] = value
  }
  return { ...(patched as unknown as Memory), revision: branch.revision + after.revision - before.revision }
}

import type { Memory } from "../../events/Memory.js"

/** The after-image of a change, with the next revision number. */
export const nextRevision = (memory: Memory, fields: Partial<Memory>): Memory => ({
  ...memory,
  ...fields,
  revision: memory.revision + 1
})

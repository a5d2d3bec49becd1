/** The stages of maintenance, by name, in the order in which they run. */
export const stageNames = [
  "settle",
  "tools",
  "daily",
  "weekly",
  "compress",
  "gc",
  "retention",
  "archive",
  "cleanup",
  "sessions"
] as const

export type StageName = (typeof stageNames)[number]

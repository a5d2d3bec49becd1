import type { Memory } from "../../events/Memory.js"

/** Whether a memory says several things that stand together only because they came together: see `notes.ts`. */
export const isNote = ({ lineage = [], source }: Memory): boolean =>
  (source.name === "daily" || source.name === "weekly") && lineage.some(({ reason }) => reason === "compressed")

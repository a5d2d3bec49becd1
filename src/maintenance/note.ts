import type { Memory } from "../../events/Memory.js"

/** Whether a memory says several things that stand together only because maintenance put them together. */
export const isNote = ({ lineage = [], source }: Memory): boolean =>
  makers.has(source.name ?? "") && lineage.some(({ reason }) => reason === "compressed")

const makers: ReadonlySet<string> = new Set(["daily", "weekly", "compress"])

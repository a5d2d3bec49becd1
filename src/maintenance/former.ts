import type { Memory } from "../../events/Memory.js"
import type { Row } from "./facts.js"

/** The memories whose place one took. */
export type Former = (row: Row) => ReadonlyArray<Row>

/** What a memory took the place of, and what that had taken the place of, as far back as it is followed. */
export const formerOf = (memory: Memory, find: (id: string) => Memory | undefined): ReadonlyArray<Row> => {
  const found = new Map<string, Row>()
  let latest: ReadonlyArray<Memory> = [memory]
  for (let step = 0; step < steps && latest.length > 0 && found.size < most; step++) {
    latest = latest
      .flatMap(({ lineage = [] }) => lineage)
      .flatMap(({ kind, to }) => {
        const before = kind !== "supersedes" || found.has(to) ? undefined : find(to)
        if (before === undefined || before.status !== "superseded") return []
        found.set(to, { memory: before, accesses: undefined })
        return [before]
      })
  }
  return [...found.values()].slice(0, most)
}
const steps = 10
const most = 30

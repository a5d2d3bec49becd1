import { settle } from "../../layers/languages/en/settling/settle.js"
import type { Row } from "../../src/model/MemoryRow.js"
import type { Evidence, Settlement } from "../../src/ports/Settler.js"

/** Settles rows in one go; what the evidence leaves out is empty. */
export const settled = (rows: ReadonlyArray<Row>, evidence: Partial<Evidence> = {}): Settlement => {
  const work = settle(rows, { predecessors: () => [], wordings: () => [], contradicts: () => false, ...evidence })
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value
}

import { imagesOf } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import { indexed, indexing } from "../text/normalise/text.js"
import type { Projection } from "./Projection.js"
import * as TextIndex from "./textIndex.js"

/** The columns of the index, in order, with their bm25 weights. A word in the title counts twice. */
export const textColumns = { title: 2, narrative: 1, facts: 1, tags: 1, people: 1 } as const

export const memoryText = TextIndex.make("", textColumns)

/** Full text of the active memories. */
export const fulltext: Projection = {
  name: "fulltext",
  version: indexing,
  handles: ["ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: memoryText.tables,
  indexes: "",
  drop: memoryText.drop,
  apply: (db, event, lookup) => {
    const filling = lookup.filling?.("fulltext") === true
    for (const memory of imagesOf(event)) {
      const row = memory.status === "active" ? rowOf(memory, lookup.opennessOf(memory)) : null
      if (memory.born !== event.version) memoryText.replace(db, memory.born, row, filling)
      else if (row !== null) memoryText.add(db, row, filling)
    }
  },
  fill: memoryText.fill,
  digest: memoryText.digest,
  stateDigest: memoryText.stateDigest
}

const rowOf = (memory: Memory, openness: number): TextIndex.TextRow => ({
  born: memory.born,
  id: memory.id,
  openness,
  columns: [
    indexed(memory.title),
    indexed(memory.narrative ?? ""),
    indexed(memory.facts.join("\n")),
    indexed(memory.tags.join(" ")),
    indexed(memory.people.join("\n"))
  ]
})

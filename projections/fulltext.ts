import { afterImages } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import { indexVersion, toIndexText } from "../text/normalise/indexText.js"
import type { Projection } from "./Projection.js"
import * as TextIndex from "./textIndex.js"

/** The columns of the index, in order, with their bm25 weights. A word in the title counts twice. */
export const textColumns = { title: 2, narrative: 1, facts: 1, tags: 1, people: 1 } as const

export const memoryTextIndex = TextIndex.make("", textColumns)

/** The full-text index of the active memories. */
export const fulltext: Projection = {
  name: "fulltext",
  version: indexVersion,
  handles: ["ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: memoryTextIndex.tables,
  indexes: "",
  drop: () => memoryTextIndex.drop,
  apply: (db, event, lookup) => {
    const filling = lookup.isFilledLater?.("fulltext") === true
    for (const memory of afterImages(event)) {
      const row = memory.status === "active" ? rowOf(memory, lookup.opennessOf(memory)) : null
      if (memory.born !== event.version) memoryTextIndex.replace(db, memory.born, row, filling)
      else if (row !== null) memoryTextIndex.add(db, row, filling)
    }
  },
  fill: memoryTextIndex.fill,
  digest: memoryTextIndex.digest,
  stateDigest: memoryTextIndex.stateDigest
}

const rowOf = (memory: Memory, openness: number): TextIndex.TextRow => ({
  born: memory.born,
  id: memory.id,
  openness,
  columns: [
    toIndexText(memory.title),
    toIndexText(memory.narrative ?? ""),
    toIndexText(memory.facts.join("\n")),
    toIndexText(memory.tags.join(" ")),
    toIndexText(memory.people.join("\n"))
  ]
})

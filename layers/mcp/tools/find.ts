import * as Effect from "effect/Effect"
import * as z from "zod"
import type { IndexRow } from "../../../projections/observationSearch.js"
import { InvalidInput, MemoryNotFound } from "../../../src/model/errors.js"
import { readOnlyEffects, tool } from "../Tool.js"
import { hitLine, hitOf, listText, memoryText, shownMemory } from "../text.js"
import { integerSchema, rowsSchema, storeSchema, textListSchema, textSchema } from "./fields.js"

/** Maximum memories of one `memory_get`, so that its answer has at most about 20,000 tokens. */
const maxWhole = 20

const hits = z.object({ hits: z.array(z.object({ id: textSchema, title: textSchema, tokens: integerSchema })) })

const hitsAnswer = (found: ReadonlyArray<IndexRow>, none: string) => ({
  data: { hits: found.map(hitOf) },
  text: listText(found.map(hitLine), none)
})

export const memorySearch = tool({
  name: "memory_search",
  title: "Search memories",
  description: "Find memories; the answer is an index.",
  annotations: readOnlyEffects,
  input: z.strictObject({
    query: textSchema.optional(),
    types: textListSchema.optional(),
    store: storeSchema.optional(),
    people: textListSchema.optional(),
    after: textSchema.describe("ISO date").optional(),
    before: textSchema.optional(),
    limit: integerSchema.optional()
  }),
  output: hits,
  run: ({ query, store, ...filters }, { reader }) =>
    Effect.map(
      reader.search({ ...filters, text: query, ...(store === undefined ? {} : { stores: [store] }) }),
      (found) => hitsAnswer(found, "Nothing found. Try other words, or fewer filters.")
    )
})

export const memoryTimeline = tool({
  name: "memory_timeline",
  title: "Memory timeline",
  description: "List what came before and after a memory.",
  annotations: readOnlyEffects,
  input: z.strictObject({
    anchor: textSchema.describe("id"),
    before: integerSchema.optional(),
    after: integerSchema.optional()
  }),
  output: z.object({ hits: rowsSchema }),
  run: (input, { reader }) =>
    Effect.map(reader.timeline(input), (found) => hitsAnswer(found, `Nothing is near ${input.anchor}.`))
})

export const memoryGet = tool({
  name: "memory_get",
  title: "Read memories",
  description: "Read memories.",
  annotations: readOnlyEffects,
  input: z.strictObject({ ids: textListSchema }),
  output: z.object({ memories: rowsSchema }),
  run: Effect.fnUntraced(function* ({ ids }, { reader }) {
    if (ids.length === 0 || ids.length > maxWhole) {
      return yield* new InvalidInput({ field: "ids", problem: `must have 1 to ${maxWhole} entries` })
    }
    const memories = (yield* reader.get(ids)).map((memory) => shownMemory(memory))
    const missing = ids.filter((id) => !memories.some((memory) => memory.id === id))
    if (memories.length === 0) return yield* new MemoryNotFound({ id: missing.join(", ") })
    return {
      data: { memories, ...(missing.length === 0 ? {} : { missing }) },
      text: [...memories.map(memoryText), ...(missing.length === 0 ? [] : [`Not found: ${missing.join(", ")}`])].join(
        "\n\n"
      )
    }
  })
})

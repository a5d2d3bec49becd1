import * as Effect from "effect/Effect"
import * as z from "zod"
import { failNotFound } from "../refusal.js"
import { addingEffects, replacingEffects, tool } from "../Tool.js"
import { storeSchema, textListSchema, textSchema } from "./fields.js"

const saved = z.object({ id: textSchema })

export const memoryWrite = tool({
  name: "memory_write",
  title: "Store a memory",
  description: "Store one statement.",
  annotations: addingEffects,
  input: z.strictObject({
    title: textSchema.describe("the statement"),
    narrative: textSchema.optional(),
    facts: textListSchema.optional(),
    type: textSchema.describe("such as decision, preference, event").optional(),
    people: textListSchema.optional(),
    tags: textListSchema.optional(),
    store: storeSchema.optional()
  }),
  output: z.object({ id: textSchema, outcome: textSchema }),
  run: (input, { writer }, options) =>
    Effect.map(writer.remember(input, options), ({ disputes, id, lowered, mentions, notTaken, outcome, replaced }) => {
      const data = {
        ...{ id, outcome, mentions },
        ...(replaced === undefined ? {} : { replaced }),
        ...(disputes === undefined ? {} : { disputes }),
        ...(notTaken === undefined ? {} : { notTaken }),
        ...(lowered === undefined ? {} : { lowered })
      }
      const notes = [
        ...(replaced === undefined ? [] : [`it replaces ${replaced}`]),
        ...(disputes === undefined ? [] : [`it contradicts ${disputes.join(", ")}: ask the user which is true`]),
        ...(notTaken === undefined ? [] : [`not stored: ${notTaken.join(", ")}; use memory_update`]),
        ...(lowered === undefined ? [] : [`lowered: ${lowered.join(", ")}`])
      ]
      return { data, text: [`${outcome} ${id}`, ...notes].join("; ") }
    })
})

export const memoryUpdate = tool({
  name: "memory_update",
  title: "Change a memory",
  description: "Replace fields of a memory.",
  annotations: replacingEffects,
  input: z.strictObject({
    id: textSchema,
    title: textSchema.optional(),
    narrative: textSchema.optional(),
    facts: textListSchema.optional(),
    tags: textListSchema.optional()
  }),
  output: saved,
  run: ({ id, ...changes }, connection, options) =>
    connection.writer.update(id, changes, options).pipe(
      Effect.as({ data: { id }, text: `changed ${id}` }),
      Effect.catchTag("MemoryNotFound", (error) => failNotFound(connection, error))
    )
})

export const memoryForget = tool({
  name: "memory_forget",
  title: "Forget a memory",
  description: "Hide a memory that is wrong.",
  annotations: replacingEffects,
  input: z.strictObject({ id: textSchema }),
  output: saved,
  run: ({ id }, connection, options) =>
    connection.writer.forget(id, options).pipe(
      Effect.as({ data: { id }, text: `forgot ${id}` }),
      Effect.catchTag("MemoryNotFound", (error) => failNotFound(connection, error))
    )
})

import * as Effect from "effect/Effect"
import * as z from "zod"
import { MemoryNotFound } from "../../../src/model/errors.js"
import { quotedText, visibleLine } from "../../../text/normalise/visibleText.js"
import { toIso } from "../../../text/when/dates.js"
import { failNotFound } from "../refusal.js"
import { addingEffects, readOnlyEffects, replacingEffects, tool } from "../Tool.js"
import { cut, listText } from "../text.js"
import { integerSchema, rowsSchema, textListSchema, textSchema } from "./fields.js"

/** Maximum characters of a note in a list. */
const listedNote = 1_000

const saved = z.object({ id: textSchema })

export const noteSave = tool({
  name: "note_save",
  title: "Save a note",
  description: "Save a text as it is.",
  annotations: addingEffects,
  input: z.strictObject({ content: textSchema, tags: textListSchema.optional() }),
  output: saved,
  run: (note, { writer }, options) =>
    Effect.map(writer.notes.save({ ...note, source: "note_save" }, options), ({ id, store }) => ({
      data: { id, store },
      text: `saved ${id}`
    }))
})

export const noteSearch = tool({
  name: "note_search",
  title: "Search notes",
  description: "Find notes.",
  annotations: readOnlyEffects,
  input: z.strictObject({
    query: textSchema.optional(),
    tags: textListSchema.optional(),
    limit: integerSchema.optional()
  }),
  output: z.object({ notes: rowsSchema }),
  run: ({ limit, query, tags }, { reader }) =>
    Effect.map(reader.notes.search({ text: query, tags, limit }), (hits) => {
      const notes = hits.map(({ content, id, store, tags, tokens, updatedAt }) => ({
        ...{ id, content: cut(content, listedNote), tags, store, tokens },
        updated: toIso(updatedAt)
      }))
      const lines = notes.map(
        ({ content, id, tags, updated }) =>
          `${id} ${updated.slice(0, 10)}${tags.map((tag) => ` #${visibleLine(tag)}`).join("")} ${quotedText(content)}`
      )
      return { data: { notes }, text: listText(lines, "No note found.") }
    })
})

export const noteUpdate = tool({
  name: "note_update",
  title: "Change a note",
  description: "Replace a note's content or tags.",
  annotations: replacingEffects,
  input: z.strictObject({ id: textSchema, content: textSchema.optional(), tags: textListSchema.optional() }),
  output: saved,
  run: ({ id, ...changes }, connection, options) =>
    connection.writer.notes.update(id, changes, options).pipe(
      Effect.as({ data: { id }, text: `changed ${id}` }),
      Effect.catchTag("MemoryNotFound", (error) => failNotFound(connection, error))
    )
})

export const noteDelete = tool({
  name: "note_delete",
  title: "Delete a note",
  description: "Delete a note.",
  annotations: replacingEffects,
  input: z.strictObject({ id: textSchema }),
  output: z.object({ deleted: z.boolean() }),
  run: Effect.fnUntraced(function* ({ id }, connection, options) {
    const deleted = yield* connection.writer.notes.delete(id, options)
    // The writer does not see notes in stricter stores; the reader may.
    if (!deleted && (yield* connection.reader.notes.get(id)) !== null) {
      return yield* failNotFound(connection, new MemoryNotFound({ id }))
    }
    return { data: { deleted }, text: deleted ? `deleted ${id}` : `there is no note ${id}` }
  })
})

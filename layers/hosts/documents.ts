import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { isAtLeast } from "../../events/Trust.js"
import type { ReadError } from "../../src/model/filters.js"
import { limits } from "../../src/model/limits.js"
import type { HostMemory } from "./HostMemory.js"

/** A text that a host stores under a name. Times are milliseconds since the epoch. */
export interface HostDocument {
  /** The id of the note that contains the document. */
  readonly id: string
  /** The name: one line. */
  readonly name: string
  readonly text: string
  readonly createdAt: number
  readonly updatedAt: number
  /** The ids of older notes with the same name, which another process created at the same time. */
  readonly duplicates: ReadonlyArray<string>
}

/** Maximum characters of a name and a text together. */
export const maxDocumentCharacters = limits.narrative - 1

/**
 * The documents of one host in an agent's memory. Each document is a note whose first line is the document's name, so
 * history, search and undo work for documents. Notes below the level of the model are not documents. If two processes
 * create the same name at once, the note that changed last counts; its next change removes the other note.
 */
export const makeDocuments = (
  { model: { notes }, modelLevel }: Pick<HostMemory, "model" | "modelLevel">,
  host: string
) => {
  const removeAll = (ids: ReadonlyArray<string>, run: string | undefined) =>
    Effect.forEach(ids, (id) => notes.delete(id, { run }), { discard: true })
  return {
    /** The documents, oldest first. With a name, only the document that was saved under that name with `isNamed`. */
    list: Effect.fnUntraced(function* (name?: string): Effect.fn.Return<ReadonlyArray<HostDocument>, ReadError> {
      const newest = new Map<string, HostDocument>()
      for (let offset = 0; ; offset += limits.page) {
        const user = name === undefined ? {} : { user: digestOf(name) }
        const page = yield* notes.list({ ...user, tags: [host], limit: limits.page, offset })
        for (const { content, source, ...note } of page) {
          const end = content.indexOf("\n")
          const name = content.slice(0, end)
          if (!isAtLeast(note.level, modelLevel) || source !== host || end <= 0) continue
          const newer = newest.get(name)
          const found = newer ?? { ...note, name, text: content.slice(end + 1), duplicates: [] }
          newest.set(name, newer === undefined ? found : { ...found, duplicates: [...found.duplicates, note.id] })
        }
        if (page.length < limits.page) return [...newest.values()].reverse().sort((a, b) => a.createdAt - b.createdAt)
      }
    }),

    /** Saves a new document. `isNamed`: the name will not change, so `list` can find the document by name. */
    save: (name: string, text: string, { isNamed = false } = {}) =>
      notes.save({
        content: `${name}\n${text}`,
        tags: [host],
        source: host,
        ...(isNamed ? { user: digestOf(name) } : {})
      }),

    replace: ({ duplicates, id }: HostDocument, name: string, text: string, run?: string) =>
      Effect.zipRight(notes.update(id, { content: `${name}\n${text}` }, { run }), removeAll(duplicates, run)),

    remove: ({ duplicates, id }: HostDocument, run?: string) => removeAll([id, ...duplicates], run)
  }
}

/** A digest, because a name may be longer than the key by which notes are found. */
const digestOf = (name: string): string => createHash("sha256").update(name).digest("hex")

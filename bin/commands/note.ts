import * as Effect from "effect/Effect"
import type { Store } from "../../events/Trust.js"
import type { Note, NoteHit } from "../../src/notes/Notes.js"
import { decodeNote } from "../../src/notes/noteInput.js"
import { refusalError, usageError } from "../exit.js"
import { dayText, timestampText } from "../format.js"
import {
  type AsOfOptions,
  asOfOption,
  commandIdOption,
  option,
  type PageOptions,
  pageOptions,
  parseNonEmpty,
  parseStore,
  repeatableOption
} from "../options.js"
import { credentialNote } from "../rows.js"
import { type Column, fieldsTable, table } from "../table.js"
import { awaitVectors } from "../vectors.js"
import type { Call, Command } from "./Command.js"

interface NoteOptions extends AsOfOptions, PageOptions {
  readonly tag?: ReadonlyArray<string>
  readonly anyTag?: ReadonlyArray<string>
  readonly user?: string
  readonly source?: string
  readonly store?: Store
  readonly commandId?: string
}

/** For each verb, its argument and the options that it accepts. */
const verbs = {
  save: { needs: "text", takes: ["tag", "user", "source", "store", "commandId"] },
  get: { needs: "an id", takes: ["asOf"] },
  search: { needs: "words", takes: ["tag", "anyTag", "user", "limit", "asOf"] },
  list: { needs: undefined, takes: ["tag", "anyTag", "user", "limit", "offset", "asOf"] },
  update: { needs: "an id", takes: ["tag", "store", "commandId"] },
  delete: { needs: "an id", takes: ["commandId"] }
} as const satisfies Record<
  string,
  { readonly needs?: string | undefined; readonly takes: ReadonlyArray<keyof NoteOptions> }
>

type Verb = keyof typeof verbs

export const note: Command<NoteOptions, readonly [action: string, words: ReadonlyArray<string>]> = {
  usage: "note <save|get|search|list|update|delete> [words...]",
  creates: "save",
  summary: "save, find, change or delete notes",
  options: [
    repeatableOption("--tag <tag>", "set a tag, or show only notes that have all given tags", parseNonEmpty),
    repeatableOption("--any-tag <tag>", "show only notes that have any of the given tags", parseNonEmpty),
    option("--user <name>", "set the note's user, or show only notes of this user"),
    option("--source <name>", "set the name of the tool that saves the note"),
    option("--store <store>", "set the store, which limits readers: private, shared or social", parseStore),
    ...pageOptions,
    asOfOption,
    commandIdOption
  ],
  examples: [
    'note save "The pilots publish the tide tables on Mondays" --tag tides --user mira',
    "note search tide tables --tag tides",
    'note update note-5d0c1c1e-6f0e-4b9f-8a53-2b0f5a9d7c11 "The tables come out on Tuesdays"',
    "note delete note-5d0c1c1e-6f0e-4b9f-8a53-2b0f5a9d7c11"
  ],
  run: (call, options, [action, words]) =>
    Effect.gen(function* () {
      const verb = (Object.keys(verbs) as Array<Verb>).find((name) => name === action)
      if (verb === undefined) return yield* usageError(`action: must be one of ${Object.keys(verbs).join(", ")}`)
      const { needs, takes } = verbs[verb]
      const wrong = Object.keys(options).find((name) => !(takes as ReadonlyArray<string>).includes(name))
      if (wrong !== undefined) {
        const flagName = wrong.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
        return yield* usageError(`'note ${verb}' takes no --${flagName}`)
      }
      if (needs === undefined ? words.length > 0 : words.length === 0) {
        return yield* usageError(
          needs === undefined ? `'note ${verb}' takes no words` : `'note ${verb}' needs ${needs}`
        )
      }
      if ((verb === "get" || verb === "delete") && words.length > 1) {
        return yield* usageError(`'note ${verb}' needs exactly one id`)
      }
      yield* run[verb](call, options, words)
    })
}

const run = {
  save: (call: Call, { commandId, tag, ...rest }: NoteOptions, words: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const note = { content: words.join(" "), tags: tag, ...rest }
      // Checked before the data folder is opened, because opening creates it.
      yield* decodeNote(note)
      const saved = yield* Effect.flatMap(call.memory, (memory) => memory.notes.save(note, { commandId }))
      yield* awaitVectors(call)
      yield* call.out.show(saved, () => `saved ${saved.id}${versionText(saved)}${credentialNote(saved)}`)
    }),
  get: ({ out, reader }: Call, { asOf }: NoteOptions, [id = ""]: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const found = yield* memory.notes.get(id)
      if (found === null) return yield* noteNotFound(id)
      yield* out.show(found, async () => `${await fieldsTable(out, detailsOf(found))}\n\n${found.content}`)
    }),
  search: ({ out, reader }: Call, { anyTag, asOf, limit, tag, user }: NoteOptions, words: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const hits = yield* memory.notes.search({ text: words.join(" "), tags: tag, anyTags: anyTag, user, limit })
      const score: Column<NoteHit> = { name: "score", cell: (hit) => hit.score.toFixed(3), alignRight: true }
      const text: Column<NoteHit> = { name: "text", cell: (hit) => hit.text, elastic: true }
      yield* out.show(hits, () => table<NoteHit>(out, hits, [idColumn, score, ...columns, text]))
    }),
  list: ({ out, reader }: Call, { anyTag, asOf, limit, offset, tag, user }: NoteOptions) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const notes = yield* memory.notes.list({ tags: tag, anyTags: anyTag, user, limit, offset })
      const content: Column<Note> = { name: "content", cell: (entry) => entry.content, elastic: true }
      yield* out.show(notes, () => table<Note>(out, notes, [idColumn, ...columns, content]))
    }),
  update: (call: Call, { commandId, store, tag }: NoteOptions, [id = "", ...words]: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const memory = yield* call.memory
      const content = words.length === 0 ? undefined : words.join(" ")
      const updated = yield* memory.notes.update(id, { content, tags: tag, store }, { commandId })
      yield* awaitVectors(call)
      yield* call.out.show(updated, () => `${updated.outcome} ${updated.id}${versionText(updated)}`)
    }),
  delete: ({ memory, out }: Call, { commandId }: NoteOptions, [id = ""]: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const deleted = yield* Effect.flatMap(memory, (opened) => opened.notes.delete(id, { commandId }))
      if (!deleted) return yield* noteNotFound(id)
      yield* out.show({ id, deleted }, () => `deleted ${id}`)
    })
} satisfies Record<Verb, unknown>

const noteNotFound = (id: string) => refusalError(`note ${id} not found: check the id and the trust level`)

const versionText = ({ version }: { readonly version?: number }): string =>
  version === undefined ? "" : ` (version ${version})`

const detailsOf = (found: Note): ReadonlyArray<readonly [string, string]> => [
  ["id", found.id],
  ["tags", found.tags.join(", ")],
  ["store", found.store],
  ["namespace", found.namespace ?? ""],
  ["source", found.source ?? ""],
  ["created", timestampText(found.createdAt)],
  ["updated", timestampText(found.updatedAt)]
]

const idColumn: Column<Note> = { name: "id", cell: ({ id }) => id, colour: "cyan" }

const columns: ReadonlyArray<Column<Note>> = [
  { name: "updated", cell: ({ updatedAt }) => dayText(updatedAt) },
  { name: "store", cell: ({ store }) => store },
  { name: "tags", cell: ({ tags }) => tags.join(", ") }
]

import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { isNoteId, type Memory } from "../../events/Memory.js"
import type { Store, TrustLevel } from "../../events/Trust.js"
import { levelOf } from "../../events/Trust.js"
import { findNotes, noteText } from "../../projections/notes.js"
import { getMemories } from "../../projections/observationReads.js"
import type { CommandError } from "../actor/Actor.js"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import {
  type ConversationFilter,
  type ConversationHit,
  decodeConversationQuery,
  searchConversationRows
} from "../conversation/searchConversation.js"
import {
  type CredentialForbidden,
  type InvalidInput,
  type LevelTooLow,
  MemoryNotFound,
  type ProjectionParked,
  type StoreForbidden
} from "../model/errors.js"
import { checkObject, checkPage, type PageQuery, type ReadError } from "../model/filters.js"
import { decodeKey } from "../model/input.js"
import { defineMethod } from "../model/operation.js"
import { forget } from "../remember/forget.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import type { Runner } from "../remember/runner.js"
import { type Updated, update } from "../remember/update.js"
import { searchAndRecord } from "../search/recordedSearch.js"
import type { SearchOptions } from "../search/retrieve.js"
import { decodeFilter } from "../search/search.js"
import { decodeNoteChanges, decodeUser, fieldsOf, type NoteChanges, type NoteInput, namespaceOf } from "./noteInput.js"
import { type SavedNote, saveNote } from "./saveNote.js"

export type { NoteChanges, NoteInput } from "./noteInput.js"
export type { SavedNote } from "./saveNote.js"

/** A note. Times are milliseconds since the epoch; the engine sets them. */
export interface Note {
  readonly id: string
  readonly content: string
  readonly tags: ReadonlyArray<string>
  /** The name of the tool that saved the note; null if none was given. */
  readonly source: string | null
  /** `memory:{user}`; null for a note without a user. */
  readonly namespace: string | null
  readonly store: Store
  /** The trust level of the writer. */
  readonly level: TrustLevel
  /** The length of the note in tokens. */
  readonly tokens: number
  readonly createdAt: number
  readonly updatedAt: number
  /** The schema version of a note. */
  readonly schema: 1
}

/** A note that a search found, with the best matching piece and the parts of its score. */
export interface NoteHit extends Note, Pick<ConversationHit, "score" | "parts"> {
  /** The piece that matches best. */
  readonly text: string
}

/** Filters of notes. */
export interface NoteFilter {
  /** Only notes of this user. */
  readonly user?: string | undefined
  /** A note must have each of these tags. */
  readonly tags?: ReadonlyArray<string> | undefined
  /** A note must have one of these tags. */
  readonly anyTags?: ReadonlyArray<string> | undefined
}

export interface NoteListQuery extends NoteFilter, PageQuery {}

/** A search of notes. Without `text`, the search finds the newest notes. */
export interface NoteQuery
  extends NoteFilter,
    SearchOptions,
    Pick<ConversationFilter, "stores" | "after" | "before" | "limit"> {
  readonly text?: string | undefined
}

/** Reads of notes: `memory.notes`. The reads `memory.search`, `get`, `history` and `why` support notes too. */
export interface NoteReader {
  /** Returns a note; null if there is no note with this id that the level may read. */
  readonly get: (id: string) => Effect.Effect<Note | null, ReadError>
  /** Finds notes by words and by meaning, best first. */
  readonly search: (query: NoteQuery) => Effect.Effect<ReadonlyArray<NoteHit>, ReadError>
  /** Lists notes, last changed first. */
  readonly list: (query?: NoteListQuery) => Effect.Effect<ReadonlyArray<Note>, ReadError>
}

/** Writes of notes: `memory.notes`. */
export interface NoteWriter {
  /** Saves a new note. A note is never merged with other memories, and maintenance does not change it. */
  readonly save: (
    note: NoteInput,
    options?: WriteOptions
  ) => Effect.Effect<SavedNote, CommandError | InvalidInput | StoreForbidden | CredentialForbidden>
  /** Replaces the content or the tags of a note. The id and the creation time stay. */
  readonly update: (
    id: string,
    changes: NoteChanges,
    options?: WriteOptions
  ) => Effect.Effect<
    Updated,
    CommandError | InvalidInput | LevelTooLow | StoreForbidden | MemoryNotFound | CredentialForbidden
  >
  /** Deletes a note. Returns false if there is no note with this id that the level may read. */
  readonly delete: (
    id: string,
    options?: WriteOptions
  ) => Effect.Effect<boolean, CommandError | InvalidInput | LevelTooLow | ProjectionParked>
}

/** @internal */
export const makeNoteReader = (source: ReaderSource, services: ReaderServices): NoteReader => {
  const { level, read } = source
  return {
    get: defineMethod("Memory.notes.get")(function* (id) {
      yield* decodeKey("id", id)
      if (!isNoteId(id)) return null
      const [memory] = yield* read(({ db, now }) => getMemories(db, level, [id], now))
      return memory === undefined ? null : noteOf(memory)
    }),

    search: defineMethod("Memory.notes.search")(function* (query) {
      yield* checkObject("query", query, "text")
      const { user, ...others } = query
      const sessions = yield* sessionsOf(user)
      const request = yield* decodeConversationQuery({ ...others, sessions, kinds: ["note"] }, services.ranking.policy)
      const { hits } = yield* searchAndRecord(source, services, "conversation", request, searchConversationRows)
      const ids = hits.map(({ id }) => id)
      const notes = yield* read(
        ({ db, now }) => new Map(getMemories(db, level, ids, now).map((memory) => [memory.id, noteOf(memory)]))
      )
      return hits.flatMap(({ id, parts, score, text }) => {
        const note = notes.get(id)
        return note === undefined ? [] : [{ ...note, text, score, parts }]
      })
    }),

    list: defineMethod("Memory.notes.list")(function* (query = {}) {
      const page = yield* checkPage(query, 50, ["user", "tags", "anyTags"])
      const { anyTags, tags, user } = query
      const { limit: _, ...filters } = yield* decodeFilter({ tags, anyTags }, 50, [])
      const sessions = yield* sessionsOf(user)
      const memories = yield* read(({ db, now }) => findNotes(db, level, { ...filters, sessions }, now, page))
      return memories.map(noteOf)
    })
  }
}

/** @internal */
export const makeNoteWriter = ({ run }: Runner, writer: Writer): NoteWriter => ({
  save: defineMethod("Memory.notes.save")((note, options) => run(() => saveNote(writer, note, options), options)),

  update: defineMethod("Memory.notes.update")((id, changes, options) =>
    run(
      () =>
        Either.gen(function* () {
          const { content, ...others } = yield* decodeNoteChanges(changes)
          yield* requireNoteId(id)
          const text = content === undefined ? {} : fieldsOf(content)
          return yield* update(writer, id, { ...others, ...text }, options)
        }),
      options
    )
  ),

  delete: defineMethod("Memory.notes.delete")((id, options) =>
    run(
      () =>
        Either.gen(function* () {
          yield* requireNoteId(id)
          return yield* forget(writer, id, options)
        }),
      options
    ).pipe(
      Effect.as(true),
      Effect.catchTag("MemoryNotFound", () => Effect.succeed(false))
    )
  )
})

const requireNoteId = (id: string): Either.Either<void, MemoryNotFound> =>
  isNoteId(id) ? Either.void : Either.left(new MemoryNotFound({ id }))

const sessionsOf = (user: string | undefined) =>
  Either.map(decodeUser({ user }), () => (user === undefined ? [] : [namespaceOf(user)]))

const noteOf = (memory: Memory): Note => {
  const { createdAt, id, session, source, store, tags, tokens, updatedAt } = memory
  return {
    ...{ id, tags, store, tokens, createdAt, updatedAt },
    content: noteText(memory),
    source: source.name ?? null,
    namespace: session ?? null,
    level: levelOf(memory),
    schema: 1
  }
}

import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { Decision, EventType } from "../events/catalogue.js"
import type { Memory as Image } from "../events/Memory.js"
import type { Store } from "../events/Trust.js"
import type { Turn } from "../events/Turn.js"
import type { IndexedFile } from "../projections/files.js"
import type { Person } from "../projections/people.js"
import type { IndexRow } from "../projections/search.js"
import type { Session } from "../projections/sessionReads.js"
import type { CommandError } from "./actor/Actor.js"
import type { AddedFile } from "./conversation/addFile.js"
import type { AddedTurn } from "./conversation/addTurn.js"
import type { FileInput } from "./conversation/fileInput.js"
import type { ForgottenFile } from "./conversation/forgetFile.js"
import type { ForgottenSession } from "./conversation/forgetSession.js"
import type { ConversationHit, ConversationQuery } from "./conversation/searchConversation.js"
import type { TurnInput } from "./conversation/turnInput.js"
import type { Imported, ImportOptions } from "./import/importFiles.js"
import type { LifeReader, LifeWriter } from "./maintenance/Life.js"
import type {
  CredentialForbidden,
  FileInSession,
  FileNotFound,
  InvalidInput,
  MemoryNotFound,
  PathRefused,
  ProjectionParked,
  SequenceConflict,
  SessionNotFound,
  SourceNotFound,
  StoreForbidden
} from "./model/errors.js"
import type { PageQuery, ReadError } from "./model/filters.js"
import type { Changes, Observation } from "./model/input.js"
import type { WholeMemory } from "./model/wholeMemory.js"
import type { RecallReader } from "./recalls/RecallReader.js"
import type { Forgotten } from "./remember/forget.js"
import type { Remembered, RememberOptions, WriteOptions } from "./remember/remember.js"
import type { Updated } from "./remember/update.js"
import type { ScheduleReader, ScheduleWriter } from "./schedules/Schedules.js"
import type { Explained, Living } from "./search/explain.js"
import type { Filter, Hit, Query } from "./search/search.js"
import type { Undoable } from "./undo/choose.js"
import type { UndoError, Undone, UndoOptions } from "./undo/undo.js"
import type { Why, WhyOptions } from "./why.js"

export type { PageQuery, ReadError } from "./model/filters.js"
export type { WholeMemory } from "./model/wholeMemory.js"

/** One version of a memory: what happened to it, who did it, when and why, and how it was from then on. */
export interface HistoryEntry {
  /** Counts the memory's own changes from 1. */
  readonly revision: number
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly type: EventType
  /** Milliseconds since the epoch. */
  readonly recordedAt: number
  readonly actor: string
  readonly decision: Decision | null
  readonly memory: WholeMemory & { readonly status: Image["status"] }
}

/** People asked for by name. */
export interface PeopleQuery extends PageQuery {
  /** Part of a name; everybody where absent. */
  readonly name?: string | undefined
}

export interface ListQuery extends Filter {
  readonly offset?: number | undefined
}

/** How many rows on either side of the anchor; 5 where absent. */
export interface TimelineQuery {
  readonly anchor: string
  readonly before?: number | undefined
  readonly after?: number | undefined
}

/**
 * What an agent remembers, as a reader at one trust level may see it: now, or
 * as of a past version. The level is part of the handle, so no read can forget it.
 */
export interface MemoryReader extends LifeReader, RecallReader, ScheduleReader {
  /** Finds memories by words and likeness: the compact index, best first. */
  readonly search: (query: Query) => Effect.Effect<ReadonlyArray<Hit>, ReadError>
  /** The same search, with how it was understood and why each hit is one, in words. */
  readonly explain: (query: Query) => Effect.Effect<Explained<Hit & Living>, ReadError>
  /** What stood before and after a memory in time, the anchor included, oldest first. */
  readonly timeline: (query: TimelineQuery) => Effect.Effect<ReadonlyArray<IndexRow>, ReadError | MemoryNotFound>
  /** Whole memories in the order asked for; those that are not there (or may not be read) are left out. */
  readonly get: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<WholeMemory>, ReadError>
  /** The newest memories that pass the filters, a page at a time. */
  readonly list: (query?: ListQuery) => Effect.Effect<ReadonlyArray<IndexRow>, ReadError>
  /** How a memory came to be what it is: its versions with their decisions, what it replaced, what it was made of. See `Why`. */
  readonly why: (id: string, options?: WhyOptions) => Effect.Effect<Why, ReadError | MemoryNotFound>
  /** Every version of a memory, oldest first. At full trust also of one that was forgotten. */
  readonly history: (id: string) => Effect.Effect<ReadonlyArray<HistoryEntry>, ReadError | MemoryNotFound>
  /** Finds what was said in conversations and what stands in files: pieces, best first, one of each turn and file. */
  readonly searchConversation: (query: ConversationQuery) => Effect.Effect<ReadonlyArray<ConversationHit>, ReadError>
  /** The same, with how it was understood and why each hit is one, in words. */
  readonly explainConversation: (query: ConversationQuery) => Effect.Effect<Explained<ConversationHit>, ReadError>
  /** Sessions, the most recently used first. */
  readonly sessions: (query?: PageQuery) => Effect.Effect<ReadonlyArray<Session>, ReadError>
  /** The last turns of a session, oldest first: 100 where `last` is absent. */
  readonly turns: (
    session: string,
    query?: { readonly last?: number | undefined }
  ) => Effect.Effect<ReadonlyArray<Turn>, ReadError>
  /** The files that are indexed, the last added first, without their text. */
  readonly files: (query?: PageQuery) => Effect.Effect<ReadonlyArray<IndexedFile>, ReadError>
  /** Who is mentioned, most recently mentioned first. */
  readonly people: (query?: PeopleQuery) => Effect.Effect<ReadonlyArray<Person>, ReadError>
}

/** A reader that may also write. Writes are answered when they are durable and readable. */
export interface Memory extends MemoryReader, LifeWriter, ScheduleWriter {
  /**
   * Adds a memory, or counts another mention where the store has it already (same title and facts). One that is like
   * others of its store is weighed against them: see `Remembered` for what may become of it.
   */
  readonly remember: (
    observation: Observation,
    options?: RememberOptions
  ) => Effect.Effect<Remembered, CommandError | InvalidInput | SourceNotFound | StoreForbidden | CredentialForbidden>
  /**
   * Many at once, up to 1,000, in one transaction: each answered on its own, a
   * refused one leaves the others alone.
   */
  readonly rememberAll: (
    observations: ReadonlyArray<Observation | readonly [Observation, RememberOptions]>
  ) => Effect.Effect<
    ReadonlyArray<
      Either.Either<Remembered, CommandError | InvalidInput | SourceNotFound | StoreForbidden | CredentialForbidden>
    >,
    CommandError | InvalidInput
  >
  /** Imports markdown files and folders; importing again adds nothing. See `importFiles`. */
  readonly importMarkdown: (
    paths: ReadonlyArray<string>,
    options?: ImportOptions
  ) => Effect.Effect<Imported, CommandError | InvalidInput | PathRefused>
  /** Adds a turn to a session, which is made by its first one. Its sequence must grow; the next one where it is absent. */
  readonly addTurn: (
    turn: TurnInput,
    options?: WriteOptions
  ) => Effect.Effect<AddedTurn, CommandError | InvalidInput | StoreForbidden | SequenceConflict | ProjectionParked>
  /** Many turns at once, up to 1,000, in one transaction: each answered on its own. */
  readonly addTurns: (
    turns: ReadonlyArray<TurnInput | readonly [TurnInput, WriteOptions]>
  ) => Effect.Effect<
    ReadonlyArray<
      Either.Either<AddedTurn, CommandError | InvalidInput | StoreForbidden | SequenceConflict | ProjectionParked>
    >,
    CommandError | InvalidInput
  >
  /**
   * Indexes a file's text, to be found by `searchConversation`, in place of what
   * its path said in the store before; the same text again writes nothing. Fails
   * with `FileInSession` where it would leave its session and `move` is not true.
   */
  readonly addFile: (
    file: FileInput,
    options?: WriteOptions
  ) => Effect.Effect<AddedFile, CommandError | FileInSession | InvalidInput | StoreForbidden | ProjectionParked>
  /** Takes a file out of every read, in every store that the level may read. */
  readonly forgetFile: (
    path: string,
    options?: WriteOptions
  ) => Effect.Effect<ForgottenFile, CommandError | InvalidInput | FileNotFound | ProjectionParked>
  /** Takes a session out of every read, as far as the level may read it: its turns, its files and all that they are found by. */
  readonly forgetSession: (
    session: string,
    options?: WriteOptions
  ) => Effect.Effect<ForgottenSession, CommandError | InvalidInput | SessionNotFound | ProjectionParked>
  /** Changes the fields that are given. */
  readonly update: (
    id: string,
    changes: Changes,
    options?: WriteOptions
  ) => Effect.Effect<Updated, CommandError | InvalidInput | StoreForbidden | MemoryNotFound | CredentialForbidden>
  /** Takes a memory out of every read. Its events stay in the log until they are erased. */
  readonly forget: (
    id: string,
    options?: WriteOptions
  ) => Effect.Effect<Forgotten, CommandError | InvalidInput | MemoryNotFound | ProjectionParked>
  /**
   * Takes back what an event, a run or a source changed, and leaves alone what later events changed on purpose. What it
   * does is a run of its own, to be undone like any other. Full trust only.
   */
  readonly undo: (what: Undoable, options?: UndoOptions) => Effect.Effect<Undone, UndoError>
}

export type { Store }

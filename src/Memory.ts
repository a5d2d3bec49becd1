import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { Decision, EventType } from "../events/catalogue.js"
import type { Memory as Image } from "../events/Memory.js"
import type { Store } from "../events/Trust.js"
import type { Turn } from "../events/Turn.js"
import type { IndexedFile } from "../projections/files.js"
import type { IndexRow } from "../projections/observationSearch.js"
import type { Person } from "../projections/people.js"
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
import type { LifeReader, LifeWriter } from "./maintenance/contract.js"
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

/** One version of a memory: the event, its actor, time and decision, and the memory after it. */
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

/** Filters people by name. */
export interface PeopleQuery extends PageQuery {
  /** Part of a name. Default: all people. */
  readonly name?: string | undefined
}

export interface ListQuery extends Filter {
  readonly offset?: number | undefined
}

/** The number of rows before and after the anchor. Default: 5 each. */
export interface TimelineQuery {
  readonly anchor: string
  readonly before?: number | undefined
  readonly after?: number | undefined
}

/**
 * Reads an agent's memory at one trust level, now or as of a past version. The
 * level is part of the handle, so every read applies it.
 */
export interface MemoryReader extends LifeReader, RecallReader, ScheduleReader {
  /** Finds memories by words and by meaning. It returns compact rows, best first. */
  readonly search: (query: Query) => Effect.Effect<ReadonlyArray<Hit>, ReadError>
  /** The same search, with how the query was interpreted and why each row is a hit. */
  readonly explain: (query: Query) => Effect.Effect<Explained<Hit & Living>, ReadError>
  /** Memories before and after an anchor memory in time, the anchor included, oldest first. */
  readonly timeline: (query: TimelineQuery) => Effect.Effect<ReadonlyArray<IndexRow>, ReadError | MemoryNotFound>
  /** Whole memories in the order of the ids. Missing and unreadable ones are left out. */
  readonly get: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<WholeMemory>, ReadError>
  /** The newest memories that pass the filters, one page. */
  readonly list: (query?: ListQuery) => Effect.Effect<ReadonlyArray<IndexRow>, ReadError>
  /** Explains how a memory came about: its versions with their decisions, its predecessors and its sources. See `Why`. */
  readonly why: (id: string, options?: WhyOptions) => Effect.Effect<Why, ReadError | MemoryNotFound>
  /** All versions of a memory, oldest first. At full trust this includes forgotten memories. */
  readonly history: (id: string) => Effect.Effect<ReadonlyArray<HistoryEntry>, ReadError | MemoryNotFound>
  /** Searches conversations and files. It returns the best piece of each turn and file, best first. */
  readonly searchConversation: (query: ConversationQuery) => Effect.Effect<ReadonlyArray<ConversationHit>, ReadError>
  /** The same, with how it was understood and why each hit is one, in words. */
  readonly explainConversation: (query: ConversationQuery) => Effect.Effect<Explained<ConversationHit>, ReadError>
  /** Sessions, most recently used first. */
  readonly sessions: (query?: PageQuery) => Effect.Effect<ReadonlyArray<Session>, ReadError>
  /** The last turns of a session, oldest first. Default: the last 100. */
  readonly turns: (
    session: string,
    query?: { readonly last?: number | undefined }
  ) => Effect.Effect<ReadonlyArray<Turn>, ReadError>
  /** Indexed files without their text, last added first. */
  readonly files: (query?: PageQuery) => Effect.Effect<ReadonlyArray<IndexedFile>, ReadError>
  /** The people in memories, most recently mentioned first. */
  readonly people: (query?: PeopleQuery) => Effect.Effect<ReadonlyArray<Person>, ReadError>
}

/** A reader that can also write. A write answers once it is durable and readable. */
export interface Memory extends MemoryReader, LifeWriter, ScheduleWriter {
  /**
   * Stores a memory. If the store has the same title and facts, this counts as another mention. If similar memories
   * exist, the reconciler decides: see `Remembered` for the outcomes.
   */
  readonly remember: (
    observation: Observation,
    options?: RememberOptions
  ) => Effect.Effect<Remembered, CommandError | InvalidInput | SourceNotFound | StoreForbidden | CredentialForbidden>
  /**
   * Stores up to 1,000 memories in one transaction. Each gets its own answer; a
   * refused one does not affect the others.
   */
  readonly rememberAll: (
    observations: ReadonlyArray<Observation | readonly [Observation, RememberOptions]>
  ) => Effect.Effect<
    ReadonlyArray<
      Either.Either<Remembered, CommandError | InvalidInput | SourceNotFound | StoreForbidden | CredentialForbidden>
    >,
    CommandError | InvalidInput
  >
  /** Imports markdown files and folders. Repeating an import adds nothing. See `importFiles`. */
  readonly importMarkdown: (
    paths: ReadonlyArray<string>,
    options?: ImportOptions
  ) => Effect.Effect<Imported, CommandError | InvalidInput | PathRefused>
  /** Adds a turn to a session; the first turn creates the session. Sequences must grow. Default: the next sequence. */
  readonly addTurn: (
    turn: TurnInput,
    options?: WriteOptions
  ) => Effect.Effect<AddedTurn, CommandError | InvalidInput | StoreForbidden | SequenceConflict | ProjectionParked>
  /** Adds up to 1,000 turns in one transaction. Each gets its own answer. */
  readonly addTurns: (
    turns: ReadonlyArray<TurnInput | readonly [TurnInput, WriteOptions]>
  ) => Effect.Effect<
    ReadonlyArray<
      Either.Either<AddedTurn, CommandError | InvalidInput | StoreForbidden | SequenceConflict | ProjectionParked>
    >,
    CommandError | InvalidInput
  >
  /**
   * Indexes a file's text for `searchConversation`. It replaces the text that the
   * store had for its path; the same text writes nothing. It fails with
   * `FileInSession` if the file would change its session and `move` is not true.
   */
  readonly addFile: (
    file: FileInput,
    options?: WriteOptions
  ) => Effect.Effect<AddedFile, CommandError | FileInSession | InvalidInput | StoreForbidden | ProjectionParked>
  /** Hides a file from all reads, in every store that the level may read. */
  readonly forgetFile: (
    path: string,
    options?: WriteOptions
  ) => Effect.Effect<ForgottenFile, CommandError | InvalidInput | FileNotFound | ProjectionParked>
  /** Hides the part of a session that the level may read: its turns, its files and their index entries. */
  readonly forgetSession: (
    session: string,
    options?: WriteOptions
  ) => Effect.Effect<ForgottenSession, CommandError | InvalidInput | SessionNotFound | ProjectionParked>
  /** Changes the given fields of a memory. */
  readonly update: (
    id: string,
    changes: Changes,
    options?: WriteOptions
  ) => Effect.Effect<Updated, CommandError | InvalidInput | StoreForbidden | MemoryNotFound | CredentialForbidden>
  /** Hides a memory from all reads. Its events stay in the log until they are erased. */
  readonly forget: (
    id: string,
    options?: WriteOptions
  ) => Effect.Effect<Forgotten, CommandError | InvalidInput | MemoryNotFound | ProjectionParked>
  /**
   * Undoes the changes of an event, a run or a source. Fields that later events changed on purpose stay. The undo is a
   * run of its own, which can be undone too. It needs full trust.
   */
  readonly undo: (what: Undoable, options?: UndoOptions) => Effect.Effect<Undone, UndoError>
}

export type { Store }

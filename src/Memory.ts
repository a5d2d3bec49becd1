import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { Decision, EventType } from "../events/catalogue.js"
import type { Memory as Image } from "../events/Memory.js"
import type { Store } from "../events/Trust.js"
import type { IndexRow } from "../projections/observationSearch.js"
import type { Person } from "../projections/people.js"
import type { CommandError } from "./actor/Actor.js"
import type { FileReader, FileWriter } from "./conversation/Files.js"
import type { SessionReader, SessionWriter } from "./conversation/Sessions.js"
import type { Imported, ImportOptions } from "./import/importFiles.js"
import type {
  ArchiveReader,
  ArchiveWriter,
  MaintenanceReader,
  MaintenanceWriter,
  ProfileReader,
  SessionSummaryReader
} from "./maintenance/contract.js"
import type {
  CredentialForbidden,
  InvalidInput,
  MemoryNotFound,
  PathRefused,
  ProjectionParked,
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
import type { Explained, WithLifeScore } from "./search/explain.js"
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
export interface MemoryReader extends ProfileReader {
  /** Finds memories by words and by meaning. It returns compact rows, best first. */
  readonly search: (query: Query) => Effect.Effect<ReadonlyArray<Hit>, ReadError>
  /** The same search, with how the query was interpreted and why each row is a hit. */
  readonly explain: (query: Query) => Effect.Effect<Explained<Hit & WithLifeScore>, ReadError>
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
  /** The people in memories, most recently mentioned first. */
  readonly people: (query?: PeopleQuery) => Effect.Effect<ReadonlyArray<Person>, ReadError>
  readonly sessions: SessionReader & SessionSummaryReader
  readonly files: FileReader
  readonly archive: ArchiveReader
  readonly maintenance: MaintenanceReader
  readonly recalls: RecallReader
  readonly schedules: ScheduleReader
}

/** Errors of storing a memory. */
export type RememberError = CommandError | InvalidInput | SourceNotFound | StoreForbidden | CredentialForbidden

/** A reader that can also write. A write answers once it is durable and readable. */
export interface Memory extends MemoryReader {
  readonly sessions: MemoryReader["sessions"] & SessionWriter
  readonly files: FileReader & FileWriter
  readonly archive: ArchiveReader & ArchiveWriter
  readonly maintenance: MaintenanceReader & MaintenanceWriter
  readonly schedules: ScheduleReader & ScheduleWriter
  /**
   * Stores a memory. If the store has the same title and facts, this counts as another mention. If similar memories
   * exist, the reconciler decides: see `Remembered` for the outcomes.
   */
  readonly remember: (observation: Observation, options?: RememberOptions) => Effect.Effect<Remembered, RememberError>
  /**
   * Stores up to 1,000 memories in one transaction. Each gets its own answer; a
   * refused one does not affect the others.
   */
  readonly rememberAll: (
    observations: ReadonlyArray<Observation | readonly [Observation, RememberOptions]>
  ) => Effect.Effect<ReadonlyArray<Either.Either<Remembered, RememberError>>, CommandError | InvalidInput>
  /** Imports markdown files and folders. Repeating an import adds nothing. See `importFiles`. */
  readonly importMarkdown: (
    paths: ReadonlyArray<string>,
    options?: ImportOptions
  ) => Effect.Effect<Imported, CommandError | InvalidInput | PathRefused>
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
  readonly undo: (selection: Undoable, options?: UndoOptions) => Effect.Effect<Undone, UndoError>
}

export type { Store }

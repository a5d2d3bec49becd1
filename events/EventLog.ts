import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { RestoreEntry } from "./anchorLines.js"
import type { ReplayedEvent, StoredEvent } from "./Chain.js"
import type {
  Cleaning,
  Cleanings,
  EraseRequest,
  ErasureResult,
  LedgerErasureResult,
  LedgerRecord
} from "./erasure/EraseRequest.js"
import type { LedgerLine } from "./erasure/ledger.js"
import type { AlreadyErased, CommandConflict, ErasedMeanwhile, StorageError, VersionConflict } from "./errors.js"
import { yieldIfDue } from "./turns.js"

export type {
  Cleaning,
  Cleanings,
  DeletedStream,
  EraseReason,
  EraseRequest,
  EraseSelector,
  ErasureResult,
  LedgerErasureResult,
  LedgerRecord,
  NameErasure,
  Remains,
  StreamErasure
} from "./erasure/EraseRequest.js"

/**
 * The stream version that the writer expects: any, none yet (a new stream), at least one event, or an exact version.
 */
export type ExpectedVersion = "any" | "none" | "exists" | number

/** An event to be stored. Its payload is already JSON text (see Codec). */
export interface NewEvent {
  readonly type: string
  readonly schema: number
  readonly payload: string
  /** When it happened, milliseconds since the epoch; default: the recording time. */
  readonly occurredAt?: number
  readonly cause?: string
}

/** The events of one command. A command with an id is idempotent; `request` is its canonical text. */
export interface NewCommand {
  readonly commandId?: string
  readonly request?: string
  readonly actor: string
  readonly events: ReadonlyArray<NewEvent>
}

/** A vector for the embeddings cache. `digest` is the SHA-256 of the embedded text, hexadecimal. */
export interface CachedVector {
  readonly model: string
  readonly dimensions: number
  readonly digest: string
  readonly vector: Float32Array
}

export interface Append {
  readonly stream: string
  readonly expected: ExpectedVersion
  /** Wall clock, milliseconds since the epoch. Stored times of a stream never decrease, except at CLOCK events. */
  readonly now: number
  readonly commands: ReadonlyArray<NewCommand>
  readonly vectors?: ReadonlyArray<CachedVector>
  /**
   * When the stream is due next, milliseconds since the epoch. Null clears the timer; absent leaves it unchanged. The
   * log does not interpret the value. It stores the timer only together with the commands. Without commands, it stores
   * the timer only if the stream has the expected version.
   */
  readonly due?: number | null
  /**
   * The event up to which the sources of the commands were read. If events were erased after it, new commands fail with
   * `ErasedMeanwhile`, because they could bring erased text back. Absent for commands that repeat no text from the log.
   */
  readonly readAt?: ReadAt | undefined
}

/** The newest event that a reader had seen: its version and hash. Version 0 stands for an empty stream. */
export type ReadAt = Pick<Head, "version" | "hash">

/** A stream and the time at which it is due. */
export interface Timer {
  readonly stream: string
  readonly due: number
}

/** A stream and the correct due time of its timer; null for a stream that needs no timer. */
export interface AcceptedTimer {
  readonly stream: string
  readonly due: number | null
}

/** The result of one command: its events. `repeated` is true if the events had been stored before. */
export interface Appended {
  readonly events: ReadonlyArray<StoredEvent>
  readonly repeated: boolean
}

/**
 * The thing that an event changes: a memory, turn or file by its row number (the version that added it), or a part of a
 * schedule by the schedule's id.
 */
export type Subject =
  | { readonly kind: "row"; readonly subject: number }
  | { readonly kind: "schedule" | "definition" | "run"; readonly subject: string }

/** The newest event of a stream. A stream without events has version 0 and the genesis hash. */
export interface Head {
  readonly stream: string
  readonly version: number
  readonly hash: Uint8Array
  readonly recordedAt: number
}

/** A defect found by a check. It names places, never the contents of events. */
export interface Problem {
  readonly stream: string | null
  readonly version: number | null
  readonly what: string
  /** Digest of the damaged row. It differs if the row is changed again. */
  readonly evidence?: string | undefined
}

/** The result of a check of the storage itself. */
export interface Inspection {
  readonly problems: ReadonlyArray<Problem>
  /** Those of `problems` that concern a lost or changed ledger of erasures. */
  readonly ledger: ReadonlyArray<Problem>
  /** Problems of the database file itself. Only a backup can repair them. */
  readonly broken: ReadonlyArray<Problem>
  /** Repairs after a crash, made by an earlier write or due at the next write. */
  readonly repairs: ReadonlyArray<string>
  readonly restores: ReadonlyArray<RestoreEntry>
  /** Hash of the anchor's last line; null if the anchor cannot be read. */
  readonly anchor: string | null
}

export type AppendError = VersionConflict | CommandConflict | AlreadyErased | ErasedMeanwhile | StorageError

/** The source of truth: streams of events, one stream per agent. */
export class EventLog extends Context.Tag("daybook/EventLog")<
  EventLog,
  {
    /**
     * Stores the commands in order, all or none, with gapless versions. When it returns, the events are durable. A
     * repeated command id returns its first answer.
     */
    readonly append: (append: Append) => Effect.Effect<ReadonlyArray<Appended>, AppendError>
    /**
     * Events after a version, oldest first, at most `limit`. An erased event has the type, schema and payload of its
     * newest REMAINS event; without a REMAINS event, its payload is null. All other reads do the same. `raw` returns
     * the rows as stored.
     */
    readonly read: (
      stream: string,
      options: { readonly after: number; readonly to?: number; readonly limit: number; readonly raw?: boolean }
    ) => Effect.Effect<ReadonlyArray<StoredEvent>, StorageError>
    /** Reads like `read`, but without the columns that replay does not use. */
    readonly replay: (
      stream: string,
      options: { readonly after: number; readonly to?: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<ReplayedEvent>, StorageError>
    /** The events with these versions, in version order. Unknown versions are skipped. */
    readonly at: (
      stream: string,
      versions: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<StoredEvent>, StorageError>
    /** The newest event of each subject, in the order of the subjects; undefined for a subject without an event. */
    readonly newest: (
      stream: string,
      subjects: ReadonlyArray<Subject>
    ) => Effect.Effect<ReadonlyArray<ReplayedEvent | undefined>, StorageError>
    readonly head: (stream: string) => Effect.Effect<Head, StorageError>
    /** Every stream with its head, by name. */
    readonly streams: Effect.Effect<ReadonlyArray<Head>, StorageError>
    /** The newest version recorded at or before an instant (milliseconds); 0 if there was none. */
    readonly versionAt: (stream: string, instant: number) => Effect.Effect<number, StorageError>
    /** The earliest recording time of the events from version `from` on; infinite if there are none. */
    readonly earliest: (stream: string, from: number) => Effect.Effect<number, StorageError>
    /** The stored result of a command id; none for a new id. Fails with a conflict if the stored request differs. */
    readonly command: (
      stream: string,
      commandId: string,
      request: string
    ) => Effect.Effect<Option.Option<Appended>, CommandConflict | AlreadyErased | StorageError>
    /** Cached vectors by digest. Unknown digests are skipped. */
    readonly vectors: (
      model: string,
      dimensions: number,
      digests: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Float32Array>, StorageError>
    /** The streams that are due at or before an instant (milliseconds), the longest overdue first. */
    readonly timers: (query: {
      readonly until: number
      readonly limit: number
      readonly offset?: number
    }) => Effect.Effect<ReadonlyArray<Timer>, StorageError>
    /**
     * Removes the content of events forever, and records the removal in an ERASE event of each stream. All or nothing.
     * Fails with `VersionConflict` if a stream has events after `readAt`; the caller then selects the events again.
     */
    readonly erase: (request: EraseRequest) => Effect.Effect<ErasureResult, VersionConflict | StorageError>
    /**
     * Holds the write lock while the work runs, for at most 5 s. After that, or if the lock is not available, other
     * processes may write. The work itself must not write. An erasure uses it when new events keep outdating its plan.
     * Writers may continue before `erase` has the lock, so `erase` can still fail with `VersionConflict`.
     */
    readonly pauseWrites: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /**
     * Adds the lines of another ledger of this log to the log's own ledger, then erases the events that they name. For
     * a copy of the log that was written to separately. `now` is in milliseconds since the epoch. Lines of another log
     * change nothing.
     */
    readonly eraseAgain: (
      lines: ReadonlyArray<LedgerLine>,
      now: number
    ) => Effect.Effect<LedgerErasureResult | "anotherLog", StorageError>
    /**
     * The erasures in the ledger, oldest first. They stay in the ledger after a stream is deleted. A log in memory has
     * no ledger.
     */
    readonly ledger: Effect.Effect<ReadonlyArray<LedgerRecord>, StorageError>
    /** The cleaning that is still due after earlier erasures. */
    readonly cleanings: Effect.Effect<Cleanings, StorageError>
    /**
     * Empties the write-ahead log. Rewrites the file, unless a search proves that no page contains erased text. Before
     * the call, the caller reads `cleanings` and removes the old views of the streams in it. Returns "changed" if more
     * events were erased since that read; the caller then starts again.
     */
    readonly clean: (open: Cleanings) => Effect.Effect<Cleaning | "changed", StorageError>
    /** The version of the newest ERASE event of a stream; 0 if there is none. */
    readonly newestErasure: (stream: string) => Effect.Effect<number, StorageError>
    /**
     * Stores an event even though the log is damaged. Also removes damaged vectors, sets these timers, and starts a new
     * anchor file. A copy of the old anchor file stays next to the new file.
     */
    readonly accept: (append: Append, timers: ReadonlyArray<AcceptedTimer>) => Effect.Effect<void, AppendError>
    /**
     * Checks the storage: integrity, schema, anchor, vectors; `verify` checks the chain. `expect` is the hash of a line
     * that the anchor must contain.
     */
    readonly inspect: (options: {
      readonly stream: string | null
      readonly expect?: string | undefined
    }) => Effect.Effect<Inspection, StorageError>
  }
>() {}

/** Reads the events of a stream after a version up to `to` (default: the newest), page by page. */
export const readAll = (
  log: Context.Tag.Service<EventLog>,
  stream: string,
  options: { readonly after?: number; readonly to?: number; readonly page?: number; readonly raw?: boolean } = {}
): Stream.Stream<StoredEvent, StorageError> => {
  const limit = options.page ?? 250
  return Stream.paginateChunkEffect(options.after ?? 0, (after) =>
    Effect.map(
      Effect.zipRight(
        yieldIfDue,
        log.read(stream, {
          ...{ after, limit, raw: options.raw === true },
          ...(options.to === undefined ? {} : { to: options.to })
        })
      ),
      (events) => {
        const last = events.at(-1)
        return [
          Chunk.unsafeFromArray(events as Array<StoredEvent>),
          // A damaged index may return earlier events again. Then stop, instead of looping forever.
          last === undefined || events.length < limit || last.version <= after
            ? Option.none()
            : Option.some(last.version)
        ]
      }
    )
  )
}

import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ReplayedEvent, StoredEvent } from "./Chain.js"
import type { AlreadyErased, CommandConflict, StorageError, VersionConflict } from "./errors.js"

/**
 * The stream version that the writer expects: any, none yet (a new stream), at least one event, or an exact version.
 */
export type Expected = "any" | "none" | "exists" | number

/** An event to be stored. Its payload is already JSON text (see Codec). */
export interface NewEvent {
  readonly type: string
  readonly schema: number
  readonly payload: string
  /** Milliseconds since the epoch; default: the recording time. */
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
  readonly expected: Expected
  /** Wall clock, milliseconds since the epoch. Stored times run backwards within a stream only at CLOCK events. */
  readonly now: number
  readonly commands: ReadonlyArray<NewCommand>
  readonly vectors?: ReadonlyArray<CachedVector>
  /**
   * When the stream is due next, milliseconds since the epoch; null clears the timer, absent leaves it unchanged. The
   * log stores it without interpreting it. It is stored only if the commands are stored; without commands, only if the
   * version is as expected.
   */
  readonly due?: number | null
}

/** A stream and the time at which it is due. */
export interface Timer {
  readonly stream: string
  readonly due: number
}

/** A timer as it must be; null for none. */
export interface AcceptedTimer {
  readonly stream: string
  readonly due: number | null
}

/** The result of one command: its events, and whether they had been stored before. */
export interface Appended {
  readonly events: ReadonlyArray<StoredEvent>
  readonly repeated: boolean
}

/** The newest event of a stream; version 0 and the genesis hash where there is none. */
export interface Head {
  readonly stream: string
  readonly version: number
  readonly hash: Uint8Array
  readonly recordedAt: number
}

/** A defect found by a check. It names places, never contents. */
export interface Problem {
  readonly stream: string | null
  readonly version: number | null
  readonly what: string
  /** Digest of the damaged row: tells whether it was changed again. */
  readonly evidence?: string | undefined
}

/** The result of a check of the storage itself. */
export interface Inspection {
  readonly problems: ReadonlyArray<Problem>
  /** Problems of the database itself, which only a backup mends. */
  readonly broken: ReadonlyArray<Problem>
  /** Repairs after a crash: made by an earlier write, or due with the next one. */
  readonly repairs: ReadonlyArray<string>
  /** Hash of the anchor's last line; null where there is none. */
  readonly anchor: string | null
}

export type AppendError = VersionConflict | CommandConflict | AlreadyErased | StorageError

/** The source of truth: streams of events, one stream per agent. */
export class EventLog extends Context.Tag("daybook/EventLog")<
  EventLog,
  {
    /**
     * Stores the commands in order, all or none, with gapless versions. Once it returns, they are durable. A repeated
     * command id gets its first answer.
     */
    readonly append: (append: Append) => Effect.Effect<ReadonlyArray<Appended>, AppendError>
    /** Events after a version, oldest first, at most `limit`. */
    readonly read: (
      stream: string,
      options: { readonly after: number; readonly to?: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StoredEvent>, StorageError>
    /** Like `read`, without the columns that replay does not use. */
    readonly replay: (
      stream: string,
      options: { readonly after: number; readonly to?: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<ReplayedEvent>, StorageError>
    /** The events with these versions, in version order; unknown versions are left out. */
    readonly at: (
      stream: string,
      versions: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<StoredEvent>, StorageError>
    readonly head: (stream: string) => Effect.Effect<Head, StorageError>
    /** Every stream with its head, by name. */
    readonly streams: Effect.Effect<ReadonlyArray<Head>, StorageError>
    /** The newest version recorded at or before an instant (milliseconds); 0 where there was none yet. */
    readonly versionAt: (stream: string, instant: number) => Effect.Effect<number, StorageError>
    /** The earliest recording time of the events from a version on; infinite without such events. */
    readonly earliest: (stream: string, from: number) => Effect.Effect<number, StorageError>
    /** The stored result of a command id: none for a new id; a conflict where the stored request was different. */
    readonly command: (
      stream: string,
      commandId: string,
      request: string
    ) => Effect.Effect<Option.Option<Appended>, CommandConflict | AlreadyErased | StorageError>
    /** Cached vectors by digest. Unknown digests are left out. */
    readonly vectors: (
      model: string,
      dimensions: number,
      digests: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Float32Array>, StorageError>
    /** The streams that are due by an instant (milliseconds), the longest overdue first. */
    readonly timers: (query: {
      readonly until: number
      readonly limit: number
      readonly offset?: number
    }) => Effect.Effect<ReadonlyArray<Timer>, StorageError>
    /**
     * Stores an event although the log is damaged, clears vectors that are damaged, sets these timers, and starts a new
     * epoch of the anchor. The old anchor is kept beside it.
     */
    readonly accept: (append: Append, timers: ReadonlyArray<AcceptedTimer>) => Effect.Effect<void, AppendError>
    /**
     * Checks the storage: integrity, schema, anchor, vectors. `verify` checks the chain. `expect` is the hash of a line
     * that the anchor must have.
     */
    readonly inspect: (options: {
      readonly stream: string | null
      readonly expect?: string | undefined
    }) => Effect.Effect<Inspection, StorageError>
  }
>() {}

/** The events of a stream after a version up to `to` (default: the newest), read page by page. */
export const readAll = (
  log: Context.Tag.Service<EventLog>,
  stream: string,
  options: { readonly after?: number; readonly to?: number; readonly page?: number } = {}
): Stream.Stream<StoredEvent, StorageError> => {
  const limit = options.page ?? 1_000
  return Stream.paginateChunkEffect(options.after ?? 0, (after) =>
    Effect.map(
      log.read(stream, { after, limit, ...(options.to === undefined ? {} : { to: options.to }) }),
      (events) => {
        const last = events.at(-1)
        return [
          Chunk.unsafeFromArray(events as Array<StoredEvent>),
          // A damaged index may return a page that does not advance.
          last === undefined || events.length < limit || last.version <= after
            ? Option.none()
            : Option.some(last.version)
        ]
      }
    )
  )
}

import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ReplayedEvent, StoredEvent } from "./Chain.js"
import type { AlreadyErased, CommandConflict, StorageError, VersionConflict } from "./errors.js"

/** What the writer believes of the stream: nothing, that it is new, that it is not, or its exact version. */
export type Expected = "any" | "none" | "exists" | number

/** An event about to be stored: its payload is already JSON text (see Codec). */
export interface NewEvent {
  readonly type: string
  readonly schema: number
  readonly payload: string
  /** Milliseconds since the epoch; the recording time where absent. */
  readonly occurredAt?: number
  readonly cause?: string
}

/** The events of one command. With an id it is idempotent; `request` is what was asked, as canonical text. */
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
  /** Wall clock, milliseconds since the epoch. What is stored never runs backwards within a stream. */
  readonly now: number
  readonly commands: ReadonlyArray<NewCommand>
  readonly vectors?: ReadonlyArray<CachedVector>
  /**
   * When somebody is to look at the stream next, milliseconds since the epoch; null for not any more, as it was before
   * where absent. The log keeps it and knows no more of it. Kept only where the commands are stored; without commands,
   * where the version is as expected.
   */
  readonly due?: number | null
}

/** A stream that somebody is to look at, and when. */
export interface Timer {
  readonly stream: string
  readonly due: number
}

/** What became of one command: its events, and whether they had been there before. */
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

/** Something that should not be so. Names places, never contents. */
export interface Problem {
  readonly stream: string | null
  readonly version: number | null
  readonly what: string
}

export type AppendError = VersionConflict | CommandConflict | AlreadyErased | StorageError

/** The one truth: streams of events, one stream an agent. */
export class EventLog extends Context.Tag("daybook/EventLog")<
  EventLog,
  {
    /**
     * Stores the commands in order, all or none, with gapless versions; what is
     * answered is durable. A repeated command id gets its first answer.
     */
    readonly append: (append: Append) => Effect.Effect<ReadonlyArray<Appended>, AppendError>
    /** Events after a version, oldest first, at most `limit`. */
    readonly read: (
      stream: string,
      options: { readonly after: number; readonly to?: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StoredEvent>, StorageError>
    /** The same, without what replay has no use for. */
    readonly replay: (
      stream: string,
      options: { readonly after: number; readonly to?: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<ReplayedEvent>, StorageError>
    /** The events of these versions, in the order of their versions; unknown ones are left out. */
    readonly at: (
      stream: string,
      versions: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<StoredEvent>, StorageError>
    readonly head: (stream: string) => Effect.Effect<Head, StorageError>
    /** Every stream with its head, by name. */
    readonly streams: Effect.Effect<ReadonlyArray<Head>, StorageError>
    /** The newest version recorded at or before an instant (milliseconds); 0 where there was none yet. */
    readonly versionAt: (stream: string, instant: number) => Effect.Effect<number, StorageError>
    /** What a command id did before: none where it is new; a conflict where the request was another one. */
    readonly command: (
      stream: string,
      commandId: string,
      request: string
    ) => Effect.Effect<Option.Option<Appended>, CommandConflict | AlreadyErased | StorageError>
    /** Cached vectors by digest; missing ones are missing. */
    readonly vectors: (
      model: string,
      dimensions: number,
      digests: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Float32Array>, StorageError>
    /** The streams that are to be looked at by an instant (milliseconds), the longest due first. */
    readonly timers: (query: {
      readonly until: number
      readonly limit: number
      readonly offset?: number
    }) => Effect.Effect<ReadonlyArray<Timer>, StorageError>
    /**
     * Takes the log as it stands for whole, and anchors it: for whoever put back a backup. What was anchored before is
     * kept beside it.
     */
    readonly reanchor: Effect.Effect<void, StorageError>
    /** What is wrong with the storage itself (integrity, anchor). The chain is checked by `verify`. */
    readonly problems: (stream: string | null) => Effect.Effect<ReadonlyArray<Problem>, StorageError>
  }
>() {}

/** Events of a stream after a version up to `to` (default: as far as there are any), read a page at a time. */
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
          // A damaged index may give a page that leads nowhere.
          last === undefined || events.length < limit || last.version <= after
            ? Option.none()
            : Option.some(last.version)
        ]
      }
    )
  )
}

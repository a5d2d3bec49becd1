import type { NameColumn } from "../names.js"

/**
 * The reasons that an erasure can have. Free text is not allowed, because it could itself contain text that must be
 * erased.
 */
export type EraseReason = "privacy" | "request" | "mistake" | "secret" | "legal"

/** How the erased events were selected. The selected names and ids are not recorded. */
export type EraseSelector = "memory" | "person" | "session" | "source" | "agent"

/**
 * The content that an erased event keeps: its payload without the erased subjects. `type` may differ from the type of
 * the event, for example an ADD of the replacement if a DELETE loses its own memory. `payload` is JSON text made by the
 * codec.
 */
export interface Remains {
  /** The version of the erased event. */
  readonly of: number
  readonly type: string
  readonly schema: number
  readonly payload: string
}

/** The columns of an event to empty. Events of chain version 1 keep their columns. */
export interface NameErasure {
  readonly version: number
  readonly columns: ReadonlyArray<NameColumn>
}

/** The events to erase from one stream. */
export interface StreamErasure {
  readonly stream: string
  /** The stream's version when the events were selected. Later events could repeat the erased text. */
  readonly readAt: number
  /**
   * The events to erase. They lose their payload, salt and request digest. Events without remains also lose all names.
   * An event that is already erased loses its remains. ERASE events are never erased.
   */
  readonly versions: ReadonlyArray<number>
  /** Names that are removed even if content of the event stays. */
  readonly names?: ReadonlyArray<NameErasure>
  /** The remains of some of the events in `versions`. */
  readonly remains: ReadonlyArray<Remains>
  /** The stream's timer afterwards, as in `Append`. */
  readonly due?: number | null
}

export interface EraseRequest {
  readonly actor: string
  /** Wall clock, milliseconds since the epoch. */
  readonly now: number
  readonly reason: EraseReason
  readonly selector: EraseSelector
  readonly streams: ReadonlyArray<StreamErasure>
  /** Streams whose rows are deleted, with their timers. Only the ledger records the deletion; no event does. */
  readonly wholeStreams: ReadonlyArray<string>
  /** Digests (hexadecimal) of texts that no remaining event uses. Their cached vectors are deleted. */
  readonly vectors: ReadonlyArray<string>
}

/** The result of a completed, durable erasure. */
export interface ErasureResult {
  /** The number of events that lost their payload. */
  readonly erased: number
  /** The number of REMAINS events stored in place of erased events. */
  readonly remains: number
}

/** The result of applying another ledger to this log. */
export interface LedgerErasureResult {
  /** The number of lines that were missing from this log's ledger. */
  readonly erasures: number
  /** The number of events that lost their payload, not counting events of deleted streams. */
  readonly events: number
}

/** A line of the ledger of erasures. It names no agent and no text. */
export interface LedgerRecord {
  /** The hash of the line. The ERASE events of the erasure contain this hash. */
  readonly hash: string
  /** When the events were erased, milliseconds since the epoch. */
  readonly at: number
  readonly reason: EraseReason
  /** Absent in lines of earlier releases. */
  readonly selector?: EraseSelector
  /** The number of events that lost content. */
  readonly events: number
  /** The deleted streams: a salt, SHA-256(salt ‖ name), the newest sequence, and the number of their events. */
  readonly streams: ReadonlyArray<DeletedStream>
}

export type DeletedStream = readonly [salt: string, digest: string, newest: number, events?: number]

/**
 * The result of a cleaning. `done`: the files contain no erased text. `waits`: another process still reads or writes
 * the old pages, so the next process that opens the log finishes the cleaning.
 */
export type Cleaning = "done" | "waits"

/** The cleaning that is still due after earlier erasures. */
export interface Cleanings {
  /** The streams whose views may still contain erased text. */
  readonly streams: ReadonlyArray<string>
  /** The last line of the ledger that the log had applied when this value was read. */
  readonly line: number
}

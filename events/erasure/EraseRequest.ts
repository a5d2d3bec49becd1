import type { NameColumn } from "../names.js"

/** The reasons that an erasure can have. Free text could itself hold what must be erased. */
export type EraseReason = "privacy" | "request" | "mistake" | "secret" | "legal"

/** How the erased events were selected. The selected names and ids are not recorded. */
export type EraseSelector = "memory" | "person" | "session" | "source" | "agent"

/**
 * The content that an erased event keeps: its payload without the erased subjects. `type` may differ from the type of the
 * event, for example an ADD of the replacement where a DELETE loses its own memory. The payload is JSON text made by the
 * codec.
 */
export interface Remains {
  /** The version of the erased event. */
  readonly of: number
  readonly type: string
  readonly schema: number
  readonly payload: string
}

/** Columns of an event to empty. Events of chain version 1 keep theirs. */
export interface NameErasure {
  readonly version: number
  readonly columns: ReadonlyArray<NameColumn>
}

/** The events to erase from one stream. */
export interface StreamErasure {
  readonly stream: string
  /** The stream's version when the events were selected. Later events could repeat what is erased. */
  readonly readAt: number
  /**
   * Their payload, salt and request digest are removed, and all names of those without remains. A version that is already
   * erased loses its remains. ERASE events are never erased.
   */
  readonly versions: ReadonlyArray<number>
  /** Names that are removed although content of the event may stay. */
  readonly names?: ReadonlyArray<NameErasure>
  /** The remains of some of these versions. */
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
  /** Streams whose rows are deleted, with their timers. No event records it, only the ledger. */
  readonly wholeStreams: ReadonlyArray<string>
  /** Digests (hexadecimal) of texts that no remaining event uses. Their cached vectors are deleted. */
  readonly vectors: ReadonlyArray<string>
}

/** The result of an erasure. It is durable. */
export interface Erased {
  /** Events that lost their payload. */
  readonly erased: number
  /** Events that were stored in their place. */
  readonly remains: number
}

/** The result of an erasure by another ledger of this log. */
export interface ErasedAgain {
  /** The lines that this log's ledger lacked. */
  readonly erasures: number
  /** The events that lost their payload, without those of deleted streams. */
  readonly events: number
}

/** A line of the ledger of erasures. It names no agent and no text. */
export interface LedgerRecord {
  /** Each ERASE event has the hash of its line. */
  readonly hash: string
  /** When it was erased, milliseconds since the epoch. */
  readonly at: number
  readonly reason: EraseReason
  /** Absent in lines of earlier releases. */
  readonly selector?: EraseSelector
  /** Events of which content was erased. */
  readonly events: number
  /** The deleted streams: a salt, SHA-256(salt ‖ name), the newest sequence, and the number of their events. */
  readonly streams: ReadonlyArray<DeletedStream>
}

export type DeletedStream = readonly [salt: string, digest: string, newest: number, events?: number]

/**
 * Whether the files are free of erased text. `waits`: another process still reads or writes the old pages. The
 * next process that opens the log finishes.
 */
export type Cleaning = "done" | "waits"

/** The cleaning that erasures left open. */
export interface Cleanings {
  /** Streams whose views may still contain erased text. */
  readonly streams: ReadonlyArray<string>
  /** The last line of the ledger that the log had applied then. */
  readonly line: number
}

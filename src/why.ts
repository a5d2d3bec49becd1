import type { Decision, EventType } from "../events/catalogue.js"
import type { Link, Memory } from "../events/Memory.js"
import type { Verdict } from "./maintenance/rules.js"
import type { WholeMemory } from "./model/wholeMemory.js"

/** The text of a memory, to understand a decision about it. */
export interface MemoryText {
  readonly title: string
  readonly narrative?: string | undefined
  readonly facts: ReadonlyArray<string>
}

/** A candidate of a decision, with its text at that time. */
export interface PastCandidate {
  readonly id: string
  readonly score: number
  readonly parts?: Readonly<Record<string, number>>
  readonly said: MemoryText
}

/** One version of a memory: the event, its decision and the changed fields. */
export interface WhyVersion {
  /** The memory's own change counter, from 1. */
  readonly revision: number
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly type: EventType
  /** The recording time, milliseconds since the epoch. */
  readonly recordedAt: number
  readonly actor: string
  /** Null if the event has no decision or its content was erased. */
  readonly decision: (Omit<Decision, "candidates"> & { readonly candidates: ReadonlyArray<PastCandidate> }) | null
  /** The fields that differ from the previous version; empty for the first version. */
  readonly changes: ReadonlyArray<{ readonly field: string; readonly before: unknown; readonly after: unknown }>
}

/** A related memory. */
export interface Related extends MemoryText {
  readonly id: string
  readonly status: Memory["status"]
}

/** A source of a memory. The content is absent if the trust level may not read the source. */
export type WhySource =
  | {
      readonly kind: "turn"
      readonly id: string
      readonly reason: Link["reason"]
      /** Why capture used this turn as a source, such as "accepts a proposal". */
      readonly because?: string
      readonly turn?: TurnText
    }
  | { readonly kind: "file"; readonly path: string; readonly reason: Link["reason"] }
  | { readonly kind: "memory"; readonly id: string; readonly reason: Link["reason"]; readonly memory?: Related }

export interface TurnText {
  readonly session: string
  readonly sequence: number
  readonly role: string
  readonly speaker?: string
  readonly text: string
}

/** How a memory was created and changed. */
export interface Why {
  /** Has `stale` if the memory may no longer be true. At full trust, it also has how often the memory was shown. */
  readonly memory: WholeMemory & { readonly status: Memory["status"] }
  /**
   * The memory's present score and what the maintenance rules would do with it. Below full trust the score ignores how
   * often the memory was shown. Null for an inactive memory.
   */
  readonly life: Verdict | null
  /** Oldest first. */
  readonly versions: ReadonlyArray<WhyVersion>
  /** How many earlier versions are left out. */
  readonly earlier: number
  /** The memories that this memory replaced directly or indirectly, newest first, at most 10. */
  readonly supersedes: ReadonlyArray<Related>
  readonly supersededBy: Related | null
  readonly sources: ReadonlyArray<WhySource>
  /** The memories derived from this memory. */
  readonly madeOf: ReadonlyArray<Related>
}

export interface WhyOptions {
  /** How many of the newest versions to report, 1…200. Default: 20. */
  readonly limit?: number | undefined
}

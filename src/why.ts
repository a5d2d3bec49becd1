import type { Decision, EventType } from "../events/catalogue.js"
import type { Link, Memory } from "../events/Memory.js"
import type { Verdict } from "./maintenance/rules.js"
import type { WholeMemory } from "./model/wholeMemory.js"

/** What a memory said: enough to understand a decision about it. */
export interface Said {
  readonly title: string
  readonly narrative?: string | undefined
  readonly facts: ReadonlyArray<string>
}

/** A memory that was weighed, and what it said then. */
export interface WeighedThen {
  readonly id: string
  readonly score: number
  readonly parts?: Readonly<Record<string, number>>
  readonly said: Said
}

/** One version of a memory: what happened, who decided it and on which grounds, and what changed. */
export interface WhyVersion {
  /** Counts the memory's own changes from 1. */
  readonly revision: number
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly type: EventType
  /** Milliseconds since the epoch. */
  readonly recordedAt: number
  readonly actor: string
  /** Null where the event's content was erased. */
  readonly decision: (Omit<Decision, "candidates"> & { readonly candidates: ReadonlyArray<WeighedThen> }) | null
  /** The fields that are not as in the version before; of the first one none. */
  readonly changes: ReadonlyArray<{ readonly field: string; readonly before: unknown; readonly after: unknown }>
}

/** Another memory in the story of one. */
export interface Related extends Said {
  readonly id: string
  readonly status: Memory["status"]
}

/** What a memory was made of. */
export type WhySource =
  | { readonly kind: "turn"; readonly id: string; readonly reason: Link["reason"]; readonly turn?: TurnSaid }
  | { readonly kind: "file"; readonly path: string; readonly reason: Link["reason"] }
  | { readonly kind: "memory"; readonly id: string; readonly reason: Link["reason"]; readonly memory?: Related }

export interface TurnSaid {
  readonly session: string
  readonly sequence: number
  readonly role: string
  readonly speaker?: string
  readonly text: string
}

/** How a memory came to be what it is. */
export interface Why {
  /** With `stale` where it may no longer be true; at full trust with how often it was shown. */
  readonly memory: WholeMemory & { readonly status: Memory["status"] }
  /**
   * What it is worth keeping and what the rules make of it, as of now; below full trust without the times that it was
   * shown. Null for one that is not active.
   */
  readonly life: Verdict | null
  /** Oldest first. */
  readonly versions: ReadonlyArray<WhyVersion>
  /** How many older versions are left out. */
  readonly earlier: number
  /** What it replaced, and what that had replaced, the newest first. */
  readonly supersedes: ReadonlyArray<Related>
  readonly supersededBy: Related | null
  readonly sources: ReadonlyArray<WhySource>
  /** What was made of it. */
  readonly madeOf: ReadonlyArray<Related>
}

export interface WhyOptions {
  /** Versions, the newest ones, 1…200; 20 where absent. */
  readonly limit?: number | undefined
}

import type { Candidate, Decision } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import type { Progress } from "../../projections/view/buildViewFile.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { ReconcilerService } from "../ports/Reconciler.js"
import type { Remembered } from "../remember/remembered.js"

/** The settings to change, or a whole policy. Settings that the replay ignores must equal the current ones. */
export interface PolicyChange {
  readonly reconcile?: Partial<PolicyValues["reconcile"]> | undefined
  readonly search?: Partial<Pick<PolicyValues["search"], "commonShare">> | undefined
}

export interface WhatIfOptions {
  /** The first version to decide again. Default: 1. Earlier versions are replayed unchanged. */
  readonly from?: number | undefined
  /** The last version to decide again. Default: the newest. */
  readonly to?: number | undefined
  readonly policy?: PolicyChange | undefined
  /** The reconciler. Default: the configured one. It is required if the policy names another one. */
  readonly reconciler?: ReconcilerService | undefined
  /**
   * True asks the reconciler's model if the log has no answer to the same question. False uses the reconciler's own
   * immediate judgement instead. Default: false, because a model costs time and money.
   */
  readonly ask?: boolean | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * The origin of a decision. `judged`: by the reconciler itself. `reused`: a recorded answer of a model. `asked`: a new
 * answer of a model. `fallback`: by the reconciler itself, because an answer was missing.
 */
export type Answered = "judged" | "reused" | "asked" | "fallback"

/** A decision on an observation; `refused` if its input is no longer valid. */
export interface DecisionResult {
  readonly outcome: Remembered["outcome"] | "refused"
  /** The id of the memory that states the observation afterwards. */
  readonly id?: string
  /** The memory that the observation replaced. */
  readonly replaced?: string
  /** The memories that the observation disputes. */
  readonly disputes?: ReadonlyArray<string>
  readonly by: Decision["by"]
  readonly reason: string
  readonly candidates: ReadonlyArray<typeof Candidate.Type>
  readonly threshold?: number
  /** Why the fallback was used. */
  readonly fallback?: string
  /** The origin of a decision of the branch; absent for a decision of the log. */
  readonly answered?: Answered
}

/**
 * Why a decision differs.
 * - `threshold`: other memories are above the threshold.
 * - `candidates`: more or fewer candidates are allowed.
 * - `reconciler`: another reconciler decides, or only one of the two compared the statement with memories.
 * - `follows`: the decision depends on another result at an earlier version.
 * - `likeness`: similarity is measured differently, for example by another embedder.
 */
export type DifferenceCause =
  | { readonly kind: "threshold" | "candidates" | "reconciler" | "likeness" }
  | { readonly kind: "follows"; readonly version: number }

/** A decision with another result, or about another memory. */
export interface DecisionDiff {
  readonly version: number
  /** The title of the observation that was decided. */
  readonly title: string
  readonly store: Memory["store"]
  readonly before: DecisionResult
  readonly after: DecisionResult
  readonly why: DifferenceCause
}

/** A caller's change to a memory that the branch does not have. */
export interface Skipped {
  readonly version: number
  readonly id: string
  readonly title: string
  /** The type of the event and its reason, such as `UPDATE edited`. */
  readonly change: string
  /** The first version at which the memory differs; 0 if it does not differ. */
  readonly follows: number
}

/** A memory that is active only in the log or only in the branch. */
export interface OneSidedMemory {
  readonly id: string
  readonly title: string
  readonly type: string
  readonly store: Memory["store"]
  /** The memory's status on the other side; absent if it never existed there. */
  readonly elsewhere?: Memory["status"]
}

/** A memory that is active in the log and in the branch, with different fields. */
export interface Changed {
  readonly id: string
  readonly title: string
  /** Both values, by field. A value is absent if the field is not set on that side. */
  readonly fields: Readonly<Record<string, { readonly live?: unknown; readonly branch?: unknown }>>
}

type Counts = Readonly<Record<DecisionResult["outcome"], number>>

/** The differences when past decisions are replayed under another policy. */
export interface WhatIf {
  readonly agent: string
  readonly from: number
  readonly to: number
  readonly reconciler: string
  readonly decisions: ReadonlyArray<DecisionDiff>
  readonly skipped: ReadonlyArray<Skipped>
  /**
   * The versions of decisions that were erased, in whole or in part. They are not decided again, so they never differ.
   */
  readonly erased: ReadonlyArray<number>
  readonly memories: {
    readonly onlyLive: ReadonlyArray<OneSidedMemory>
    readonly onlyBranch: ReadonlyArray<OneSidedMemory>
    readonly changed: ReadonlyArray<Changed>
  }
  readonly counts: {
    readonly events: number
    /** Decisions that were made again; `different` counts those with another result. */
    readonly decided: number
    readonly different: number
    /** Decisions with the same result but other candidates, another score or another reconciler. */
    readonly otherGrounds: number
    readonly answers: Readonly<Record<Answered, number>>
    /** How many questions a model was asked during this replay. */
    readonly asked: number
    /** Texts of the branch that could not be embedded. */
    readonly unembedded: number
    readonly outcomes: { readonly live: Counts; readonly branch: Counts }
    /** Active memories at the last version. */
    readonly memories: { readonly live: number; readonly branch: number }
  }
}

/** Returns true if nothing changes. */
export const isSame = ({ decisions, memories, skipped }: WhatIf): boolean =>
  decisions.length +
    skipped.length +
    memories.onlyLive.length +
    memories.onlyBranch.length +
    memories.changed.length ===
  0

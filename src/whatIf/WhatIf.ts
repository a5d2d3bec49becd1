import type * as Context from "effect/Context"
import type { Candidate, Decision } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import type { Progress } from "../../projections/view/build.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { Reconciler } from "../ports/Reconciler.js"
import type { Remembered } from "../remember/remember.js"

/** What of the policy is to be otherwise; a whole policy will do. */
export interface PolicyChange {
  readonly reconcile?: Partial<PolicyValues["reconcile"]> | undefined
  readonly search?: Partial<Pick<PolicyValues["search"], "commonShare">> | undefined
}

export interface WhatIfOptions {
  /** The first version that is decided again; 1 where absent. What was before is taken as it was. */
  readonly from?: number | undefined
  /** The last one; the newest where absent. */
  readonly to?: number | undefined
  readonly policy?: PolicyChange | undefined
  /** Who decides; the reconciler in force where absent. To be given where the policy names another one. */
  readonly reconciler?: Context.Tag.Service<Reconciler> | undefined
  /**
   * Whether a reconciler that can be asked is asked where the log has no answer of a model to the very question; what
   * it says at once stands where it is not. False where absent: a model costs time and money.
   */
  readonly ask?: boolean | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** Where a decision comes from: said at once, the recorded answer of a model, a new answer, or said at once in place of one that is not there. */
export type Answered = "judged" | "reused" | "asked" | "fallback"

/** What was decided on something to be remembered; `refused` where it could not be taken again. */
export interface Taken {
  readonly outcome: Remembered["outcome"] | "refused"
  /** The memory that says it from then on. */
  readonly id?: string
  /** The memory that it took the place of. */
  readonly replaced?: string
  readonly by: Decision["by"]
  readonly reason: string
  readonly candidates: ReadonlyArray<typeof Candidate.Type>
  readonly threshold?: number
  /** Why what was said at once stands in place of an answer. */
  readonly fallback?: string
  /** Only of a decision that was taken again. */
  readonly answered?: Answered
}

/**
 * Why a decision is another one: other memories are above the threshold; more or
 * fewer are weighed; somebody else decides, or it is weighed at all; it follows
 * from what an earlier version came to; or likeness is measured otherwise than then, by
 * another embedder say.
 */
export type Why =
  | { readonly kind: "threshold" | "candidates" | "reconciler" | "likeness" }
  | { readonly kind: "follows"; readonly version: number }

/** A decision that comes out otherwise: another outcome, or about another memory. */
export interface DecisionDiff {
  readonly version: number
  /** The title of what was to be remembered. */
  readonly title: string
  readonly store: Memory["store"]
  readonly before: Taken
  readonly after: Taken
  readonly why: Why
}

/** A change that somebody made to a memory which is not there in the branch, or not any more. */
export interface Skipped {
  readonly version: number
  readonly id: string
  readonly title: string
  /** The type of the event and its reason, `UPDATE edited` say. */
  readonly change: string
  /** The version at which the memory went another way; 0 where it never did. */
  readonly follows: number
}

/** A memory that is there on one side only. */
export interface Alone {
  readonly id: string
  readonly title: string
  readonly type: string
  readonly store: Memory["store"]
  /** What it is on the other side; absent where it never was there. */
  readonly elsewhere?: Memory["status"]
}

/** A memory that is there on both sides and says something else. */
export interface Changed {
  readonly id: string
  readonly title: string
  /** By field. What is absent on a side has none there. */
  readonly fields: Readonly<Record<string, { readonly live?: unknown; readonly branch?: unknown }>>
}

type Counts = Readonly<Record<Taken["outcome"], number>>

/** What would be otherwise had a stretch of history been decided under another policy. */
export interface WhatIf {
  readonly agent: string
  readonly from: number
  readonly to: number
  readonly reconciler: string
  readonly decisions: ReadonlyArray<DecisionDiff>
  readonly skipped: ReadonlyArray<Skipped>
  readonly memories: {
    readonly onlyLive: ReadonlyArray<Alone>
    readonly onlyBranch: ReadonlyArray<Alone>
    readonly changed: ReadonlyArray<Changed>
  }
  readonly counts: {
    readonly events: number
    /** Decisions that were taken again, and how many of them come out otherwise. */
    readonly decided: number
    readonly different: number
    /** Those that come out the same on other grounds: other candidates, another score, another judge. */
    readonly otherGrounds: number
    readonly answers: Readonly<Record<Answered, number>>
    /** Questions that were put to a model now. */
    readonly asked: number
    /** Texts of the branch that could not be embedded. */
    readonly unembedded: number
    readonly outcomes: { readonly live: Counts; readonly branch: Counts }
    /** Active memories at the end of the stretch. */
    readonly memories: { readonly live: number; readonly branch: number }
  }
}

/** Whether nothing at all would be otherwise. */
export const isSame = ({ decisions, memories, skipped }: WhatIf): boolean =>
  decisions.length +
    skipped.length +
    memories.onlyLive.length +
    memories.onlyBranch.length +
    memories.changed.length ===
  0

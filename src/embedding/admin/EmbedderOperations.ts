import type * as Effect from "effect/Effect"
import type { Store } from "../../../events/Trust.js"
import type { ModelName } from "../../../projections/embedders.js"
import type { CommandError } from "../../actor/Actor.js"
import type { InvalidInput, NoSuchIndex, ProjectionParked } from "../../model/errors.js"
import type { ReadError } from "../../model/filters.js"
import type { EmbedderError, EmbedderService } from "../../ports/Embedder.js"
import type { NoEmbedder } from "../../ports/Embedders.js"
import type { Preparation } from "../Embedding.js"
import type { Calibrated, CalibrateOptions } from "./calibrate.js"
import type { Labelled } from "./labelled.js"

/** An index of vectors: of memories and of pieces of turns and files together. */
export interface IndexStatus extends ModelName {
  readonly embedded: number
  /** What has no vector of it. */
  readonly lacking: number
}

/** How fast vectors are made, and how long the rest will take at that rate. */
export interface Rate extends Preparation {
  /** Vectors a second. */
  readonly perSecond: number
  /** Seconds; null before anything was made. */
  readonly remaining: number | null
}

/** Which embedder an agent goes by, and which others it has vectors of. */
export interface EmbedderStatus {
  readonly agent: string
  /** The one that the policy or the program names: for agents without vectors. */
  readonly configured: ModelName
  readonly inForce: IndexStatus & {
    readonly weight: number
    readonly floor: number
    /** The version from which on it is; null where it is the configured one. */
    readonly since: number | null
    /** Why it cannot be asked here; full text answers alone meanwhile. */
    readonly problem?: string
  }
  /** The local one of the stores that the one in force is not to see. */
  readonly apart: (IndexStatus & { readonly stores: ReadonlyArray<Store> }) | null
  /** What is being made to take its place. */
  readonly preparing:
    | (IndexStatus & {
        /** Whether it is put in force as soon as it is whole. */
        readonly adopt: boolean
        /** While this process is at it. */
        readonly rate?: Rate
        readonly problem?: string
      })
    | null
  /** Other indexes that are still there: to go back to, or to be dropped. */
  readonly kept: ReadonlyArray<IndexStatus>
  /** What this process asked of the provider in force. */
  readonly usage?: ReturnType<NonNullable<EmbedderService["usage"]>>
  /** Texts that the embedders of this process fail for, each by itself: left out until `backfill`. */
  readonly aside?: number
  /** Why the newest batch failed; absent while all is well. */
  readonly failure?: string
}

export interface SwitchOptions {
  /** Length of the vectors; the model's own where absent. */
  readonly dimensions?: number | undefined
  /** False makes the index and leaves it at that: to be compared first. */
  readonly adopt?: boolean | undefined
  /** In force at once, be its index whole or not; what is missing is made afterwards. */
  readonly now?: boolean | undefined
  /** The share of similarity in the fused score, 0…1; the embedder's own where absent. */
  readonly weight?: number | undefined
  /** False: answered once it is begun; the vectors are made in the background. */
  readonly wait?: boolean | undefined
  /** Who asks, as the log names it; `program` where absent. */
  readonly actor?: string | undefined
  readonly onProgress?: ((rate: Rate) => void) | undefined
  /**
   * Told of a failure that may pass, and after how many milliseconds it goes on. Where nobody is, the first failure ends
   * the call, and what is left is for the background.
   */
  readonly onFailure?: ((error: EmbedderError, pause: number) => void) | undefined
}

export interface Switched extends ModelName {
  /** `inForce`: all reads go by it. `prepared`: it is whole and waits. `preparing`: it is being made. */
  readonly state: "inForce" | "prepared" | "preparing"
  /** Whether it was in force already. */
  readonly unchanged: boolean
}

export interface CompareOptions {
  /** What is compared with the one in force: the one that is being prepared, else the one before, where absent. */
  readonly with?: string | undefined
  readonly dimensions?: number | undefined
  /** How many of the newest different queries of the recall log, 1…1,000; 50 where absent. */
  readonly limit?: number | undefined
  /** Questions whose answers are known. */
  readonly questions?: ReadonlyArray<Labelled> | undefined
}

/** Means over labelled questions, of the first ten hits. */
export interface Quality {
  readonly recall: number
  readonly ndcg: number
  readonly mrr: number
}

export interface Compared {
  readonly inForce: ModelName
  readonly other: IndexStatus
  /** Queries that were asked of both. */
  readonly queries: number
  /** The mean share of the first ten hits that both have; null without queries. */
  readonly overlap: number | null
  /** The share of queries with the same hit at the first place. */
  readonly sameFirst: number | null
  /** The queries whose hits differ most, at most ten. */
  readonly differing: ReadonlyArray<{ readonly text: string; readonly overlap: number }>
  readonly quality: { readonly questions: number; readonly inForce: Quality; readonly other: Quality } | null
}

type ChangeError = CommandError | InvalidInput | NoSuchIndex | ProjectionParked

/** Changing what embeds an agent's memory: in the background, reversible, one event for all readers. For operators. */
export interface EmbedderOperations {
  readonly status: (agent: string) => Effect.Effect<EmbedderStatus, CommandError | InvalidInput>
  /** Makes the vectors of another embedder beside those in force, then puts it in force. Goes on where it was left. */
  readonly switchTo: (
    agent: string,
    name: string,
    options?: SwitchOptions
  ) => Effect.Effect<Switched, ChangeError | NoEmbedder | EmbedderError>
  /** The same with the one that was in force before: what it lacks is made first. */
  readonly back: (
    agent: string,
    options?: Omit<SwitchOptions, "dimensions" | "weight">
  ) => Effect.Effect<Switched, ChangeError | NoEmbedder | EmbedderError>
  /** Takes away the index of a model, or all that are not in use; what was received stays in the cache. Answers which. */
  readonly drop: (
    agent: string,
    name?: string,
    options?: { readonly dimensions?: number | undefined; readonly actor?: string | undefined }
  ) => Effect.Effect<ReadonlyArray<ModelName>, ChangeError>
  /** Asks what was asked lately of both indexes. Changes nothing. */
  readonly compare: (
    agent: string,
    options?: CompareOptions
  ) => Effect.Effect<Compared, ChangeError | NoEmbedder | ReadError>
  /**
   * Estimates how far ranking may trust the vectors of an index, from questions whose answers are known, or from what
   * was opened after searches. Changes nothing: `switchTo` with the weight puts it in force.
   */
  readonly calibrate: (
    agent: string,
    options?: CalibrateOptions
  ) => Effect.Effect<Calibrated, ChangeError | NoEmbedder | ReadError>
}

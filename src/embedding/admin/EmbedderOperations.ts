import type * as Effect from "effect/Effect"
import type { Store } from "../../../events/Trust.js"
import type { ModelName } from "../../../projections/embedders.js"
import type { CommandError } from "../../actor/Actor.js"
import type { InvalidInput, MemoryNotFound, NoSuchIndex, ProjectionParked } from "../../model/errors.js"
import type { ReadError } from "../../model/filters.js"
import type { EmbedderError, EmbedderService } from "../../ports/Embedder.js"
import type { EmbedderLookupError } from "../../ports/Embedders.js"
import type { Preparation } from "../Embedding.js"
import type { Calibrated, CalibrateOptions } from "./calibrate.js"
import type { LabelledQuestion } from "./labelledQuestions.js"

/** A vector index. Its counts include memories, and chunks of turns and files. */
export interface IndexStatus extends ModelName {
  readonly embedded: number
  /** Number of texts without a vector in this index. */
  readonly lacking: number
}

/** The speed of a fill, and the time left at that speed. */
export interface Rate extends Preparation {
  /** Vectors per second. */
  readonly perSecond: number
  /** Seconds left; null before the first vector. */
  readonly remaining: number | null
}

/** The active embedder of an agent, and the other indexes it has. */
export interface EmbedderStatus {
  readonly agent: string
  /** The embedder of the policy or the program, used for agents without vectors. */
  readonly configured: ModelName
  readonly inForce: IndexStatus & {
    readonly weight: number
    readonly floor: number
    /** The stream version of the event that made it active; null for the configured embedder. */
    readonly since: number | null
    /** Why this process cannot use the embedder; absent if it can. With a problem, searches use full text alone. */
    readonly problem?: string
  }
  /** The local embedder for the stores withheld from the active one. */
  readonly apart: (IndexStatus & { readonly stores: ReadonlyArray<Store> }) | null
  /** The candidate index. */
  readonly preparing:
    | (IndexStatus & {
        /** Whether the embedder becomes active once its index is complete. */
        readonly adopt: boolean
        /** The speed, while this process fills the index. */
        readonly rate?: Rate
        readonly problem?: string
      })
    | null
  /** Other indexes that still exist. An operator can switch back to one, or drop it. */
  readonly kept: ReadonlyArray<IndexStatus>
  /** Requests of this process to the active provider. */
  readonly usage?: ReturnType<NonNullable<EmbedderService["usage"]>>
  /** Number of texts that the embedder cannot embed in this process. They are skipped until `backfill`. */
  readonly aside?: number
  /** Why the newest batch of this process failed, or why the text that `probe` sent failed; absent after a success. */
  readonly failure?: string
}

export interface StatusOptions {
  /**
   * True: if texts have no vector for an unknown reason, send one short text to the embedder to find the reason.
   * Default false: no request is made.
   */
  readonly probe?: boolean | undefined
}

export interface SwitchOptions {
  /** Number of dimensions; the model's default when absent. */
  readonly dimensions?: number | undefined
  /** False: prepare the index without switching to it, for example to compare first. */
  readonly adopt?: boolean | undefined
  /** Switch immediately, even if the index is incomplete, and fill it afterwards. */
  readonly now?: boolean | undefined
  /** The share of vectors in the fused score, 0…1; the embedder's default when absent. */
  readonly weight?: number | undefined
  /** False: return when the switch has started; the background fills the index. */
  readonly wait?: boolean | undefined
  /** The actor of the event; `program` when absent. */
  readonly actor?: string | undefined
  readonly onProgress?: ((rate: Rate) => void) | undefined
  /**
   * Called on a temporary failure, with the milliseconds until the retry. Without it the first failure ends the call,
   * and the background fills the rest.
   */
  readonly onFailure?: ((error: EmbedderError, pause: number) => void) | undefined
}

export interface Switched extends ModelName {
  /** `inForce`: the embedder is active. `prepared`: its index is complete. `preparing`: its index is being filled. */
  readonly state: "inForce" | "prepared" | "preparing"
  /** Whether the embedder was already active before. */
  readonly unchanged: boolean
}

export interface CompareOptions {
  /** The embedder to compare with the active one. When absent: the candidate, else the previous one. */
  readonly with?: string | undefined
  readonly dimensions?: number | undefined
  /** Maximum number of queries, 1…1,000. Default 50. The newest distinct queries of the recall log are used. */
  readonly limit?: number | undefined
  /** Questions with known answers. An unknown memory id is refused. */
  readonly questions?: ReadonlyArray<LabelledQuestion> | undefined
}

/** Mean quality over labelled questions, for the first ten hits. */
export interface Quality {
  readonly recall: number
  readonly ndcg: number
  readonly mrr: number
}

export interface Compared {
  readonly inForce: ModelName
  readonly other: IndexStatus
  /** Number of queries that ran on both indexes. */
  readonly queries: number
  /** Mean share of the first ten hits that both indexes found; null without queries. */
  readonly overlap: number | null
  /** Share of queries with the same first hit. */
  readonly sameFirst: number | null
  /** Up to ten queries whose hits differ most. */
  readonly differing: ReadonlyArray<{ readonly text: string; readonly overlap: number }>
  readonly quality: { readonly questions: number; readonly inForce: Quality; readonly other: Quality } | null
}

type ChangeError = CommandError | InvalidInput | NoSuchIndex | ProjectionParked

/**
 * Changes an agent's embedder in the background. A change is reversible, and one event applies it for all readers. For
 * operators.
 */
export interface EmbedderOperations {
  readonly status: (
    agent: string,
    options?: StatusOptions
  ) => Effect.Effect<EmbedderStatus, CommandError | InvalidInput>
  /**
   * Fills the index of another embedder while the present one stays active, then makes the other one active. Resumes an
   * unfinished switch.
   */
  readonly switchTo: (
    agent: string,
    name: string,
    options?: SwitchOptions
  ) => Effect.Effect<Switched, ChangeError | EmbedderLookupError | EmbedderError>
  /** Switches to the previous embedder after filling the gaps in its index. */
  readonly back: (
    agent: string,
    options?: Omit<SwitchOptions, "dimensions" | "weight">
  ) => Effect.Effect<Switched, ChangeError | EmbedderLookupError | EmbedderError>
  /** Drops the index of a model, or all unused indexes. The cache keeps their vectors. Returns the dropped models. */
  readonly drop: (
    agent: string,
    name?: string,
    options?: { readonly dimensions?: number | undefined; readonly actor?: string | undefined }
  ) => Effect.Effect<ReadonlyArray<ModelName>, ChangeError>
  /** Runs recent queries on both indexes and compares the hits. Changes nothing. */
  readonly compare: (
    agent: string,
    options?: CompareOptions
  ) => Effect.Effect<Compared, ChangeError | EmbedderLookupError | MemoryNotFound | ReadError>
  /**
   * Estimates the best vector weight of an index from labelled questions, or from the memories that callers opened
   * after searches. Changes nothing: pass the weight to `switchTo` to use it.
   */
  readonly calibrate: (
    agent: string,
    options?: CalibrateOptions
  ) => Effect.Effect<Calibrated, ChangeError | EmbedderLookupError | MemoryNotFound | ReadError>
}

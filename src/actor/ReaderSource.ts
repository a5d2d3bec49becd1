import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Codec } from "../../events/Codec.js"
import type { Payload } from "../../events/catalogue.js"
import type { EventLog, ReadAt } from "../../events/EventLog.js"
import type { Recall } from "../../events/Recall.js"
import type { Store, TrustLevel } from "../../events/Trust.js"
import type { QueryVector } from "../../projections/hybridSearch.js"
import type { Db } from "../../projections/Projection.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { EmbedderService } from "../ports/Embedder.js"
import type { LexiconService } from "../ports/Lexicon.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { MaintenancePolicy } from "../ports/policy/maintenance.js"
import type { Judge } from "../ports/Reconciler.js"
import type { RerankerService } from "../ports/Reranker.js"
import type { SettlerService } from "../ports/Settler.js"
import type { ActiveEmbedders } from "./activeEmbedders.js"

/** One snapshot of one agent's view, at one moment. */
export interface Snapshot {
  readonly db: Db
  /** The time of the read, milliseconds since the epoch. */
  readonly now: number
}

export interface Ranking {
  readonly policy: PolicyValues["search"]
  readonly embedder: EmbedderService
  /** The reranker. Without one, hits keep the fused order. */
  readonly reranker?: RerankerService | undefined
  /** Known words. The search does not treat them as misspelt. */
  readonly lexicon?: LexiconService | undefined
}

/** A recall before it is recorded, with the vector of its query. */
export interface UnrecordedRecall extends Omit<Recall, "vector" | "filters" | "apart"> {
  readonly filters: object
  readonly vector: QueryVector | null
  /** The active embedder with its ranking parameters; null if nothing was ranked. */
  readonly embedder: EmbedderParameters | null
  /** The embedder for stores withheld from the active one, if the search used it. */
  readonly substitute?: (EmbedderParameters & { readonly stores: ReadonlyArray<Store> }) | undefined
  /** The newest event of the snapshot that was read. Its version is `position`. */
  readonly readAt: ReadAt
}

export type EmbedderParameters = Payload<"RECALL">["embedder"]

/** The results that a read showed. The recording adds the time of the read and the position of the snapshot. */
export type ShownResults = Omit<UnrecordedRecall, "askedAt" | "position" | "readAt">

/** A snapshot of a read that may be recorded. */
export interface ObservedSnapshot extends Snapshot {
  /**
   * Call `observe` while the snapshot is open. Call the function that it returns later, with the results that the read
   * showed. Absent if reads are not recorded.
   */
  readonly observe?: (() => (results: ShownResults) => void) | undefined
}

/** The view that a reader reads: the live view, or the view of a past version. */
export interface ReaderSource {
  readonly agent: string
  readonly level: TrustLevel
  /** The session that uses the results of the reads in its prompts. Recalls record this session. */
  readonly session?: string | undefined
  /** Runs queries on one snapshot, taken when the read starts. The snapshot includes the current time. */
  readonly read: <A>(f: (snapshot: ObservedSnapshot) => A) => Effect.Effect<A, ViewError>
  /**
   * Runs queries on the view of a past version, as if at time `now` (milliseconds). Ignores trust levels, so the
   * caller needs full trust.
   */
  readonly readAt: <A>(version: number, now: number, f: (snapshot: Snapshot) => A) => Effect.Effect<A, ViewError>
}

export interface ReaderServices {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly ranking: Omit<Ranking, "embedder">
  /** Finds the active embedder. */
  readonly activeEmbedders: ActiveEmbedders
  /** How long memories are kept. */
  readonly maintenance: MaintenancePolicy
  readonly countTokens: (text: string) => number
  /** True if `countTokens` counts exactly as the model does; false if it estimates. */
  readonly countsExactly: boolean
  /** Judges whether two memories state the same fact. Absent if the policy has no reconciler. */
  readonly judge: Judge | undefined
  /** Finds memories that later ones supersede or repeat; undefined without a settler. */
  readonly settler: SettlerService | undefined
}

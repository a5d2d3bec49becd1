import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Codec } from "../../events/Codec.js"
import type { Payload } from "../../events/catalogue.js"
import type { EventLog } from "../../events/EventLog.js"
import type { Recall } from "../../events/Recall.js"
import type { Store, TrustLevel } from "../../events/Trust.js"
import type { QueryVector } from "../../projections/hits.js"
import type { Db } from "../../projections/Projection.js"
import type { ViewError } from "../../projections/view/build.js"
import type { EmbedderService } from "../ports/Embedder.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { LifePolicy } from "../ports/policy/life.js"
import type { Judge } from "../ports/Reconciler.js"
import type { Reranker } from "../ports/Reranker.js"
import type { InUse } from "./activeEmbedders.js"

/** What a search asks of: one snapshot of one agent's view, at one moment. */
export interface Snapshot {
  readonly db: Db
  /** The asking time, milliseconds since the epoch. */
  readonly now: number
}

export interface Ranking {
  readonly policy: PolicyValues["search"]
  readonly embedder: EmbedderService
  /** Nobody, where it is absent. */
  readonly reranker?: Context.Tag.Service<Reranker> | undefined
}

/** A recall as it waits to be recorded, with the query's vector itself. */
export interface UnrecordedRecall extends Omit<Recall, "vector" | "filters" | "apart"> {
  readonly filters: object
  readonly vector: QueryVector | null
  /** What was in force, with the figures that ranked; null where nothing was ranked. */
  readonly embedder: Figures | null
  /** The one of other stores, where it took part. */
  readonly apart?: (Figures & { readonly stores: ReadonlyArray<Store> }) | undefined
}

export type Figures = Payload<"RECALL">["embedder"]

/** What a read showed. Where and when it was asked is known to whoever answers. */
export type Showing = Omit<UnrecordedRecall, "askedAt" | "position">

/** One snapshot, and where to hand in what a read of it showed; nowhere where that is not recorded. */
export interface Observed extends Snapshot {
  /** Called while the snapshot lasts; what it answers may be called later, once it is known what is shown. */
  readonly observe?: (() => (showing: Showing) => void) | undefined
}

/** Where a reader reads: the live view, or that of a past version. */
export interface ReaderSource {
  readonly agent: string
  readonly level: TrustLevel
  /** Runs queries on one snapshot, at its asking time. */
  readonly read: <A>(f: (snapshot: Observed) => A) => Effect.Effect<A, ViewError>
  /** Runs queries on the view of a past version as it was, at an asking time in milliseconds. For full trust. */
  readonly readAt: <A>(version: number, now: number, f: (snapshot: Snapshot) => A) => Effect.Effect<A, ViewError>
}

export interface ReaderServices {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly ranking: Omit<Ranking, "embedder">
  /** Which embedder is asked. */
  readonly inUse: InUse
  /** By what memories are kept and go. */
  readonly life: LifePolicy
  readonly countTokens: (text: string) => number
  /** By which it is told that memories are about the same; absent where nothing is weighed. */
  readonly judge: Judge | undefined
}

import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Codec } from "../../events/Codec.js"
import type { EventLog } from "../../events/EventLog.js"
import type { TrustLevel } from "../../events/Trust.js"
import type { ViewError } from "../../projections/view/build.js"
import type { EmbedderFact } from "../../projections/embedders.js"
import type { UnrecordedRecall } from "../recalls/recordRecalls.js"
import type { Judge } from "../maintenance/pairs.js"
import type { LifePolicy } from "../ports/policy/life.js"
import type { Ranking, Snapshot } from "../search/retrieve.js"
import type { InUse } from "../embedding/inUse.js"

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
  /** Which embedder was in force when this source was last asked; null for none, absent before. */
  readonly lastSeen: { fact?: EmbedderFact | null }
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

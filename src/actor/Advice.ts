import type * as Either from "effect/Either"
import type { Link } from "../../events/Memory.js"
import type { Store, TrustLevel } from "../../events/Trust.js"
import type { QueryVector } from "../../projections/hybridSearch.js"
import type { Judgement, ReconcilerError, Statement } from "../ports/Reconciler.js"

/** A statement to be stored. The reconciler first compares it with the memories of its store. */
export interface WeighedStatement extends Omit<Statement, "at" | "narrative"> {
  readonly narrative?: string | undefined
  readonly store: Store
  /**
   * The trust level of the text. Until the statement is decided, this is the writer's level. Absent in a what-if replay
   * without trust levels.
   */
  readonly level?: TrustLevel | undefined
  /** The sources of its text. */
  readonly lineage?: ReadonlyArray<Link> | undefined
  /** When it happened, milliseconds since the epoch; now if absent. */
  readonly occurredAt?: number | undefined
}

/**
 * The models' input to a decision. It is gathered before the command is decided, because a transaction cannot wait for
 * models.
 */
export interface Advice {
  /** The vector of the command's text; null if the embedder is remote or failed. */
  readonly vector: QueryVector | null
  /** The reconciler's answer. */
  readonly modelAnswer?: ModelAnswer
}

export interface ModelAnswer {
  /**
   * The candidates that the model was asked about, in the form of the function `candidatesKey`. If the candidates have
   * changed, the answer is stale.
   */
  readonly candidatesKey: string
  readonly answer: Either.Either<Judgement, ReconcilerError>
  /** Milliseconds. */
  readonly latency: number
}

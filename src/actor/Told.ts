import type * as Either from "effect/Either"
import type { Store } from "../../events/Trust.js"
import type { QueryVector } from "../../projections/hits.js"
import type { Judgement, ReconcilerError, Statement } from "../ports/Reconciler.js"

/** What is weighed against what is there already: a statement that is to go into a store. */
export interface Weighed extends Omit<Statement, "at" | "narrative"> {
  readonly narrative?: string | undefined
  readonly store: Store
  /** Milliseconds since the epoch; the present where absent. */
  readonly occurredAt?: number | undefined
}

/** What a command was told before its turn. */
export interface Told {
  /** The vector of its text, where the embedder is at hand. */
  readonly vector: QueryVector | null
  /** What the reconciler said when it was asked. */
  readonly asked?: Asked
}

export interface Asked {
  /** The candidates that it was asked about: see `about`. */
  readonly about: string
  readonly answer: Either.Either<Judgement, ReconcilerError>
  /** Milliseconds. */
  readonly latency: number
}

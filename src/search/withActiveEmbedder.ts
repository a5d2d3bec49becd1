import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type EmbedderRecord, findActiveEmbedder } from "../../projections/embedders.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import { type ActiveEmbedders, isSameEmbedderRecord } from "../actor/activeEmbedders.js"
import type { ObservedSnapshot, Ranking, ReaderServices, ReaderSource } from "../actor/ReaderSource.js"

/** Runs a search: embeds the query with the embedder of `ranking`, then ranks rows through `read`. */
export type SearchWith<A, E> = (
  ranking: Ranking,
  read: <B>(f: (snapshot: ObservedSnapshot) => B) => Effect.Effect<B, ViewError | ActiveEmbedderChanged>
) => Effect.Effect<A, ViewError | ActiveEmbedderChanged | E>

/** The active embedder of the snapshot is not the one that embedded the query. */
export class ActiveEmbedderChanged {
  readonly _tag = "EmbedderChanged"
  constructor(readonly fact: EmbedderRecord | undefined) {}
}

/** Maximum restarts of a search because the active embedder changed. After that, the search keeps its embedder. */
const maxRetries = 3

/**
 * Runs a search with the active embedder of the snapshot that answers it, so that a query vector is never compared with
 * vectors of another model. A first read finds the active embedder. The snapshot that ranks checks it again, because
 * another process may switch embedders in the meantime.
 */
export const withActiveEmbedder = <A, E extends { readonly _tag: string } = never>(
  { read }: Pick<ReaderSource, "read">,
  { activeEmbedders, ranking }: Pick<ReaderServices, "activeEmbedders" | "ranking">,
  search: SearchWith<A, E>
): Effect.Effect<A, ViewError | E> => {
  const attempt = Effect.fnUntraced(function* (
    fact: EmbedderRecord | undefined,
    retries: number
  ): Effect.fn.Return<A, ViewError | E> {
    const embedder = yield* activeEmbedders.ofFact(fact)
    const readIfSame = <B>(f: (snapshot: ObservedSnapshot) => B): Effect.Effect<B, ViewError | ActiveEmbedderChanged> =>
      Effect.flatten(
        read((snapshot) => {
          const active = findActiveEmbedder(snapshot.db)
          return retries > 0 && !isSameEmbedderRecord(active, fact)
            ? Either.left(new ActiveEmbedderChanged(active))
            : Either.right(f(snapshot))
        })
      )
    return yield* Effect.catchIf(search({ ...ranking, embedder }, readIfSame), isEmbedderChanged, (change) =>
      attempt(change.fact, retries - 1)
    ) as Effect.Effect<A, ViewError | E>
  })
  return Effect.flatMap(activeFact(read), (fact) => attempt(fact, maxRetries))
}

const isEmbedderChanged = (error: { readonly _tag: string }): error is ActiveEmbedderChanged =>
  error._tag === "EmbedderChanged"

/** The active embedder of the view that a source reads. */
export const activeEmbedderOf = ({ read }: Pick<ReaderSource, "read">, activeEmbedders: ActiveEmbedders) =>
  Effect.flatMap(activeFact(read), activeEmbedders.ofFact)

const activeFact = (read: ReaderSource["read"]) => read(({ db }) => findActiveEmbedder(db))

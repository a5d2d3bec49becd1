import * as Effect from "effect/Effect"
import { type EmbedderFact, findInForce } from "../../projections/embedders.js"
import type { ViewError } from "../../projections/view/build.js"
import { type InUse, sameFact } from "../actor/activeEmbedders.js"
import type { Observed, Ranking, ReaderServices, ReaderSource } from "../actor/ReaderSource.js"

/** How a search reads, knowing what embeds its query. */
export type Ask<A> = (
  ranking: Ranking,
  read: <B>(f: (snapshot: Observed) => B) => Effect.Effect<B, ViewError | Moved>
) => Effect.Effect<A, ViewError | Moved>

/** Another embedder is in force in the snapshot than the one that the query was prepared for. */
export class Moved {
  readonly _tag = "Moved"
  constructor(readonly fact: EmbedderFact | undefined) {}
}

/** A switch in the midst of a search has it begin again; who switches all the time gets the answer of a moment ago. */
const tries = 3

/**
 * Searches with the embedder that is in force in the very snapshot that answers: a query is never compared with the
 * vectors of another model, and once a switch is in the log nobody reads by the old one.
 */
export const asInForce = <A>(
  { lastSeen, read }: Pick<ReaderSource, "lastSeen" | "read">,
  { inUse, ranking }: Pick<ReaderServices, "inUse" | "ranking">,
  ask: Ask<A>
): Effect.Effect<A, ViewError> => {
  const attempt = (left: number): Effect.Effect<A, ViewError> =>
    Effect.gen(function* () {
      const fact = lastSeen.fact === undefined ? yield* guess : lastSeen.fact
      const embedder = yield* inUse.of(fact ?? undefined)
      const reading = <B>(f: (snapshot: Observed) => B): Effect.Effect<B, ViewError | Moved> =>
        Effect.flatMap(
          read((snapshot): Either<B> => {
            const now = findInForce(snapshot.db)
            return left > 0 && !sameFact(now, fact ?? undefined) ? { moved: new Moved(now) } : { value: f(snapshot) }
          }),
          (answer) => ("moved" in answer ? Effect.fail(answer.moved) : Effect.succeed(answer.value))
        )
      return yield* Effect.catchIf(ask({ ...ranking, embedder }, reading), isMoved, (moved) => {
        lastSeen.fact = moved.fact ?? null
        return attempt(left - 1)
      }) as Effect.Effect<A, ViewError>
    })
  // To ask a cheap one in vain costs less than to read first.
  const guess: Effect.Effect<EmbedderFact | null, ViewError> = Effect.suspend(() =>
    inUse.configured.cheap === true
      ? Effect.succeed(null)
      : Effect.map(
          read(({ db }) => findInForce(db) ?? null),
          (fact) => {
            lastSeen.fact = fact
            return fact
          }
        )
  )
  return Effect.suspend(() => attempt(tries))
}

type Either<B> = { readonly moved: Moved } | { readonly value: B }

const isMoved = (error: ViewError | Moved): error is Moved => error._tag === "Moved"

/** The embedder in force where a source reads. */
export const embedderOf = ({ read }: Pick<ReaderSource, "read">, inUse: InUse) =>
  Effect.flatMap(
    read(({ db }) => findInForce(db)),
    inUse.of
  )

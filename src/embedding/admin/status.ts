import * as Effect from "effect/Effect"
import { stores as allStores } from "../../../events/Trust.js"
import { chunkVectorIndex } from "../../../projections/chunkVectors.js"
import {
  type EmbedderFact,
  findEmbedders,
  findInForce,
  findPreparing,
  type ModelName
} from "../../../projections/embedders.js"
import type { Db } from "../../../projections/Projection.js"
import { memoryVectors, type VectorSet } from "../../../projections/vectors.js"
import { type InUse, sameModel } from "../../actor/activeEmbedders.js"
import type { EmbedderService } from "../../ports/Embedder.js"
import type { Embedding, Preparation } from "../Embedding.js"
import { countLacking } from "../indexFill.js"
import type { EmbedderStatus, IndexStatus, Rate } from "./EmbedderOperations.js"

/** The indexes of an agent's view, with the progress and failures of this process. */
export const statusOf = <E>(
  agent: string,
  embedders: InUse,
  embedding: Pick<Embedding, "aside" | "failure" | "preparation">,
  read: <A>(f: (db: Db) => A) => Effect.Effect<A, E>
): Effect.Effect<EmbedderStatus, E> =>
  Effect.gen(function* () {
    const facts = yield* read((db) => ({ active: findInForce(db), candidate: findPreparing(db) }))
    const active = yield* embedders.of(facts.active)
    const candidate = facts.candidate === undefined ? undefined : yield* embedders.of(facts.candidate)
    const problem = facts.active === undefined ? undefined : yield* problemOf(embedders, active)
    const candidateProblem = candidate === undefined ? undefined : yield* problemOf(embedders, candidate)
    const preparation = embedding.preparation()
    const failure = embedding.failure()
    const aside = embedding.aside()
    const { apart, floor, usage, weight } = active
    return yield* read((db): EmbedderStatus => {
      const since = sameModel(active, facts.active ?? embedders.configured) ? (facts.active?.version ?? null) : null
      const inUse = [active, candidate].flatMap((embedder) =>
        embedder === undefined ? [] : [embedder, ...(embedder.apart ? [embedder.apart.embedder] : [])]
      )
      return {
        agent,
        configured: nameIn(embedders.configured),
        inForce: { ...indexOf(db, ownOf(active)), weight, floor, since, ...(problem === undefined ? {} : { problem }) },
        apart:
          apart === undefined
            ? null
            : { ...indexOf(db, { ...nameIn(apart.embedder), stores: apart.stores }), stores: apart.stores },
        preparing:
          candidate === undefined || facts.candidate === undefined
            ? null
            : {
                ...indexOf(db, ownOf(candidate)),
                adopt: facts.candidate.adopt,
                ...(preparation === undefined || !sameModel(preparation, candidate)
                  ? {}
                  : { rate: rateOf(preparation) }),
                ...(candidateProblem === undefined ? {} : { problem: candidateProblem })
              },
        kept: modelsOf(db)
          .filter((model) => !inUse.some((embedder) => sameModel(model, embedder)))
          .map((model) => indexOf(db, model)),
        ...(usage === undefined ? {} : { usage: usage() }),
        ...(aside === 0 ? {} : { aside }),
        ...(failure === undefined ? {} : { failure: failure.message })
      }
    })
  })

/** The status of an agent without events, which has no view. */
export const statusOfNothing = (agent: string, { configured }: InUse): EmbedderStatus => {
  const { apart, floor, weight } = configured
  const empty = { embedded: 0, lacking: 0 }
  return {
    agent,
    configured: nameIn(configured),
    inForce: { ...nameIn(configured), ...empty, weight, floor, since: null },
    apart: apart === undefined ? null : { ...nameIn(apart.embedder), ...empty, stores: apart.stores },
    preparing: null,
    kept: []
  }
}

/** Every model that an agent has vectors of. */
export const modelsOf = (db: Db): ReadonlyArray<ModelName> => {
  const all = [...memoryVectors.models(db), ...chunkVectorIndex.models(db)]
  return all.filter((model, index) => all.findIndex((other) => sameModel(model, other)) === index)
}

/** The embedder that was active before the current one, if its index still exists. */
export const previousOf = (db: Db): EmbedderFact | undefined => {
  const active = findInForce(db)
  const models = modelsOf(db)
  return findEmbedders(db)
    .filter(({ state }) => state === "inForce" || state === "first")
    .filter((fact) => active === undefined || !sameModel(fact, active))
    .findLast((fact) => models.some((model) => sameModel(fact, model)))
}

export const indexOf = (db: Db, set: VectorSet): IndexStatus => {
  const { dimensions, model } = set
  const embedded = memoryVectors.count(db, model, dimensions) + chunkVectorIndex.count(db, model, dimensions)
  return { model, dimensions, embedded, lacking: countLacking(db, set) }
}

/** The vectors that an embedder's own index should have: all but those of the stores withheld from it. */
export const ownOf = ({ apart, ...embedder }: EmbedderService): VectorSet => ({
  ...nameIn(embedder),
  stores: apart === undefined ? undefined : allStores.filter((store) => !apart.stores.includes(store))
})

export const nameIn = ({ dimensions, model }: ModelName): ModelName => ({ model, dimensions })

export const rateOf = (progress: Preparation): Rate => {
  const perSecond = progress.took === 0 ? 0 : (1_000 * progress.made) / progress.took
  return { ...progress, perSecond, remaining: perSecond === 0 ? null : progress.left / perSecond }
}

const problemOf = (embedders: InUse, { dimensions, model }: ModelName) =>
  Effect.match(embedders.named(model, dimensions), { onSuccess: () => undefined, onFailure: ({ problem }) => problem })

import * as Effect from "effect/Effect"
import { stores as allStores } from "../../../events/Trust.js"
import { chunkVectorIndex } from "../../../projections/chunkVectors.js"
import {
  type EmbedderRecord,
  findActiveEmbedder,
  findEmbedderRecords,
  findPreparingEmbedder,
  type ModelName
} from "../../../projections/embedders.js"
import type { Db } from "../../../projections/Projection.js"
import { memoryVectorIndex, type VectorSet } from "../../../projections/vectors.js"
import { type ActiveEmbedders, sameModel } from "../../actor/activeEmbedders.js"
import type { EmbedderService } from "../../ports/Embedder.js"
import type { Embedding, Preparation } from "../Embedding.js"
import { countMissingVectors } from "../indexFill.js"
import type { EmbedderStatus, IndexStatus, Rate, StatusOptions } from "./EmbedderOperations.js"

/** Reports the indexes of an agent's view, with the progress and failures of this process. */
export const statusOf = <E>(
  agent: string,
  embedders: ActiveEmbedders,
  embedding: Pick<Embedding, "countSkipped" | "failure" | "preparation" | "probe">,
  read: <A>(f: (db: Db) => A) => Effect.Effect<A, E>,
  { probe = false }: StatusOptions = {}
): Effect.Effect<EmbedderStatus, E> =>
  Effect.gen(function* () {
    const facts = yield* read((db) => ({ active: findActiveEmbedder(db), candidate: findPreparingEmbedder(db) }))
    const active = yield* embedders.ofFact(facts.active)
    const candidate = facts.candidate === undefined ? undefined : yield* embedders.ofFact(facts.candidate)
    const problem = facts.active === undefined ? undefined : yield* problemOf(embedders, active)
    const candidateProblem = candidate === undefined ? undefined : yield* problemOf(embedders, candidate)
    const preparation = embedding.preparation()
    const known = embedding.failure()
    const mayProbe = probe && known === undefined && problem === undefined
    const lacking = mayProbe ? yield* read((db) => countMissingVectors(db, ownVectorSet(active))) : 0
    const failure = lacking > 0 ? yield* embedding.probe(active) : known
    const skipped = embedding.countSkipped()
    const { substitute, floor, usage, weight } = active
    return yield* read((db): EmbedderStatus => {
      const since = sameModel(active, facts.active ?? embedders.configured) ? (facts.active?.version ?? null) : null
      const indexEmbedders = [active, candidate].flatMap((embedder) =>
        embedder === undefined ? [] : [embedder, ...(embedder.substitute ? [embedder.substitute.embedder] : [])]
      )
      return {
        agent,
        configured: modelNameOf(embedders.configured),
        inForce: {
          ...indexStatusOf(db, ownVectorSet(active)),
          weight,
          floor,
          since,
          ...(problem === undefined ? {} : { problem })
        },
        apart:
          substitute === undefined
            ? null
            : {
                ...indexStatusOf(db, { ...modelNameOf(substitute.embedder), stores: substitute.stores }),
                stores: substitute.stores
              },
        preparing:
          candidate === undefined || facts.candidate === undefined
            ? null
            : {
                ...indexStatusOf(db, ownVectorSet(candidate)),
                adopt: facts.candidate.adopt,
                ...(preparation === undefined || !sameModel(preparation, candidate)
                  ? {}
                  : { rate: rateOf(preparation) }),
                ...(candidateProblem === undefined ? {} : { problem: candidateProblem })
              },
        kept: modelsOf(db)
          .filter((model) => !indexEmbedders.some((embedder) => sameModel(model, embedder)))
          .map((model) => indexStatusOf(db, model)),
        ...(usage === undefined ? {} : { usage: usage() }),
        ...(skipped === 0 ? {} : { aside: skipped }),
        ...(failure === undefined ? {} : { failure: failure.message })
      }
    })
  })

/** The status of an agent without events, which has no view. */
export const statusWithoutEvents = (agent: string, { configured }: ActiveEmbedders): EmbedderStatus => {
  const { substitute, floor, weight } = configured
  const empty = { embedded: 0, lacking: 0 }
  return {
    agent,
    configured: modelNameOf(configured),
    inForce: { ...modelNameOf(configured), ...empty, weight, floor, since: null },
    apart:
      substitute === undefined ? null : { ...modelNameOf(substitute.embedder), ...empty, stores: substitute.stores },
    preparing: null,
    kept: []
  }
}

/** Every model that has vectors of this agent. */
export const modelsOf = (db: Db): ReadonlyArray<ModelName> => {
  const models = [...memoryVectorIndex.models(db), ...chunkVectorIndex.models(db)]
  return models.filter((model, index) => models.findIndex((other) => sameModel(model, other)) === index)
}

/** The embedder that was active before the current one, if its index still exists. */
export const findPreviousEmbedder = (db: Db): EmbedderRecord | undefined => {
  const active = findActiveEmbedder(db)
  const models = modelsOf(db)
  return findEmbedderRecords(db)
    .filter(({ state }) => state === "inForce" || state === "first")
    .filter((fact) => active === undefined || !sameModel(fact, active))
    .findLast((fact) => models.some((model) => sameModel(fact, model)))
}

export const indexStatusOf = (db: Db, set: VectorSet): IndexStatus => {
  const { dimensions, model } = set
  const embedded = memoryVectorIndex.count(db, model, dimensions) + chunkVectorIndex.count(db, model, dimensions)
  return { model, dimensions, embedded, lacking: countMissingVectors(db, set) }
}

/** The vectors that an embedder's index should have: all, except those of the stores withheld from it. */
export const ownVectorSet = ({ substitute, ...embedder }: EmbedderService): VectorSet => ({
  ...modelNameOf(embedder),
  stores: substitute === undefined ? undefined : allStores.filter((store) => !substitute.stores.includes(store))
})

export const modelNameOf = ({ dimensions, model }: ModelName): ModelName => ({ model, dimensions })

export const rateOf = (progress: Preparation): Rate => {
  const perSecond = progress.took === 0 ? 0 : (1_000 * progress.madeCount) / progress.took
  return { ...progress, perSecond, remaining: perSecond === 0 ? null : progress.left / perSecond }
}

const problemOf = (embedders: ActiveEmbedders, { dimensions, model }: ModelName) =>
  Effect.match(embedders.byName(model, dimensions), { onSuccess: () => undefined, onFailure: ({ problem }) => problem })

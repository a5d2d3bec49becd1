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
import { countLacking } from "../vectorWork.js"
import type { EmbedderStatus, IndexStatus, Rate } from "./EmbedderOperations.js"

/** What a view says of its indexes, and beside it what only this process knows. */
export const statusOf = <E>(
  agent: string,
  inUse: InUse,
  embedding: Pick<Embedding, "aside" | "failure" | "preparation">,
  read: <A>(f: (db: Db) => A) => Effect.Effect<A, E>
): Effect.Effect<EmbedderStatus, E> =>
  Effect.gen(function* () {
    const facts = yield* read((db) => ({ now: findInForce(db), next: findPreparing(db) }))
    const now = yield* inUse.of(facts.now)
    const next = facts.next === undefined ? undefined : yield* inUse.of(facts.next)
    const problem = facts.now === undefined ? undefined : yield* problemOf(inUse, now)
    const nextProblem = next === undefined ? undefined : yield* problemOf(inUse, next)
    const running = embedding.preparation()
    const failure = embedding.failure()
    const aside = embedding.aside()
    const { apart, floor, usage, weight } = now
    return yield* read((db): EmbedderStatus => {
      const since = sameModel(now, facts.now ?? inUse.configured) ? (facts.now?.version ?? null) : null
      const used = [now, next].flatMap((one) =>
        one === undefined ? [] : [one, ...(one.apart ? [one.apart.embedder] : [])]
      )
      return {
        agent,
        configured: { model: inUse.configured.model, dimensions: inUse.configured.dimensions },
        inForce: {
          ...indexOf(db, ownOf(now)),
          weight,
          floor,
          since,
          ...(problem === undefined ? {} : { problem })
        },
        apart:
          apart === undefined
            ? null
            : { ...indexOf(db, { ...nameIn(apart.embedder), stores: apart.stores }), stores: apart.stores },
        preparing:
          next === undefined || facts.next === undefined
            ? null
            : {
                ...indexOf(db, ownOf(next)),
                adopt: facts.next.adopt,
                ...(running === undefined || !sameModel(running, next) ? {} : { rate: rateOf(running) }),
                ...(nextProblem === undefined ? {} : { problem: nextProblem })
              },
        kept: modelsOf(db)
          .filter((one) => !used.some((other) => sameModel(one, other)))
          .map((one) => indexOf(db, one)),
        ...(usage === undefined ? {} : { usage: usage() }),
        ...(aside === 0 ? {} : { aside }),
        ...(failure === undefined ? {} : { failure: failure.message })
      }
    })
  })

/** Of an agent without events, which is in no file. */
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
  return all.filter((one, at) => all.findIndex((other) => sameModel(one, other)) === at)
}

/** The index that was in force before the one that is, and is still there; undefined where there is none. */
export const previousOf = (db: Db): EmbedderFact | undefined => {
  const now = findInForce(db)
  const there = modelsOf(db)
  return findEmbedders(db)
    .filter(({ state }) => state === "inForce" || state === "first")
    .filter((one) => now === undefined || !sameModel(one, now))
    .findLast((one) => there.some((other) => sameModel(one, other)))
}

export const indexOf = (db: Db, set: VectorSet): IndexStatus => {
  const { dimensions, model } = set
  const embedded = memoryVectors.count(db, model, dimensions) + chunkVectorIndex.count(db, model, dimensions)
  return { model, dimensions, embedded, lacking: countLacking(db, set) }
}

/** What is to have its vectors: all, but the stores that it is not to see. */
export const ownOf = ({ apart, ...embedder }: EmbedderService): VectorSet => ({
  ...nameIn(embedder),
  stores: apart === undefined ? undefined : allStores.filter((store) => !apart.stores.includes(store))
})

export const nameIn = ({ dimensions, model }: ModelName): ModelName => ({ model, dimensions })

export const rateOf = (progress: Preparation): Rate => {
  const perSecond = progress.took === 0 ? 0 : (1_000 * progress.made) / progress.took
  return { ...progress, perSecond, remaining: perSecond === 0 ? null : progress.left / perSecond }
}

const problemOf = (inUse: InUse, { dimensions, model }: ModelName) =>
  Effect.match(inUse.named(model, dimensions), { onSuccess: () => undefined, onFailure: ({ problem }) => problem })

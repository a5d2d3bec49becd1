import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { findPreparingEmbedder, type ModelName } from "../../../projections/embedders.js"
import { findById } from "../../../projections/observations.js"
import { modelLabel, sameModel } from "../../actor/activeEmbedders.js"
import { InvalidInput, MemoryNotFound, NoSuchIndex } from "../../model/errors.js"
import type { EmbedderService } from "../../ports/Embedder.js"
import { dropEmbedder } from "../commands.js"
import { type CalibrateOptions, type CalibrateServices, cachingEmbedder, calibrate } from "./calibrate.js"
import { compareIndexHits, type OperationServices, searchIds } from "./compare.js"
import type { CompareOptions, EmbedderOperations, EmbedderStatus, StatusOptions } from "./EmbedderOperations.js"
import type { LabelledQuestion } from "./labelledQuestions.js"
import { findPreviousEmbedder, modelNameOf, modelsOf, statusOf, statusWithoutEvents } from "./status.js"
import { switchToEmbedder } from "./switchTo.js"

export const make = (operating: OperationServices): EmbedderOperations => {
  const { activeEmbedders, use, views } = operating
  return {
    status: (agent, options) => status(operating, agent, options),
    switchTo: Effect.fnUntraced(function* (agent, name, options = {}) {
      const { weight } = options
      if (weight !== undefined && !(weight >= 0 && weight <= 1)) {
        return yield* new InvalidInput({ field: "weight", problem: "must be from 0 to 1" })
      }
      const embedder = yield* activeEmbedders.byName(name, options.dimensions)
      return yield* switchToEmbedder(
        operating,
        agent,
        weight === undefined ? embedder : { ...embedder, weight },
        options
      )
    }),
    back: Effect.fnUntraced(function* (agent, options = {}) {
      yield* requireEvents(operating, agent)
      const previous = yield* use(agent, ({ actor }) => views.read(actor.view, findPreviousEmbedder))
      if (previous === undefined)
        return yield* new NoSuchIndex({
          problem:
            "there is no earlier embedder to switch back to: to switch to another embedder, run 'daybook embed switch MODEL'"
        })
      const { dimensions, floor, model, weight } = previous
      const embedder = yield* activeEmbedders.byName(model, dimensions)
      // Restore the weight and floor from the log, not from the current settings: past searches ranked with them.
      const restored = weight === null ? embedder : { ...embedder, weight, floor: floor! }
      return yield* switchToEmbedder(operating, agent, restored, options)
    }),
    drop: Effect.fnUntraced(function* (agent, name, options = {}) {
      yield* requireEvents(operating, agent)
      const current = yield* status(operating, agent)
      const model = yield* name === undefined
        ? Effect.succeed(undefined)
        : modelNamed(operating, name, options.dimensions)
      const chosen = model === undefined ? yield* unusedModels(current) : [model]
      if (model !== undefined) yield* refuseSubstitute(operating, current, model)
      const actorName = options.actor ?? "program"
      yield* use(agent, ({ actor }) =>
        Effect.forEach(chosen, (model) => actor.run(dropEmbedder(actorName, model)), { discard: true })
      )
      return chosen
    }),
    compare: (agent, options = {}) => compareIndexes(operating, agent, options),
    calibrate: (agent, options = {}) => calibrateIndex(operating, agent, options)
  }
}

const status = ({ activeEmbedders, isEmpty, use, views }: OperationServices, agent: string, options?: StatusOptions) =>
  Effect.flatMap(isEmpty(agent), (empty) =>
    empty
      ? Effect.succeed(statusWithoutEvents(agent, activeEmbedders))
      : use(agent, ({ actor, embedding }) =>
          statusOf(agent, activeEmbedders, embedding, (f) => views.read(actor.view, f), options)
        )
  )

const requireEvents = ({ isEmpty }: OperationServices, agent: string) =>
  Effect.flatMap(isEmpty(agent), (empty) =>
    empty ? Effect.fail(new NoSuchIndex({ problem: "there is no other index: the agent has no events" })) : Effect.void
  )

/** Refuses labelled questions about memories that never existed, because these would count as not found. */
const requireKnownIds = Effect.fnUntraced(function* (
  { use, views }: OperationServices,
  agent: string,
  questions: ReadonlyArray<LabelledQuestion> = []
) {
  const ids = new Set(questions.flatMap((question) => question.ids))
  const unknown = yield* use(agent, ({ actor }) =>
    views.read(actor.view, (db) => [...ids].filter((id) => findById(db, id) === undefined))
  )
  if (unknown.length > 0) return yield* new MemoryNotFound({ id: unknown.join(", ") })
})

/** The models to drop if the caller names none. A candidate is expensive to rebuild, so the caller must name it. */
const unusedModels = ({ kept, preparing }: EmbedderStatus) => {
  if (kept.length > 0) return Effect.succeed(kept.map(modelNameOf))
  const problem =
    preparing === null
      ? "there is no other index to drop"
      : `the only other index (${modelLabel(preparing)}) is being prepared: pass its name to drop it`
  return Effect.fail(new NoSuchIndex({ problem }))
}

/** Refuses to drop the local model that embeds stores withheld from the active embedder or from the candidate. */
const refuseSubstitute = Effect.fnUntraced(function* (
  { activeEmbedders }: OperationServices,
  { apart, inForce, preparing }: EmbedderStatus,
  model: ModelName
) {
  const refuse = (main: ModelName) =>
    new NoSuchIndex({
      problem: `cannot drop ${modelLabel(model)}, because this model embeds the stores that ${main.model} must not see: first change \`embedding.local\` in the policy`
    })
  if (apart !== null && sameModel(model, apart)) return yield* refuse(inForce)
  if (preparing === null) return
  const candidate = yield* Effect.option(activeEmbedders.byName(preparing.model, preparing.dimensions))
  const candidateSubstitute = Option.flatMapNullable(candidate, (embedder) => embedder.substitute?.embedder)
  if (Option.exists(candidateSubstitute, (embedder) => sameModel(embedder, model))) return yield* refuse(preparing)
})

const compareIndexes = Effect.fnUntraced(function* (
  operating: OperationServices,
  agent: string,
  options: CompareOptions
) {
  const { activeEmbedders, use, views } = operating
  yield* requireEvents(operating, agent)
  const { indexes, inForce } = yield* use(agent, ({ actor, embedding }) =>
    Effect.all({
      inForce: embedding.activeEmbedder(actor.view),
      indexes: views.read(actor.view, (db) => {
        const models = modelsOf(db)
        return { models, other: findPreparingEmbedder(db) ?? findPreviousEmbedder(db) ?? models.at(-1) }
      })
    })
  )
  const { models, other } = indexes
  const chosen = options.with === undefined ? other : yield* modelNamed(operating, options.with, options.dimensions)
  if (chosen === undefined || sameModel(chosen, inForce) || !models.some((model) => sameModel(model, chosen))) {
    const missing =
      chosen === undefined ? "there is no other index" : `there is no other index of ${modelLabel(chosen)}`
    return yield* new NoSuchIndex({
      problem: `${missing} to compare with: run 'daybook embed switch MODEL --prepare' to build one`
    })
  }
  yield* requireKnownIds(operating, agent, options.questions)
  const embedder = yield* activeEmbedders.byName(chosen.model, chosen.dimensions)
  return yield* compareIndexHits(operating, agent, { inForce, other: embedder }, options)
})

const calibrateIndex = Effect.fnUntraced(function* (
  operating: OperationServices,
  agent: string,
  options: CalibrateOptions
) {
  const { activeEmbedders, ranking, reader, use, views } = operating
  yield* requireEvents(operating, agent)
  const { inForce, models } = yield* use(agent, ({ actor, embedding }) =>
    Effect.all({ models: views.read(actor.view, modelsOf), inForce: embedding.activeEmbedder(actor.view) })
  )
  const { with: name = inForce.model } = options
  const { dimensions = name === inForce.model ? inForce.dimensions : undefined } = options
  const embedder = name === inForce.model ? inForce : yield* activeEmbedders.byName(name, dimensions)
  if (!models.some((model) => sameModel(model, embedder))) {
    return yield* new NoSuchIndex({
      problem: `there is no index of ${modelLabel(embedder)}: run 'daybook embed status' to list the indexes`
    })
  }
  yield* requireKnownIds(operating, agent, options.questions)
  const calibrating = {
    ...modelNameOf(embedder),
    used: ranking.policy.vectorWeight ?? embedder.weight,
    reader: reader(agent),
    search: searchWith(operating, agent, embedder)
  }
  // The reader has full trust, so TrustRequired cannot occur.
  return yield* Effect.catchTag(calibrate(calibrating, options), "TrustRequired", Effect.die)
})

/** Searches with a given vector weight. Embeds each query once for all weights. */
const searchWith = (
  { ranking, source }: OperationServices,
  agent: string,
  embedder: EmbedderService
): CalibrateServices["search"] => {
  const cached = cachingEmbedder(embedder)
  return (level, query, vectorWeight) =>
    searchIds(
      source(agent),
      { ...ranking, policy: { ...ranking.policy, vectorWeight }, embedder: cached },
      level,
      query
    )
}

/**
 * Resolves a name to a model. With `dimensions`, this also works for an index whose embedder is not available in this
 * process.
 */
const modelNamed = (
  { activeEmbedders }: OperationServices,
  name: string,
  dimensions: number | undefined
): Effect.Effect<ModelName, InvalidInput> =>
  Effect.matchEffect(activeEmbedders.byName(name, dimensions), {
    onSuccess: (embedder) => Effect.succeed(modelNameOf(embedder)),
    onFailure: () =>
      dimensions === undefined
        ? Effect.fail(
            new InvalidInput({ field: "dimensions", problem: `is required, because no embedder has the name ${name}` })
          )
        : Effect.succeed({ model: name, dimensions })
  })

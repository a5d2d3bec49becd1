import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { findInForce, findPreparing, type ModelName } from "../../../projections/embedders.js"
import type { ViewError } from "../../../projections/view/build.js"
import type { Views } from "../../../projections/view/Views.js"
import type { Agent } from "../../actor/Agents.js"
import { type InUse, nameOf, sameApart, sameModel } from "../../actor/activeEmbedders.js"
import { checkName } from "../../model/agentName.js"
import { InvalidInput, NoSuchIndex } from "../../model/errors.js"
import type { EmbedderService } from "../../ports/Embedder.js"
import { retrieve } from "../../search/retrieve.js"
import { decodeQuery, searchIn } from "../../search/search.js"
import { pauseAfter } from "../background.js"
import type { Embedding } from "../Embedding.js"
import { adoptEmbedder, dropEmbedder, prepareEmbedder } from "../embedder.js"
import { countLacking, newestIn } from "../vectorWork.js"
import { type Calibrating, calibrate } from "./calibrate.js"
import { type Comparing, compare, withLocalReranker } from "./compare.js"
import type { EmbedderOperations, Switched, SwitchOptions } from "./EmbedderOperations.js"
import { remembering } from "./remembering.js"
import { modelsOf, nameIn, ownOf, previousOf, rateOf, statusOf, statusOfNothing } from "./status.js"

type OwnAgent = Agent<Embedding>

export interface Operating extends Comparing {
  readonly use: <A, E>(
    agent: string,
    f: (agent: OwnAgent) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E | ViewError | InvalidInput>
  /** Whether an agent has no events: merely to be asked for leaves nothing of it on disk. */
  readonly isEmpty: (agent: string) => Effect.Effect<boolean>
  readonly inUse: InUse
  readonly views: Context.Tag.Service<Views>
}

/** Times that the vectors of whatever came meanwhile are made before it is said that they do not catch up. */
const rounds = 10
/** Failures in a row, nothing made between them, that are waited out: half an hour. */
const mostFailures = 12

export const make = (operating: Operating): EmbedderOperations => {
  const { inUse, isEmpty, use, views } = operating

  const switchWith = (agent: string, next: EmbedderService, options: SwitchOptions) =>
    use(agent, ({ actor, embedding }) =>
      Effect.gen(function* () {
        const { adopt = true, now = false, wait = true } = options
        const who = options.actor ?? "program"
        const name = nameIn(next)
        const inForce = yield* embedding.current(actor.view)
        if (
          sameModel(inForce, next) &&
          sameApart(inForce, next) &&
          (options.weight === undefined || options.weight === inForce.weight)
        ) {
          // Who was killed as it was put in force left what it lacked then.
          if (wait) yield* embedding.backfill
          return { ...name, state: "inForce", unchanged: true } satisfies Switched
        }
        if (!actor.view.hasVectors) return yield* new NoSuchIndex({ problem: "sqlite-vec is not available" })
        if (now || sameModel(inForce, next)) {
          yield* actor.run(adoptEmbedder(who, next, () => true))
          if (wait) yield* embedding.backfill
          return { ...name, state: "inForce", unchanged: false } satisfies Switched
        }
        yield* actor.run(prepareEmbedder(who, next, adopt))
        if (!wait) return { ...name, state: "preparing", unchanged: false } satisfies Switched
        return yield* made({ actor, embedding }, next, options)
      })
    )

  /** Makes an index until it is in force, or as it is to be, or until it is clear that it will not be. */
  const made = ({ actor, embedding }: OwnAgent, next: EmbedderService, options: SwitchOptions) =>
    Effect.gen(function* () {
      const { onFailure, onProgress } = options
      const name = nameIn(next)
      let [round, failures, lacking, newest] = [0, 0, Number.POSITIVE_INFINITY, ""]
      while (true) {
        const error = yield* embedding.prepare((progress) => onProgress?.(rateOf(progress)))
        const facts = yield* views.read(actor.view, (db) => ({
          now: findInForce(db),
          next: findPreparing(db),
          lacking: countLacking(db, ownOf(next)),
          newest: JSON.stringify(newestIn(db))
        }))
        if (facts.now !== undefined && sameModel(facts.now, next)) {
          return { ...name, state: "inForce", unchanged: false } satisfies Switched
        }
        if (error === undefined && (facts.next === undefined || !sameModel(facts.next, next))) {
          return yield* new NoSuchIndex({ problem: `${nameOf(next)}: is not being prepared any more` })
        }
        if (error !== undefined) {
          failures = facts.lacking < lacking ? 0 : failures + 1
          lacking = facts.lacking
          const pause = failures < mostFailures ? pauseAfter(error, failures) : undefined
          if (onFailure === undefined || pause === undefined) return yield* error
          onFailure(error, pause)
          yield* Effect.sleep(Duration.millis(pause))
          continue
        }
        if (!facts.next!.adopt) return { ...name, state: "prepared", unchanged: false } satisfies Switched
        // All were asked for, and nothing came since: it is they that have no vector.
        const problem =
          facts.newest === newest
            ? `gives no vector for ${facts.lacking} of the texts; it can be put in force all the same`
            : round >= rounds
              ? `more is written than vectors are made of it: ${facts.lacking} texts are behind; ask again when less is written, or put it in force all the same`
              : undefined
        if (problem !== undefined) return yield* new NoSuchIndex({ problem: `${nameOf(next)}: ${problem}` })
        newest = facts.newest
        round++
      }
    })

  const status = (agent: string) =>
    Effect.flatMap(isEmpty(agent), (empty) =>
      empty
        ? Effect.as(checkName(agent), statusOfNothing(agent, inUse))
        : use(agent, ({ actor, embedding }) => statusOf(agent, inUse, embedding, (f) => views.read(actor.view, f)))
    )

  const there = (agent: string) =>
    Effect.flatMap(isEmpty(agent), (empty) =>
      empty ? Effect.fail(new NoSuchIndex({ problem: "there is no other index" })) : Effect.void
    )

  return {
    status,
    switchTo: (agent, name, options = {}) =>
      Effect.gen(function* () {
        const { weight } = options
        if (weight !== undefined && !(weight >= 0 && weight <= 1)) {
          return yield* new InvalidInput({ field: "weight", problem: "must be from 0 to 1" })
        }
        const one = yield* inUse.named(name, options.dimensions)
        return yield* switchWith(agent, weight === undefined ? one : { ...one, weight }, options)
      }),
    back: (agent, options = {}) =>
      Effect.gen(function* () {
        yield* there(agent)
        const before = yield* use(agent, ({ actor }) => views.read(actor.view, previousOf))
        if (before === undefined) return yield* new NoSuchIndex({ problem: "there is no embedder to go back to" })
        // One that cannot be had here fails. The figures are those that ranked by it, whoever chose them.
        const { dimensions, floor, model, weight } = before
        const one = yield* inUse.named(model, dimensions)
        return yield* switchWith(agent, weight === null ? one : { ...one, weight, floor: floor! }, options)
      }),
    drop: (agent, name, options = {}) =>
      Effect.gen(function* () {
        yield* there(agent)
        const { apart, inForce, kept, preparing } = yield* status(agent)
        const named = yield* name === undefined ? Effect.succeed(undefined) : modelNamed(name, options.dimensions)
        if (named !== undefined && apart !== null && sameModel(named, apart)) {
          const problem = `${nameOf(named)}: is in use for stores that ${inForce.model} is not to see`
          return yield* new NoSuchIndex({ problem })
        }
        if (named !== undefined && preparing !== null) {
          const next = yield* Effect.option(inUse.named(preparing.model, preparing.dimensions))
          const beside = Option.flatMapNullable(next, (one) => one.apart?.embedder)
          if (Option.exists(beside, (one) => sameModel(one, named))) {
            const problem = `${nameOf(named)}: is in use for stores that ${preparing.model} is not to see`
            return yield* new NoSuchIndex({ problem })
          }
        }
        const chosen = named === undefined ? kept.map(nameIn) : [named]
        if (chosen.length === 0) {
          // What somebody pays for to be made goes only where it is named.
          const problem =
            preparing === null
              ? "there is no other index"
              : `there is no other index but the one that is being prepared, ${nameOf(preparing)}: name it to drop it`
          return yield* new NoSuchIndex({ problem })
        }
        yield* use(agent, ({ actor }) =>
          Effect.forEach(chosen, (one) => actor.run(dropEmbedder(options.actor ?? "program", one)), { discard: true })
        )
        return chosen
      }),
    compare: (agent, options = {}) =>
      Effect.gen(function* () {
        yield* there(agent)
        const { all, inForce, other } = yield* use(agent, ({ actor, embedding }) =>
          Effect.gen(function* () {
            const found = yield* views.read(actor.view, (db) => {
              const { model, dimensions } = findPreparing(db) ?? previousOf(db) ?? modelsOf(db).at(-1) ?? {}
              return {
                all: modelsOf(db),
                other: model === undefined ? undefined : { model, dimensions: dimensions! }
              }
            })
            return { ...found, inForce: yield* embedding.current(actor.view) }
          })
        )
        const chosen = options.with === undefined ? other : yield* modelNamed(options.with, options.dimensions)
        if (chosen === undefined || sameModel(chosen, inForce) || !all.some((one) => sameModel(one, chosen))) {
          const problem = `${chosen === undefined ? "there is no other index" : `no other index of ${nameOf(chosen)}`} to compare with`
          return yield* new NoSuchIndex({ problem })
        }
        return yield* compare(operating, agent, inForce, yield* inUse.named(chosen.model, chosen.dimensions), options)
      }),
    calibrate: (agent, options = {}) =>
      Effect.gen(function* () {
        yield* there(agent)
        const { all, inForce } = yield* use(agent, ({ actor, embedding }) =>
          Effect.all({ all: views.read(actor.view, modelsOf), inForce: embedding.current(actor.view) })
        )
        const { with: name = inForce.model, dimensions = name === inForce.model ? inForce.dimensions : undefined } =
          options
        const named = name === inForce.model ? Effect.succeed(inForce) : inUse.named(name, dimensions)
        const embedder = yield* named
        if (!all.some((one) => sameModel(one, embedder))) {
          return yield* new NoSuchIndex({ problem: `there is no index of ${nameOf(embedder)}` })
        }
        const calibrating = {
          ...nameIn(embedder),
          used: operating.ranking.policy.vectorWeight ?? embedder.weight,
          reader: operating.reader(agent),
          ask: trying(agent, embedder)
        }
        // A reader at full trust may ask for recalls.
        return yield* Effect.catchTag(calibrate(calibrating, options), "TrustRequired", Effect.die)
      })
  }

  /** What a search shows under a weight: each question's vector is asked for once. */
  function trying(agent: string, embedder: EmbedderService): Calibrating["ask"] {
    const { policy, reranker } = withLocalReranker(operating.ranking)
    const asked = remembering(embedder)
    return (level, query, vectorWeight) =>
      Effect.gen(function* () {
        const ranking = { policy: { ...policy, vectorWeight }, embedder: asked, reranker }
        const request = yield* decodeQuery(query, ranking.policy)
        const { hits } = yield* retrieve(request, level, ranking, operating.source(agent), searchIn)
        return hits.map(({ id }) => id)
      })
  }

  /** The model of a name: an index may be there of one that cannot be asked here. */
  function modelNamed(name: string, dimensions: number | undefined): Effect.Effect<ModelName, InvalidInput> {
    return Effect.matchEffect(inUse.named(name, dimensions), {
      onSuccess: (one) => Effect.succeed(nameIn(one)),
      onFailure: () =>
        dimensions === undefined
          ? Effect.fail(new InvalidInput({ field: "dimensions", problem: `must be given: ${name} is not known here` }))
          : Effect.succeed({ model: name, dimensions })
    })
  }
}

import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type EmbedderFact, findInForce, type ModelName } from "../projections/embedders.js"
import type { Db } from "../projections/Projection.js"
import { type Embedder, EmbedderError } from "./Embedder.js"
import type { Embedders } from "./Embedders.js"
import { UnknownEmbedder } from "./errors.js"

type Service = Context.Tag.Service<Embedder>

/** Which embedder each agent's reads and writes go by: as its log says, made from the names that the log knows. */
export interface InUse {
  /** The one of agents whose log names none. */
  readonly configured: Service
  readonly named: (name: string, dimensions?: number) => Effect.Effect<Service, UnknownEmbedder>
  /** The one that a fact of the log names. One that cannot be had here fails whenever it is asked, and says why. */
  readonly of: (fact: EmbedderFact | undefined) => Effect.Effect<Service>
  /** The one in force in a view. */
  readonly inForce: (db: Db) => Effect.Effect<Service>
}

export const sameModel = (a: ModelName, b: ModelName): boolean => a.model === b.model && a.dimensions === b.dimensions

/** Whether two facts name the same embedder with the same figures. */
export const sameFact = (a: EmbedderFact | undefined, b: EmbedderFact | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && sameModel(a, b) && a.weight === b.weight && a.floor === b.floor)

export const nameOf = ({ dimensions, model }: ModelName): string => `${model}, ${dimensions} dimensions`

export const make = (configured: Service, embedders: Context.Tag.Service<Embedders> | undefined): InUse => {
  const known = new Map<string, Service>()

  const named: InUse["named"] = (name, dimensions) =>
    Effect.suspend(() => {
      if (name === configured.model && (dimensions ?? configured.dimensions) === configured.dimensions) {
        return Effect.succeed(configured)
      }
      const key = `${name} ${dimensions ?? ""}`
      const made = known.get(key)
      if (made !== undefined) return Effect.succeed(made)
      if (embedders === undefined) {
        return Effect.fail(new UnknownEmbedder({ name, problem: "this program knows none but the one it was given" }))
      }
      return Effect.tap(embedders.named(name, dimensions), (one) => Effect.sync(() => known.set(key, one)))
    })

  const of: InUse["of"] = (fact) =>
    fact === undefined
      ? Effect.succeed(configured)
      : Effect.match(named(fact.model, fact.dimensions), {
          // The figures that the log tells are those that ranked: a later release may state others.
          onSuccess: (one) => (fact.weight === null ? one : { ...one, weight: fact.weight, floor: fact.floor! }),
          // What nobody put in force gives way: a program that brings another embedder of its own goes on with that.
          onFailure: ({ apart, problem }) => (fact.state === "first" ? configured : missing(fact, problem, apart))
        })

  return { configured, named, of, inForce: (db) => Effect.suspend(() => of(findInForce(db))) }
}

/** What a view says; nothing where it cannot be read just now. */
export const inForceIn = (db: Db): EmbedderFact | undefined => {
  try {
    return findInForce(db)
  } catch {
    return undefined
  }
}

/**
 * In the place of one that cannot be had: full text answers alone, and backfill says why. The stores that it is not to
 * see lack nothing by that.
 */
const missing = (
  { dimensions, floor, model, weight }: EmbedderFact,
  problem: string,
  apart: Service["apart"]
): Service => ({
  model,
  dimensions,
  weight: weight ?? 0,
  floor: floor ?? 1,
  batch: 1,
  embed: () => Effect.fail(new EmbedderError({ model, reason: "failed", detail: problem, kind: "settings" })),
  ...(apart === undefined ? {} : { apart })
})

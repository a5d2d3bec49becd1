import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { stores as allStores, type Store } from "../../events/Trust.js"
import { type EmbedderFact, findInForce, type ModelName } from "../../projections/embedders.js"
import type { Db } from "../../projections/Projection.js"
import { modelsOf as modelsByStore, together } from "../ports/byStore.js"
import { type Embedder, EmbedderError } from "../ports/Embedder.js"
import type { Embedders, NoEmbedder } from "../ports/Embedders.js"
import { UnknownEmbedder } from "../ports/Embedders.js"

export { sameModel } from "../../projections/embedders.js"

type Service = Context.Tag.Service<Embedder>

/** Which embedder each agent's reads and writes go by: as its log says, made from the names that the log knows. */
export interface InUse {
  /** The one of agents whose log names none. */
  readonly configured: Service
  readonly named: (name: string, dimensions?: number) => Effect.Effect<Service, NoEmbedder>
  /**
   * The one that a fact of the log names, kept from the stores that the settings of this process withhold from it. One
   * that cannot be had here fails whenever it is asked, and says why.
   */
  readonly of: (fact: EmbedderFact | undefined) => Effect.Effect<Service>
  /** The same for the past: what stood apart is what the log says, whatever the settings are now. */
  readonly past: InUse
  /** What is to be said anew of the embedder in force, because the settings withhold other stores from it than the log says. */
  readonly restated: (fact: EmbedderFact) => Effect.Effect<Service | undefined, NoEmbedder>
  /** The one in force in a view. */
  readonly inForce: (db: Db) => Effect.Effect<Service>
}

/** Whether two facts name the same embedder with the same figures. */
export const sameFact = (a: EmbedderFact | undefined, b: EmbedderFact | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && keyOf(a) === keyOf(b))

/** What a fact tells of an embedder that somebody put in force, or that stands in for it. */
type Chosen = Pick<EmbedderFact, "model" | "dimensions" | "weight" | "floor">

const keyOf = ({ apart, dimensions, floor, model, stores, weight }: EmbedderFact): string =>
  JSON.stringify([model, dimensions, weight, floor, apart, modelKeys(stores)])

const modelKeys = (stores: EmbedderFact["stores"] = {}) =>
  allStores.map((store) => stores[store] && [stores[store].model, stores[store].dimensions])

export const figuresOf = ({ dimensions, floor, model, weight }: Stated): Stated => ({
  model,
  dimensions,
  weight,
  floor
})

interface Stated extends ModelName {
  readonly weight: number
  readonly floor: number
}

/** What the log says of what stands apart. */
export const statedOf = ({ embedder, stores }: NonNullable<Service["apart"]>): NonNullable<EmbedderFact["apart"]> => ({
  ...figuresOf(embedder),
  stores: allStores.filter((store) => stores.includes(store))
})

/** Whether a fact says all of an embedder that it could. */
export const saysSame = (
  { apart, floor, weight }: EmbedderFact,
  embedder: Pick<Service, "weight" | "floor" | "apart">
): boolean =>
  weight === embedder.weight &&
  floor === embedder.floor &&
  JSON.stringify(apart ?? null) === JSON.stringify(embedder.apart === undefined ? null : statedOf(embedder.apart))

/** Whether the same stands apart of two, in the same stores. */
export const sameApart = (a: Pick<Service, "apart">, b: Pick<Service, "apart">): boolean => {
  const keyOf = ({ apart }: Pick<Service, "apart">) => {
    if (apart === undefined) return ""
    const { dimensions, model, stores } = statedOf(apart)
    return JSON.stringify([model, dimensions, stores])
  }
  return keyOf(a) === keyOf(b)
}

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

  /** What nobody put in force gives way: a program that brings another embedder of its own goes on with that. */
  const ofFirsts = (fact: EmbedderFact, bySettings: boolean): Effect.Effect<Service> =>
    Effect.map(
      Effect.all(
        Record.map(modelsByStore(fact.stores ?? {}, configured), ({ dimensions, model }) =>
          Effect.orElseSucceed(named(model, dimensions), () => configured)
        )
      ),
      (each) => together(each, mainOf(fact), bySettings)
    )

  /** The figures that the log tells are those that ranked: a later release may state others. */
  const chosen = (fact: Chosen): Effect.Effect<Service> =>
    Effect.match(named(fact.model, fact.dimensions), {
      onSuccess: (one) => ({ ...one, weight: fact.weight!, floor: fact.floor! }),
      onFailure: (error) => missing(fact, error.problem, error._tag === "EmbedderUnavailable" ? error.apart : undefined)
    })

  /** What the log says stands apart. */
  const statedApart = ({ apart }: Pick<EmbedderFact, "apart">): Effect.Effect<Pick<Service, "apart">> =>
    apart === null || apart === undefined
      ? Effect.succeed({})
      : Effect.map(chosen(apart), ({ apart: _, ...embedder }) => ({
          apart: { stores: apart.stores, embedder }
        }))

  const of: InUse["of"] = (fact) => {
    if (fact === undefined) return Effect.succeed(configured)
    return fact.state === "first" ? ofFirsts(fact, true) : chosen(fact)
  }

  const ofPast: InUse["of"] = (fact) => {
    if (fact === undefined) return Effect.succeed(configured)
    if (fact.state === "first") return ofFirsts(fact, false)
    return Effect.zipWith(chosen(fact), statedApart(fact), ({ apart: settings, ...one }, apart) => {
      const withheld = (settings?.stores ?? []).filter((store) => apart.apart?.stores.includes(store) !== true)
      return { ...one, ...apart, ...(withheld.length === 0 ? {} : { withheld }) }
    })
  }

  const restated: InUse["restated"] = (fact) =>
    Effect.map(named(fact.model, fact.dimensions), (one) => {
      const now = { ...one, weight: fact.weight!, floor: fact.floor! }
      return saysSame(fact, now) ? undefined : now
    })

  const makeWith = (of: InUse["of"]): Omit<InUse, "past"> => ({
    configured,
    named,
    of,
    restated,
    inForce: (db) => Effect.suspend(() => of(findInForce(db)))
  })
  const past: InUse = {
    ...makeWith(ofPast),
    get past() {
      return past
    }
  }
  return { ...makeWith(of), past }
}

/** The store whose embedder is spoken of as the one in force: the most open one that has vectors. */
const mainOf = ({ stores = {} }: EmbedderFact): Store =>
  stores.social !== undefined ? "social" : stores.shared !== undefined ? "shared" : "private"

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
const missing = ({ dimensions, floor, model, weight }: Chosen, problem: string, apart: Service["apart"]): Service => ({
  model,
  dimensions,
  weight: weight ?? 0,
  floor: floor ?? 1,
  batch: 1,
  embed: () => Effect.fail(new EmbedderError({ model, reason: "failed", detail: problem, kind: "settings" })),
  ...(apart === undefined ? {} : { apart })
})

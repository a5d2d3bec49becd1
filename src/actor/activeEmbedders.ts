import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { stores as allStores, type Store } from "../../events/Trust.js"
import { type EmbedderRecord, findActiveEmbedder, type ModelName } from "../../projections/embedders.js"
import type { Db } from "../../projections/Projection.js"
import { type Embedder, EmbedderError } from "../ports/Embedder.js"
import type { EmbedderLookupError, EmbeddersService } from "../ports/Embedders.js"
import { UnknownEmbedder } from "../ports/Embedders.js"
import { combineEmbedders, defaultModelsByStore } from "../ports/embeddersByStore.js"

export { sameModel } from "../../projections/embedders.js"

type Service = Context.Tag.Service<Embedder>

/** Finds the active embedder of an agent from its log, which names embedders by model and dimensions. */
export interface ActiveEmbedders {
  /** The configured embedder, for agents whose log names no embedder. */
  readonly configured: Service
  readonly byName: (name: string, dimensions?: number) => Effect.Effect<Service, EmbedderLookupError>
  /**
   * The embedder that a record of the log names. If this process withholds stores from it, a local substitute embeds
   * them. If the embedder is unavailable in this process, each request fails with the reason.
   */
  readonly ofFact: (fact: EmbedderRecord | undefined) => Effect.Effect<Service>
  /**
   * Finds the embedder of a past version. The log alone decides which stores were withheld; the present settings are
   * ignored.
   */
  readonly past: ActiveEmbedders
  /**
   * Returns the embedder if it must be recorded again, because the present settings withhold other stores from it than
   * the log says.
   */
  readonly embedderToRecord: (fact: EmbedderRecord) => Effect.Effect<Service | undefined, EmbedderLookupError>
  /** The active embedder of a view. */
  readonly activeIn: (db: Db) => Effect.Effect<Service>
}

/** Whether two records name the same embedder with the same ranking parameters. */
export const isSameEmbedderRecord = (a: EmbedderRecord | undefined, b: EmbedderRecord | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && keyOf(a) === keyOf(b))

/** The part of a record that identifies an embedder and its ranking parameters. */
type NamedEmbedder = Pick<EmbedderRecord, "model" | "dimensions" | "weight" | "floor">

const keyOf = ({ apart, dimensions, floor, model, stores, weight }: EmbedderRecord): string =>
  JSON.stringify([model, dimensions, weight, floor, apart, modelKeys(stores)])

const modelKeys = (stores: EmbedderRecord["stores"] = {}) =>
  allStores.map((store) => stores[store] && [stores[store].model, stores[store].dimensions])

export const embedderParameters = ({ dimensions, floor, model, weight }: Figures): Figures => ({
  model,
  dimensions,
  weight,
  floor
})

interface Figures extends ModelName {
  readonly weight: number
  readonly floor: number
}

/** The embedder for withheld stores, in the form that the log stores. */
export const withheldRecordOf = ({
  embedder,
  stores
}: NonNullable<Service["substitute"]>): NonNullable<EmbedderRecord["apart"]> => ({
  ...embedderParameters(embedder),
  stores: allStores.filter((store) => stores.includes(store))
})

/** Whether a record has an embedder's current ranking parameters and withheld stores. */
export const matchesRecord = (
  { apart, floor, weight }: EmbedderRecord,
  embedder: Pick<Service, "weight" | "floor" | "substitute">
): boolean =>
  weight === embedder.weight &&
  floor === embedder.floor &&
  JSON.stringify(apart ?? null) ===
    JSON.stringify(embedder.substitute === undefined ? null : withheldRecordOf(embedder.substitute))

/** Whether two embedders have the same substitute for the same withheld stores. */
export const sameSubstitute = (a: Pick<Service, "substitute">, b: Pick<Service, "substitute">): boolean => {
  const keyOf = ({ substitute }: Pick<Service, "substitute">) => {
    if (substitute === undefined) return ""
    const { dimensions, model, stores } = withheldRecordOf(substitute)
    return JSON.stringify([model, dimensions, stores])
  }
  return keyOf(a) === keyOf(b)
}

export const modelLabel = ({ dimensions, model }: ModelName): string => `${model}, ${dimensions} dimensions`

export const make = (configured: Service, embedders: EmbeddersService | undefined): ActiveEmbedders => {
  const byName = makeNamed(configured, embedders)
  const finders = makeFinders(configured, byName)

  const embedderToRecord: ActiveEmbedders["embedderToRecord"] = (fact) =>
    Effect.map(byName(fact.model, fact.dimensions), (embedder) => {
      const current = { ...embedder, weight: fact.weight!, floor: fact.floor! }
      return matchesRecord(fact, current) ? undefined : current
    })

  const makeWith = (ofFact: ActiveEmbedders["ofFact"]): Omit<ActiveEmbedders, "past"> => ({
    configured,
    byName,
    ofFact,
    embedderToRecord,
    activeIn: (db) => Effect.suspend(() => ofFact(findActiveEmbedder(db)))
  })
  const pastEmbedders: ActiveEmbedders = {
    ...makeWith(finders.past),
    get past() {
      return pastEmbedders
    }
  }
  return { ...makeWith(finders.present), past: pastEmbedders }
}

/** Makes the lookup by name, which creates each embedder once. */
const makeNamed = (configured: Service, embedders: EmbeddersService | undefined): ActiveEmbedders["byName"] => {
  const created = new Map<string, Service>()
  return (name, dimensions) =>
    Effect.suspend(() => {
      if (name === configured.model && (dimensions ?? configured.dimensions) === configured.dimensions) {
        return Effect.succeed(configured)
      }
      const key = `${name} ${dimensions ?? ""}`
      const existing = created.get(key)
      if (existing !== undefined) return Effect.succeed(existing)
      if (embedders === undefined) {
        return Effect.fail(
          new UnknownEmbedder({ name, problem: "no embedder with this name is registered in this program" })
        )
      }
      return Effect.tap(embedders.named(name, dimensions), (embedder) => Effect.sync(() => created.set(key, embedder)))
    })
}

/**
 * Makes two functions that find the embedder of a record. One follows the present settings, the other the log alone.
 */
const makeFinders = (configured: Service, byName: ActiveEmbedders["byName"]) => {
  /**
   * Finds the embedder of an agent that never switched embedders: the one that made its first vectors. Nobody chose
   * that embedder, so the configured embedder replaces it if it is unavailable.
   */
  const embedderOfFirsts = (fact: EmbedderRecord, bySettings: boolean): Effect.Effect<Service> =>
    Effect.map(
      Effect.all(
        Record.map(defaultModelsByStore(fact.stores ?? {}, configured), ({ dimensions, model }) =>
          Effect.orElseSucceed(byName(model, dimensions), () => configured)
        )
      ),
      (byStore) => combineEmbedders(byStore, mainStoreOf(fact), bySettings)
    )

  /**
   * Returns the embedder with the ranking parameters from the log. A later release may have other parameters, but past
   * searches used these.
   */
  const withFigures = (fact: NamedEmbedder): Effect.Effect<Service> =>
    Effect.match(byName(fact.model, fact.dimensions), {
      onSuccess: (embedder) => ({ ...embedder, weight: fact.weight!, floor: fact.floor! }),
      onFailure: (error) =>
        unavailable(fact, error.problem, error._tag === "EmbedderUnavailable" ? error.substitute : undefined)
    })

  /** The substitute for withheld stores that the log records. */
  const recordedSubstitute = ({ apart }: Pick<EmbedderRecord, "apart">): Effect.Effect<Pick<Service, "substitute">> =>
    apart === null || apart === undefined
      ? Effect.succeed({})
      : Effect.map(withFigures(apart), ({ substitute: _, ...embedder }) => ({
          substitute: { stores: apart.stores, embedder }
        }))

  const findPresent: ActiveEmbedders["ofFact"] = (fact) => {
    if (fact === undefined) return Effect.succeed(configured)
    return fact.state === "first" ? embedderOfFirsts(fact, true) : withFigures(fact)
  }

  const findPast: ActiveEmbedders["ofFact"] = (fact) => {
    if (fact === undefined) return Effect.succeed(configured)
    if (fact.state === "first") return embedderOfFirsts(fact, false)
    return Effect.zipWith(
      withFigures(fact),
      recordedSubstitute(fact),
      ({ substitute: bySettings, ...embedder }, recorded) => {
        const withheld = (bySettings?.stores ?? []).filter(
          (store) => recorded.substitute?.stores.includes(store) !== true
        )
        return { ...embedder, ...recorded, ...(withheld.length === 0 ? {} : { withheld }) }
      }
    )
  }

  return { present: findPresent, past: findPast }
}

/** Finds the least restrictive store with vectors. Its embedder counts as the active one. */
const mainStoreOf = ({ stores = {} }: EmbedderRecord): Store =>
  stores.social !== undefined ? "social" : stores.shared !== undefined ? "shared" : "private"

/** Reads the record of the active embedder from a view; undefined while the view cannot be read. */
export const readActiveEmbedderRecord = (db: Db): EmbedderRecord | undefined => {
  try {
    return findActiveEmbedder(db)
  } catch {
    return undefined
  }
}

/**
 * Makes a placeholder for an unavailable embedder: searches use full text alone, and backfill reports the reason. The
 * substitute for withheld stores keeps working.
 */
const unavailable = (
  { dimensions, floor, model, weight }: NamedEmbedder,
  problem: string,
  substitute: Service["substitute"]
): Service => ({
  model,
  dimensions,
  weight: weight ?? 0,
  floor: floor ?? 1,
  batch: 1,
  embed: () => Effect.fail(new EmbedderError({ model, reason: "failed", detail: problem, kind: "settings" })),
  ...(substitute === undefined ? {} : { substitute })
})

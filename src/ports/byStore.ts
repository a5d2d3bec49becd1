import type * as Context from "effect/Context"
import { stores as allStores, type Store } from "../../events/Trust.js"
import { type EmbedderFact, type ModelName, sameModel } from "../../projections/embedders.js"
import type { Embedder } from "./Embedder.js"

type Service = Context.Tag.Service<Embedder>
type Each<A> = Readonly<Record<Store, A>>

/**
 * The model of each store where nobody chose one: that of its own first vectors, else that of the store that is more
 * open, at last the configured one. What stands in a store tells the more open ones nothing. Of two models at the most:
 * the strictest store gives way.
 */
export const modelsOf = (firsts: NonNullable<EmbedderFact["stores"]>, configured: ModelName): Each<ModelName> => {
  const social = firsts.social ?? configured
  const shared = firsts.shared ?? social
  return { social, shared, private: sameModel(shared, social) ? (firsts.private ?? shared) : shared }
}

/**
 * One embedder for all stores, out of one for each: what the main one is not for is apart. By the settings of this
 * process none sees a store that is withheld from it; by the log alone each has what it had then.
 */
export const together = (each: Each<Service>, main: Store, bySettings: boolean): Service => {
  const isWithheld = (store: Store, from = store) => each[from].apart?.stores.includes(store) === true
  const standIn = (store: Store): Service => ({ ...each[store].apart!.embedder, standsIn: true })
  const own = (store: Store): Service => {
    const { apart: _, ...one } = each[store]
    return { ...one, standsIn: false }
  }
  const served: Record<Store, Service> = { social: own("social"), shared: own("shared"), private: own("private") }
  if (bySettings) {
    for (const store of allStores) if (isWithheld(store)) served[store] = standIn(store)
    if (!sameModel(served.shared, served.social)) {
      // A third one has no place: the strictest store has one of the others, if that may see it.
      const allowed = (["shared", "social"] as const).find(
        (one) => served[one].standsIn === true || !isWithheld("private", one)
      )
      if (allowed === undefined) served.shared = standIn("shared")
      served.private = served[allowed ?? "shared"]
    }
  }
  const stores = allStores.filter((store) => !sameModel(served[store], served[main]))
  const withheld = bySettings ? [] : allStores.filter((store) => isWithheld(store))
  return {
    ...served[main],
    ...(stores.length === 0 ? {} : { apart: { stores, embedder: served[stores[0]!] } }),
    ...(withheld.length === 0 ? {} : { withheld })
  }
}

/** What embeds a store, where each keeps to its first vectors: of an embedder that another stands in for, itself. */
export const ofStore = (embedder: Service, store: Store): Service => {
  const { apart } = embedder
  return apart?.embedder.standsIn === false && apart.stores.includes(store) ? apart.embedder : embedder
}

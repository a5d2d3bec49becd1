import type * as Context from "effect/Context"
import { stores as allStores, type Store } from "../../events/Trust.js"
import { type EmbedderRecord, type ModelName, sameModel } from "../../projections/embedders.js"
import type { Embedder } from "./Embedder.js"

type Service = Context.Tag.Service<Embedder>
type ByStore<A> = Readonly<Record<Store, A>>

/**
 * Finds the model of each store if nobody chose one: the model of the store's own first vectors, else the model of the
 * next more open store, else the configured model. The model of a store never depends on a stricter store, because that
 * would reveal something about the stricter store. At most two models are in use: if the two more open stores have
 * different models, `private` uses the model of `shared`.
 */
export const defaultModelsByStore = (
  firsts: NonNullable<EmbedderRecord["stores"]>,
  configured: ModelName
): ByStore<ModelName> => {
  const social = firsts.social ?? configured
  const shared = firsts.shared ?? social
  return { social, shared, private: sameModel(shared, social) ? (firsts.private ?? shared) : shared }
}

/**
 * Combines the embedders of all stores into one: the main embedder, and a second one for the stores withheld from it.
 * With `bySettings`, this process's settings say which stores are withheld. Without it, each store gets the embedder
 * that the log records.
 */
export const combineEmbedders = (byStore: ByStore<Service>, main: Store, bySettings: boolean): Service => {
  const isWithheld = (store: Store, from = store) => byStore[from].substitute?.stores.includes(store) === true
  const localSubstitute = (store: Store): Service => ({
    ...byStore[store].substitute!.embedder,
    isLocalSubstitute: true
  })
  const withoutSubstitute = (store: Store): Service => {
    const { substitute: _apart, ...embedder } = byStore[store]
    return { ...embedder, isLocalSubstitute: false }
  }
  const embedders: Record<Store, Service> = {
    social: withoutSubstitute("social"),
    shared: withoutSubstitute("shared"),
    private: withoutSubstitute("private")
  }
  if (bySettings) {
    for (const store of allStores) if (isWithheld(store)) embedders[store] = localSubstitute(store)
    if (!sameModel(embedders.shared, embedders.social)) {
      // At most two embedders: the strictest store shares an embedder that may see its texts.
      const allowed = (["shared", "social"] as const).find(
        (candidate) => embedders[candidate].isLocalSubstitute === true || !isWithheld("private", candidate)
      )
      if (allowed === undefined) embedders.shared = localSubstitute("shared")
      embedders.private = embedders[allowed ?? "shared"]
    }
  }
  const stores = allStores.filter((store) => !sameModel(embedders[store], embedders[main]))
  const withheld = bySettings ? [] : allStores.filter((store) => isWithheld(store))
  return {
    ...embedders[main],
    ...(stores.length === 0 ? {} : { substitute: { stores, embedder: embedders[stores[0]!] } }),
    ...(withheld.length === 0 ? {} : { withheld })
  }
}

/**
 * Returns the embedder of a store if each store keeps the model of its first vectors. Returns `embedder` itself if its
 * substitute is a local one for withheld stores.
 */
export const embedderForStore = (embedder: Service, store: Store): Service => {
  const { substitute } = embedder
  return substitute?.embedder.isLocalSubstitute === false && substitute.stores.includes(store)
    ? substitute.embedder
    : embedder
}

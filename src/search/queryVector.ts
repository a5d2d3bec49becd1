import * as Effect from "effect/Effect"
import { stores as allStores, opennessOf, readableStores, type Store, type TrustLevel } from "../../events/Trust.js"
import type { QueryVector } from "../../projections/hybridSearch.js"
import { limits } from "../model/limits.js"
import { EmbedderError, type EmbedderService } from "../ports/Embedder.js"
import { embedAll } from "../ports/embedAll.js"
import type { CheckedFusion } from "./fusion.js"
import type { ParsedQuery } from "./querySyntax.js"

/**
 * Returns the embedders that may see a query. If the query can only match stores withheld from the active embedder,
 * only the local embedder sees the query, or no embedder does.
 */
export const embedderForQuery = (
  { filters, parsed }: { readonly filters: unknown; readonly parsed: Pick<ParsedQuery, "fields"> },
  level: TrustLevel,
  { substitute, withheld = [], ...embedder }: EmbedderService
): EmbedderService => {
  if (substitute === undefined && withheld.length === 0) return embedder
  const { stores = [] } = filters as { readonly stores?: ReadonlyArray<Store> }
  const storeNames = parsed.fields.flatMap(({ excluded, name, value }) =>
    name === "store" && excluded !== true ? [value] : []
  )
  const isIn = (list: ReadonlyArray<string>) => (store: Store) => list.length === 0 || list.includes(store)
  const searched = readableStores(level).filter(isIn(stores)).filter(isIn(storeNames))
  if (searched.length > 0 && searched.every((store) => withheld.includes(store))) return withoutRequests(embedder)
  if (substitute === undefined) return embedder
  const ownStores = searched.filter((store) => !substitute.stores.includes(store))
  if (ownStores.length === 0 && searched.length > 0) return substitute.embedder
  return ownStores.length === searched.length ? embedder : { ...embedder, substitute }
}

/** Replaces an embedder that must not see the query. The replacement always fails, so that full text alone answers. */
const withoutRequests = (embedder: EmbedderService): EmbedderService => ({
  ...embedder,
  embed: () =>
    Effect.fail(
      new EmbedderError({
        model: embedder.model,
        reason: "failed",
        detail: "the queried stores are withheld from this embedder"
      })
    )
})

/**
 * Returns an embedder that answers with the vector from the call. The embedder for withheld stores still embeds the
 * query's text, if there is any.
 */
export const withCallVector = (
  embedder: EmbedderService,
  { embedding, parsed }: CheckedFusion & { readonly parsed: Pick<ParsedQuery, "plainText"> }
): EmbedderService => {
  if (embedding === undefined) return embedder
  const { substitute, ...rest } = { ...embedder, embed: () => Effect.succeed([embedding]) }
  return substitute === undefined || parsed.plainText.trim() === "" ? rest : { ...rest, substitute }
}

/** The vector of a query. If it is null, `failures` says why, and the search uses full text alone. */
export interface EmbeddedQuery {
  readonly vector: QueryVector | null
  readonly failures: ReadonlyArray<string>
}

/** Embeds a query with its embedder, and with the local embedder for withheld stores. */
export const embedQuery = (
  text: string,
  embedder: EmbedderService,
  timeoutMillis: number
): Effect.Effect<EmbeddedQuery> => {
  const embed = (service: EmbedderService): Effect.Effect<EmbeddedQuery> =>
    embedAll(service, [text.slice(0, limits.queryBytes)], "query", timeoutMillis).pipe(
      Effect.match({
        onSuccess: ([values]) => ({
          vector: values === undefined ? null : { model: service.model, values, floor: service.floor },
          failures: []
        }),
        onFailure: ({ message }) => ({
          vector: null,
          failures: [`${message}; searched without vectors of this embedder`]
        })
      })
    )
  const { substitute } = embedder
  return substitute === undefined
    ? embed(embedder)
    : Effect.zipWith(
        embed(embedder),
        embed(substitute.embedder),
        (mainVector, other) => ({
          vector: combineVectors(mainVector.vector, other.vector, substitute.stores),
          failures: [...mainVector.failures, ...other.failures]
        }),
        { concurrent: true }
      )
}

/**
 * Combines the vectors of both embedders. Each vector is compared only with rows of its own stores. If only the second
 * vector exists, the first one gets length 0 and matches nothing.
 */
export const combineVectors = (
  mainVector: QueryVector | null,
  substitute: QueryVector | null,
  stores: ReadonlyArray<Store>
): QueryVector | null => {
  if (mainVector === null && substitute === null) return null
  const opennesses = allStores.filter((store) => !stores.includes(store)).map(opennessOf)
  return {
    ...(mainVector ?? { model: substitute!.model, values: new Float32Array(0), floor: substitute!.floor }),
    opennesses,
    ...(substitute === null ? {} : { substitute: { ...substitute, opennesses: stores.map(opennessOf) } })
  }
}

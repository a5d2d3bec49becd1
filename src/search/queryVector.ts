import * as Effect from "effect/Effect"
import { stores as allStores, opennessOf, readable, type Store, type TrustLevel } from "../../events/Trust.js"
import type { QueryVector } from "../../projections/hits.js"
import { limits } from "../model/limits.js"
import { EmbedderError, type EmbedderService } from "../ports/Embedder.js"
import { embedAll } from "../ports/embedAll.js"
import type { ParsedQuery } from "./query.js"

/** Whom a query is shown to: nobody but the local embedder where nothing else can be meant than the stores that it embeds. */
export const askedFor = (
  { filters, parsed }: { readonly filters: unknown; readonly parsed: Pick<ParsedQuery, "fields"> },
  level: TrustLevel,
  { apart, withheld = [], ...embedder }: EmbedderService
): EmbedderService => {
  if (apart === undefined && withheld.length === 0) return embedder
  const { stores = [] } = filters as { readonly stores?: ReadonlyArray<Store> }
  const named = parsed.fields.flatMap(({ excluded, name, value }) =>
    name === "store" && excluded !== true ? [value] : []
  )
  const among = (some: ReadonlyArray<string>) => (store: Store) => some.length === 0 || some.includes(store)
  const meant = readable(level).filter(among(stores)).filter(among(named))
  if (meant.length > 0 && meant.every((store) => withheld.includes(store))) return unasked(embedder)
  if (apart === undefined) return embedder
  const own = meant.filter((store) => !apart.stores.includes(store))
  if (own.length === 0 && meant.length > 0) return apart.embedder
  return own.length === meant.length ? embedder : { ...embedder, apart }
}

/** In the place of one that a query must not be shown to: full text answers alone. */
const unasked = (embedder: EmbedderService): EmbedderService => ({
  ...embedder,
  embed: () =>
    Effect.fail(
      new EmbedderError({ model: embedder.model, reason: "failed", detail: "it is not to see these stores now" })
    )
})

/** A query's vector, null where there is none in time, and who failed, in words: full text answers alone then. */
export interface Embedded {
  readonly vector: QueryVector | null
  readonly failures: ReadonlyArray<string>
}

/** Asks the embedder for the vector of a query's text, and the one of the stores apart too; `timeout` in milliseconds. */
export const queryVector = (text: string, embedder: EmbedderService, timeout: number): Effect.Effect<Embedded> => {
  const of = (one: EmbedderService): Effect.Effect<Embedded> =>
    embedAll(one, [text.slice(0, limits.queryBytes)], "query", timeout).pipe(
      Effect.match({
        onSuccess: ([values]) => ({
          vector: values === undefined ? null : { model: one.model, values, floor: one.floor },
          failures: []
        }),
        onFailure: ({ message }) => ({ vector: null, failures: [`${message}; its vectors took no part`] })
      })
    )
  const { apart } = embedder
  return apart === undefined
    ? of(embedder)
    : Effect.zipWith(
        of(embedder),
        of(apart.embedder),
        (own, other) => ({
          vector: bothOf(own.vector, other.vector, apart.stores),
          failures: [...own.failures, ...other.failures]
        }),
        { concurrent: true }
      )
}

/**
 * A query's vectors, each to be compared with the rows of its own embedder's stores alone. Where there is none but the
 * other's, the first has no length: it finds nothing.
 */
export const bothOf = (
  own: QueryVector | null,
  apart: QueryVector | null,
  stores: ReadonlyArray<Store>
): QueryVector | null => {
  if (own === null && apart === null) return null
  const among = allStores.filter((store) => !stores.includes(store)).map(opennessOf)
  return {
    ...(own ?? { model: apart!.model, values: new Float32Array(0), floor: apart!.floor }),
    among,
    ...(apart === null ? {} : { apart: { ...apart, among: stores.map(opennessOf) } })
  }
}

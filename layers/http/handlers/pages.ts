import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { InvalidInput } from "../../../src/model/errors.js"
import type { Page } from "../api/types.js"

/** The parameters of a page. */
export interface Paged {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly cursor?: string | undefined
}

/** Rows of a page, unless the request names another number. */
export const defaultLimit = 50

/**
 * Answers one page. `next` is a cursor: it holds the place of the next page and a digest of the query, so that it
 * cannot be used for another one. `maxRows` is the number of rows behind which `read` answers none.
 */
export const paged = <Query extends Paged, A, E>(
  query: Query,
  read: (query: Omit<Query, "cursor">) => Effect.Effect<ReadonlyArray<A>, E>,
  maxRows = Number.POSITIVE_INFINITY
): Effect.Effect<Page<A>, E | InvalidInput> =>
  Effect.gen(function* () {
    const { cursor, ...others } = query
    const { limit = defaultLimit, offset: _, ...filters } = others
    const offset = cursor === undefined ? query.offset : yield* placeIn(cursor, filters)
    const items = yield* read({ ...others, ...(offset === undefined ? {} : { offset }) })
    const end = (offset ?? 0) + items.length
    const isLast = items.length < limit || end >= maxRows
    return { items, next: isLast ? null : cursorAt(end, filters) }
  })

/** Whether a query asks for a page behind the first. */
export const isLaterPage = ({ cursor, offset = 0 }: Paged): boolean => cursor !== undefined || offset > 0

/** A cursor that names a place within the answers to a query. */
export const cursorAt = (place: number, query: object): string =>
  Buffer.from(JSON.stringify([place, digestOf(query)])).toString("base64url")

/** The place that a cursor names. */
export const placeIn = (cursor: string, query: object): Effect.Effect<number, InvalidInput> => {
  try {
    const [place, digest] = JSON.parse(Buffer.from(String(cursor), "base64url").toString())
    if (Number.isSafeInteger(place) && place >= 0 && digest === digestOf(query)) return Effect.succeed(place)
  } catch {}
  return Effect.fail(new InvalidInput({ field: "cursor", problem: "is not a cursor of this query: leave it out" }))
}

const digestOf = (query: object): string =>
  createHash("sha256")
    .update(JSON.stringify(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest("base64url")
    .slice(0, 12)

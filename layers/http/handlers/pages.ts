import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { InvalidInput } from "../../../src/model/errors.js"
import type { Page } from "../api/types.js"

/** The parameters of a page. */
export interface PageParameters {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly cursor?: string | undefined
}

/** The default number of rows of a page. */
export const defaultLimit = 50

/**
 * Answers one page. `next` is a cursor. It contains the position of the next page and a digest of the query, so that it
 * cannot be used for another query. `read` returns no rows after the first `maxRows` rows.
 */
export const answerPage = <Query extends PageParameters, A, E>(
  query: Query,
  read: (query: Omit<Query, "cursor">) => Effect.Effect<ReadonlyArray<A>, E>,
  maxRows = Number.POSITIVE_INFINITY
): Effect.Effect<Page<A>, E | InvalidInput> =>
  Effect.gen(function* () {
    const { cursor, ...others } = query
    const { limit = defaultLimit, offset: _, ...filters } = others
    const offset = cursor === undefined ? query.offset : yield* decodeCursor(cursor, filters)
    const items = yield* read({ ...others, ...(offset === undefined ? {} : { offset }) })
    const end = (offset ?? 0) + items.length
    const isLast = items.length < limit || end >= maxRows
    return { items, next: isLast ? null : encodeCursor(end, filters) }
  })

/** True if a query requests a page after the first page. */
export const isLaterPage = ({ cursor, offset = 0 }: PageParameters): boolean => cursor !== undefined || offset > 0

/** Makes a cursor that contains a position in the answer to a query. */
export const encodeCursor = (place: number, query: object): string =>
  Buffer.from(JSON.stringify([place, digestOf(query)])).toString("base64url")

/** Reads the position in a cursor. Fails if the cursor was made for another query. */
export const decodeCursor = (cursor: string, query: object): Effect.Effect<number, InvalidInput> => {
  try {
    const [place, digest] = JSON.parse(Buffer.from(String(cursor), "base64url").toString())
    if (Number.isSafeInteger(place) && place >= 0 && digest === digestOf(query)) return Effect.succeed(place)
  } catch {}
  return Effect.fail(
    new InvalidInput({ field: "cursor", problem: "is not a cursor of this query: omit it to read the first page" })
  )
}

const digestOf = (query: object): string =>
  createHash("sha256")
    .update(JSON.stringify(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest("base64url")
    .slice(0, 12)

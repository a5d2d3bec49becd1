import type { ParsedQuery } from "./query.js"

/** The terms of a query, with neighbouring words joined as further alternatives. */
type Terms = Pick<ParsedQuery, "must" | "not" | "should"> & { readonly joined?: ReadonlyArray<string> }

/** One FTS5 expression for the whole query; null without terms. */
export const matchOf = ({ joined = [], must, not, should }: Terms): string | null => {
  const anyOptional = [...should.map((word) => word.expression), ...joined].join(" OR ")
  const allRequired = must.join(" AND ")
  // A required term is repeated among the alternatives: it holds for every row, and bm25 then counts all terms.
  const positive =
    must.length === 0
      ? anyOptional
      : anyOptional === ""
        ? allRequired
        : `(${allRequired}) AND (${must[0]} OR ${anyOptional})`
  if (positive === "") return null
  return not.length === 0 ? positive : `(${positive}) NOT (${not.join(" OR ")})`
}

/** The FTS5 expressions of a query: `match` ranks, `within` and `without` filter rows found by vectors. Null when empty. */
export const expressionsOf = (query: Terms) => ({
  match: matchOf(query),
  within: query.must.length === 0 ? null : query.must.join(" AND "),
  without: query.not.length === 0 ? null : query.not.join(" OR ")
})

import type { ParsedQuery } from "./querySyntax.js"

/** The terms of a query. `joined` are optional terms: neighbouring words written as one word. */
type Terms = Pick<ParsedQuery, "must" | "not" | "should"> & { readonly joined?: ReadonlyArray<string> }

/** One FTS5 expression for the whole query; null without terms. */
export const ftsExpressionOf = ({ joined = [], must: required, not: excluded, should }: Terms): string | null => {
  const must = distinct(required)
  const not = distinct(excluded)
  const anyOptional = [...atMostTwice(should.map((word) => word.expression)), ...joined].join(" OR ")
  const allRequired = must.join(" AND ")
  // Each hit contains the required terms. The first required term is repeated among the alternatives. So a hit needs no
  // optional term, but bm25 still scores them.
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
  match: ftsExpressionOf(query),
  within: query.must.length === 0 ? null : distinct(query.must).join(" AND "),
  without: query.not.length === 0 ? null : distinct(query.not).join(" OR ")
})

/**
 * Keeps at most two copies of a repeated word. bm25 compares every phrase with every match, so 32 copies would cost
 * 1,000 times as much as one.
 */
const atMostTwice = (expressions: ReadonlyArray<string>): ReadonlyArray<string> =>
  expressions.filter((expression, index) => {
    const first = expressions.indexOf(expression)
    return first === index || expressions.indexOf(expression, first + 1) === index
  })

const distinct = (expressions: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(expressions)]

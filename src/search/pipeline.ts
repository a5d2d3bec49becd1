import { noRequiredWords } from "../../projections/hybridSearch.js"
import { answerQuery } from "./answer.js"
import { unmatchedFilterHints } from "./explain.js"
import { planQuery, type SearchKind } from "./plan.js"
import type { FusableHit } from "./rank.js"
import type { FindRows } from "./retrieve.js"

/** Searches one kind of rows. If it finds nothing, hints name the filters or required terms that exclude every row. */
export const makeRowSearch =
  <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
    kind: SearchKind<Filters, Candidate, Row, Parts>
  ): FindRows<Filters, Row, Parts> =>
  (snapshot, query) => {
    const result = answerQuery(planQuery(kind, snapshot, query))
    if (result.drafts.length > 0) return result
    const { level, ranking, request } = query
    const { fields, required } = request.parsed
    const timeReference = { now: request.at ?? snapshot.now, zone: ranking.policy.zone }
    const passes = (filters: Filters) =>
      kind.recent(snapshot, { level, filters, required: noRequiredWords, limit: 1 }).length > 0
    const unmatched = unmatchedFilterHints(kind.rowNoun, kind.filtersOf(request.filters, fields, timeReference), passes)
    const terms = required.map((text) => `+${text}`).join(", ")
    const hints =
      unmatched.length > 0 || required.length === 0
        ? unmatched
        : [`no ${kind.rowNoun} contains all required terms (${terms})`]
    return { ...result, explanation: { ...result.explanation, hints: [...result.explanation.hints, ...hints] } }
  }

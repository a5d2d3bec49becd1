import { opennessOf, type ReadingLevel } from "../../events/Trust.js"
import {
  type Corpus,
  type HitsQuery,
  noRequiredWords,
  type RequiredWords,
  type SubstringQuery
} from "../../projections/hybridSearch.js"
import type { Db } from "../../projections/Projection.js"
import { findParkedProjections } from "../../projections/view/ViewFile.js"
import type { TimeReading } from "../../text/normalise/questionWords.js"
import type { ResolvedTime } from "../../text/when/resolveTimes.js"
import type { Snapshot } from "../actor/ReaderSource.js"
import type { PolicyValues } from "../ports/Policy.js"
import { chooseDistinguishingWords } from "./distinguishingWords.js"
import { type LeftOut, textsOf } from "./explain.js"
import type { TimeReference } from "./fields.js"
import { expressionsOf } from "./ftsQuery.js"
import { vectorShare } from "./fusion.js"
import type { Field, ParsedQuery, Word } from "./querySyntax.js"
import type { Draft, FusableHit, ScoredCandidate, VectorWeights } from "./rank.js"
import { type FindQuery, initialExplanation } from "./retrieve.js"
import { findQueryTimes, type QueryTimes } from "./timeCues.js"

/** The inputs of a score, except the candidates. */
export interface ScoringInput {
  readonly db: Db
  readonly level: ReadingLevel
  readonly now: number
  readonly parsed: ParsedQuery
  readonly times: QueryTimes
  readonly policy: PolicyValues["search"]
  readonly weights: VectorWeights
}

/** Selects the rows that a level may read and that pass the filters. */
export interface RowsQuery<Filters> {
  readonly level: ReadingLevel
  readonly filters: Filters
  readonly limit: number
}

/** A kind of rows that the pipeline searches: memories, or chunks of turns and files. */
export interface SearchKind<Filters extends object, Candidate extends FusableHit, Row, Parts extends object> {
  readonly corpus: Corpus
  /** The word for these rows in hints: "memory". */
  readonly rowNoun: string
  /** The names of the projections with the full text and with the vectors of these rows. */
  readonly text: string
  readonly vectors: string
  /** Combines the filters of the call with those in the query's text. */
  readonly filtersOf: (filters: Filters, fields: ReadonlyArray<Field>, timeReference: TimeReference) => Filters
  readonly filtersDuring: (filters: Filters, range: ResolvedTime, reading: TimeReading) => Filters
  /** Whether rows in a time that the query names rank above all others. */
  readonly ranksTimesFirst?: boolean
  /** Drops more of the distinguishing words. If full text then finds nothing, the search uses all of them. */
  readonly chooseWords?: (
    scoring: ScoringInput,
    words: ReadonlyArray<Word>
  ) => { readonly words: ReadonlyArray<Word>; readonly leftOut: ReadonlyArray<LeftOut> }
  /** Whether rows contain words such as "last week". The search then includes these words. */
  readonly hasTimeWords?: boolean
  readonly find: (snapshot: Snapshot, query: HitsQuery & Omit<RowsQuery<Filters>, "limit">) => ReadonlyArray<Candidate>
  /** The newest rows that match `required`. */
  readonly recent: (
    snapshot: Snapshot,
    query: RowsQuery<Filters> & { readonly required: RequiredWords }
  ) => ReadonlyArray<Candidate>
  /** Rows that contain the needles as substrings, the newest first. */
  readonly findSubstrings: (
    snapshot: Snapshot,
    query: RowsQuery<Filters> & { readonly needles: SubstringQuery }
  ) => ReadonlyArray<Candidate>
  readonly score: (scoring: ScoringInput, candidates: ReadonlyArray<Candidate>) => ReadonlyArray<ScoredCandidate<Parts>>
  /** Adds the evidence to the drafts. */
  readonly judge?: (
    plan: Pick<QueryPlan<Filters, Candidate, Row, Parts>, "level" | "nearOnly" | "scoring" | "vector">,
    found: {
      readonly words: ReadonlyArray<Word>
      readonly candidates: ReadonlyArray<Candidate>
      readonly drafts: ReadonlyArray<Draft<Row, Parts>>
    }
  ) => ReadonlyArray<Draft<Row, Parts>>
  /** Reads the rows of the candidates, in the order of `ranked`. */
  readonly read: (
    scoring: Pick<ScoringInput, "db" | "level" | "now">,
    ranked: ReadonlyArray<ScoredCandidate<Parts>>
  ) => ReadonlyArray<Draft<Row, Parts>>
}

/** Reads the query: its words, times, filters and weights. */
export const planQuery = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  kind: SearchKind<Filters, Candidate, Row, Parts>,
  snapshot: Snapshot,
  { level, ranking, request, vector }: FindQuery<Filters>
) => {
  const { db } = snapshot
  const { limit, parsed } = request
  const now = request.at ?? snapshot.now
  const { fusion } = request
  const { policy } = fusion?.topK === undefined ? ranking : { policy: { ...ranking.policy, pool: fusion.topK } }
  const parked = new Set(findParkedProjections(db).map(({ projection }) => projection))
  const timeReference = { now, zone: policy.zone }
  const times = findQueryTimes(parsed, timeReference)
  const weights = weightsOf({ ranking, request, vector })
  const scoring: ScoringInput = { db, level, now, parsed, times, policy, weights: weights.shares }
  const byText = !parked.has(kind.text)
  const should = kind.hasTimeWords === true ? parsed.should : times.words
  const distinguishing = chooseDistinguishingWords(db, kind.corpus, level, { ...parsed, should }, ranking)
  const { leftOut = [], words } = kind.chooseWords?.(scoring, distinguishing.words) ?? { words: distinguishing.words }
  const expressionsFor = (words: ReadonlyArray<Word>) =>
    expressionsOf({ ...parsed, should: words, joined: distinguishing.joined })
  const expressions = expressionsFor(words)
  const explanationOf = (words: ReadonlyArray<Word>, dropped: ReadonlyArray<LeftOut>) => ({
    words: textsOf(words),
    leftOut: [...(kind.hasTimeWords === true ? [] : times.leftOut), ...distinguishing.leftOut, ...dropped]
  })
  return {
    kind,
    snapshot,
    level,
    nearOnly: request.near === true,
    filters: kind.filtersOf(request.filters, parsed.fields, timeReference),
    limit,
    /** Maximum rows from full text, and maximum rows from vectors. */
    pool: fusion?.topK ?? Math.max(policy.pool, limit),
    // In a small pool, many rows may have the same distance as the last row, so ties need an order.
    ordersTies: fusion?.topK !== undefined,
    /** True if the call contained the vector. The vector is then compared even if the query has no searchable words. */
    hasEmbedding: fusion?.embedding === true,
    /** Whether the call gave full text a weight of 0. */
    excludesText: fusion?.textWeight === 0,
    /** Rows to read at a time. */
    pageSize: Math.max(limit, policy.drafts),
    scoring,
    /** The query's vector; null if this search compares no vectors. */
    vector: parked.has(kind.vectors) || weights.mainWeight === 0 ? null : vector,
    byText,
    distinguishing,
    words,
    leftOut,
    expressions,
    expressionsFor,
    required: byText ? expressions : noRequiredWords,
    explanationOf,
    explanation: {
      ...initialExplanation(request),
      leftOut: explanationOf(words, leftOut).leftOut,
      corrections: distinguishing.corrections,
      times: times.ranges,
      hints: [...parsed.hints, ...times.hints]
    }
  }
}

export type QueryPlan<Filters extends object, Candidate extends FusableHit, Row, Parts extends object> = ReturnType<
  typeof planQuery<Filters, Candidate, Row, Parts>
>

/**
 * Chooses the weights of vectors in the fused score: `mainWeight` by policy or embedder, `shares` for the vectors that
 * this query has.
 */
const weightsOf = ({
  ranking: { embedder, policy },
  request,
  vector
}: Pick<FindQuery<unknown>, "ranking" | "request" | "vector">): {
  readonly mainWeight: number
  readonly shares: VectorWeights
} => {
  const shareOf = (usual: number) =>
    // A query without a vector is answered by full text alone.
    vector === null && request.fusion?.textWeight === 0 ? 0 : vectorShare(request.fusion, policy.vectorWeight ?? usual)
  const mainWeight = request.mode === "classic" ? 0 : shareOf(embedder.weight)
  const substitute = vector?.substitute === undefined ? undefined : embedder.substitute
  const substituteWeight = mainWeight === 0 ? 0 : shareOf(substitute?.embedder.weight ?? 0)
  return {
    mainWeight,
    shares: {
      // Without a vector from the main embedder, its rows were not compared. These rows must not lose score for that.
      main: vector?.values.length === 0 ? substituteWeight : mainWeight,
      substitute: substitute && { weight: substituteWeight, openness: substitute.stores.map(opennessOf) }
    }
  }
}

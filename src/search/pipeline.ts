import { opennessOf, type ReadingLevel } from "../../events/Trust.js"
import {
  type Corpus,
  type HitsQuery,
  type Needles,
  noRequiredWords,
  type RequiredWords
} from "../../projections/hybridSearch.js"
import type { Db } from "../../projections/Projection.js"
import { parkedOf } from "../../projections/view/ViewFile.js"
import type { ResolvedTime } from "../../text/when/resolveTimes.js"
import type { Snapshot } from "../actor/ReaderSource.js"
import type { PolicyValues } from "../ports/Policy.js"
import { type Times, timesIn } from "./cues.js"
import { distinguishingWords } from "./distinguishingWords.js"
import { emptyTimesHint, type LeftOut, textsOf, unmatchedFilterHints } from "./explain.js"
import type { TimeReference } from "./fields.js"
import { foldEqual } from "./foldEqual.js"
import { expressionsOf } from "./ftsQuery.js"
import type { Field, ParsedQuery, Word } from "./query.js"
import { type Draft, type FusableHit, orderByScore, orderByTime, type ScoredCandidate, type Weights } from "./rank.js"
import { type Find, type FindQuery, type FoundDrafts, initialExplanation } from "./retrieve.js"

/** The inputs of a score, except the candidates. */
export interface ScoringInput {
  readonly db: Db
  readonly level: ReadingLevel
  readonly now: number
  readonly parsed: ParsedQuery
  readonly times: Times
  readonly policy: PolicyValues["search"]
  readonly weights: Weights
}

/** Selects the rows that a level may read and that pass the filters. */
export interface RowsQuery<Filters> {
  readonly level: ReadingLevel
  readonly filters: Filters
  readonly limit: number
}

/** A kind of rows that the pipeline searches: memories, or chunks of turns and files. */
export interface SearchKind<Filters, Candidate extends FusableHit, Row, Parts> {
  readonly corpus: Corpus
  /** The word for these rows in hints: "memory". */
  readonly rowNoun: string
  /** The names of the projections with its full text and its vectors. */
  readonly text: string
  readonly vectors: string
  /** Combines the filters of the call with those in the query's text. */
  readonly filtersOf: (filters: Filters, fields: ReadonlyArray<Field>, timeReference: TimeReference) => Filters
  readonly filtersDuring: (filters: Filters, range: ResolvedTime) => Filters
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
    query: RowsQuery<Filters> & { readonly needles: Needles }
  ) => ReadonlyArray<Candidate>
  readonly score: (scoring: ScoringInput, candidates: ReadonlyArray<Candidate>) => ReadonlyArray<ScoredCandidate<Parts>>
  /** Reads the rows of the candidates, in the order of `ranked`. */
  readonly read: (
    scoring: Pick<ScoringInput, "db" | "level" | "now">,
    ranked: ReadonlyArray<ScoredCandidate<Parts>>
  ) => ReadonlyArray<Draft<Row, Parts>>
}

/** Searches one kind of rows. If it finds nothing, hints name the filters or required terms that exclude every row. */
export const searchRows =
  <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
    kind: SearchKind<Filters, Candidate, Row, Parts>
  ): Find<Filters, Row, Parts> =>
  (snapshot, query) => {
    const result = answer(planOf(kind, snapshot, query))
    if (result.drafts.length > 0) return result
    const { level, ranking, request } = query
    const { fields, required } = request.parsed
    const timeReference = { now: snapshot.now, zone: ranking.policy.zone }
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

const planOf = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  kind: SearchKind<Filters, Candidate, Row, Parts>,
  snapshot: Snapshot,
  { level, ranking, request, vector }: FindQuery<Filters>
) => {
  const { db, now } = snapshot
  const { limit, parsed } = request
  const { policy } = ranking
  const parked = new Set(parkedOf(db).map(({ projection }) => projection))
  const timeReference = { now, zone: policy.zone }
  const times = timesIn(parsed, timeReference)
  const weights = weightsOf({ ranking, request, vector })
  const scoring: ScoringInput = { db, level, now, parsed, times, policy, weights: weights.shares }
  const byText = !parked.has(kind.text)
  const should = kind.hasTimeWords === true ? parsed.should : times.words
  const distinguishing = distinguishingWords(db, kind.corpus, level, { ...parsed, should }, policy.commonShare)
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
    filters: kind.filtersOf(request.filters, parsed.fields, timeReference),
    limit,
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
      times: times.ranges,
      hints: [...parsed.hints, ...times.hints]
    }
  }
}

type Plan<Filters extends object, Candidate extends FusableHit, Row, Parts extends object> = ReturnType<
  typeof planOf<Filters, Candidate, Row, Parts>
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
  readonly shares: Weights
} => {
  const mainWeight = request.mode === "classic" ? 0 : (policy.vectorWeight ?? embedder.weight)
  const substitute = vector?.substitute === undefined ? undefined : embedder.substitute
  const substituteWeight = mainWeight === 0 ? 0 : (policy.vectorWeight ?? substitute?.embedder.weight ?? 0)
  return {
    mainWeight,
    shares: {
      // Without a vector from the main embedder, its rows were not compared. They must not lose score for that.
      main: vector?.values.length === 0 ? substituteWeight : mainWeight,
      substitute: substitute && { weight: substituteWeight, openness: substitute.stores.map(opennessOf) }
    }
  }
}

/**
 * Decides how to answer a query. Without words, or with only a time: the newest rows. If full text cannot index the
 * words, or its index is parked: substring search. Otherwise: full text and vectors, together with the newest rows of
 * the times that the query names.
 */
const answer = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  plan: Plan<Filters, Candidate, Row, Parts>
): FoundDrafts<Row, Parts> => {
  const { byText, expressions, filters, kind, level, pageSize, required, snapshot, scoring } = plan
  const { parsed, policy, times } = scoring
  const inTimes = distinct(
    times.ranges.flatMap((range) =>
      kind.recent(snapshot, { level, filters: kind.filtersDuring(filters, range), required, limit: pageSize })
    ),
    kind.corpus
  )
  if (parsed.needles.every((needle) => needle.trim() === "")) {
    return answerByTime(plan, kind.recent(snapshot, { level, filters, required, limit: pageSize }), [])
  }
  // If no row is in the named time, its name may still occur as a word in a text.
  if (times.hasOnlyTimes && inTimes.length > 0) return answerByTime(plan, inTimes, namingTimes(plan, inTimes))
  const timeHints = times.ranges.length > 0 && inTimes.length === 0 ? [emptyTimesHint(times.ranges)] : []
  if (expressions.match === null || !byText) {
    const { excluded, needles: optionalNeedles } = parsed
    const requiredNeedles = byText ? [] : parsed.required.filter((text) => !text.includes(" OR "))
    const needles = byText
      ? { anyOf: optionalNeedles, required: expressions }
      : { allOf: requiredNeedles, anyOf: optionalNeedles, noneOf: excluded }
    return answerByScore(
      plan,
      kind.findSubstrings(snapshot, { level, filters, needles, limit: pageSize }),
      null,
      timeHints
    )
  }
  const candidateCount = Math.max(policy.pool, plan.limit)
  const find = (terms: Pick<HitsQuery, "match" | "within" | "without">) =>
    kind.find(snapshot, { level, filters, ...terms, vector: plan.vector, pool: candidateCount })
  let candidates = find(expressions)
  const searchAllWords = plan.leftOut.length > 0 && candidates.every(({ text }) => text === null)
  if (searchAllWords) candidates = find(plan.expressionsFor(plan.distinguishing.words))
  const allCandidates = times.ranges.length === 0 ? candidates : distinct([...candidates, ...inTimes], kind.corpus)
  const drafts = answerByScore(plan, allCandidates, plan.vector?.model ?? null, timeHints)
  if (!searchAllWords) return drafts
  return { ...drafts, explanation: { ...drafts.explanation, ...plan.explanationOf(plan.distinguishing.words, []) } }
}

/**
 * Finds rows outside the named times whose text contains the name of one. With `hasTimeWords`, the index already
 * contains each row's day.
 */
const namingTimes = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  { byText, expressions, filters, kind, level, pageSize, snapshot, scoring }: Plan<Filters, Candidate, Row, Parts>,
  inTimes: ReadonlyArray<Candidate>
): ReadonlyArray<Candidate> => {
  const { timeWords } = scoring.times
  if (timeWords.length === 0 || !byText || kind.hasTimeWords === true) return []
  const names = timeWords.map((words) => `(${words.map(({ expression }) => expression).join(" AND ")})`).join(" OR ")
  const { within, without } = expressions
  const match = without === null ? names : `(${names}) NOT (${without})`
  const numbersInTimes = new Set(inTimes.map(({ born }) => born))
  const query = { level, filters, match, within, without, vector: null, pool: pageSize }
  return kind.find(snapshot, query).filter(({ born }) => !numbersInTimes.has(born))
}

/** Ranks candidates newest first, then those of `added` by score. A reranker does not change this order. */
const answerByTime = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  { explanation, kind, pageSize, scoring }: Plan<Filters, Candidate, Row, Parts>,
  candidates: ReadonlyArray<Candidate>,
  added: ReadonlyArray<Candidate>
): FoundDrafts<Row, Parts> => {
  const ranked = [...orderByTime(kind.score(scoring, candidates)), ...orderByScore(kind.score(scoring, added))]
  return { drafts: kind.read(scoring, ranked.slice(0, pageSize)), keepsOrder: true, explanation }
}

/** Ranks candidates by score. Reads further pages until enough hits remain after folding equal ones. */
const answerByScore = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  { explanation, kind, limit, pageSize, scoring, words }: Plan<Filters, Candidate, Row, Parts>,
  candidates: ReadonlyArray<Candidate>,
  vectors: string | null,
  hints: ReadonlyArray<string>
): FoundDrafts<Row, Parts> => {
  const ranked = orderByScore(kind.score(scoring, candidates))
  const drafts = foldEqual<Draft<Row, Parts>>(scoring.policy.fold)
  const firstSides = new Set<ScoredCandidate<Parts>>()
  const firstOf = makeFirstSide(ranked)
  for (let from = 0; from < ranked.length && drafts.kept().length < limit; from += pageSize) {
    for (const draft of kind.read(scoring, ranked.slice(from, from + pageSize))) {
      drafts.take(draft)
      // The hit shows the first side that was found, on whatever page it stands.
      const first = draft.side === undefined ? undefined : firstOf(draft.side)
      if (first !== undefined) firstSides.add(first)
    }
  }
  if (scoring.policy.fold) for (const draft of kind.read(scoring, [...firstSides])) drafts.take(draft)
  return {
    drafts: drafts.kept(),
    keepsOrder: false,
    explanation: { ...explanation, words: textsOf(words), vectors, hints: [...explanation.hints, ...hints] }
  }
}

/** Makes the function that finds, among all candidates, the first side that stands before another one. */
const makeFirstSide = <Candidate extends { readonly born: number }>(ranked: ReadonlyArray<Candidate>) => {
  let byBorn: ReadonlyMap<number, Candidate> | undefined
  return ({ before }: NonNullable<Draft<unknown, object>["side"]>): Candidate | undefined => {
    byBorn ??= new Map(ranked.map((candidate) => [candidate.born, candidate]))
    for (const { born } of before) if (byBorn.has(born)) return byBorn.get(born)
    return undefined
  }
}

/** Keeps the first row of each memory, turn or file. */
const distinct = <A extends { readonly born: number }>(rows: ReadonlyArray<A>, { rowNumbersPerItem = 1 }: Corpus) => [
  ...new Map(rows.toReversed().map((row) => [Math.floor(row.born / rowNumbersPerItem), row])).values()
]

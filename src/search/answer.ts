import type { Corpus, HitsQuery } from "../../projections/hybridSearch.js"
import type { TimeReading } from "../../text/normalise/questionWords.js"
import { emptyTimesHint, textsOf } from "./explain.js"
import { makeDuplicateCollector } from "./foldEqual.js"
import type { QueryPlan } from "./plan.js"
import { type Draft, type FusableHit, orderByScore, orderByTime, type ScoredCandidate } from "./rank.js"
import type { FoundDrafts } from "./retrieve.js"

/**
 * Decides how to answer a query. Without words, or with only a time: the newest rows. If full text cannot index the
 * words, or its index is parked: substring search. Otherwise: full text and vectors, together with the newest rows of
 * the times that the query names. A vector from the call is compared even if the query has no words.
 */
export const answerQuery = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  planned: QueryPlan<Filters, Candidate, Row, Parts>
): FoundDrafts<Row, Parts> => {
  const { inTimes, plan } = readTimes(planned)
  const { byText, expressions, filters, kind, level, pageSize, required, snapshot, scoring } = plan
  const { parsed, times } = scoring
  const hasNoWords = parsed.needles.every((needle) => needle.trim() === "")
  const comparesEmbedding = plan.hasEmbedding && plan.vector !== null
  if (hasNoWords && !comparesEmbedding) {
    return answerByTime(plan, kind.recent(snapshot, { level, filters, required, limit: pageSize }), [])
  }
  // If no row is in the named time, the name of the time may still occur as a word in a text.
  if (times.hasOnlyTimes && inTimes.length > 0 && !comparesEmbedding)
    return answerByTime(plan, inTimes, namingTimes(plan, inTimes))
  const timeHints = times.ranges.length > 0 && inTimes.length === 0 ? [emptyTimesHint(times.ranges)] : []
  if ((expressions.match === null && !comparesEmbedding) || (!byText && !hasNoWords)) {
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
  let candidates = findIn(plan, filters, expressions)
  const searchAllWords = plan.leftOut.length > 0 && candidates.every(({ text }) => text === null)
  const terms = searchAllWords ? plan.expressionsFor(plan.distinguishing.words) : expressions
  if (searchAllWords) candidates = findIn(plan, filters, terms)
  // The best rows of the named times. The pool over all times may contain none of them.
  const bestInTimes =
    kind.ranksTimesFirst === true && inTimes.length > 0
      ? duringTimes(plan, (filters) => findIn(plan, filters, terms), times.reading)
      : []
  const allCandidates =
    times.ranges.length === 0 ? candidates : distinct([...candidates, ...bestInTimes, ...inTimes], kind.corpus)
  const found = answerByScore(plan, allCandidates, plan.vector?.model ?? null, timeHints)
  const words = searchAllWords ? plan.distinguishing.words : plan.words
  const drafts =
    kind.judge === undefined
      ? found
      : { ...found, drafts: kind.judge(plan, { words, candidates: allCandidates, drafts: found.drafts }) }
  if (!searchAllWords) return drafts
  return { ...drafts, explanation: { ...drafts.explanation, ...plan.explanationOf(plan.distinguishing.words, []) } }
}

/**
 * Finds the newest rows of the times that the query names. If the query asks only for what was written then, or is due
 * then, and there is no such row, finds rows that have any other date in these times.
 */
const readTimes = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  plan: QueryPlan<Filters, Candidate, Row, Parts>
) => {
  const { kind, level, pageSize, required, scoring, snapshot } = plan
  const { times } = scoring
  const newestIn = (reading: TimeReading) =>
    duringTimes(plan, (filters) => kind.recent(snapshot, { level, filters, required, limit: pageSize }), reading)
  const inTimes = newestIn(times.reading)
  if (inTimes.length > 0 || times.reading === "any" || kind.ranksTimesFirst !== true) return { plan, inTimes }
  return {
    plan: { ...plan, scoring: { ...scoring, times: { ...times, reading: "any" as const } } },
    inTimes: newestIn("any")
  }
}

/** The rows that `read` finds in each of the named times. */
const duringTimes = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  { filters, kind, scoring }: QueryPlan<Filters, Candidate, Row, Parts>,
  read: (filters: Filters) => ReadonlyArray<Candidate>,
  reading: TimeReading
): ReadonlyArray<Candidate> =>
  distinct(
    scoring.times.ranges.flatMap((range) => read(kind.filtersDuring(filters, range, reading))),
    kind.corpus
  )

/** The best rows by full text and by vectors. */
const findIn = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  { excludesText, kind, level, ordersTies, pool, snapshot, vector }: QueryPlan<Filters, Candidate, Row, Parts>,
  filters: Filters,
  { match, within, without }: Pick<HitsQuery, "match" | "within" | "without">
): ReadonlyArray<Candidate> => {
  const byText = excludesText && vector !== null ? null : match
  return kind.find(snapshot, { level, filters, match: byText, within, without, vector, pool, ordersTies })
}

/**
 * Finds rows outside the named times whose text contains the name of such a time. With `hasTimeWords` this is not
 * needed, because the index already contains each row's day.
 */
const namingTimes = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  { byText, expressions, filters, kind, level, pageSize, snapshot, scoring }: QueryPlan<Filters, Candidate, Row, Parts>,
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

/**
 * Ranks candidates by time, and after them those of `added` by score. Rows of a type that the question names come
 * first. If the question asks for what is due, the soonest comes first, otherwise the newest. A reranker does not
 * change this order.
 */
const answerByTime = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  { explanation, kind, pageSize, scoring }: QueryPlan<Filters, Candidate, Row, Parts>,
  candidates: ReadonlyArray<Candidate>,
  added: ReadonlyArray<Candidate>
): FoundDrafts<Row, Parts> => {
  const { reading } = scoring.times
  const byTime = orderByTime(kind.score(scoring, candidates))
  const inOrder = reading === "due" ? byTime.toReversed() : byTime
  const isNamedType = ({ parts }: ScoredCandidate<Parts>) => "type" in parts && parts.type !== 0
  const ranked = [
    ...inOrder.filter(isNamedType),
    ...inOrder.filter((row) => !isNamedType(row)),
    ...orderByScore(kind.score(scoring, added))
  ]
  return { drafts: kind.read(scoring, ranked.slice(0, pageSize)), keepsOrder: true, explanation }
}

/** Ranks candidates by score. Reads further pages until enough hits remain after folding equal ones. */
const answerByScore = <Filters extends object, Candidate extends FusableHit, Row, Parts extends object>(
  { explanation, kind, limit, pageSize, scoring, words }: QueryPlan<Filters, Candidate, Row, Parts>,
  candidates: ReadonlyArray<Candidate>,
  vectors: string | null,
  hints: ReadonlyArray<string>
): FoundDrafts<Row, Parts> => {
  const ranked = orderByScore(kind.score(scoring, candidates))
  const drafts = makeDuplicateCollector<Draft<Row, Parts>>(scoring.policy.fold)
  const firstSides = new Set<ScoredCandidate<Parts>>()
  const firstOf = makeFirstSide(ranked)
  for (let from = 0; from < ranked.length && drafts.kept().length < limit; from += pageSize) {
    for (const draft of kind.read(scoring, ranked.slice(from, from + pageSize))) {
      drafts.take(draft)
      // The hit shows the first side that was found, even if that side is on another page.
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

/** Makes a function that returns the first candidate that precedes a given side in its dispute. */
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

import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ReadingLevel, TrustLevel } from "../../events/Trust.js"
import { traceEvent } from "../../events/tracing.js"
import type { QueryVector } from "../../projections/hybridSearch.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import { type GateResult, gateMessage } from "../../text/normalise/gate.js"
import { withoutRequestPhrases } from "../../text/normalise/questionWords.js"
import type { Ranking, Snapshot } from "../actor/ReaderSource.js"
import type { InvalidInput } from "../model/errors.js"
import { decodeOptionalInstant, decodeOptionalText } from "../model/filters.js"
import { Instant, type InstantInput } from "../model/input.js"
import { limits } from "../model/limits.js"
import { countFallback } from "../model/operationMetrics.js"
import type { PolicyValues } from "../ports/Policy.js"
import { RerankerError } from "../ports/Reranker.js"
import { type Explanation, type SearchExplanation, scoreReasons } from "./explain.js"
import { type CheckedFusion, decodeFusion, embeddingProblem, type FusionOptions, fusionFields } from "./fusion.js"
import { parseQuery } from "./query.js"
import type { ParsedQuery, QuerySyntax } from "./querySyntax.js"
import { embedderForQuery, embedQuery, withCallVector } from "./queryVector.js"
import { type Draft, type FoundMemory, foundBy, orderByScore, totalScore } from "./rank.js"

/** A checked query with its filters. */
export interface CheckedRequest<Filters> extends CheckedFusion {
  /** The query's text, cut to `limits.queryBytes`. */
  readonly text: string
  readonly parsed: ParsedQuery
  /** The filters of the call. The fields in the text are added to them. */
  readonly filters: Filters
  readonly limit: number
  /** The time of the question in milliseconds; absent: the time of the read. */
  readonly at?: number
  /** True to leave out hits that are not near. */
  readonly near?: boolean
  readonly mode: Explanation["mode"]
  readonly gate: GateResult
  /** True if the gate may refuse a query that needs no memory. */
  readonly usesGate: boolean
}

/** The name of a search mode. Any name except `enhanced` means classic. */
export type SearchMode = Explanation["mode"] | (string & {})

/** The fields of the options of every search. */
export const searchOptions = {
  /** `enhanced`, or `classic`: full text alone. Any other name means classic. Absent: the policy's mode. */
  mode: Schema.String as Schema.Schema.AnyNoContext as Schema.Schema<SearchMode>,
  /** If true, the text is read as a message to an agent. Nothing is found if the message needs no memory. */
  gate: Schema.Boolean,
  /** The time of the question; default: now. "Last month" and the age of memories are relative to it. */
  at: Instant,
  ...fusionFields
}

/** Options of every search. */
export interface SearchOptions extends FusionOptions {
  readonly mode?: SearchMode | undefined
  readonly gate?: boolean | undefined
  readonly at?: InstantInput | undefined
}

/** The names of the options of every search, including its text. */
export const searchOptionNames = ["text", "mode", "gate", "at", ...Object.keys(fusionFields)]

/** The checked options of a search, with its text. */
export interface CheckedOptions extends CheckedFusion {
  readonly text: string
  readonly mode?: SearchMode | undefined
  readonly gate?: boolean | undefined
  readonly at?: number
  readonly near?: boolean | undefined
}

/** Checks the options of a search, and its text. */
export const decodeSearchOptions = (
  { at, gate, mode, text, ...fusion }: SearchOptions & { readonly text: string },
  policy: PolicyValues["search"]
): Either.Either<CheckedOptions, InvalidInput> =>
  Either.gen(function* () {
    return {
      ...(yield* decodeOptionalText("text", text)),
      text,
      ...(yield* decodeOptionalText("mode", mode)),
      gate,
      ...(yield* decodeOptionalInstant("at", at)),
      ...(yield* decodeFusion(fusion, modeOf(mode, policy)))
    }
  })

const modeOf = (mode: SearchMode | undefined, policy: PolicyValues["search"]): Explanation["mode"] =>
  (mode ?? policy.mode) === "enhanced" ? "enhanced" : "classic"

/** The number of hits that a search without a limit returns. */
export const defaultHitLimit = (mode: SearchMode | undefined, policy: PolicyValues["search"]): number =>
  modeOf(mode, policy) === "enhanced" ? 10 : 5

export const toRequest = <Filters>(
  syntax: QuerySyntax,
  { limit, ...filters }: Filters & { readonly limit: number },
  { at, gate, mode, near, text, ...fusion }: CheckedOptions,
  policy: PolicyValues["search"]
): CheckedRequest<Omit<Filters, "limit">> => ({
  text: text.slice(0, limits.queryBytes),
  parsed: parseQuery(text, syntax),
  filters: filters as Omit<Filters, "limit">,
  limit,
  ...(at === undefined ? {} : { at }),
  ...(near === true ? { near } : {}),
  mode: modeOf(mode, policy),
  gate: gateMessage(text.slice(0, limits.queryBytes)),
  usesGate: gate === true,
  ...fusion
})

/** The ranked drafts of a snapshot, before reranking. */
export interface FoundDrafts<Row, Parts> {
  readonly drafts: ReadonlyArray<Draft<Row, Parts>>
  /** True if a reranker must not change the order, because the query asks only for rows by time. */
  readonly keepsOrder: boolean
  readonly explanation: SearchExplanation
}

/** A hit in the form that callers get. */
export type AnsweredHit<Row, Parts> = Row & {
  readonly score: number
  readonly parts: Parts
  /** Number of further hits that state the same and are left out. */
  readonly alike: number
}

export interface Answer<Hit> {
  readonly hits: ReadonlyArray<Hit>
  readonly explanation: Explanation
  /** The rank of each hit before reranking, from 1. */
  readonly before: ReadonlyArray<number>
  /** The query's vector; null if the search used no vectors. */
  readonly vector: QueryVector | null
}

export interface FindQuery<Filters> {
  readonly level: ReadingLevel
  readonly request: CheckedRequest<Filters>
  readonly vector: QueryVector | null
  readonly ranking: Ranking
}

/** Ranks the rows of a snapshot against a request. Synchronous and a pure function of its arguments. */
export type FindRows<Filters, Row, Parts> = (snapshot: Snapshot, query: FindQuery<Filters>) => FoundDrafts<Row, Parts>

export interface Retrieval<Filters, Row, Parts, E> {
  readonly request: CheckedRequest<Filters>
  readonly level: TrustLevel
  readonly ranking: Ranking
  readonly read: <A>(f: (snapshot: Snapshot) => A) => Effect.Effect<A, ViewError | E>
  readonly find: FindRows<Filters, Row, Parts>
  /** A query vector to use instead of a new one; null for no vector. If absent, the embedder makes a new one. */
  readonly vector?: QueryVector | null
}

/**
 * Runs a search: embeds the query, ranks the rows of one snapshot, folds equal hits, reranks the first. If the embedder
 * or the reranker fails, the search continues without it and adds a hint. The search fails only if the view fails.
 */
export const retrieve = <Filters, Row, Parts extends { readonly rerank: number }, E = never>({
  find,
  level,
  ranking: configured,
  read,
  request,
  vector: knownVector
}: Retrieval<Filters, Row, Parts, E>): Effect.Effect<Answer<AnsweredHit<Row, Parts>>, ViewError | InvalidInput | E> =>
  Effect.gen(function* () {
    const { gate, usesGate, limit, mode, parsed } = request
    const ranking = { ...configured, embedder: embedderForQuery(request, level, configured.embedder) }
    if (level === "public" || (usesGate && !gate.recall)) {
      yield* read(() => undefined)
      return { hits: [], explanation: { ...initialExplanation(request), reranker: null }, before: [], vector: null }
    }
    const problem = embeddingProblem(request, ranking.embedder, ranking.policy)
    if (problem !== undefined)
      return yield* Effect.flatMap(
        read(() => problem),
        Effect.fail
      )
    const text = withoutRequestPhrases(parsed.plainText.trim())
    const hasQuery = text !== "" || request.embedding !== undefined
    const needsVector = knownVector === undefined && hasQuery && mode !== "classic"
    const { failures, vector } = needsVector
      ? yield* embedQuery(text, withCallVector(ranking.embedder, request), ranking.policy.queryTimeout)
      : { vector: knownVector ?? null, failures: [] }
    if (failures.length > 0) {
      countFallback("vectors")
      const { model } = ranking.embedder
      yield* traceEvent("search.vector_fallback", { model, reason: vector === null ? "full_text" : "partly" })
    }
    const retrieved = yield* read((snapshot) => find(snapshot, { level, request, vector, ranking }))
    const reranking =
      mode === "classic" || retrieved.keepsOrder ? notReranked : yield* rerank(text, retrieved.drafts, ranking)
    const shownDrafts = ("drafts" in reranking ? reranking.drafts : retrieved.drafts).slice(0, limit)
    const hits = shownDrafts.map(({ alike, parts, row }) => ({ ...row, score: totalScore(parts), parts, alike }))
    const places = new Map(retrieved.drafts.map(({ born }, index) => [born, index + 1]))
    const before = shownDrafts.map(({ born }) => places.get(born)!)
    const reranker = "drafts" in reranking ? ranking.reranker!.name : null
    const usedVector = retrieved.explanation.vectors === null ? null : vector
    const hints = [...retrieved.explanation.hints, ...failures, ...("failure" in reranking ? [reranking.failure] : [])]
    const explanation = { ...retrieved.explanation, hints, reranker }
    return { hits, explanation, before, vector: usedVector }
  })

/** The explanation of a request before the search. */
export const initialExplanation = ({ fusion, gate, mode, parsed }: CheckedRequest<unknown>): SearchExplanation => ({
  mode,
  ...(fusion === undefined ? {} : { fusion }),
  gate,
  words: [],
  required: parsed.required,
  excluded: parsed.excluded,
  leftOut: [],
  corrections: [],
  fields: parsed.fields,
  times: [],
  vectors: null,
  hints: parsed.hints
})

/** The answer with the reasons for each hit. */
export const withReasons = <Hit extends { readonly parts: object; readonly alike: number }>({
  before,
  explanation,
  hits
}: Answer<Hit>) => ({
  explanation,
  hits: hits.map((hit, index) => ({
    ...hit,
    why: scoreReasons(hit.parts, hit.alike),
    ...(explanation.reranker === null ? {} : { before: before[index]! })
  }))
})

/** The result of reranking: a new order, a failure as text, or neither. */
type Reranking<Row, Parts> =
  | { readonly drafts: ReadonlyArray<Draft<Row, Parts>> }
  | { readonly failure: string }
  | Record<never, never>

const notReranked = {}

/** Reranks the first drafts. A failure keeps their order. */
const rerank = <Row, Parts extends { readonly rerank: number }>(
  text: string,
  drafts: ReadonlyArray<Draft<Row, Parts>>,
  { policy, reranker }: Ranking
): Effect.Effect<Reranking<Row, Parts>> => {
  const firstDrafts = drafts.slice(0, Math.min(policy.drafts, reranker?.topN ?? 0))
  const hidden = reranker?.withheldStores
  const maySee = (one: FoundMemory) => hidden === undefined || (one.secret !== true && !hidden.includes(one.store))
  const visible = firstDrafts.filter((draft) => maySee(foundBy(draft)))
  if (reranker === undefined || !policy.rerank || text === "" || firstDrafts.length < 2 || visible.length === 0) {
    return Effect.succeed(notReranked)
  }
  const { name } = reranker
  const request = Effect.suspend(() =>
    reranker.rerank(
      text,
      visible.map((draft) => foundBy(draft).text)
    )
  )
  const onTimeout = () => new RerankerError({ name, reason: "timeout" })
  const duration = reranker.timeout ?? policy.queryTimeout
  const response = reranker.local ? request : Effect.timeoutFail(Effect.disconnect(request), { duration, onTimeout })
  return response.pipe(
    Effect.flatMap((scores) => {
      if (scores.length !== visible.length) return Effect.fail(new RerankerError({ name, reason: "count" }))
      if (!scores.every((score) => score >= 0 && score <= 1)) {
        return Effect.fail(new RerankerError({ name, reason: "values" }))
      }
      const weight = policy.rerankWeight ?? reranker.weight
      // Drafts that the reranker may not see get the mean score.
      const mean = scores.reduce((total, score) => total + score, 0) / scores.length
      const scoreOf = new Map([
        ...firstDrafts.map(({ born }) => [born, mean] as const),
        ...visible.map(({ born }, index) => [born, scores[index]!] as const)
      ])
      const reranked = drafts.map((draft) => ({
        ...draft,
        parts: { ...draft.parts, rerank: weight * (scoreOf.get(draft.born) ?? 0) }
      }))
      return Effect.succeed({ drafts: orderByScore(reranked) })
    }),
    Effect.catchAllCause((cause) => {
      const error = Option.getOrElse(Cause.failureOption(cause), () => new RerankerError({ name, reason: "failed" }))
      countFallback("reranker")
      return Effect.succeed({ failure: `${error.message}; hits are not reranked` })
    })
  )
}

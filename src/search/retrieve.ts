import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ReadingLevel, TrustLevel } from "../../events/Trust.js"
import type { QueryVector } from "../../projections/hits.js"
import type { ViewError } from "../../projections/view/build.js"
import { type Gated, gate } from "../../text/normalise/gate.js"
import type { Ranking, Snapshot } from "../actor/ReaderSource.js"
import { limits } from "../model/limits.js"
import type { PolicyValues } from "../ports/Policy.js"
import { RerankerError } from "../ports/Reranker.js"
import { type Explanation, whyOf } from "./explain.js"
import { type ParsedQuery, parse, type Syntax } from "./query.js"
import { askedFor, queryVector } from "./queryVector.js"
import { type Draft, inOrder, sum } from "./rank.js"

/** A query that has been checked: what is asked, and under which filters. */
export interface Request<Filters> {
  /** As it was asked, as far as it is looked at. */
  readonly text: string
  readonly parsed: ParsedQuery
  /** What the call names; the text's own fields come on top. */
  readonly filters: Filters
  readonly limit: number
  readonly mode: Explanation["mode"]
  readonly gate: Gated
  /** Whether the gate may turn the query away. */
  readonly gated: boolean
}

/** What every search may say of itself. */
export interface SearchOptions {
  /** `enhanced`, or `classic`: full text alone. Any other name is classic; the policy's where absent. */
  readonly mode?: string | undefined
  /** Takes the text for a message to an agent: nothing is found for what needs no memory. */
  readonly gate?: boolean | undefined
}

export const requestOf = <Filters>(
  text: string,
  syntax: Syntax,
  { limit, ...filters }: Filters & { readonly limit: number },
  options: SearchOptions,
  policy: PolicyValues["search"]
): Request<Omit<Filters, "limit">> => ({
  text: text.slice(0, limits.queryBytes),
  parsed: parse(text, syntax),
  filters: filters as Omit<Filters, "limit">,
  limit,
  mode: (options.mode ?? policy.mode) === "enhanced" ? "enhanced" : "classic",
  gate: gate(text.slice(0, limits.queryBytes)),
  gated: options.gate === true
})

/** What a snapshot has for a request: hits on their way, and how they were looked for. */
export interface Found<Row, Parts> {
  readonly drafts: ReadonlyArray<Draft<Row, Parts>>
  /** Whether their order stands, whatever a reranker says: by time, where nothing else was asked for. */
  readonly settled: boolean
  readonly explanation: Omit<Explanation, "reranker">
}

/** A hit as it is answered. */
export type Answered<Row, Parts> = Row & {
  readonly score: number
  readonly parts: Parts
  /** How many more say the same and are left out. */
  readonly alike: number
}

export interface Answer<Hit> {
  readonly hits: ReadonlyArray<Hit>
  readonly explanation: Explanation
  /** For each hit its place before the reranker looked, from 1. */
  readonly before: ReadonlyArray<number>
  /** The query's vector, where one took part. */
  readonly vector: QueryVector | null
}

/** Ranks what a snapshot has for a level against a request. Synchronous, and nothing but a function of all these. */
export type Find<Filters, Row, Parts> = (
  snapshot: Snapshot,
  level: ReadingLevel,
  request: Request<Filters>,
  vector: QueryVector | null,
  ranking: Ranking
) => Found<Row, Parts>

/**
 * Carries out a search: the query's vector, one snapshot, a second look at the
 * first hits, equal ones folded. Whatever fails beside the view itself leaves an
 * answer that is made without it. A vector that is given is not asked for.
 */
export const retrieve = <Filters, Row, Parts extends { readonly rerank: number }, E = never>(
  request: Request<Filters>,
  level: TrustLevel,
  all: Ranking,
  read: <A>(f: (snapshot: Snapshot) => A) => Effect.Effect<A, ViewError | E>,
  find: Find<Filters, Row, Parts>,
  given?: QueryVector | null
): Effect.Effect<Answer<Answered<Row, Parts>>, ViewError | E> =>
  Effect.gen(function* () {
    const { gate, gated, limit, mode, parsed } = request
    const ranking = { ...all, embedder: askedFor(request, level, all.embedder) }
    if (level === "public" || (gated && !gate.recall)) {
      yield* read(() => undefined)
      return { hits: [], explanation: { ...nothing(request), reranker: null }, before: [], vector: null }
    }
    const wanted = parsed.plain.trim()
    const needless = given !== undefined || wanted === "" || mode === "classic"
    const { failures, vector } = needless
      ? { vector: given ?? null, failures: [] }
      : yield* queryVector(wanted, ranking.embedder, ranking.policy.queryTimeout)
    const found = yield* read((snapshot) => find(snapshot, level, request, vector, ranking))
    const look = mode === "classic" || found.settled ? notAsked : yield* secondLook(wanted, found.drafts, ranking)
    const shown = ("drafts" in look ? look.drafts : found.drafts).slice(0, limit)
    const hits = shown.map(({ alike, parts, row }) => ({ ...row, score: sum(parts), parts, alike }))
    const places = new Map(found.drafts.map(({ born }, at) => [born, at + 1]))
    const before = shown.map(({ born }) => places.get(born)!)
    const reranker = "drafts" in look ? ranking.reranker!.name : null
    const used = found.explanation.vectors === null ? null : vector
    const hints = [...found.explanation.hints, ...failures, ...("failure" in look ? [look.failure] : [])]
    const explanation = { ...found.explanation, hints, reranker }
    return { hits, explanation, before, vector: used }
  })

/** What is known of a request before anything is looked for. */
export const nothing = ({ gate, mode, parsed }: Request<unknown>): Omit<Explanation, "reranker"> => ({
  mode,
  gate,
  words: [],
  required: parsed.required,
  excluded: parsed.excluded,
  leftOut: [],
  fields: parsed.fields,
  times: [],
  vectors: null,
  hints: parsed.hints
})

/** An answer that says why. */
export const explained = <Hit extends { readonly parts: object; readonly alike: number }>({
  before,
  explanation,
  hits
}: Answer<Hit>) => ({
  explanation,
  hits: hits.map((hit, at) => ({
    ...hit,
    why: whyOf(hit.parts, hit.alike),
    ...(explanation.reranker === null ? {} : { before: before[at]! })
  }))
})

/** What came of a second look: another order, a failure in words, or nothing. */
type Look<Row, Parts> =
  | { readonly drafts: ReadonlyArray<Draft<Row, Parts>> }
  | { readonly failure: string }
  | Record<never, never>

const notAsked = {}

/** The drafts in the order that the reranker gives to the first of them; a failure leaves them as they are. */
const secondLook = <Row, Parts extends { readonly rerank: number }>(
  text: string,
  drafts: ReadonlyArray<Draft<Row, Parts>>,
  { policy, reranker }: Ranking
): Effect.Effect<Look<Row, Parts>> => {
  const first = drafts.slice(0, Math.min(policy.drafts, reranker?.topN ?? 0))
  const isShown = ({ secret, store }: Draft<Row, Parts>) =>
    reranker?.apart === undefined || (secret !== true && !reranker.apart.includes(store))
  const shown = first.filter(isShown)
  if (reranker === undefined || !policy.rerank || text === "" || first.length < 2 || shown.length === 0) {
    return Effect.succeed(notAsked)
  }
  const { name } = reranker
  const asked = Effect.suspend(() =>
    reranker.rerank(
      text,
      shown.map((draft) => draft.text)
    )
  )
  const onTimeout = () => new RerankerError({ name, reason: "timeout" })
  const duration = reranker.timeout ?? policy.queryTimeout
  const answered = reranker.local ? asked : Effect.timeoutFail(Effect.disconnect(asked), { duration, onTimeout })
  return answered.pipe(
    Effect.flatMap((scores) => {
      if (scores.length !== shown.length) return Effect.fail(new RerankerError({ name, reason: "count" }))
      if (!scores.every((score) => score >= 0 && score <= 1)) {
        return Effect.fail(new RerankerError({ name, reason: "values" }))
      }
      const weight = policy.rerankWeight ?? reranker.weight
      // What it did not see is taken for neither better nor worse than what it saw.
      const middling = scores.reduce((all, score) => all + score, 0) / scores.length
      const scoreOf = new Map([
        ...first.map(({ born }) => [born, middling] as const),
        ...shown.map(({ born }, at) => [born, scores[at]!] as const)
      ])
      const reranked = drafts.map((draft) => ({
        ...draft,
        parts: { ...draft.parts, rerank: weight * (scoreOf.get(draft.born) ?? 0) }
      }))
      return Effect.succeed({ drafts: inOrder(reranked) })
    }),
    Effect.catchAllCause((cause) => {
      const error = Option.getOrElse(Cause.failureOption(cause), () => new RerankerError({ name, reason: "failed" }))
      return Effect.succeed({ failure: `${error.message}; the order stands without it` })
    })
  )
}

import { opennessOf, type ReadingLevel } from "../../events/Trust.js"
import {
  type Corpus,
  type HitsQuery,
  type Needles,
  nothingRequired,
  type QueryVector,
  type Required
} from "../../projections/hits.js"
import type { Db } from "../../projections/Projection.js"
import { parkedOf } from "../../projections/view/ViewFile.js"
import type { When } from "../../text/when/when.js"
import type { Snapshot } from "../actor/ReaderSource.js"
import type { PolicyValues } from "../ports/Policy.js"
import { type Times, timesIn } from "./cues.js"
import { type LeftOut, nothingIn, withoutRows, wordsOf } from "./explain.js"
import type { Asking } from "./fields.js"
import { expressionsOf, type Field, type ParsedQuery, type Word } from "./query.js"
import { type Draft, type Fusable, inOrder, newestFirst, type Scored, type Weights } from "./rank.js"
import { type Find, type Found, nothing } from "./retrieve.js"
import { folding } from "./same.js"
import { telling } from "./telling.js"

/** What scores are made from, beside the candidates. */
export interface Weighing {
  readonly db: Db
  readonly level: ReadingLevel
  readonly now: number
  readonly parsed: ParsedQuery
  readonly times: Times
  readonly policy: PolicyValues["search"]
  /** The share of vectors. */
  readonly weights: Weights
}

/** One kind of rows, as the pipeline looks for it: memories, or what was said and stands in files. */
export interface Searched<Filters, Candidate extends Fusable, Row, Parts> {
  readonly corpus: Corpus
  /** What a row is, for people: "memory". */
  readonly things: string
  /** The projections that hold its text and its vectors. */
  readonly text: string
  readonly vectors: string
  /** The filters of the call together with those of the text. */
  readonly filtersOf: (asked: Filters, fields: ReadonlyArray<Field>, asking: Asking) => Filters
  readonly during: (filters: Filters, when: When) => Filters
  /** Of the words that tell rows apart, those to look for, and all of them again where full text has none of those. */
  readonly chosen?: (
    weighing: Weighing,
    words: ReadonlyArray<Word>
  ) => { readonly words: ReadonlyArray<Word>; readonly leftOut: ReadonlyArray<LeftOut> }
  /** Whether words like "last week" are looked for as well. */
  readonly saysTimes?: boolean
  readonly find: (
    snapshot: Snapshot,
    query: HitsQuery & { readonly level: ReadingLevel; readonly filters: Filters }
  ) => ReadonlyArray<Candidate>
  /** The newest rows. */
  readonly recent: (
    snapshot: Snapshot,
    level: ReadingLevel,
    filters: Filters,
    words: Required,
    limit: number
  ) => ReadonlyArray<Candidate>
  /** Rows that hold these as parts of their text, the newest first. */
  readonly like: (
    snapshot: Snapshot,
    level: ReadingLevel,
    filters: Filters,
    needles: Needles,
    limit: number
  ) => ReadonlyArray<Candidate>
  readonly score: (weighing: Weighing, candidates: ReadonlyArray<Candidate>) => ReadonlyArray<Scored<Parts>>
  /** In the order given. */
  readonly read: (db: Db, ranked: ReadonlyArray<Scored<Parts>>) => ReadonlyArray<Draft<Row, Parts>>
}

/** Looks for what is asked; where nothing is found, for what narrows the search to nothing. */
export const lookFor = <Filters extends object, Candidate extends Fusable, Row, Parts extends object>(
  kind: Searched<Filters, Candidate, Row, Parts>
): Find<Filters, Row, Parts> => {
  const once = lookOnce(kind)
  return (snapshot, level, request, vector, ranking) => {
    const found = once(snapshot, level, request, vector, ranking)
    if (found.drafts.length > 0) return found
    const { fields, required } = request.parsed
    const asking = { now: snapshot.now, zone: ranking.policy.zone }
    const passes = (filters: Filters) => kind.recent(snapshot, level, filters, nothingRequired, 1).length > 0
    const rows = withoutRows(kind.things, kind.filtersOf(request.filters, fields, asking), passes)
    const must = required.map((text) => `+${text}`).join(", ")
    const why =
      rows.length > 0 || required.length === 0 ? rows : [`no ${kind.things} has all that must match (${must})`]
    return { ...found, explanation: { ...found.explanation, hints: [...found.explanation.hints, ...why] } }
  }
}

/**
 * The order of a search: filters and times of the text, the words that tell rows
 * apart, full text and vectors together with the newest of the times that were
 * asked for, scores, equal hits folded. Nothing but a time, or nothing at all,
 * is answered by the newest first; words that full text cannot hold, or an index
 * that is out of order, by substring search.
 */
const lookOnce =
  <Filters extends object, Candidate extends Fusable, Row, Parts extends object>(
    kind: Searched<Filters, Candidate, Row, Parts>
  ): Find<Filters, Row, Parts> =>
  (snapshot, level, request, vector, { embedder, policy }) => {
    const { db, now } = snapshot
    const { limit, parsed } = request
    const parked = new Set(parkedOf(db).map(({ projection }) => projection))
    const asking = { now, zone: policy.zone }
    const filters = kind.filtersOf(request.filters, parsed.fields, asking)
    const times = timesIn(parsed, asking)
    const weight = request.mode === "classic" ? 0 : (policy.vectorWeight ?? embedder.weight)
    const apart = vector?.apart === undefined ? undefined : embedder.apart
    const other = weight === 0 ? 0 : (policy.vectorWeight ?? apart?.embedder.weight ?? 0)
    const weights: Weights = {
      // Rows that nothing was compared with are no worse for what an embedder that does not answer would have said.
      own: vector?.values.length === 0 ? other : weight,
      apart: apart && {
        weight: other,
        openness: apart.stores.map(opennessOf)
      }
    }
    const weighing: Weighing = { db, level, now, parsed, times, policy, weights }
    const most = Math.max(limit, policy.drafts)
    const byText = !parked.has(kind.text)

    const should = kind.saysTimes === true ? parsed.should : times.words
    const told = telling(db, kind.corpus, level, { ...parsed, should }, policy.commonShare)
    const { leftOut = [], words } = kind.chosen?.(weighing, told.words) ?? { words: told.words }
    const expressionsFor = (wanted: ReadonlyArray<Word>) =>
      expressionsOf({ ...parsed, should: wanted, joined: told.joined })
    const expressions = expressionsFor(words)
    const required = byText ? expressions : nothingRequired
    const toldOf = (wanted: ReadonlyArray<Word>, unwanted: ReadonlyArray<LeftOut>) => ({
      words: wordsOf(wanted),
      leftOut: [...(kind.saysTimes === true ? [] : times.leftOut), ...told.leftOut, ...unwanted]
    })
    const explanation = {
      ...nothing(request),
      leftOut: toldOf(words, leftOut).leftOut,
      times: times.ranges,
      hints: [...parsed.hints, ...times.hints]
    }

    const byTime = (candidates: ReadonlyArray<Candidate>, more: ReadonlyArray<Candidate> = []): Found<Row, Parts> => {
      const ranked = [...newestFirst(kind.score(weighing, candidates)), ...inOrder(kind.score(weighing, more))]
      return { drafts: kind.read(db, ranked.slice(0, most)), settled: true, explanation }
    }
    const byScore = (candidates: ReadonlyArray<Candidate>, model: string | null): Found<Row, Parts> => {
      const ranked = inOrder(kind.score(weighing, candidates))
      const drafts = folding<Draft<Row, Parts>>(policy.fold)
      for (let from = 0; from < ranked.length && drafts.kept().length < limit; from += most) {
        for (const draft of kind.read(db, ranked.slice(from, from + most))) drafts.take(draft)
      }
      return {
        drafts: drafts.kept(),
        settled: false,
        explanation: { ...explanation, words: wordsOf(words), vectors: model, hints: [...explanation.hints, ...empty] }
      }
    }
    const then = distinct(
      times.ranges.flatMap((when) => kind.recent(snapshot, level, kind.during(filters, when), required, most)),
      kind.corpus
    )
    const empty = times.ranges.length > 0 && then.length === 0 ? [nothingIn(times.ranges)] : []

    /** Behind what was then: what names the time. What was said is indexed with its day, and needs none of that. */
    const alsoSaid = () => {
      if (times.said.length === 0 || !byText || kind.saysTimes === true) return []
      const each = times.said.map((words) => `(${words.map(({ expression }) => expression).join(" AND ")})`)
      const { within, without } = expressions
      const match = without === null ? each.join(" OR ") : `(${each.join(" OR ")}) NOT (${without})`
      const known = new Set(then.map(({ born }) => born))
      const query = { level, filters, match, within, without, vector: null, pool: most }
      return kind.find(snapshot, query).filter(({ born }) => !known.has(born))
    }

    if (parsed.needles.every((needle) => needle.trim() === "")) {
      return byTime(kind.recent(snapshot, level, filters, required, most))
    }
    // A time that nothing lies in may still be a word of a text.
    if (times.only && then.length > 0) return byTime(then, alsoSaid())
    if (expressions.match === null || !byText) {
      const { excluded, needles, required } = parsed
      const all = byText ? [] : required.filter((text) => !text.includes(" OR "))
      const wanted = byText ? { any: needles, required: expressions } : { all, any: needles, none: excluded }
      return byScore(kind.like(snapshot, level, filters, wanted, most), null)
    }
    const similarTo: QueryVector | null = parked.has(kind.vectors) || weight === 0 ? null : vector
    const pool = Math.max(policy.pool, limit)
    const findBy = (wanted: Pick<HitsQuery, "match" | "within" | "without">) =>
      kind.find(snapshot, { level, filters, ...wanted, vector: similarTo, pool })
    let found = findBy(expressions)
    const further = leftOut.length > 0 && found.every(({ text }) => text === null)
    if (further) found = findBy(expressionsFor(told.words))
    const all = times.ranges.length === 0 ? found : distinct([...found, ...then], kind.corpus)
    const answer = byScore(all, similarTo?.model ?? null)
    return further ? { ...answer, explanation: { ...answer.explanation, ...toldOf(told.words, []) } } : answer
  }

/** One row of each thing, the first. */
const distinct = <A extends { readonly born: number }>(rows: ReadonlyArray<A>, { rowsOfOne = 1 }: Corpus) => [
  ...new Map(rows.toReversed().map((row) => [Math.floor(row.born / rowsOfOne), row])).values()
]

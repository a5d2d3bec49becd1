import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { TrustLevel } from "../../../events/Trust.js"
import type { TrustRequired } from "../../model/errors.js"
import type { ReadError } from "../../model/filters.js"
import type { Recall, RecallReader } from "../../recalls/RecallReader.js"
import type { Query } from "../../search/search.js"
import type { Labelled } from "./labelled.js"
import { ndcg } from "./ndcg.js"

export interface CalibrateOptions {
  /** An embedder that has an index here; the one in force where absent. */
  readonly with?: string | undefined
  readonly dimensions?: number | undefined
  /** Questions whose answers are known; what the recall log tells, where absent. */
  readonly questions?: ReadonlyArray<Labelled> | undefined
}

/** How far the vectors of an embedder are to be trusted, as far as this memory's questions tell. */
export interface Calibrated {
  readonly model: string
  readonly dimensions: number
  /** The weight to use; the one in use, where no other is better beyond doubt. */
  readonly weight: number
  /** The weight in use. */
  readonly used: number
  /** Questions that it was estimated from, and who said what answers them. */
  readonly from: number
  readonly by: "labels" | "recalls"
  /** What each weight that was tried is worth: NDCG at 10, 0…1. */
  readonly curve: ReadonlyArray<{ readonly weight: number; readonly value: number }>
}

/** What it takes to try weights. */
export interface Calibrating {
  readonly model: string
  readonly dimensions: number
  readonly used: number
  readonly reader: Pick<RecallReader, "recalls" | "recall">
  /** The ids that a search at a level shows, under a weight. */
  readonly ask: (level: TrustLevel, query: Query, weight: number) => Effect.Effect<ReadonlyArray<string>, ReadError>
}

/** A question, and what each memory that answers it counts. */
interface Question {
  readonly level: TrustLevel
  readonly query: Query
  readonly counts: ReadonlyMap<string, number>
}

/** Hits that are looked at, questions that are asked at the most, recalls that are looked through for them. */
const shown = 10
const mostQuestions = 200
const mostRecalls = 5_000

/**
 * Tries weights from 0 to 1 on questions whose answers are known, and takes the
 * one nearest to the weight in use among those that are as good as the best
 * (by no more than a standard error of the difference, question by question):
 * few questions, or ones that tell nothing, change nothing.
 *
 * Without labels it is the recall log that tells: see `asRecalled`.
 */
export const calibrate = (
  { ask, dimensions, model, reader, used }: Calibrating,
  options: CalibrateOptions = {}
): Effect.Effect<Calibrated, ReadError | TrustRequired> =>
  Effect.gen(function* () {
    const by = options.questions === undefined ? ("recalls" as const) : ("labels" as const)
    const questions = (options.questions?.map(asLabelled) ?? asRecalled(yield* recallsOf(reader))).slice(
      0,
      mostQuestions
    )
    const tried = [...new Set([...Array.from({ length: 21 }, (_, at) => at / 20), used])].sort((a, b) => a - b)
    const values = yield* Effect.forEach(questions, ({ counts, level, query }) =>
      Effect.zipLeft(
        Effect.forEach(tried, (weight) =>
          Effect.map(ask(level, { ...query, limit: shown }, weight), (ids) => ndcg(counts, ids, shown))
        ),
        Effect.yieldNow()
      )
    )
    const importance = questions.map(({ counts }) => [...counts.values()].reduce((a, b) => a + b, 0) / counts.size)
    const curve = tried.map((weight, at) => ({
      weight,
      value: mean(
        values.map((one) => one[at]!),
        importance
      )
    }))
    return {
      model,
      dimensions,
      weight: chosen(curve, values, importance, used),
      used,
      from: questions.length,
      by,
      curve
    }
  })

const asLabelled = ({ ids, query }: Labelled): Question => ({
  level: "full",
  query: { text: query },
  counts: new Map(ids.map((id) => [id, 1]))
})

/** The newest recalls, oldest first. */
const recallsOf = (reader: Calibrating["reader"]): Effect.Effect<ReadonlyArray<Recall>, ReadError | TrustRequired> =>
  Effect.gen(function* () {
    const found: Array<Recall> = []
    for (let offset = 0; offset < mostRecalls; offset += page) {
      const rows = yield* reader.recalls({ limit: page, offset })
      for (const { kind, number } of rows) {
        if (kind === "conversation") continue
        // One that was erased meanwhile tells nothing.
        const recall = yield* Effect.asSome(reader.recall(number)).pipe(
          Effect.catchTag("RecallNotFound", () => Effect.succeedNone)
        )
        if (Option.isSome(recall)) found.push(recall.value)
      }
      if (rows.length < page) break
    }
    return found.reverse()
  })

const page = 500

/** Milliseconds after a search in which a memory is opened because of it. */
const because = 10 * 60_000

/**
 * What recalls tell of their answers without anybody having said so: who
 * searched, saw ten titles and then opened one with `get` found it there. What
 * was opened within ten minutes, before the next search of the level, is taken
 * for the answer. What stands first is opened more readily, whether it is the
 * answer or not, so that a memory counts by its place: log2(1 + place).
 *
 * Searches that nothing was opened after tell nothing. A question that was asked
 * several times is one. The newest are first.
 */
export const asRecalled = (recalls: ReadonlyArray<Recall>): ReadonlyArray<Question> => {
  const last = new Map<TrustLevel, Recall>()
  const questions = new Map<
    string,
    { readonly query: Query; readonly level: TrustLevel; readonly counts: Map<string, number> }
  >()
  for (const recall of recalls) {
    const { askedAt, hits, kind, level, mode, text } = recall
    if (kind === "memories") {
      if (text.trim() !== "" && mode === "enhanced") last.set(level, recall)
      else last.delete(level)
      continue
    }
    const search = last.get(level)
    if (search === undefined || askedAt - search.askedAt > because) continue
    const opened = new Set(hits.map(({ id }) => id))
    const query = queryOf(search)
    const key = JSON.stringify([level, query])
    const known = questions.get(key) ?? { query, level, counts: new Map<string, number>() }
    for (const [at, { id }] of search.hits.entries()) {
      if (opened.has(id)) known.counts.set(id, Math.max(known.counts.get(id) ?? 0, Math.log2(2 + at)))
    }
    // The newest last.
    questions.delete(key)
    if (known.counts.size > 0) questions.set(key, known)
  }
  return [...questions.values()].reverse()
}

/** The filters of a search, as they are on record. */
type TakenFilters = Omit<Query, "project" | "session"> & {
  readonly projects?: ReadonlyArray<string>
  readonly sessions?: ReadonlyArray<string>
}

/** The search as it was called: its filters are on record as they were taken. */
const queryOf = ({ filters, text }: Recall): Query => {
  const { after, before, people, projects, sessions, stores, tags, types } = filters as TakenFilters
  const one = (list: ReadonlyArray<string> | undefined) => (list?.length === 1 ? list[0] : undefined)
  return {
    text,
    ...{ types, stores, tags, people, after, before },
    project: one(projects),
    session: one(sessions)
  }
}

const mean = (values: ReadonlyArray<number>, weights: ReadonlyArray<number>): number => {
  const all = weights.reduce((a, b) => a + b, 0)
  return all === 0 ? 0 : values.reduce((sum, value, at) => sum + value * weights[at]!, 0) / all
}

/** Of the weights that are as good as the best, the one nearest to that in use; the larger of two that are equally near. */
const chosen = (
  curve: Calibrated["curve"],
  values: ReadonlyArray<ReadonlyArray<number>>,
  importance: ReadonlyArray<number>,
  used: number
): number => {
  const best = curve.reduce((best, { value }, at) => (value > curve[best]!.value ? at : best), 0)
  const asGood = curve.filter((_, at) => {
    const differences = values.map((one) => one[best]! - one[at]!)
    const difference = mean(differences, importance)
    const all = importance.reduce((a, b) => a + b, 0)
    const squares = differences.reduce((sum, one, which) => sum + (importance[which]! * (one - difference)) ** 2, 0)
    return values.length < 2 || difference <= Math.sqrt(squares) / all
  })
  return asGood.reduce(
    (near, { weight }) => (Math.abs(weight - used) <= Math.abs(near - used) ? weight : near),
    asGood[0]!.weight
  )
}

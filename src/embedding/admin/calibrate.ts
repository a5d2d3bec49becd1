import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { TrustLevel } from "../../../events/Trust.js"
import type { TrustRequired } from "../../model/errors.js"
import type { ReadError } from "../../model/filters.js"
import type { EmbedderService } from "../../ports/Embedder.js"
import type { Recall, RecallReader } from "../../recalls/RecallReader.js"
import type { Query } from "../../search/search.js"
import { type LabelledQuestion, ndcg } from "./labelledQuestions.js"

export interface CalibrateOptions {
  /** An embedder for which the agent has an index; the active embedder when absent. */
  readonly with?: string | undefined
  readonly dimensions?: number | undefined
  /** Labelled questions; when absent, questions are taken from the recall log. */
  readonly questions?: ReadonlyArray<LabelledQuestion> | undefined
}

/** The vector weight that this agent's questions suggest for an embedder. */
export interface Calibrated {
  readonly model: string
  readonly dimensions: number
  /** The suggested weight; the current weight if no other one is clearly better. */
  readonly weight: number
  /** The current weight. */
  readonly used: number
  /** Number of questions, and where their answers come from. */
  readonly from: number
  readonly by: "labels" | "recalls"
  /** NDCG at 10, 0…1, of each tested weight. */
  readonly curve: ReadonlyArray<{ readonly weight: number; readonly value: number }>
}

export interface CalibrateServices {
  readonly model: string
  readonly dimensions: number
  readonly used: number
  readonly reader: { readonly recalls: Pick<RecallReader, "list" | "get"> }
  /** Returns the ids that a search at a level finds with a given vector weight. */
  readonly search: (level: TrustLevel, query: Query, weight: number) => Effect.Effect<ReadonlyArray<string>, ReadError>
}

interface Question {
  readonly level: TrustLevel
  readonly query: Query
  /** The gain of each memory that answers the question, by id. */
  readonly gains: ReadonlyMap<string, number>
}

const maxHits = 10
const maxQuestions = 200
/** Maximum recalls that are searched for questions. */
const maxRecalls = 5_000
const recallsPerPage = 500

/**
 * Tries weights from 0 to 1 on questions with known answers. Among the weights as good as the best, chooses the one
 * nearest to the current weight. A weight is as good as the best if its mean loss per question is within one standard
 * error. So the weight does not change if the questions are few or inconclusive.
 *
 * Without labels, `questionsFromRecalls` takes the questions from the recall log.
 */
export const calibrate = Effect.fnUntraced(function* (
  { search, dimensions, model, reader, used }: CalibrateServices,
  options: CalibrateOptions = {}
): Effect.fn.Return<Calibrated, ReadError | TrustRequired> {
  const questionSource = options.questions === undefined ? ("recalls" as const) : ("labels" as const)
  const allQuestions = options.questions?.map(fromLabelled) ?? questionsFromRecalls(yield* recallsOf(reader))
  const questions = allQuestions.slice(0, maxQuestions)
  const steps = Array.from({ length: 21 }, (_, step) => step / 20)
  const weights = [...new Set([...steps, used])].sort((a, b) => a - b)
  const values = yield* Effect.forEach(questions, ({ gains, level, query }) =>
    Effect.zipLeft(
      Effect.forEach(weights, (weight) =>
        Effect.map(search(level, { ...query, limit: maxHits }, weight), (ids) => ndcg(gains, ids, maxHits))
      ),
      Effect.yieldNow()
    )
  )
  const importance = questions.map(({ gains }) => [...gains.values()].reduce((a, b) => a + b, 0) / gains.size)
  const curve = weights.map((weight, index) => ({
    weight,
    value: weightedMean(
      values.map((row) => row[index]!),
      importance
    )
  }))
  const weight = chooseWeight(curve, values, importance, used)
  return { model, dimensions, weight, used, from: questions.length, by: questionSource, curve }
})

const fromLabelled = ({ ids, query }: LabelledQuestion): Question => ({
  level: "full",
  query: { text: query },
  gains: new Map(ids.map((id) => [id, 1]))
})

/** The newest recalls, oldest first. */
const recallsOf = Effect.fnUntraced(function* (
  reader: CalibrateServices["reader"]
): Effect.fn.Return<ReadonlyArray<Recall>, ReadError | TrustRequired> {
  const recalls: Array<Recall> = []
  for (let offset = 0; offset < maxRecalls; offset += recallsPerPage) {
    const rows = yield* reader.recalls.list({ limit: recallsPerPage, offset })
    for (const { kind, number } of rows) {
      if (kind === "conversation") continue
      // Another process may have erased a recall in the meantime.
      const recall = yield* Effect.asSome(reader.recalls.get(number)).pipe(
        Effect.catchTag("RecallNotFound", () => Effect.succeedNone)
      )
      if (Option.isSome(recall)) recalls.push(recall.value)
    }
    if (rows.length < recallsPerPage) break
  }
  return recalls.reverse()
})

/** Milliseconds after a search within which an opened memory counts as its answer. */
const maxMillisToOpen = 10 * 60_000

/**
 * Takes questions from the recall log. A caller who searches, sees ten titles and opens one with `get` found the answer
 * there. So a memory opened within ten minutes, before the next search of the same level, counts as the answer. Readers
 * open the first hits more often, even if they are not the answer. So the gain of a memory grows with its rank: log2(1
 * + rank).
 *
 * A search without an opened hit gives no question. Repeated questions count once. The newest come first.
 */
export const questionsFromRecalls = (recalls: ReadonlyArray<Recall>): ReadonlyArray<Question> => {
  const lastSearch = new Map<TrustLevel, Recall>()
  const questions = new Map<string, Question & { readonly gains: Map<string, number> }>()
  for (const recall of recalls) {
    const { askedAt, hits, kind, level, mode, text } = recall
    if (kind === "memories") {
      if (text.trim() !== "" && mode === "enhanced") lastSearch.set(level, recall)
      else lastSearch.delete(level)
      continue
    }
    const search = lastSearch.get(level)
    if (search === undefined || askedAt - search.askedAt > maxMillisToOpen) continue
    const opened = new Set(hits.map(({ id }) => id))
    const query = queryOf(search)
    const key = JSON.stringify([level, query])
    const question = questions.get(key) ?? { query, level, gains: new Map<string, number>() }
    for (const [index, { id }] of search.hits.entries()) {
      if (opened.has(id)) question.gains.set(id, Math.max(question.gains.get(id) ?? 0, Math.log2(2 + index)))
    }
    // Deletes first, so that the question moves to the end of the map, after all older ones.
    questions.delete(key)
    if (question.gains.size > 0) questions.set(key, question)
  }
  return [...questions.values()].reverse()
}

/** The filters of a search as the recall log stores them. */
type RecordedFilters = Omit<Query, "project" | "session"> & {
  readonly projects?: ReadonlyArray<string>
  readonly sessions?: ReadonlyArray<string>
}

/** Rebuilds the query that the caller passed from the recorded filters. */
const queryOf = ({ filters, text }: Recall): Query => {
  const { after, before, people, projects, sessions, stores, tags, types } = filters as RecordedFilters
  const onlyEntry = (list: ReadonlyArray<string> | undefined) => (list?.length === 1 ? list[0] : undefined)
  return {
    text,
    ...{ types, stores, tags, people, after, before },
    project: onlyEntry(projects),
    session: onlyEntry(sessions)
  }
}

const weightedMean = (values: ReadonlyArray<number>, weights: ReadonlyArray<number>): number => {
  const total = weights.reduce((a, b) => a + b, 0)
  return total === 0 ? 0 : values.reduce((sum, value, index) => sum + value * weights[index]!, 0) / total
}

/**
 * Among the weights that are as good as the best, chooses the one nearest to the current weight. If two are equally
 * near, chooses the larger one.
 */
const chooseWeight = (
  curve: Calibrated["curve"],
  values: ReadonlyArray<ReadonlyArray<number>>,
  importance: ReadonlyArray<number>,
  currentWeight: number
): number => {
  const best = curve.reduce((best, { value }, index) => (value > curve[best]!.value ? index : best), 0)
  const total = importance.reduce((a, b) => a + b, 0)
  const nearBest = curve.filter((_, index) => {
    const differences = values.map((row) => row[best]! - row[index]!)
    const mean = weightedMean(differences, importance)
    const squares = differences.reduce((sum, value, row) => sum + (importance[row]! * (value - mean)) ** 2, 0)
    return values.length < 2 || mean <= Math.sqrt(squares) / total
  })
  return nearBest.reduce(
    (nearest, { weight }) => (Math.abs(weight - currentWeight) <= Math.abs(nearest - currentWeight) ? weight : nearest),
    nearBest[0]!.weight
  )
}

/** Adds an unbounded cache to an embedder, for the duration of one measurement. */
export const cachingEmbedder = (embedder: EmbedderService): EmbedderService => {
  const cache = new Map<string, Float32Array>()
  const { substitute } = embedder
  return {
    ...embedder,
    ...(substitute === undefined
      ? {}
      : { substitute: { ...substitute, embedder: cachingEmbedder(substitute.embedder) } }),
    embed: (texts, purpose) => {
      const key = (text: string) => `${purpose} ${text}`
      const missing = [...new Set(texts.filter((text) => !cache.has(key(text))))]
      const embedded = missing.length === 0 ? Effect.succeed([]) : embedder.embed(missing, purpose)
      return Effect.map(embedded, (vectors) => {
        for (const [index, text] of missing.entries()) {
          if (vectors[index] !== undefined) cache.set(key(text), vectors[index])
        }
        return texts.flatMap((text) => cache.get(key(text)) ?? [])
      })
    }
  }
}

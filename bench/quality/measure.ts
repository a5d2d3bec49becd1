import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { Daybook } from "../../src/Daybook.js"
import type { Embedder } from "../../src/ports/Embedder.js"
import { defaults } from "../../src/ports/Policy.js"
import { memoryOf, openDaybook, remove, temporaryFolder } from "../harness.js"
import type { Exam } from "./exams.js"

/** Retrieval scores, averaged over questions. */
export interface Scores {
  readonly questions: number
  readonly recall5: number
  readonly recall10: number
  readonly recall20: number
  readonly ndcg10: number
  readonly mrr: number
}

/** The scores of one question: recall at 5, 10 and 20, NDCG at 10, reciprocal rank. */
export interface Result {
  readonly category: string
  readonly scores: ReadonlyArray<number>
}

type SearchPolicy = Partial<typeof defaults.search>

/** Long time-outs, because an encoder may be slow on this machine. */
const patient = { timeout: 600_000, beside: 0 }

/** Stores the content once, then asks all questions under each policy. Returns the results by policy. */
export const measure = async (
  { search: searchExam, questions, store: storeExam }: Exam,
  policies: ReadonlyArray<SearchPolicy>,
  embedder: Layer.Layer<Embedder>
): Promise<ReadonlyArray<ReadonlyArray<Result>>> => {
  const folder = temporaryFolder()
  const open = (search: SearchPolicy) => {
    const policy = {
      ...defaults,
      embedding: { ...defaults.embedding, ...patient },
      search: { ...defaults.search, queryTimeout: patient.timeout, ...search }
    }
    return openDaybook(folder, { policy, embedder })
  }
  const writer = open({})
  const dataIds = await writer.run(
    Effect.gen(function* () {
      const ids = yield* storeExam(yield* memoryOf("agent"))
      const { remaining } = yield* (yield* Daybook).backfill("agent")
      if (remaining > 0) throw new Error(`${remaining} texts were not embedded.`)
      return ids
    })
  )
  await writer.close()
  const resultsByPolicy: Array<ReadonlyArray<Result>> = []
  for (const policy of policies) {
    const reader = open(policy)
    resultsByPolicy.push(
      await reader.run(
        Effect.flatMap(memoryOf("agent"), (memory) =>
          Effect.forEach(questions, ({ category, evidence, text }) =>
            Effect.map(searchExam(memory, text), (ids) => ({
              category,
              scores: scoresOf(
                ids.map((id) => dataIds.get(id)!),
                evidence
              )
            }))
          )
        )
      )
    )
    await reader.close()
  }
  remove(folder)
  return resultsByPolicy
}

/** The baseline: plain FTS5 with the words of the question joined by OR, ranked by bm25. */
export const measurePlain = ({ questions, texts }: Exam): ReadonlyArray<Result> => {
  const db = new Database(":memory:")
  db.exec("CREATE VIRTUAL TABLE texts USING fts5(id UNINDEXED, text)")
  const insert = db.prepare("INSERT INTO texts (id, text) VALUES (?, ?)")
  for (const row of texts) insert.run(...row)
  const find = db.prepare("SELECT id FROM texts WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT 20").pluck()
  const results = questions.map(({ category, evidence, text }) => {
    const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
    const ids = words.length === 0 ? [] : (find.all(words.map((word) => `"${word}"`).join(" OR ")) as Array<string>)
    return { category, scores: scoresOf(ids, evidence) }
  })
  db.close()
  return results
}

const scoresOf = (ids: ReadonlyArray<string>, wanted: ReadonlySet<string>): ReadonlyArray<number> => {
  const recall = (k: number) => ids.slice(0, k).filter((id) => wanted.has(id)).length / wanted.size
  const gain = (rank: number) => 1 / Math.log2(rank + 2)
  const ideal = Array.from({ length: Math.min(10, wanted.size) }, (_, rank) => gain(rank)).reduce((a, b) => a + b, 0)
  const dcg = ids.slice(0, 10).reduce((sum, id, rank) => sum + (wanted.has(id) ? gain(rank) : 0), 0)
  const first = ids.findIndex((id) => wanted.has(id))
  return [recall(5), recall(10), recall(20), dcg / ideal, first < 0 ? 0 : 1 / (first + 1)]
}

export const summary = (results: ReadonlyArray<{ readonly scores: ReadonlyArray<number> }>): Scores => {
  const mean = (at: number) => results.reduce((sum, { scores }) => sum + scores[at]!, 0) / results.length
  return {
    questions: results.length,
    recall5: mean(0),
    recall10: mean(1),
    recall20: mean(2),
    ndcg10: mean(3),
    mrr: mean(4)
  }
}

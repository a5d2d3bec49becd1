import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as HashEmbedder from "../layers/HashEmbedder.js"
import * as WordEmbedder from "../layers/WordEmbedder.js"
import { Daybook } from "../src/Daybook.js"
import { limits } from "../src/limits.js"
import type { Memory } from "../src/Memory.js"
import { defaults } from "../src/Policy.js"
import { memoryOf, openDaybook, remove, temporary } from "./harness.js"

/** A question, with the ids of the turns or documents that answer it. */
interface Question {
  readonly text: string
  readonly evidence: ReadonlySet<string>
  readonly category: string
}

/** What one agent is told, and what it is asked then. */
export interface Exam {
  /** What is to be found, for a search that knows nothing but words. */
  readonly texts: ReadonlyArray<readonly [id: string, text: string]>
  readonly questions: ReadonlyArray<Question>
  /** Stores all of it through the public API; answers the ids that it got, with those of the data. */
  readonly tell: (memory: Memory) => Effect.Effect<ReadonlyMap<string, string>, unknown>
  /** The ids of the first 20 hits. */
  readonly ask: (memory: Memory, text: string) => Effect.Effect<ReadonlyArray<string>, unknown>
}

/** How often the right turns are among the first of an answer, averaged over questions. */
export interface Scores {
  readonly questions: number
  readonly recall5: number
  readonly recall10: number
  readonly recall20: number
  readonly ndcg10: number
  readonly mrr: number
}

/** LoCoMo's format: a list of conversations, each with numbered sessions of turns and questions that name turns. */
export const parseLocomo = (document: unknown): ReadonlyArray<Exam> =>
  (document as ReadonlyArray<Record<string, any>>).map((sample) => {
    const turns = Object.entries(sample.conversation as Record<string, any>).flatMap(([session, list]) =>
      Array.isArray(list)
        ? list.map((turn: Record<string, string>) => ({
            id: turn.dia_id!,
            session,
            speaker: turn.speaker!,
            text: [turn.text, turn.blip_caption].filter((part) => part !== undefined && part !== "").join("\n"),
            at: instantOf(sample.conversation[`${session}_date_time`])
          }))
        : []
    )
    const known = new Set(turns.map(({ id }) => id))
    const questions = (sample.qa as ReadonlyArray<Record<string, any>>)
      // Adversarial questions have no answer in the conversation.
      .filter(({ category }) => category !== 5)
      .map((one) => ({
        text: String(one.question),
        evidence: new Set<string>(
          (one.evidence ?? [])
            .flatMap((id: string) => id.match(/D\d+:\d+/g) ?? [])
            .filter((id: string) => known.has(id))
        ),
        category: String(one.category)
      }))
      .filter(({ evidence }) => evidence.size > 0)
    // The one who speaks first is the user.
    const user = turns[0]?.speaker
    return {
      texts: turns.map(({ id, text }) => [id, text]),
      questions,
      tell: (memory) =>
        Effect.map(
          Effect.forEach(turns, ({ id, ...turn }) =>
            Effect.map(
              memory.addTurn({ ...turn, role: turn.speaker === user ? "user" : "assistant" }),
              (added) => [added.id, id] as const
            )
          ),
          (ids) => new Map(ids)
        ),
      ask: (memory, text) =>
        Effect.map(memory.searchConversation({ text, limit: 20 }), (hits) => hits.map(({ id }) => id))
    }
  })

/**
 * BEIR's format: a folder with `corpus.jsonl` (`_id`, `title`, `text`),
 * `queries.jsonl` (`_id`, `text`) and `qrels.tsv` (query, document, score;
 * relevant where above 0). Each document is a memory.
 */
export const readBeir = (folder: string): ReadonlyArray<Exam> => {
  const linesOf = (name: string) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "")
  const corpus = linesOf("corpus.jsonl").map((line) => JSON.parse(line) as Record<string, string>)
  const relevant = new Map<string, Set<string>>()
  for (const line of linesOf("qrels.tsv").slice(1)) {
    const [query = "", document = "", score] = line.split("\t")
    if (Number(score) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(document))
  }
  const questions = linesOf("queries.jsonl").flatMap((line) => {
    const { _id, text } = JSON.parse(line) as Record<string, string>
    const evidence = relevant.get(_id!)
    return evidence === undefined ? [] : [{ text: text!, evidence, category: "" }]
  })
  const observations = corpus.map(({ _id, text = "", title = "" }) => ({
    title: (title || text).slice(0, limits.title).trim() || _id!,
    narrative: text.slice(0, limits.narrative),
    // Documents may be alike to the letter: each is a memory of its own.
    facts: [`document ${_id}`]
  }))
  return [
    {
      texts: corpus.map(({ _id, text, title }) => [_id!, `${title ?? ""} ${text ?? ""}`]),
      questions,
      tell: (memory) =>
        Effect.gen(function* () {
          const ids = new Map<string, string>()
          for (let from = 0; from < observations.length; from += limits.batch) {
            // Documents are taken as they are, as imports are: they say nothing of each other.
            const outcomes = yield* memory.rememberAll(
              observations.slice(from, from + limits.batch).map((one) => [one, { reconcile: false }] as const)
            )
            for (const [index, outcome] of outcomes.entries()) {
              if (Either.isLeft(outcome)) return yield* Effect.fail(outcome.left)
              ids.set(outcome.right.id, corpus[from + index]!._id!)
            }
          }
          return ids
        }),
      ask: (memory, text) => Effect.map(memory.search({ text, limit: 20 }), (hits) => hits.map(({ id }) => id))
    }
  ]
}

/** "1:56 pm on 8 May, 2023", in UTC. */
const instantOf = (text: string): number => {
  const [, hour, minute, half, day, month, year] = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text) ?? []
  const at = Date.parse(`${day} ${month} ${year} ${hour}:${minute} ${half} UTC`)
  if (Number.isNaN(at)) throw new Error(`no date: ${text}`)
  return at
}

type Result = { readonly category: string; readonly scores: ReadonlyArray<number> }

/** Tells an agent what is to be known, and asks it; the scores of its answers. */
const measure = async (
  { ask, questions, tell }: Exam,
  policy: Partial<typeof defaults.search>,
  embedder = WordEmbedder.layer
): Promise<ReadonlyArray<Result>> => {
  const folder = temporary()
  const daybook = openDaybook(folder, { policy: { ...defaults, search: { ...defaults.search, ...policy } }, embedder })
  const results = await daybook.run(
    Effect.gen(function* () {
      const memory = yield* memoryOf("agent")
      const named = yield* tell(memory)
      yield* (yield* Daybook).backfill("agent")
      return yield* Effect.forEach(questions, ({ category, evidence, text }) =>
        Effect.map(ask(memory, text), (ids) => ({
          category,
          scores: scoresOf(
            ids.map((id) => named.get(id)!),
            evidence
          )
        }))
      )
    })
  )
  await daybook.close()
  remove(folder)
  return results
}

/** What FTS5 finds as it comes: every word of the question an alternative, ranked by bm25. */
const measurePlain = ({ questions, texts }: Exam): ReadonlyArray<Result> => {
  const db = new Database(":memory:")
  db.exec("CREATE VIRTUAL TABLE texts USING fts5(id UNINDEXED, text)")
  const insert = db.prepare("INSERT INTO texts (id, text) VALUES (?, ?)")
  for (const row of texts) insert.run(...row)
  const find = db.prepare("SELECT id FROM texts WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT 20").pluck()
  const results = questions.map(({ category, evidence, text }) => {
    const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
    const found = words.length === 0 ? [] : (find.all(words.map((word) => `"${word}"`).join(" OR ")) as Array<string>)
    return { category, scores: scoresOf(found, evidence) }
  })
  db.close()
  return results
}

const scoresOf = (found: ReadonlyArray<string>, wanted: ReadonlySet<string>): ReadonlyArray<number> => {
  const recall = (k: number) => found.slice(0, k).filter((id) => wanted.has(id)).length / wanted.size
  const gain = (rank: number) => 1 / Math.log2(rank + 2)
  const ideal = Array.from({ length: Math.min(10, wanted.size) }, (_, rank) => gain(rank)).reduce((a, b) => a + b, 0)
  const dcg = found.slice(0, 10).reduce((sum, id, rank) => sum + (wanted.has(id) ? gain(rank) : 0), 0)
  const first = found.findIndex((id) => wanted.has(id))
  return [recall(5), recall(10), recall(20), dcg / ideal, first < 0 ? 0 : 1 / (first + 1)]
}

const summary = (results: ReadonlyArray<{ readonly scores: ReadonlyArray<number> }>): Scores => {
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

const whole = "all of it"
const hashed = "with feature hashing"
const plain = "plain FTS5"

/** What is left out, a step at a time, so that the worth of each is seen. */
const variants: Readonly<Record<string, Partial<typeof defaults.search>>> = {
  [whole]: {},
  "without vectors": { vectorWeight: 0 },
  [hashed]: {},
  "without who said it": { speakerBoost: 0 },
  "without the date": { dateBoost: 0 },
  "without context": { contextWeight: 0 },
  "without a second look": { rerank: false },
  "without folding": { fold: false },
  "classic mode": { mode: "classic" },
  "reciprocal ranks": { fusion: "rrf" }
}

const line = (name: string, { mrr, ndcg10, questions, recall10, recall20, recall5 }: Scores): string =>
  [
    name.padEnd(24),
    String(questions).padStart(6),
    ...[recall5, recall10, recall20, ndcg10, mrr].map((score) => score.toFixed(3).padStart(8))
  ].join(" ")

const main = async () => {
  const { values } = parseArgs({
    options: { data: { type: "string" }, json: { type: "boolean" }, only: { type: "string" } }
  })
  if (values.data === undefined) {
    console.log(
      "bench:quality: no data. Give --data FILE in LoCoMo's format (github.com/snap-research/locomo, data/locomo10.json), or --data FOLDER in BEIR's (corpus.jsonl, queries.jsonl, qrels.tsv)."
    )
    return
  }
  const exams = statSync(values.data).isDirectory()
    ? readBeir(values.data)
    : parseLocomo(JSON.parse(readFileSync(values.data, "utf8")))
  const all: Record<string, Scores> = {}
  const say = values.json === true ? () => {} : console.log
  say(
    `${"".padEnd(24)} ${["asked", "R@5", "R@10", "R@20", "NDCG@10", "MRR"].map((name, at) => name.padStart(at === 0 ? 6 : 8)).join(" ")}`
  )
  for (const [name, policy] of [[plain, {}] as const, ...Object.entries(variants)]) {
    if (values.only !== undefined && values.only !== name) continue
    const embedder = name === hashed ? HashEmbedder.layer : WordEmbedder.layer
    const results: Array<Result> = []
    for (const exam of exams)
      results.push(...(name === plain ? measurePlain(exam) : await measure(exam, policy, embedder)))
    all[name] = summary(results)
    say(line(name, all[name]))
    const categories = [...new Set(results.map((result) => result.category))].sort()
    if (name !== whole || categories.length === 1) continue
    for (const category of categories) {
      all[`category ${category}`] = summary(results.filter((result) => result.category === category))
      say(line(`  category ${category}`, all[`category ${category}`]!))
    }
  }
  if (values.json === true) console.log(JSON.stringify(all))
}

await main()

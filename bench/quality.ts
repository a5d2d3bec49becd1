import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as HashEmbedder from "../layers/HashEmbedder.js"
import * as WordEmbedder from "../layers/WordEmbedder.js"
import { cachingEmbedder } from "../src/embedding/admin/calibrate.js"
import { Embedder, type EmbedderService } from "../src/ports/Embedder.js"
import type { defaults } from "../src/ports/Policy.js"
import { type ContextResult, measureContext, renderContextResults } from "./quality/block.js"
import { embedderFor } from "./quality/embedders.js"
import { type Exam, readExams } from "./quality/exams.js"
import { measure, measurePlain, type Result, type Scores, summary } from "./quality/measure.js"

const usage = `npm run bench:quality -- --data PATH [--embedder NAME]… [--only STEP] [--questions N] [--json]

  --data       read a file in LoCoMo format (data/locomo10.json from
               github.com/snap-research/locomo), or a folder in BEIR format
               (corpus.jsonl, queries.jsonl, qrels.tsv)
  --embedder   measure this embedder by vector weight, not the search steps:
               words, hash, encoder (a small one from a package), openai/…,
               voyage/…, cohere/…, ollama/…, local/…; may be repeated
  --context N  measure how much of the evidence a context of N tokens shows,
               and how much the first ten hits show; stores turns as memories
  --only       measure one step, named as in the output
  --exams N    use the first N conversations
  --questions  use the first N questions of each conversation or folder
  --json       print one JSON document instead of the tables`

const allSteps = "all steps"
const hashed = "with feature hashing"
const plain = "plain FTS5"

/** Each variant omits one search step. The difference shows the value of that step. */
const variants: Readonly<Record<string, Partial<typeof defaults.search>>> = {
  [allSteps]: {},
  "without vectors": { vectorWeight: 0 },
  [hashed]: {},
  "without speaker boost": { speakerBoost: 0 },
  "without date boost": { dateBoost: 0 },
  "without context": { contextWeight: 0 },
  "without reranking": { rerank: false },
  "without folding": { fold: false },
  "classic mode": { mode: "classic" },
  "reciprocal rank fusion": { fusion: "rrf" }
}

/** Vector weights to measure, in addition to the embedder's own weight. */
const weights = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1]

const columns = ["R@5", "R@10", "R@20", "NDCG@10", "MRR"]

const heading = `${"".padEnd(24)} ${"asked".padStart(6)} ${columns.map((name) => name.padStart(8)).join(" ")}`

const line = (name: string, { mrr, ndcg10, questions, recall10, recall20, recall5 }: Scores): string =>
  [
    name.padEnd(24),
    String(questions).padStart(6),
    ...[recall5, recall10, recall20, ndcg10, mrr].map((score) => score.toFixed(3).padStart(8))
  ].join(" ")

type Report = (name: string, scores: Scores) => void

/** Measures the value of each search step. */
const bySteps = async (exams: ReadonlyArray<Exam>, only: string | undefined, report: Report) => {
  for (const [name, policy] of [[plain, {}] as const, ...Object.entries(variants)]) {
    if (only !== undefined && only !== name) continue
    const embedder = name === hashed ? HashEmbedder.layer : WordEmbedder.layer
    const results: Array<Result> = []
    for (const exam of exams) {
      results.push(...(name === plain ? measurePlain(exam) : (await measure(exam, [policy], embedder)).flat()))
    }
    report(name, summary(results))
    const categories = [...new Set(results.map((result) => result.category))].sort()
    if (name !== allSteps || categories.length === 1) continue
    for (const category of categories) {
      report(`  category ${category}`, summary(results.filter((result) => result.category === category)))
    }
  }
}

/** Measures an embedder at several vector weights. */
const byWeight = async (exams: ReadonlyArray<Exam>, name: string, embedder: EmbedderService, report: Report) => {
  const layer = Layer.succeed(Embedder, cachingEmbedder(embedder))
  const tried = [...new Set([...weights, embedder.weight])].sort((a, b) => a - b)
  const results = tried.map((): Array<Result> => [])
  for (const exam of exams) {
    const answers = await measure(
      exam,
      tried.map((vectorWeight) => ({ vectorWeight })),
      layer
    )
    for (const [at, one] of answers.entries()) results[at]!.push(...one)
  }
  for (const [at, weight] of tried.entries()) {
    report(`${name} ${weight}${weight === embedder.weight ? " (default)" : ""}`, summary(results[at]!))
  }
}

const fail = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const atLeastOne = (name: string, text: string | undefined): number => {
  if (text === undefined) return Number.POSITIVE_INFINITY
  return /^[1-9]\d*$/.test(text) ? Number(text) : fail(`--${name} must be a whole number of at least 1.\n\n${usage}`)
}

const main = async () => {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      embedder: { type: "string", multiple: true, default: [] },
      only: { type: "string" },
      context: { type: "string" },
      exams: { type: "string" },
      questions: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return console.log(usage)
  if (values.data === undefined) return console.log(`bench:quality: missing --data.\n\n${usage}`)
  const embedders: Array<readonly [name: string, embedder: EmbedderService]> = []
  for (const name of values.embedder) {
    const found = await Effect.runPromise(Effect.either(embedderFor(name)))
    embedders.push([name, Either.isRight(found) ? found.right : fail(found.left.message)])
  }
  const maxQuestions = atLeastOne("questions", values.questions)
  const exams = readExams(values.data)
    .slice(0, atLeastOne("exams", values.exams))
    .map((exam) => ({ ...exam, questions: exam.questions.slice(0, maxQuestions) }))
  if (values.context !== undefined) {
    const tokens = atLeastOne("context", values.context)
    const results: Array<ContextResult> = []
    for (const exam of exams) results.push(...(await measureContext(exam, tokens)))
    return console.log(values.json ? JSON.stringify(results) : renderContextResults(results, tokens))
  }
  const scoresByVariant: Record<string, Scores> = {}
  if (!values.json) console.log(heading)
  const report: Report = (name, scores) => {
    scoresByVariant[name.trim()] = scores
    if (!values.json) console.log(line(name, scores))
  }
  if (values.embedder.length === 0) await bySteps(exams, values.only, report)
  for (const [name, embedder] of embedders) await byWeight(exams, name, embedder, report)
  if (values.json) console.log(JSON.stringify(scoresByVariant))
}

await main()

import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import * as WordEmbedder from "../layers/WordEmbedder.js"
import { chunkCorpus } from "../projections/conversationSearch.js"
import type { Db } from "../projections/Projection.js"
import * as Generations from "../projections/view/generations.js"
import { Embedder } from "../src/ports/Embedder.js"
import { defaults } from "../src/ports/Policy.js"
import { chooseDistinguishingWords } from "../src/search/distinguishingWords.js"
import { ftsExpressionOf } from "../src/search/ftsQuery.js"
import { parseQuery } from "../src/search/query.js"
import { makeQueries, makeTurns } from "./data.js"
import { openChunkSearch } from "./floor.js"
import {
  formatNumber,
  type Group,
  maximumRatio,
  memoryOf,
  openDaybook,
  type Row,
  remove,
  temporaryFolder,
  waitForEmbeddings
} from "./harness.js"
import { measureInterleaved, medianCost, quantile } from "./measure.js"
import { seedTurns } from "./seed.js"

const agent = "agent"
const embedder = WordEmbedder.layer
const batch = 1_000

/** Measures conversation turns with the default embedder: bulk import and search. */
export const conversation: Group = {
  name: "conversation",
  rows: async function* ({ quick }) {
    yield await bulk(6_000, quick ? 2 : 5)
    yield* searches(1_000, quick ? 2 : 5)
    if (!quick) yield* searches(100_000, 3)
  }
}

const bulk = async (count: number, runs: number): Promise<Row> => {
  const turns = makeTurns(count)
  const { daybook } = await measureInterleaved(
    {
      daybook: async () => {
        const folder = temporaryFolder()
        const daybook = openDaybook(folder, { embedder })
        const memory = await daybook.run(memoryOf(agent))
        await daybook.run(memory.sessions.list())
        const addAll = Effect.forEach(
          Array.from({ length: count / batch }, (_, index) => turns.slice(index * batch, (index + 1) * batch)),
          memory.sessions.appendAll
        )
        return {
          work: () => daybook.run(Effect.zipRight(addAll, waitForEmbeddings([agent]))),
          close: async () => {
            const { length } = await daybook.run(memory.sessions.get("session 0"))
            if (length !== 50) throw new Error("Not every turn was stored.")
            await daybook.close()
            remove(folder)
          }
        }
      }
    },
    { runs }
  )
  const { cpu, wall } = medianCost(daybook)
  const rate = (count / wall) * 1_000
  return {
    name: `addTurns, batches of ${formatNumber(batch)}, embedded`,
    daybook: `${formatNumber(rate)}/s, ${formatNumber((cpu / count) * 1_000)} µs CPU`,
    floor: "",
    result: `${formatNumber(rate)}/s`,
    target: "≥ 1,500/s",
    reached: rate >= 1_500,
    figures: { turns: count, daybook }
  }
}

async function* searches(size: number, runs: number): AsyncGenerator<Row> {
  const folder = temporaryFolder()
  const turns = makeTurns(size)
  await seedTurns(folder, agent, turns)
  const daybook = openDaybook(folder, { embedder })
  await daybook.run(waitForEmbeddings([agent]))
  const memory = await daybook.run(memoryOf(agent))
  const raw = openChunkSearch(Generations.make(join(folder, "views"), agent).current()!)
  const texts = makeQueries(
    turns.map(({ text }) => ({ title: text, narrative: "" })),
    200
  )
  const vectors = await vectorsOf(texts)
  const queries = texts.map((text, at) => ({ text, match: matchFor(raw.db, text), vector: vectors[at]! }))
  const times: Array<number> = []
  const costs = await measureInterleaved(
    {
      floor: () => ({
        work: () => {
          for (const { match, vector } of queries) raw.search(match, vector)
        }
      }),
      daybook: () => ({
        work: async () => {
          for (const { text } of queries) {
            const start = performance.now()
            await daybook.run(memory.sessions.search({ text }))
            times.push(performance.now() - start)
          }
        }
      })
    },
    { runs, warmUp: size < 10_000 }
  )
  raw.close()
  await daybook.close()
  const last = times.slice(-runs * queries.length)
  const [p50, p95] = [quantile(last, 0.5), quantile(last, 0.95)]
  const each = (name: keyof typeof costs) => `${formatNumber(medianCost(costs[name]).cpu / queries.length)} ms CPU`
  const row = {
    name: `searchConversation, ${formatNumber(size)} turns`,
    daybook: `${each("daybook")}, p50 ${formatNumber(p50)} ms, p95 ${formatNumber(p95)} ms`,
    floor: each("floor"),
    figures: { queries: queries.length, daybook: costs.daybook, floor: costs.floor }
  }
  if (size < 10_000) {
    yield { ...row, result: `p95 ${formatNumber(p95)} ms`, target: "≤ 15 ms", reached: p95 <= 15 }
    return
  }
  yield { ...row, ...maximumRatio(medianCost(costs.daybook).cpu / medianCost(costs.floor).cpu, 1.5) }
  const { peak } = await searchAlone(folder, texts)
  remove(folder)
  yield {
    name: "  memory of a process that searches",
    daybook: `peak ${formatNumber(peak)} MB`,
    floor: "",
    result: `${formatNumber(peak)} MB`,
    target: "≤ 250 MB",
    reached: peak <= 250,
    figures: { peak }
  }
}

/** Query vectors in Daybook's form: unit length, as bytes. */
const vectorsOf = (texts: ReadonlyArray<string>) =>
  Effect.runPromise(Effect.flatMap(Embedder, ({ embed }) => embed(texts, "query")).pipe(Effect.provide(embedder))).then(
    (vectors) =>
      vectors.map((vector) => {
        const length = Math.hypot(...vector)
        return Buffer.from(vector.map((value) => value / length).buffer)
      })
  )

/** The FTS5 expression of Daybook's search for a text. */
const matchFor = (db: Db, text: string): string => {
  const parsed = parseQuery(text)
  const { joined, words } = chooseDistinguishingWords(db, chunkCorpus, "full", parsed, { policy: defaults.search })
  return ftsExpressionOf({ ...parsed, should: words, joined })!
}

/**
 * Runs a separate process that opens the agent and searches it, because this process also has the test data in memory.
 */
const searchAlone = async (folder: string, texts: ReadonlyArray<string>): Promise<{ readonly peak: number }> => {
  const program = fileURLToPath(import.meta.url)
  const { stdout } = await promisify(execFile)(process.execPath, [program, childFlag, folder, JSON.stringify(texts)])
  return JSON.parse(stdout)
}

/** The first argument that makes this program run `runChild`. */
export const childFlag = "--search-conversation"

export const runChild = async (folder: string, textsJson: string): Promise<void> => {
  const daybook = openDaybook(folder, { embedder })
  const memory = await daybook.run(memoryOf(agent))
  for (const text of JSON.parse(textsJson) as ReadonlyArray<string>) await daybook.run(memory.sessions.search({ text }))
  console.log(JSON.stringify({ peak: process.resourceUsage().maxRSS / 2 ** 10 }))
  await daybook.close()
}

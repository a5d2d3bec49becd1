import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { Daybook } from "../src/Daybook.js"
import { makeMemories, makeQueries } from "./data.js"
import { formatNumber, type Group, maximumRatio, memoryOf, openDaybook, temporaryFolder } from "./harness.js"
import { median, quantile } from "./measure.js"
import { seed } from "./seed.js"

/** The default maximum number of open views. There are more agents, so each search must open a closed view. */
const open = 64
const count = 200
const nameOf = (index: number) => `agent-${index}`

/** Measures many agents: the cost of opening a closed agent for a search, and the memory of open agents. */
export const agents: Group = {
  name: "agents",
  rows: async function* ({ quick }) {
    const each = quick ? 50 : 500
    const memories = makeMemories(count * each)
    const folder = temporaryFolder()
    const names = Array.from({ length: count }, (_, index) => nameOf(index))
    await seed(folder, new Map(names.map((name, at) => [name, memories.slice(at * each, (at + 1) * each)])))
    const daybook = openDaybook(folder)
    const queries = makeQueries(memories, 1_000)
    const timeSearch = async (agent: string, text: string): Promise<number> => {
      const memory = await daybook.run(memoryOf(agent))
      const start = performance.now()
      await daybook.run(memory.search({ text }))
      return performance.now() - start
    }
    // The first search of each agent builds its view from the log.
    for (const name of names) await timeSearch(name, queries[0]!)
    const closed: Array<number> = []
    const awake: Array<number> = []
    for (let round = 0; round < (quick ? 2 : 5); round++) {
      for (const [at, name] of names.entries()) {
        closed.push(await timeSearch(name, queries[(2 * (round * count + at)) % queries.length]!))
        awake.push(await timeSearch(name, queries[(2 * (round * count + at) + 1) % queries.length]!))
      }
    }
    await daybook.close()
    const [slowest, usual] = [quantile(closed, 0.95), quantile(awake, 0.95)]
    const size = `${formatNumber(count * each)} memories of ${count} agents`
    yield {
      name: `open a closed agent and search, ${size}`,
      daybook: `p50 ${formatNumber(median(closed))} ms, p95 ${formatNumber(slowest)} ms`,
      floor: `open: p50 ${formatNumber(median(awake))} ms, p95 ${formatNumber(usual)} ms`,
      ...maximumRatio(slowest / usual, 4),
      figures: { searches: closed.length, closed: summary(closed), open: summary(awake) }
    }
    yield {
      name: "  p95 of opening and searching",
      daybook: `${formatNumber(slowest)} ms`,
      floor: "",
      result: `${formatNumber(slowest)} ms`,
      target: "≤ 25 ms",
      reached: slowest <= 25,
      figures: summary(closed)
    }
    const { peak, rss } = await openViews(folder, queries)
    yield {
      name: `memory of a process with ${open} views open`,
      daybook: `${formatNumber(rss)} MB, peak ${formatNumber(peak)} MB`,
      floor: "",
      result: `${formatNumber(rss)} MB`,
      target: "≤ 250 MB",
      reached: rss <= 250,
      figures: { views: open, rss, peak }
    }
  }
}

const summary = (times: ReadonlyArray<number>) => ({
  p50: median(times),
  p95: quantile(times, 0.95),
  p99: quantile(times, 0.99),
  most: Math.max(...times)
})

interface MemoryUse {
  /** Resident memory in MiB: at the end, with all views open, and at the peak. */
  readonly rss: number
  readonly peak: number
}

/** Number of searches in each view. They fill its cache. */
const searchesEach = 10

/**
 * Runs a separate process that opens 64 agents and searches them, because this process also has the test data in
 * memory.
 */
const openViews = async (folder: string, queries: ReadonlyArray<string>): Promise<MemoryUse> => {
  const queryJson = JSON.stringify(queries.slice(0, 100))
  const { stdout } = await promisify(execFile)(process.execPath, [
    fileURLToPath(import.meta.url),
    childFlag,
    folder,
    queryJson
  ])
  return JSON.parse(stdout)
}

/** The first argument that makes this program run `runChild`. */
export const childFlag = "--open-views"

export const runChild = async (folder: string, queryJson: string): Promise<void> => {
  const queries: ReadonlyArray<string> = JSON.parse(queryJson)
  const daybook = openDaybook(folder)
  for (let index = 0; index < open; index++) {
    const memory = await daybook.run(memoryOf(nameOf(index)))
    for (let at = 0; at < searchesEach; at++) {
      await daybook.run(memory.search({ text: queries[(index * searchesEach + at) % queries.length]! }))
    }
  }
  if ((await daybook.run(Effect.flatMap(Daybook, ({ awake }) => awake))) !== open)
    throw new Error("A view was closed during the run.")
  const use: MemoryUse = { rss: process.memoryUsage.rss() / 2 ** 20, peak: process.resourceUsage().maxRSS / 2 ** 10 }
  console.log(JSON.stringify(use))
  await daybook.close()
}

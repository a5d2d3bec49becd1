import { join } from "node:path"
import { memoryTextIndex } from "../projections/fulltext.js"
import { countRows } from "../projections/hybridSearch.js"
import { memoryCorpus } from "../projections/observationSearch.js"
import type { Db } from "../projections/Projection.js"
import * as Generations from "../projections/view/generations.js"
import { defaults } from "../src/ports/Policy.js"
import { ftsExpressionOf } from "../src/search/ftsQuery.js"
import { parseQuery } from "../src/search/query.js"
import { makeQueries, vectorOf } from "./data.js"
import * as floor from "./floor.js"
import {
  formatNumber,
  type Group,
  maximumRatio,
  memoryOf,
  openDaybook,
  type Row,
  waitForEmbeddings
} from "./harness.js"
import { measureInterleaved, medianCost, quantile } from "./measure.js"
import { worldOf } from "./world.js"

/** Hybrid search in one agent, compared with the two SQL queries that every hybrid search needs. */
export const search: Group = {
  name: "search",
  rows: async function* ({ quick }) {
    yield await searchAmong(10_000, { runs: quick ? 2 : 5 })
    // A round with the large size takes more than half a minute, so it has no warm-up. The code is already warm.
    if (!quick) yield await searchAmong(100_000, { runs: 3, warmUp: false })
  }
}

const searchAmong = async (
  size: number,
  rounds: { readonly runs: number; readonly warmUp?: boolean }
): Promise<Row> => {
  const { agent, folder, memories } = await worldOf(size)
  const daybook = openDaybook(folder)
  await daybook.run(waitForEmbeddings([agent]))
  const memory = await daybook.run(memoryOf(agent))
  const raw = floor.openSearch(Generations.make(join(folder, "views"), agent).current()!)
  const queries = makeQueries(memories, 200).map((text) => {
    const { buffer, byteLength } = vectorOf(text)
    return { text, match: matchFor(raw.db, text), vector: Buffer.from(buffer, 0, byteLength) }
  })
  const times = { floor: [] as Array<Array<number>>, daybook: [] as Array<Array<number>> }
  const pass = (name: keyof typeof times, ask: (query: (typeof queries)[number]) => unknown) => () => {
    const durations: Array<number> = []
    return {
      work: async () => {
        for (const query of queries) {
          const start = performance.now()
          await ask(query)
          durations.push(performance.now() - start)
        }
      },
      close: () => times[name].push(durations)
    }
  }
  const costs = await measureInterleaved(
    {
      floor: pass("floor", ({ match, vector }) => raw.search(match, vector)),
      daybook: pass("daybook", ({ text }) => daybook.run(memory.search({ text })))
    },
    rounds
  )
  raw.close()
  await daybook.close()
  const side = (name: keyof typeof times) => {
    const cpu = medianCost(costs[name]).cpu / queries.length
    const all = times[name].slice(-rounds.runs).flat()
    const [p50, p95] = [quantile(all, 0.5), quantile(all, 0.95)]
    return `${formatNumber(cpu)} ms CPU, p50 ${formatNumber(p50)} ms, p95 ${formatNumber(p95)} ms`
  }
  return {
    name: `hybrid search, ${formatNumber(size)} memories`,
    daybook: side("daybook"),
    floor: side("floor"),
    ...maximumRatio(medianCost(costs.daybook).cpu / medianCost(costs.floor).cpu, 1.5),
    figures: { queries: queries.length, daybook: costs.daybook, floor: costs.floor }
  }
}

/** The FTS5 expression of Daybook's search for a text. Common words are dropped, unless there are no others. */
const matchFor = (db: Db, text: string): string => {
  const { must, not, should } = parseQuery(text)
  const maxRows = Math.floor(memoryTextIndex.count(db, "full") * defaults.search.commonShare)
  const rare = should.filter(
    (word) => !word.isDroppable || countRows(db, memoryCorpus, "full", word.expression, maxRows) <= maxRows
  )
  return ftsExpressionOf({ must, not, should: rare.length === 0 && must.length === 0 ? should : rare })!
}

import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { afterImages } from "../events/catalogue.js"
import { findMemoriesByScore } from "../projections/scoreReads.js"
import * as Generations from "../projections/view/generations.js"
import type { Memory } from "../src/Memory.js"
import { defaults } from "../src/ports/Policy.js"
import { toScoreFormula } from "../src/search/score.js"
import { agedWorld } from "./agedWorld.js"
import { makeQueries } from "./data.js"
import {
  formatNumber,
  type Group,
  memoryOf,
  type OpenDaybook,
  openDaybook,
  type Row,
  temporaryFolder,
  waitForEmbeddings,
  withoutTarget
} from "./harness.js"
import * as floor from "./maintainFloor.js"
import { measureInterleaved, measureLongestPause, medianCost, type Pause, quantile } from "./measure.js"

/**
 * Measures all maintenance stages in one large agent: their cost, the longest pause of other work, concurrent searches.
 */
export const maintain: Group = {
  name: "maintain",
  rows: async function* ({ quick }) {
    const size = quick ? 10_000 : 100_000
    const { agent, folder, memories } = await agedWorld(size)
    const daybook = openDaybook(folder)
    await daybook.run(waitForEmbeddings([agent]))
    const subject: Subject = { daybook, memory: await daybook.run(memoryOf(agent)) }
    const view = () => Generations.make(join(folder, "views"), agent).current()!
    yield await cost(subject, view(), { size, runs: quick ? 2 : 3 })
    yield await pauses(subject, quick ? 1 : 3)
    yield await searches(subject, makeQueries(memories, 40))
    yield await ranked(view(), size)
    await daybook.close()
  }
}

interface Subject {
  readonly daybook: OpenDaybook
  readonly memory: Memory
}

/** The cost of all stages, compared with the floor, which replays the events of a dry run on a copy of the view. */
const cost = async (
  { daybook, memory }: Subject,
  view: string,
  { runs, size }: { readonly size: number; readonly runs: number }
): Promise<Row> => {
  const file = join(temporaryFolder(), "view.db")
  copyFileSync(view, file)
  const raw = floor.openMaintenanceFloor(file)
  let [read, written] = [0, 0]
  const costs = await measureInterleaved(
    {
      floor: async () => {
        const now = Date.now()
        const stageRuns = await daybook.run(memory.maintenance.run({ dryRun: true }))
        const events = stageRuns.flatMap(({ events = [] }) =>
          events.map((event) => ({ ...event, images: afterImages(event as never) }))
        )
        written = events.reduce((sum, { images }) => sum + images.length, 0)
        return {
          work: () => {
            read = raw.read(defaults, now)
            raw.write(events, now)
          }
        }
      },
      daybook: () => ({ work: () => daybook.run(memory.maintenance.run()) })
    },
    { runs }
  )
  raw.close()
  const [daybookCost, floorCost] = [medianCost(costs.daybook), medianCost(costs.floor)]
  return {
    name: `maintain, ${formatNumber(size)} memories: all stages`,
    daybook: `${formatNumber(daybookCost.cpu / 1_000)} s CPU, ${formatNumber(daybookCost.wall / 1_000)} s`,
    floor: `${formatNumber(read)} rows read, ${formatNumber(written)} written: ${formatNumber(floorCost.cpu / 1_000)} s CPU`,
    ...withoutTarget,
    result: `${formatNumber(daybookCost.cpu / floorCost.cpu)} × CPU`,
    figures: { read, written, daybook: costs.daybook, floor: costs.floor }
  }
}

/** The longest time that a run of all stages blocks the event loop. */
const pauses = async ({ daybook, memory }: Subject, runs: number): Promise<Row> => {
  const held: Array<Pause> = []
  for (let run = 0; run < runs; run++) held.push(await measureLongestPause(() => daybook.run(memory.maintenance.run())))
  const busy = Math.max(...held.map(({ busy }) => busy))
  const wall = Math.max(...held.map(({ wall }) => wall))
  return {
    name: "  longest pause for other work",
    daybook: `${formatNumber(busy)} ms, ${formatNumber(wall)} ms wall-clock`,
    floor: "",
    result: `${formatNumber(busy)} ms`,
    target: "≤ 100 ms",
    reached: busy <= 100,
    figures: { held }
  }
}

/** Times of searches during maintenance, compared with searches alone. */
const searches = async ({ daybook, memory }: Subject, queries: ReadonlyArray<string>): Promise<Row> => {
  const timeSearch = async (times: Array<number>, text: string) => {
    const start = performance.now()
    await daybook.run(memory.search({ text, limit: 5 }))
    times.push(performance.now() - start)
  }
  const [alone, meanwhile]: [Array<number>, Array<number>] = [[], []]
  for (const text of queries) await timeSearch([], text)
  for (const text of queries) await timeSearch(alone, text)
  let running = true
  const run = daybook.run(memory.maintenance.run()).finally(() => {
    running = false
  })
  for (let index = 0; running; index++) {
    await timeSearch(meanwhile, queries[index % queries.length]!)
    // A server returns to its event loop between requests.
    await new Promise((resume) => setTimeout(resume, 5))
  }
  await run
  const quantiles = (times: ReadonlyArray<number>) =>
    `p50 ${formatNumber(quantile(times, 0.5))} ms, p95 ${formatNumber(quantile(times, 0.95))} ms`
  return {
    name: "  concurrent searches",
    daybook: `${meanwhile.length}: ${quantiles(meanwhile)}`,
    floor: `alone: ${quantiles(alone)}`,
    ...withoutTarget,
    figures: { alone, meanwhile }
  }
}

/** The memories with the highest scores: Daybook's statements, compared with one statement that reads all memories. */
const ranked = async (file: string, size: number) => {
  const { db, rank } = floor.openRankingFloor(file, defaults)
  const now = Date.now()
  const formula = toScoreFormula(defaults.tiers)
  const same = (some: ReadonlyArray<{ readonly born: number }>) => JSON.stringify(some.map(({ born }) => born))
  if (same(findMemoriesByScore(db, "full", formula, { now, limit: 10 })) !== same(rank(now, 10))) {
    throw new Error("The floor and Daybook rank differently.")
  }
  const costs = await measureInterleaved(
    {
      floor: () => ({ work: () => rank(now, 10) }),
      daybook: () => ({ work: () => findMemoriesByScore(db, "full", formula, { now, limit: 10 }) })
    },
    { runs: 9 }
  )
  db.close()
  const [daybookCost, floorCost] = [medianCost(costs.daybook), medianCost(costs.floor)]
  return {
    name: `  ranking of ${formatNumber(size)} by score`,
    daybook: `${formatNumber(daybookCost.cpu)} ms CPU`,
    floor: `${formatNumber(floorCost.cpu)} ms CPU`,
    result: `${formatNumber(daybookCost.cpu)} ms, ${(daybookCost.cpu / floorCost.cpu).toFixed(2)} ×`,
    target: "≤ 50 ms",
    reached: daybookCost.cpu <= 50,
    figures: { daybook: costs.daybook, floor: costs.floor }
  }
}

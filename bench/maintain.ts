import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { imagesOf } from "../events/catalogue.js"
import { findByScore } from "../projections/standing.js"
import * as Generations from "../projections/view/generations.js"
import { formulaOf } from "../src/maintenance/tiers.js"
import { defaults } from "../src/ports/Policy.js"
import { makeQueries } from "./data.js"
import { embedded, type Group, information, memoryOf, number, openDaybook, temporary } from "./harness.js"
import { livedIn } from "./lived.js"
import * as floor from "./maintainFloor.js"
import { interleaved, medianCost, quantile } from "./measure.js"

/** All stages of maintenance in one large agent: what they cost, how long they hold up others, and what reads take meanwhile. */
export const maintain: Group = {
  name: "maintain",
  rows: async function* ({ quick }) {
    const size = quick ? 10_000 : 100_000
    const { agent, folder, memories } = await livedIn(size)
    const daybook = openDaybook(folder)
    await daybook.run(embedded([agent]))
    const memory = await daybook.run(memoryOf(agent))
    const file = join(temporary(), "view.db")
    const view = () => Generations.make(join(folder, "views"), agent).current()!
    copyFileSync(view(), file)
    const raw = floor.open(file)
    const of = `${number(size)} memories`
    let [read, written] = [0, 0]

    const costs = await interleaved(
      {
        floor: async () => {
          const now = Date.now()
          const runs = await daybook.run(memory.maintain({ dryRun: true }))
          const events = runs.flatMap(({ events = [] }) =>
            events.map((event) => ({ ...event, images: imagesOf(event as never) }))
          )
          written = events.reduce((sum, { images }) => sum + images.length, 0)
          return {
            work: () => {
              read = raw.read(defaults, now)
              raw.write(events, now)
            }
          }
        },
        daybook: () => ({ work: () => daybook.run(memory.maintain()) })
      },
      { runs: quick ? 2 : 3 }
    )
    raw.close()
    const [mine, theirs] = [medianCost(costs.daybook), medianCost(costs.floor)]
    yield {
      name: `maintain, ${of}: all stages`,
      daybook: `${number(mine.cpu / 1_000)} s CPU, ${number(mine.wall / 1_000)} s`,
      floor: `${number(read)} rows read, ${number(written)} written: ${number(theirs.cpu / 1_000)} s CPU`,
      ...information,
      result: `${number(mine.cpu / theirs.cpu)} × CPU`,
      figures: { read, written, daybook: costs.daybook, floor: costs.floor }
    }

    const held: Array<Stretch> = []
    for (let run = 0; run < (quick ? 1 : 3); run++) held.push(await longest(() => daybook.run(memory.maintain())))
    const most = Math.max(...held.map(({ busy }) => busy))
    yield {
      name: "  longest stretch in which nobody else has a turn",
      daybook: `${number(most)} ms, ${number(Math.max(...held.map(({ wall }) => wall)))} ms by the clock`,
      floor: "",
      result: `${number(most)} ms`,
      target: "≤ 100 ms",
      reached: most <= 100,
      figures: { held }
    }

    const queries = makeQueries(memories, 40)
    const ask = async (times: Array<number>, text: string) => {
      const start = performance.now()
      await daybook.run(memory.search({ text, limit: 5 }))
      times.push(performance.now() - start)
    }
    const [alone, meanwhile]: [Array<number>, Array<number>] = [[], []]
    for (const text of queries) await ask([], text)
    for (const text of queries) await ask(alone, text)
    let running = true
    const run = daybook.run(memory.maintain()).finally(() => {
      running = false
    })
    for (let at = 0; running; at++) {
      await ask(meanwhile, queries[at % queries.length]!)
      // A program that answers requests goes back to its event loop between them.
      await new Promise((resume) => setTimeout(resume, 5))
    }
    await run
    const times = (some: ReadonlyArray<number>) =>
      `p50 ${number(quantile(some, 0.5))} ms, p95 ${number(quantile(some, 0.95))} ms`
    yield {
      name: "  searches that go on meanwhile",
      daybook: `${meanwhile.length}: ${times(meanwhile)}`,
      floor: `alone: ${times(alone)}`,
      ...information,
      figures: { alone, meanwhile }
    }

    yield await ranked(view(), size)
    await daybook.close()
  }
}

/** The memories with the highest scores, by Daybook's statements and by one that reads them all. */
const ranked = async (file: string, size: number) => {
  const { db, rank } = floor.ranking(file, defaults)
  const now = Date.now()
  const formula = formulaOf(defaults.tiers)
  const same = (some: ReadonlyArray<{ readonly born: number }>) => JSON.stringify(some.map(({ born }) => born))
  if (same(findByScore(db, "full", formula, now, 10)) !== same(rank(now, 10))) {
    throw new Error("The floor ranks otherwise than Daybook does.")
  }
  const costs = await interleaved(
    {
      floor: () => ({ work: () => rank(now, 10) }),
      daybook: () => ({ work: () => findByScore(db, "full", formula, now, 10) })
    },
    { runs: 9 }
  )
  db.close()
  const [mine, theirs] = [medianCost(costs.daybook), medianCost(costs.floor)]
  return {
    name: `  ranking of ${number(size)} by score`,
    daybook: `${number(mine.cpu)} ms CPU`,
    floor: `${number(theirs.cpu)} ms CPU`,
    result: `${number(mine.cpu)} ms, ${(mine.cpu / theirs.cpu).toFixed(2)} ×`,
    target: "≤ 50 ms",
    reached: mine.cpu <= 50,
    figures: { daybook: costs.daybook, floor: costs.floor }
  }
}

interface Stretch {
  /** Milliseconds by the clock, and as far as this process worked: less where others had the processor. */
  readonly wall: number
  readonly busy: number
}

/** The longest time between two turns of the event loop while something is done. */
const longest = async (work: () => Promise<unknown>): Promise<Stretch> => {
  let wall = 0
  let busy = 0
  let on = true
  const cpuNow = () => {
    const { system, user } = process.cpuUsage()
    return (user + system) / 1_000
  }
  let [at, cpu] = [performance.now(), cpuNow()]
  const look = () => {
    const [now, used] = [performance.now(), cpuNow()]
    wall = Math.max(wall, now - at)
    busy = Math.max(busy, Math.min(now - at, used - cpu))
    ;[at, cpu] = [now, used]
    if (on) setImmediate(look)
  }
  setImmediate(look)
  await work()
  on = false
  return { wall, busy }
}

import { join } from "node:path"
import * as Effect from "effect/Effect"
import { embeddingText } from "../events/Memory.js"
import { Daybook } from "../src/Daybook.js"
import { type GeneratedMemory, makeMemories, vectorOf } from "./data.js"
import * as floor from "./floor.js"
import {
  formatNumber,
  type Group,
  memoryOf,
  minimumRatio,
  openDaybook,
  remove,
  type Scale,
  temporaryFolder,
  waitForEmbeddings,
  withoutTarget
} from "./harness.js"
import { type Cost, measureInterleaved, medianCost, type Side } from "./measure.js"

/** Memories in one `rememberAll` call, and in one transaction of the floor. */
const batch = 1_000
const callers = 100
const runs = ({ quick }: Scale) => (quick ? 3 : 7)

/** Sequential `remember` calls, until every memory has its vector. Daybook and the floor do one fsync per memory. */
export const oneCaller: Group = {
  name: "one",
  rows: async function* (scale) {
    const memories = makeMemories(scale.quick ? 500 : 2_000)
    const costs = await measureInterleaved(
      { floor: floorSide(memories, 1), daybook: daybookSide(memories, ["agent"], oneByOne) },
      { runs: runs(scale) }
    )
    yield compared("remember, one at a time, durable", memories.length, costs, 0.6)
  }
}

/** 100 concurrent callers compared with one caller. Concurrent commands share transactions and fsyncs. */
export const manyCallers: Group = {
  name: "callers",
  rows: async function* (scale) {
    const memories = makeMemories(scale.quick ? 500 : 2_000)
    const agents = Array.from({ length: 10 }, (_, index) => `agent-${index}`)
    const costs = await measureInterleaved(
      {
        alone: daybookSide(memories, ["agent"], oneByOne),
        together: daybookSide(memories, ["agent"], atOnce),
        spread: daybookSide(memories, agents, atOnce)
      },
      { runs: runs(scale) }
    )
    const alone = medianCost(costs.alone)
    for (const [name, side] of [
      [`${callers} concurrent callers, one agent`, costs.together],
      [`${callers} concurrent callers, ${agents.length} agents`, costs.spread]
    ] as const) {
      yield {
        name,
        daybook: adds(memories.length, medianCost(side)),
        floor: `one caller: ${adds(memories.length, alone)}`,
        ...minimumRatio(alone.wall / medianCost(side).wall, 3),
        figures: { adds: memories.length, daybook: side, oneCaller: costs.alone }
      }
    }
  }
}

/** `rememberAll` in batches of 1,000, compared with the floor in transactions of 1,000. */
export const bulkAdds: Group = {
  name: "bulk",
  rows: async function* (scale) {
    const memories = makeMemories(scale.quick ? 3_000 : 10_000)
    const costs = await measureInterleaved(
      {
        floor: floorSide(memories, batch),
        daybook: daybookSide(memories, ["agent"], inBatches),
        floorText: floorSide(memories, batch, false),
        daybookText: daybookSide(memories, ["agent"], inBatches, false)
      },
      { runs: scale.quick ? 3 : 5 }
    )
    yield compared(`bulk import, batches of ${formatNumber(batch)}`, memories.length, costs, 0.7)
    const text = { floor: costs.floorText, daybook: costs.daybookText }
    yield { ...compared("  the same, without embeddings", memories.length, text, 0), ...withoutTarget }
  }
}

const compared = (
  name: string,
  count: number,
  costs: { readonly daybook: ReadonlyArray<Cost>; readonly floor: ReadonlyArray<Cost> },
  least: number
) => {
  const [daybook, raw] = [medianCost(costs.daybook), medianCost(costs.floor)]
  return {
    name,
    daybook: adds(count, daybook),
    floor: adds(count, raw),
    ...minimumRatio(raw.wall / daybook.wall, least),
    figures: { adds: count, cpuRatio: daybook.cpu / raw.cpu, daybook: costs.daybook, floor: costs.floor }
  }
}

const adds = (count: number, { cpu, wall }: Cost): string =>
  `${formatNumber((count / wall) * 1_000)}/s, ${formatNumber((cpu / count) * 1_000)} µs CPU`

const floorSide = (memories: ReadonlyArray<GeneratedMemory>, size: number, vectors = true): Side => {
  const prepared = memories.map((made): floor.PreparedMemory => {
    const { buffer, byteLength } = vectorOf(embeddingText(made))
    return { ...made, vector: Buffer.from(buffer, 0, byteLength) }
  })
  return () => {
    const folder = temporaryFolder()
    const { add, close } = floor.openFloorWriter(join(folder, "floor.db"), { vectors })
    return {
      work: () => {
        for (let from = 0; from < prepared.length; from += size) add(prepared.slice(from, from + size))
      },
      close: () => {
        close()
        remove(folder)
      }
    }
  }
}

/** Daybook in a new folder. The agents' views are created before the timing starts, as the floor's tables are. */
const daybookSide =
  (memories: ReadonlyArray<GeneratedMemory>, agents: ReadonlyArray<string>, work: Work, vectors = true): Side =>
  async () => {
    const folder = temporaryFolder()
    const daybook = openDaybook(folder, vectors ? {} : { vectorExtension: null })
    const count = Effect.flatMap(Daybook, ({ stats }) => Effect.forEach(agents, stats)).pipe(
      Effect.map((all) => all.reduce((sum, { memories }) => sum + memories.active, 0))
    )
    await daybook.run(count)
    return {
      work: () =>
        daybook.run(Effect.zipRight(work(memories, agents), vectors ? waitForEmbeddings(agents) : Effect.void)),
      close: async () => {
        if ((await daybook.run(count)) !== memories.length) throw new Error("not every memory was stored")
        await daybook.close()
        remove(folder)
      }
    }
  }

type Work = (
  memories: ReadonlyArray<GeneratedMemory>,
  agents: ReadonlyArray<string>
) => Effect.Effect<unknown, unknown, Daybook>

const oneByOne: Work = (memories, [agent]) =>
  Effect.flatMap(memoryOf(agent!), (memory) => Effect.forEach(memories, (made) => memory.remember(made)))

const atOnce: Work = (memories, agents) =>
  Effect.flatMap(Effect.forEach(agents, memoryOf), (handles) =>
    Effect.forEach(memories, (made, index) => handles[index % handles.length]!.remember(made), {
      concurrency: callers,
      discard: true
    })
  )

const inBatches: Work = (memories, [agent]) =>
  Effect.flatMap(memoryOf(agent!), (memory) =>
    Effect.forEach(
      Array.from({ length: Math.ceil(memories.length / batch) }, (_, index) => index * batch),
      (from) => memory.rememberAll(memories.slice(from, from + batch))
    )
  )

import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Runtime from "effect/Runtime"
import { layerFile } from "../layers/telemetry/TraceFile.js"
import type { Daybook } from "../src/Daybook.js"
import { defineMethod } from "../src/model/operation.js"
import { makeMemories, makeQueries } from "./data.js"
import { formatNumber, type Group, maximumRatio, memoryOf, openDaybook, type Row, temporaryFolder } from "./harness.js"
import { type Cost, measureInterleaved, median, medianCost } from "./measure.js"
import { worldOf } from "./world.js"

/** The cost of a trace file for writes and searches, and of a method's span in a program that traces nothing. */
export const telemetry: Group = {
  name: "telemetry",
  rows: async function* ({ quick }) {
    yield await writes(quick ? 500 : 3_000, 200)
    yield await searches(1_000, quick ? 2 : 9)
    yield await untraced(quick ? 10_000 : 50_000, quick ? 2 : 7)
  }
}

/**
 * Opens Daybook, and runs calls with and without a trace file. Each side has its own runtime, like a program whose
 * layer sets the tracer. `Effect.withTracer` around each call would itself cost as much as a span.
 */
const openBoth = async (folder: string) => {
  const plain = openDaybook(folder)
  const file = join(temporaryFolder(), "trace.jsonl")
  const tracing = ManagedRuntime.make(layerFile({ file, maxBytes: 1 << 30 }))
  const tracer = await tracing.runPromise(Effect.tracer)
  const runtime = Effect.runtime<Daybook>()
  return {
    plain: Runtime.runPromise(await plain.run(runtime)),
    traced: Runtime.runPromise(await plain.run(Effect.withTracer(runtime, tracer))),
    close: async () => {
      await plain.close()
      await tracing.dispose()
    }
  }
}

/**
 * Both sides do each write directly after each other, and alternate in going first, so that other load on the machine
 * affects both equally. Each side has its own agent, because a write costs more if there are more memories.
 */
const writes = async (size: number, warmUp: number): Promise<Row> => {
  const daybook = await openBoth(temporaryFolder())
  const sides = {
    daybook: { run: daybook.traced, memory: await daybook.traced(memoryOf("traced")) },
    floor: { run: daybook.plain, memory: await daybook.plain(memoryOf("plain")) }
  } as const
  const costs: Record<keyof typeof sides, Array<Cost>> = { daybook: [], floor: [] }
  for (const [number, observation] of makeMemories(size + warmUp, 1).entries()) {
    const order = number % 2 === 0 ? (["daybook", "floor"] as const) : (["floor", "daybook"] as const)
    for (const name of order) {
      const { memory, run } = sides[name]
      const cost = await costOf(() => run(memory.remember(observation)))
      if (number >= warmUp) costs[name].push(cost)
    }
  }
  await daybook.close()
  return compared(`${formatNumber(size)} writes with a trace file`, costs, 1)
}

/** Like `measure`, but without a garbage collection, which would cost more than the write. */
const costOf = async (work: () => Promise<unknown>): Promise<Cost> => {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  await work()
  // Background work that the call started runs before the next call.
  await new Promise((resolve) => setImmediate(resolve))
  const { system, user } = process.cpuUsage(cpu)
  return { wall: performance.now() - startedAt, cpu: (user + system) / 1_000 }
}

const searches = async (size: number, runs: number): Promise<Row> => {
  const { agent, folder, memories } = await worldOf(size)
  const daybook = await openBoth(folder)
  const queries = makeQueries(memories, 200)
  const side = (run: typeof daybook.plain) => () => ({
    work: () =>
      run(
        Effect.gen(function* () {
          const memory = yield* memoryOf(agent)
          for (const text of queries) yield* memory.search({ text })
        })
      )
  })
  const costs = await measureInterleaved({ daybook: side(daybook.traced), floor: side(daybook.plain) }, { runs })
  await daybook.close()
  return compared(`searches of ${formatNumber(size)} memories with a trace file`, costs, queries.length)
}

type Costs = Readonly<Record<"floor" | "daybook", ReadonlyArray<Cost>>>

/** Compares the sides by the median ratio of neighbouring runs, because other load changes from run to run. */
const compared = (name: string, costs: Costs, calls: number): Row => {
  const ratio = median(costs.daybook.map(({ cpu }, run) => cpu / costs.floor[run]!.cpu))
  const each = (side: keyof Costs) => `${formatNumber((medianCost(costs[side]).cpu * 1_000) / calls)} µs CPU`
  return {
    name,
    daybook: each("daybook"),
    floor: each("floor"),
    ...maximumRatio(ratio, 1.05),
    figures: { calls, ...costs }
  }
}

/** Compares an untraced method that does nothing with the same method under `Effect.fn`, which adds a span. */
const untraced = async (calls: number, runs: number): Promise<Row> => {
  const nothing = () => Effect.void
  const side = (method: () => Effect.Effect<void>) => () => ({
    work: () =>
      Effect.runPromise(
        Effect.gen(function* () {
          for (let call = 0; call < calls; call++) yield* method()
        })
      )
  })
  const costs = await measureInterleaved(
    { floor: side(Effect.fn("Memory.search")(nothing)), daybook: side(defineMethod("Memory.search")(nothing)) },
    { runs }
  )
  return {
    ...compared("the span of a method without a tracer, against Effect.fn", costs, calls),
    ...maximumRatio(medianCost(costs.daybook).cpu / medianCost(costs.floor).cpu, 1)
  }
}

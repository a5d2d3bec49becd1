import { execFile } from "node:child_process"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import * as WordEmbedder from "../layers/WordEmbedder.js"
import { defaults } from "../src/ports/Policy.js"
import { type GeneratedMemory, makeMemories, vectorOf } from "./data.js"
import { openFloorWriter } from "./floor.js"
import {
  formatNumber,
  type Group,
  memoryOf,
  openDaybook,
  temporaryFolder,
  waitForEmbeddings,
  withoutTarget
} from "./harness.js"

const agent = "agent"
/** Number of memories that are generated at a time: few, so that the test data needs almost no memory. */
const portion = 20

/** The memory of a process that adds memories one by one. */
export const memory: Group = {
  name: "memory",
  rows: async function* ({ quick }) {
    const adds = quick ? 1_000 : 10_000
    const [daybook, floor] = [await measured("daybook", adds), await measured("floor", adds)]
    const name = `memory of a process after ${formatNumber(adds)} adds`
    yield {
      name,
      daybook: shown(daybook),
      floor: shown(floor),
      result: `${formatNumber(daybook.peak)} MB`,
      target: "≤ 250 MB",
      reached: daybook.peak <= 250,
      figures: { adds, daybook, floor }
    }
    if (quick) return
    const reconciled = await measured("default", adds)
    yield {
      name: "  the same, each reconciled by the rules",
      daybook: shown(reconciled),
      floor: shown(floor),
      ...withoutTarget,
      figures: { adds, daybook: reconciled, floor }
    }
  }
}

/** MiB in memory at the end, and at the peak. */
interface MemoryUse {
  readonly rss: number
  readonly peak: number
}

const shown = ({ peak, rss }: MemoryUse) => `${formatNumber(rss)} MB, at most ${formatNumber(peak)} MB`

const measured = async (side: Side, adds: number): Promise<MemoryUse> => {
  const program = fileURLToPath(import.meta.url)
  const { stdout } = await promisify(execFile)(process.execPath, [program, childFlag, side, String(adds)])
  return JSON.parse(stdout)
}

/** The first argument that makes this program run `runChild`. */
export const childFlag = "--add"

export const runChild = async (side: string, adds: string): Promise<void> => {
  const { add, close, finish } = await sides[side as Side]()
  for (let from = 0; from < Number(adds); from += portion) {
    await add(makeMemories(portion, from))
    // A real program yields to the event loop, which runs the background embedding.
    await setTimeout(1)
  }
  await finish()
  const memoryUse: MemoryUse = {
    rss: process.memoryUsage.rss() / 2 ** 20,
    peak: process.resourceUsage().maxRSS / 2 ** 10
  }
  console.log(JSON.stringify(memoryUse))
  await close()
}

const daybookSide = async (options: Parameters<typeof openDaybook>[1]) => {
  const daybook = openDaybook(temporaryFolder(), options)
  const memory = await daybook.run(memoryOf(agent))
  return {
    add: async (memories: ReadonlyArray<GeneratedMemory>) => {
      for (const made of memories) await daybook.run(memory.remember(made))
    },
    finish: () => daybook.run(Effect.asVoid(waitForEmbeddings([agent]))),
    close: daybook.close
  }
}

const sides = {
  daybook: () => daybookSide({}),
  default: () => daybookSide({ policy: defaults, embedder: WordEmbedder.layer }),
  floor: async () => {
    const { add, close } = openFloorWriter(join(temporaryFolder(), "floor.db"), { vectors: true })
    const vector = Buffer.from(vectorOf("one vector for all").buffer)
    return {
      add: async (memories: ReadonlyArray<GeneratedMemory>) => {
        for (const made of memories) add([{ ...made, vector }])
      },
      finish: async () => {},
      close: async () => close()
    }
  }
}
type Side = keyof typeof sides

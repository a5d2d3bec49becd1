import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { Daybook } from "../src/Daybook.js"
import { type GeneratedMemory, makeMemories } from "./data.js"
import {
  formatNumber,
  type Group,
  memoryOf,
  openDaybook,
  type Row,
  temporaryFolder,
  waitForEmbeddings
} from "./harness.js"
import { measureLongestPause, type Pause } from "./measure.js"
import { worldOf } from "./world.js"

const agent = "agent"

/** The number of `remember` calls, and of entries in one `rememberAll`. */
const writes = { one: 2_000, bulk: 1_000 }

/** Items in one imported file. */
const itemsPerFile = 200

/** Maximum milliseconds for which a loop may block the event loop. */
const target = 50

/** Measures the longest time for which each kind of loop blocks the event loop. */
export const pauses: Group = {
  name: "pauses",
  rows: async function* ({ quick }) {
    const size = quick ? 10_000 : 100_000
    const { folder, memories } = await worldOf(size)
    for (const [name, pause] of await measured(folder, markdownOf(memories), size)) yield rowOf(name, pause)
  }
}

const rowOf = (name: string, { busy, wall }: Pause): Row => ({
  name: `  ${name}`,
  daybook: `${formatNumber(busy)} ms, ${formatNumber(wall)} ms wall-clock`,
  floor: "",
  result: `${formatNumber(busy)} ms`,
  target: `≤ ${target} ms`,
  reached: busy <= target,
  figures: { busy, wall }
})

type Measured = ReadonlyArray<readonly [name: string, pause: Pause]>

/** Measures in a separate process. In this process, each garbage collection would also scan the generated memories. */
const measured = async (world: string, notes: string, size: number): Promise<Measured> => {
  const program = fileURLToPath(import.meta.url)
  const { stdout } = await promisify(execFile)(process.execPath, [program, childFlag, world, notes, String(size)])
  return JSON.parse(stdout)
}

/** The first argument that makes this program run `runChild`. */
export const childFlag = "--pauses"

export const runChild = async (world: string, notes: string, size: string): Promise<void> => {
  const rows: Array<readonly [string, Pause]> = []
  const measure = async (name: string, work: () => Promise<unknown>) => {
    rows.push([name, await measureLongestPause(work)])
  }
  await onNewFolder(notes, formatNumber(Number(size)), measure)
  await onWorld(world, formatNumber(Number(size)), measure)
  console.log(JSON.stringify(rows))
}

type Measure = (name: string, work: () => Promise<unknown>) => Promise<void>

const onNewFolder = async (notes: string, size: string, measure: Measure) => {
  const daybook = openDaybook(temporaryFolder())
  const memory = await daybook.run(memoryOf(agent))
  // One by one with a promise each, as in a program without Effect.
  const single = makeMemories(writes.one)
  await measure(`${formatNumber(writes.one)} remember, one after the other`, async () => {
    for (const made of single) await daybook.run(memory.remember(made))
  })
  const bulk = makeMemories(writes.bulk, 2)
  await measure(`rememberAll of ${formatNumber(writes.bulk)}`, () => daybook.run(memory.rememberAll(bulk)))
  await measure("backfill", () => daybook.run(waitForEmbeddings([agent])))
  let run: string | undefined
  await measure(`import of ${size} items`, async () => {
    run = (await daybook.run(memory.importMarkdown([notes]))).run
  })
  await measure("undo of the import", () => daybook.run(memory.undo({ run: run! })))
  await daybook.close()
}

const onWorld = async (folder: string, size: string, measure: Measure) => {
  const daybook = openDaybook(folder)
  const on = (work: (service: Daybook["Type"]) => Effect.Effect<unknown, unknown>) => () =>
    daybook.run(Effect.flatMap(Daybook, work))
  await measure(
    `first view of ${size} memories`,
    on(({ stats }) => stats(agent))
  )
  await measure(
    "rebuild",
    on(({ rebuild }) => rebuild(agent))
  )
  await measure(
    "rebuild of people and fulltext",
    on(({ rebuild }) => rebuild(agent, ["people", "fulltext"]))
  )
  await measure(
    "verify",
    on(({ verify }) => verify())
  )
  await measure(
    "what-if",
    on(({ whatIf }) => whatIf(agent))
  )
  await measure(
    "digests",
    on(({ digests }) => digests(agent))
  )
  await measure("close", daybook.close)
}

/** Creates a folder of markdown files with one item for each memory. */
const markdownOf = (memories: ReadonlyArray<GeneratedMemory>): string => {
  const folder = join(temporaryFolder(), "notes")
  mkdirSync(folder)
  for (let from = 0; from < memories.length; from += itemsPerFile) {
    const items = memories.slice(from, from + itemsPerFile).map(({ title }, at) => `- ${title} (${from + at})`)
    writeFileSync(join(folder, `${from}.md`), `${items.join("\n")}\n`)
  }
  return folder
}

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { Daybook } from "../src/Daybook.js"
import type { Memory } from "../src/Memory.js"
import { type GeneratedMemory, makeMemories } from "./data.js"
import {
  formatNumber,
  type Group,
  memoryOf,
  type OpenDaybook,
  openDaybook,
  type Row,
  temporaryFolder,
  waitForEmbeddings
} from "./harness.js"
import { longestPause } from "./measure.js"
import { worldOf } from "./world.js"

const agent = "agent"

/** The number of `remember` calls, and of entries in one `rememberAll`. */
const writes = { one: 2_000, bulk: 1_000 }

/** Items in one imported file. */
const itemsPerFile = 200

/** Measures the longest time for which each kind of loop blocks the event loop. */
export const pauses: Group = {
  name: "pauses",
  rows: async function* ({ quick }) {
    const size = quick ? 10_000 : 100_000
    const target = 50
    const row = async (name: string, work: () => Promise<unknown>) => {
      const { busy, wall } = await longestPause(work)
      return {
        name: `  ${name}`,
        daybook: `${formatNumber(busy)} ms, ${formatNumber(wall)} ms wall-clock`,
        floor: "",
        result: `${formatNumber(busy)} ms`,
        target: `≤ ${target} ms`,
        reached: busy <= target,
        figures: { busy, wall }
      }
    }
    yield* onNewFolder(makeMemories(size), row)
    const world = await worldOf(size)
    const daybook = openDaybook(world.folder)
    yield await row(`first view of ${formatNumber(size)} memories`, () =>
      daybook.run(Effect.flatMap(Daybook, ({ stats }) => stats(agent)))
    )
    yield await row("rebuild", () => daybook.run(Effect.flatMap(Daybook, ({ rebuild }) => rebuild(agent))))
    yield await row("rebuild of people and fulltext", () =>
      daybook.run(Effect.flatMap(Daybook, ({ rebuild }) => rebuild(agent, ["people", "fulltext"])))
    )
    yield await row("verify", () => daybook.run(Effect.flatMap(Daybook, ({ verify }) => verify())))
    yield await row("what-if", () => daybook.run(Effect.flatMap(Daybook, ({ whatIf }) => whatIf(agent))))
    yield await row("digests", () => daybook.run(Effect.flatMap(Daybook, ({ digests }) => digests(agent))))
    yield await row("close", daybook.close)
  }
}

type MakeRow = (name: string, work: () => Promise<unknown>) => Promise<Row>

const onNewFolder = async function* (memories: ReadonlyArray<GeneratedMemory>, row: MakeRow) {
  const folder = temporaryFolder()
  const daybook = openDaybook(folder)
  const memory = await daybook.run(memoryOf(agent))
  yield await row(`${formatNumber(writes.one)} remember, one after the other`, () =>
    oneByOne(daybook, memory, memories)
  )
  yield await row(`rememberAll of ${formatNumber(writes.bulk)}`, () =>
    daybook.run(memory.rememberAll(memories.slice(writes.one, writes.one + writes.bulk)))
  )
  yield await row("backfill", () => daybook.run(waitForEmbeddings([agent])))
  const files = markdownOf(memories)
  let run: string | undefined
  yield await row(`import of ${formatNumber(memories.length)} items`, async () => {
    run = (await daybook.run(memory.importMarkdown([files]))).run
  })
  yield await row("undo of the import", () => daybook.run(memory.undo({ run: run! })))
  await daybook.close()
}

/** Calls one by one with a promise each, as in a program without Effect. */
const oneByOne = async (daybook: OpenDaybook, memory: Memory, memories: ReadonlyArray<GeneratedMemory>) => {
  for (const made of memories.slice(0, writes.one)) await daybook.run(memory.remember(made))
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

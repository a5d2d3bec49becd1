import * as Effect from "effect/Effect"
import { Daybook } from "../src/Daybook.js"
import type { Memory, MemoryReader } from "../src/Memory.js"
import {
  formatNumber,
  type Group,
  maximumRatio,
  openDaybook,
  type Row,
  temporaryFolder,
  waitForEmbeddings
} from "./harness.js"
import { median } from "./measure.js"

const agent = "agent"
const hiddenRows = 50_000
const visibleRows = 500
const batch = 1_000
const words = "harbour kettle pilot rope ferry crane ledger buoy anchor lantern".split(" ")

/** Gives each row a unique word, so that hidden rows enlarge the vocabulary too. */
const ownWord = (number: number): string =>
  `ke${number.toString(26).replace(/\d/gu, (digit) => "qrstuvwxyz"[Number(digit)]!)}tle`

/** The reads that are timed. They run at one trust level, with little or much data above that level. */
const reads: Readonly<Record<string, (reader: MemoryReader, anchor: string) => Effect.Effect<unknown, unknown>>> = {
  list: (reader) => reader.list({ limit: 20 }),
  search: (reader) => reader.search({ text: "kettle of the pilot", limit: 10 }),
  misspelt: (reader) => reader.search({ text: "ketle of the piolt", limit: 10 }),
  people: (reader) => reader.people({ limit: 20 }),
  timeline: (reader, anchor) => reader.timeline({ anchor, before: 5, after: 5 }),
  profile: (reader) => reader.profile(),
  sessions: (reader) => reader.sessions.list({ limit: 20 })
}

/** Measures whether the duration of a read reveals how much data is above its trust level. */
export const hiddenDataTiming: Group = {
  name: "hidden",
  rows: async function* ({ quick }) {
    yield await compare(quick ? 2_000 : hiddenRows, quick ? 20 : 200)
  }
}

const compare = async (rows: number, runs: number): Promise<Row> => {
  const sides = [await prepare(0), await prepare(rows)] as const
  const times: Record<string, readonly [Array<number>, Array<number>]> = {}
  // The two sides alternate, so that other load on the machine affects both.
  for (let run = -runs / 10; run < runs; run++) {
    for (const [name, read] of Object.entries(reads)) {
      times[name] ??= [[], []]
      for (const [index, { anchor, daybook, reader }] of sides.entries()) {
        const start = performance.now()
        await daybook.run(Effect.orDie(read(reader, anchor)))
        if (run >= 0) times[name][index]!.push(performance.now() - start)
      }
    }
  }
  for (const { daybook } of sides) await daybook.close()
  const medians = Object.entries(times).map(
    ([name, [without, beside]]) => [name, median(without), median(beside)] as const
  )
  const text = (side: 1 | 2) => medians.map((row) => `${row[0]} ${formatNumber(row[side])}`).join(", ")
  return {
    name: `reads at familiar with ${formatNumber(rows)} rows of each kind above them`,
    daybook: `${text(2)} ms`,
    floor: `without them: ${text(1)} ms`,
    ...maximumRatio(Math.max(...medians.map(([, without, beside]) => beside / without)), 1.5),
    figures: { medians }
  }
}

const prepare = async (rows: number) => {
  const daybook = openDaybook(temporaryFolder())
  const reader = await daybook.run(
    Effect.gen(function* () {
      const service = yield* Daybook
      const memory = yield* service.agent(agent, { trust: "full", record: false })
      yield* seed(memory, "social", visibleRows)
      yield* seed(memory, "private", rows)
      return yield* service.agent(agent, { trust: "familiar", record: false })
    }).pipe(Effect.orDie)
  )
  await daybook.run(waitForEmbeddings([agent]))
  const [newest] = await daybook.run(Effect.orDie(reader.list({ limit: 1, offset: 100 })))
  return { daybook, reader, anchor: newest!.id }
}

const seed = (memory: Memory, store: "social" | "private", rows: number) =>
  Effect.forEach(
    Array.from({ length: Math.ceil(rows / batch) }, (_, index) => index * batch),
    (from) => {
      const numbers = Array.from({ length: Math.min(batch, rows - from) }, (_, index) => from + index)
      const text = (number: number) =>
        `${words[number % 10]} of the ${words[(number * 7 + 3) % 10]} ${number} ${ownWord(number)} ${store}`
      return Effect.zipRight(
        memory.rememberAll(
          numbers.map((number) => ({
            title: text(number),
            store,
            people: [`Person ${number % (store === "social" ? 50 : rows)} ${store}`],
            type: number % 20 === 0 ? "preference" : "discovery"
          }))
        ),
        memory.sessions.appendAll(
          numbers.map((number) => ({ session: `${store} ${number >> 1}`, text: text(number), store }))
        )
      )
    },
    { discard: true }
  )

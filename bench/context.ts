import { makeQueries, makeTurns } from "./data.js"
import {
  formatNumber,
  type Group,
  maximumRatio,
  memoryOf,
  openDaybook,
  type Row,
  waitForEmbeddings
} from "./harness.js"
import { measureInterleaved, medianCost } from "./measure.js"
import { worldOf } from "./world.js"

/** The context of a turn, compared with one search and one read of turns. */
export const context: Group = {
  name: "context",
  rows: async function* ({ quick }) {
    yield await contextAmong(10_000, quick ? 2 : 5)
  }
}

const session = "long talk"

const contextAmong = async (size: number, runs: number): Promise<Row> => {
  const { agent, folder, memories } = await worldOf(size)
  const daybook = openDaybook(folder)
  await daybook.run(waitForEmbeddings([agent]))
  const memory = await daybook.run(memoryOf(agent))
  const turns = makeTurns(1_000).map(({ at: _, ...turn }) => ({ ...turn, session }))
  await daybook.run(memory.sessions.appendAll(turns))
  const messages = makeQueries(memories, 100).map((text) => `Do you remember ${text}?`)
  const pass = (ask: (message: string) => Promise<unknown>) => () => ({
    work: async () => {
      for (const message of messages) await ask(message)
    }
  })
  const costs = await measureInterleaved(
    {
      floor: pass(async (text) => {
        await daybook.run(memory.search({ text, gate: true, limit: 20 }))
        await daybook.run(memory.sessions.get(session))
      }),
      daybook: pass((message) => daybook.run(memory.context({ session, message })))
    },
    { runs }
  )
  await daybook.close()
  const each = (name: keyof typeof costs) => `${formatNumber(medianCost(costs[name]).cpu / messages.length)} ms CPU`
  return {
    name: `context, ${formatNumber(size)} memories and ${formatNumber(turns.length)} turns`,
    daybook: each("daybook"),
    floor: each("floor"),
    ...maximumRatio(medianCost(costs.daybook).cpu / medianCost(costs.floor).cpu, 1.3),
    figures: { messages: messages.length, daybook: costs.daybook, floor: costs.floor }
  }
}

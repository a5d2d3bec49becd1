import * as Effect from "effect/Effect"
import * as Default from "../../layers/Default.js"
import { Daybook } from "../../src/Daybook.js"
import { policy } from "./runtimeEngine.js"
import { type Acknowledged, type CheckReport, readJournal, type WorkerOptions } from "./runtimeProtocol.js"

/** Memories are read this many at a time. */
const page = 200

/** Verifies the log of a folder and looks for every memory that the journal says was written and not forgotten. */
export const check = ({ folder, journal }: WorkerOptions): Promise<CheckReport> =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    const lines = readJournal(journal)
    const forgotten = new Set(lines.flatMap((line) => ("forgetting" in line ? [line.forgetting] : [])))
    const byAgent = new Map<string, Array<Acknowledged>>()
    for (const one of lines.flatMap((line) => ("written" in line ? line.written : []))) {
      if (forgotten.has(one.id)) continue
      const all = byAgent.get(one.agent)
      if (all === undefined) byAgent.set(one.agent, [one])
      else all.push(one)
    }
    const missing: Array<string> = []
    for (const [agent, all] of byAgent) {
      const memory = yield* daybook.agent(agent, { trust: "full" })
      for (let from = 0; from < all.length; from += page) {
        const asked = all.slice(from, from + page)
        const found = yield* memory.get(asked.map(({ id }) => id))
        const titles = new Map(found.map(({ id, title }) => [id, title]))
        missing.push(...asked.flatMap(({ id, title }) => (titles.get(id) === title ? [] : [`${agent} ${id}`])))
      }
    }
    const { problems } = yield* daybook.verify()
    return { problems: problems.map(({ what }) => what), missing }
  }).pipe(Effect.provide(Default.layer({ folder, policy })), Effect.runPromise)

import { cpSync } from "node:fs"
import * as Effect from "effect/Effect"
import { defaults } from "../src/ports/Policy.js"
import { makeMemories } from "./data.js"
import {
  formatNumber,
  type Group,
  maximumRatio,
  memoryOf,
  openDaybook,
  remove,
  temporaryFolder,
  waitForEmbeddings
} from "./harness.js"
import { measureInterleaved, medianCost } from "./measure.js"
import { worldOf } from "./world.js"

const size = 10_000
/** Number of memories in one run. They are searched or stored one by one. */
const each = 200

/**
 * Measures two things in one agent: a write that the rules reconcile, compared with a plain write plus a search by its
 * title, and a turn from which the rules capture such a write.
 */
export const reconcile: Group = {
  name: "reconcile",
  rows: async function* ({ quick }) {
    const world = await worldOf(size)
    const folder = temporaryFolder()
    cpSync(world.folder, folder, { recursive: true })
    const daybook = openDaybook(folder, {
      policy: { ...defaults, reconcile: { ...defaults.reconcile, reconciler: "rules" } }
    })
    await daybook.run(waitForEmbeddings([world.agent]))
    const memory = await daybook.run(memoryOf(world.agent))
    const runs = quick ? 2 : 5
    const fresh = makeMemories(size + 4 * each * (runs + 1)).slice(size)
    let captured = 0
    let next = 0
    const among = (work: (made: (typeof fresh)[number]) => Effect.Effect<unknown, unknown>) => () => {
      const some = fresh.slice(next, next + each)
      next += each
      return { work: () => daybook.run(Effect.forEach(some, work, { discard: true })) }
    }
    const costs = await measureInterleaved(
      {
        write: among((made) => memory.remember(made, { reconcile: false })),
        search: among(({ title }) => memory.search({ text: title })),
        weighed: among((made) => memory.remember(made)),
        capture: among(({ title }) =>
          Effect.map(memory.sessions.append({ session: "chat", text: `I always use ${title}.` }), (turn) => {
            captured += turn.captured.length
          })
        )
      },
      { runs }
    )
    const [write, search, weighed, capture] = [
      medianCost(costs.write),
      medianCost(costs.search),
      medianCost(costs.weighed),
      medianCost(costs.capture)
    ]
    if (captured < each) throw new Error(`Only ${captured} statements were captured.`)
    await daybook.close()
    remove(folder)
    yield {
      name: `remember, reconciled by the rules, among ${formatNumber(size)}`,
      daybook: `${formatNumber(weighed.cpu / each)} ms CPU`,
      floor: `write ${formatNumber(write.cpu / each)} ms, search ${formatNumber(search.cpu / each)} ms`,
      ...maximumRatio(weighed.cpu / (write.cpu + search.cpu), 1.3),
      figures: { adds: each, ...costs }
    }
    yield {
      name: `a turn from which the rules capture it, among ${formatNumber(size)}`,
      daybook: `${formatNumber(capture.cpu / each)} ms CPU`,
      floor: `weighed write ${formatNumber(weighed.cpu / each)} ms`,
      ...maximumRatio(capture.cpu / weighed.cpu, 2),
      figures: { turns: each, captured, ...costs }
    }
  }
}

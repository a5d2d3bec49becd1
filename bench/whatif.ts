import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/ports/Policy.js"
import { Reconciler, type ReconcilerService } from "../src/ports/Reconciler.js"
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
import { type Cost, measureInterleaved, medianCost, type Side } from "./measure.js"

/** The reconciliation threshold (share of common words). It is low, so that almost every memory is reconciled. */
const threshold = 0.1

/** Measures a what-if replay of a history under another policy, compared with the original writes. */
export const whatIf: Group = {
  name: "what-if",
  rows: async function* ({ quick }) {
    const memories = makeMemories(quick ? 500 : 2_000)
    const policy = { ...defaults, reconcile: { ...defaults.reconcile, reconciler: "rules", threshold } as const }
    const openOn = (folder: string) => openDaybook(folder, { policy, reconciler: Layer.succeed(Reconciler, cheap) })
    const write = Effect.flatMap(memoryOf("agent"), (memory) =>
      Effect.forEach(memories, (made) => memory.remember(made), { discard: true })
    )
    const history = temporaryFolder()
    const written = openOn(history)
    await written.run(Effect.zipRight(write, waitForEmbeddings(["agent"])))
    await written.close()

    const writes: Side = async () => {
      const folder = temporaryFolder()
      const daybook = openOn(folder)
      await daybook.run(Effect.flatMap(Daybook, ({ stats }) => stats("agent")))
      return {
        work: () => daybook.run(Effect.zipRight(write, waitForEmbeddings(["agent"]))),
        close: async () => {
          await daybook.close()
          remove(folder)
        }
      }
    }
    const replay = (newThreshold: number, differs: boolean): Side => {
      return () => {
        const daybook = openOn(history)
        const work = Effect.gen(function* () {
          const { counts } = yield* (yield* Daybook).whatIf("agent", {
            policy: { reconcile: { threshold: newThreshold } }
          })
          if (counts.different > 0 !== differs || counts.decided !== memories.length) {
            throw new Error(`Unexpected result: ${counts.different} of ${counts.decided} decisions differ.`)
          }
        })
        return { work: () => daybook.run(work), close: daybook.close }
      }
    }
    const costs = await measureInterleaved(
      { writes, same: replay(threshold, false), other: replay(0.2, true) },
      { runs: 3 }
    )
    const side = ({ cpu, wall }: Cost) =>
      `${formatNumber((cpu / memories.length) * 1_000)} µs CPU a decision, ${formatNumber(wall / 1_000)} s`
    const raw = medianCost(costs.writes)
    for (const [name, mine] of [
      [`what-if of ${formatNumber(memories.length)} reconciled writes, same policy`, costs.same],
      ["  the same, another threshold", costs.other]
    ] as const) {
      const cost = medianCost(mine)
      yield {
        name,
        daybook: side(cost),
        floor: `the writes: ${side(raw)}`,
        ...maximumRatio(cost.cpu / raw.cpu, 1.5),
        figures: { writes: memories.length, daybook: mine, live: costs.writes }
      }
    }
  }
}

/** A reconciler that decides by text lengths, at almost no cost. It accepts every verdict. */
const cheap: ReconcilerService = {
  name: "cheap",
  judge: ({ candidates, statement }) => {
    const number = statement.title.length + candidates[0]!.title.length
    const by = { kind: "rule", name: "cheap" } as const
    const reason = "by the lengths of titles"
    switch (number % 8) {
      case 0:
        return { verdict: { action: "UPDATE", target: 0, reason }, by, sure: true }
      case 1:
        return { verdict: { action: "DELETE", target: 0, reason }, by, sure: true }
      case 2:
        return { verdict: { action: "NONE", target: 0, reason }, by, sure: true }
      default:
        return { verdict: { action: "ADD", reason }, by, sure: true }
    }
  }
}

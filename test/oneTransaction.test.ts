import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Question, Reconciler } from "../src/ports/Reconciler.js"
import { fresh } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"

const agent = "coop"
/** So many that they are embedded in the transaction that stores them. */
const others = Array.from({ length: 60 }, (_, at) => ({
  title: `Penguin ${at} was fed herring number ${at * 7} by keeper ${at}`
}))

describe("a memory embedded in the transaction that stores it", () => {
  it.scopedLive("gets the store that later commands of the transaction give it", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      const { id } = yield* memory.remember({ title: "Minutes of the board", store: "shared" })
      const merger = {
        title: "The merger with Grisholm closes in June",
        store: "shared" as const,
        from: [{ kind: "memory" as const, id }]
      }
      // While the first is on its way the others gather.
      yield* Effect.all(
        [
          memory.remember({ title: "x" }),
          ...[merger, ...others].map((observation) => memory.remember(observation)),
          memory.update(id, { store: "private" })
        ],
        { concurrency: "unbounded" }
      )
      const found = yield* memory.search({ text: merger.title })
      expect(found[0]).toMatchObject({ title: merger.title, store: "private" })
      expect(found[0]!.parts.vector).toBeGreaterThan(0)
      for (const text of [merger.title, "which merger closes", "Grisholm"])
        expect(yield* inner.search({ text })).toEqual([])
      yield* daybook.rebuild(agent)
      expect(yield* inner.search({ text: merger.title })).toEqual([])
    })
  )

  it.scopedLive("is found by its final text, or not at all if it was retired", () =>
    Effect.gen(function* () {
      const questions: Array<Question> = []
      const reconciler = Layer.succeed(Reconciler, {
        name: "told",
        judge: (question) => {
          questions.push(question)
          const { candidates, statement } = question
          const target = candidates.findIndex(({ title }) => title.endsWith("5432"))
          const action = statement.tags[0] as "UPDATE" | "DELETE" | undefined
          return {
            verdict:
              action === undefined || target < 0
                ? { action: "ADD", reason: "told" }
                : { action: action.toUpperCase() as "UPDATE", target, reason: "told" },
            by: { kind: "rule", name: "told" },
            sure: true
          }
        }
      })
      const { daybook } = yield* fresh({ reconciler, policy: { reconcile: { threshold: 0.05 } } })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const alone = { reconcile: false }
      yield* memory.rememberAll([
        [{ title: "The staging database listens on port 5432" }, alone],
        [{ title: "The staging database listens on port 6543", tags: ["delete"] }, {}],
        [{ title: "Harbour gate of Emden 5432" }, alone],
        [{ title: "Harbour gate of Emden", facts: ["Lobsters and zebras dance there"], tags: ["update"] }, {}],
        ...others.map((one) => [one, alone] as const)
      ])
      yield* daybook.backfill(agent)
      const titles = (yield* memory.search({ text: "staging database port" })).map(({ title }) => title)
      expect(titles).toContain("The staging database listens on port 6543")
      expect(titles).not.toContain("The staging database listens on port 5432")
      const [gate] = yield* memory.search({ text: "Lobsters and zebras dance" })
      expect(gate).toMatchObject({ title: "Harbour gate of Emden 5432" })
      expect(gate!.parts.vector).toBeGreaterThan(0)
      yield* memory.remember({ title: "The staging database listens on port 7777" })
      expect(questions.at(-1)!.candidates.map(({ title }) => title)).not.toContain(
        "The staging database listens on port 5432"
      )
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )
})

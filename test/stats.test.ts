import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { dayMillis } from "../src/maintenance/stageRow.js"
import { fresh } from "./support/engine.js"

const start = Date.UTC(2026, 0, 5, 9)
const agent = "ada"

describe("stats", () => {
  it.scoped("count memories and outcomes, the same live, rebuilt and after an undo", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook } = yield* fresh({ policy: { actors: { idle: 1_000 * 365 * dayMillis } }, vectorExtension: null })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const nothing = yield* daybook.stats(agent)
      expect(nothing).toMatchObject({ archive: 0, maintenance: [], schedules: { byStatus: {}, nextRunAt: null } })
      expect(new Set(Object.values(nothing.changes))).toEqual(new Set([0]))

      const source = { kind: "auto" } as const
      const remember = (title: string, fields: object = {}) =>
        memory.remember({ title, ...fields }, { reconcile: false })
      yield* remember("a decision", { type: "decision", store: "shared" })
      const gone = yield* remember("forgotten")
      yield* memory.forget(gone.id)
      for (const title of ["one", "two", "three"]) yield* remember(title, { tier: "daily", type: "event", source })
      const old = yield* remember("old", { source })
      for (let at = 0; at < 2; at++) yield* remember(`old ${at}`, { source })
      yield* memory.schedules.add({ goal: "tea", every: dayMillis })
      const paused = yield* memory.schedules.add({ goal: "coffee", every: dayMillis })
      yield* memory.schedules.update(paused.id, { status: "paused" })

      yield* TestClock.setTime(start + 31 * dayMillis)
      const runs = yield* memory.maintenance.run()
      yield* memory.archive.restore(old.id)
      const stats = yield* daybook.stats(agent)
      expect(stats.memories).toMatchObject({
        created: 9,
        active: 3,
        inactive: 6,
        byStore: { private: 2, shared: 1 },
        byType: { decision: 1, event: 1, discovery: 1 },
        byTier: { core: 1, mid: 1, long: 1 }
      })
      // The decision became core; the day became a note, and what was left alone went.
      expect(stats.changes).toEqual({
        promoted: 1,
        demoted: 0,
        compressed: 3,
        shortened: 0,
        archived: 3,
        restored: 1,
        expired: 0,
        replaced: 0,
        deleted: 1,
        undone: 0
      })
      expect(stats.archive).toBe(2)
      expect(stats.schedules).toEqual({
        byStatus: { active: 1, paused: 1 },
        nextRunAt: start + dayMillis,
        runs: {}
      })
      expect(stats.maintenance).toMatchObject([
        { stage: "daily", runs: 1, lastStartedAt: start + 31 * dayMillis },
        { stage: "gc", runs: 1 },
        { stage: "weekly", runs: 1 }
      ])
      expect((yield* memory.maintenance.tiers()).all.memories).toBe(3)

      yield* daybook.rebuild(agent)
      expect((yield* daybook.stats(agent)).changes).toEqual(stats.changes)
      yield* memory.undo({ run: runs.find(({ stage }) => stage === "daily")!.run! })
      const { changes, memories } = yield* daybook.stats(agent)
      expect(memories.byTier).toMatchObject({ daily: 3 })
      expect(changes).toMatchObject({ compressed: 3, undone: 4 })
    })
  )
})

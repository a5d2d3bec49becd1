import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { afterImages, type DaybookEvent } from "../events/catalogue.js"
import type { Memory as Image } from "../events/Memory.js"
import type { Daybook } from "../src/Daybook.js"
import { type Question, Reconciler, type Verdict } from "../src/ports/Reconciler.js"
import { fresh } from "./support/engine.js"
import { play } from "./support/erasureLaw.js"
import { choices, selectionOf } from "./support/erasures.js"
import { histories } from "./support/histories.js"
import { lawRuns, rounds } from "./support/size.js"

type System = Context.Tag.Service<Daybook>

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")
const awake = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }

/** A reconciler that replaces the first memory with the same first word. */
const replacing = Layer.succeed(Reconciler, {
  name: "replacing",
  judge: ({ candidates, statement }: Question) => {
    const subject = statement.title.split(" ")[0]
    const target = candidates.findIndex(({ title }) => title.split(" ")[0] === subject)
    const verdict: Verdict =
      target < 0 ? { action: "ADD", reason: "told to" } : { action: "DELETE", target, reason: "told to" }
    return { verdict, by: { kind: "rule", name: "replacing" }, sure: true }
  }
})

const prepared = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { daybook } = yield* fresh({
    policy: { ...awake, reconcile: { threshold: 0.01, candidates: 100 } },
    reconciler: replacing
  })
  return { daybook, memory: yield* daybook.agent(agent, { trust: "full", record: false }) }
})

const eventsOf = (daybook: System) =>
  Effect.map(
    Stream.runCollect(daybook.log(agent)),
    (all) => Chunk.toReadonlyArray(all).filter(({ payload }) => payload !== null) as ReadonlyArray<DaybookEvent>
  )

/** The newest after-image of each memory, by id. */
const lastImages = (events: ReadonlyArray<DaybookEvent>): ReadonlyMap<string, Image> =>
  new Map(events.flatMap((event) => afterImages(event)).map((image) => [image.id, image]))

const expectSound = (daybook: System) =>
  Effect.gen(function* () {
    yield* daybook.backfill(agent)
    const { projections } = yield* daybook.digests(agent)
    yield* daybook.rebuild(agent)
    expect((yield* daybook.digests(agent)).projections).toEqual(projections)
    expect((yield* daybook.verify()).problems).toEqual([])
  })

describe("an erasure with revive", () => {
  it.scoped("makes the replaced memory active again, and without it leaves it retired", () =>
    Effect.gen(function* () {
      for (const isReviving of [false, true]) {
        const { daybook, memory } = yield* prepared
        const old = yield* memory.remember({ title: "quokka lives in Perth" })
        const next = yield* memory.remember({ title: "quokka lives in Hobart" })
        expect(next.outcome).toBe("replaced")
        const before = yield* memory.history(old.id)
        const selection = { agent, ids: [next.id] }
        const expected = { retired: isReviving ? [] : [old.id], revived: isReviving ? [old.id] : [] }
        const plan = yield* daybook.erase(selection, { dryRun: true, revive: isReviving })
        expect(plan.agents[0]).toMatchObject(expected)
        expect(yield* memory.get([old.id])).toEqual([])
        const { agents } = yield* daybook.erase(selection, { revive: isReviving })
        expect(agents[0]).toMatchObject(expected)
        expect(agents[0]!.run === undefined).toBe(!isReviving)
        expect((yield* memory.list()).map(({ id }) => id)).toEqual(isReviving ? [old.id] : [])
        // Earlier versions show it as it was then.
        const reader = yield* daybook.agent(agent, { trust: "full", asOf: { version: before.at(-1)!.version! } })
        expect(yield* reader.list()).toEqual([])
        yield* expectSound(daybook)
        if (!isReviving) continue
        expect((yield* memory.search({ text: "quokka" })).map(({ id }) => id)).toEqual([old.id])
        expect((yield* memory.history(old.id)).at(-1)).toMatchObject({ type: "UPDATE" })
        yield* memory.undo({ run: agents[0]!.run! })
        expect(yield* memory.list()).toEqual([])
        yield* expectSound(daybook)
      }
    })
  )

  it.scoped("revives only the last of a chain, and nothing that another memory replaced or that expired", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const first = yield* memory.remember({ title: "quokka lives in Perth" })
      const second = yield* memory.remember({ title: "quokka lives in Hobart" })
      const third = yield* memory.remember({ title: "quokka lives in Cairns" })
      const brief = yield* memory.remember({ title: "gulls sleep on one leg", expiresAt: start + 1_000 })
      const lasting = yield* memory.remember({ title: "gulls sleep on two legs" })
      yield* TestClock.adjust("1 minute")
      const { agents } = yield* daybook.erase({ agent, ids: [third.id, lasting.id] }, { revive: true })
      expect(agents[0]!.revived).toEqual([second.id])
      expect(agents[0]!.retired).toEqual([brief.id])
      expect((yield* memory.list()).map(({ id }) => id)).toEqual([second.id])
      const chain = yield* daybook.erase({ agent, ids: [second.id] }, { revive: true })
      expect(chain.agents[0]!.revived).toEqual([first.id])
    })
  )

  it.scoped.prop(
    "changes only what it revives, and undoing its run gives the state without it",
    [
      histories({
        agents: [agent],
        ...rounds({ quick: { minLength: 20, maxLength: 30 }, full: { minLength: 20, maxLength: 40 } })
      }),
      fc.array(choices, { minLength: 3, maxLength: 5 })
    ],
    ([steps, chosen]) =>
      Effect.gen(function* () {
        const { daybook, hasEvents } = yield* play(steps)
        if (!hasEvents) return
        const memory = yield* daybook.agent(agent, { trust: "full", record: false })
        for (const choice of chosen) {
          const before = yield* eventsOf(daybook)
          const selection = selectionOf(agent, choice, before)
          if (selection === undefined) continue
          const plan = yield* Effect.either(daybook.erase(selection, { dryRun: true, revive: true }))
          if (plan._tag === "Left") continue
          const version = before.at(-1)!.version
          const { agents } = yield* daybook.erase(selection, { revive: true })
          // Only a dry run lists the texts.
          const { items, run, ...erasure } = agents[0]!
          const { items: _, ...planned } = plan.right.agents[0]!
          expect(items).toEqual([])
          expect(erasure).toEqual(planned)
          const events = yield* eventsOf(daybook)
          const [then, now] = [lastImages(events.filter((event) => event.version <= version)), lastImages(events)]
          for (const [id, image] of now) {
            if (!erasure.revived.includes(id)) expect(image).toEqual(then.get(id))
            else {
              const { revision, status, updatedAt, ...rest } = image
              const { revision: was, status: _, updatedAt: __, ...former } = then.get(id)!
              expect([status, revision, rest]).toEqual(["active", was + 1, former])
            }
          }
          const past = yield* daybook.agent(agent, { trust: "full", asOf: { version } })
          expect(yield* past.get(erasure.revived)).toEqual([])
          yield* expectSound(daybook)
          if (run === undefined) continue
          expect((yield* memory.get(erasure.revived)).map(({ id }) => id).sort()).toEqual([...erasure.revived].sort())
          yield* memory.undo({ run })
          const undone = lastImages(yield* eventsOf(daybook))
          for (const id of erasure.revived) expect(undone.get(id)!.status).toBe(then.get(id)!.status)
          yield* expectSound(daybook)
        }
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 1, full: 30 }), endOnFailure: true } }
  )
})

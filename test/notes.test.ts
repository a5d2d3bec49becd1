import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { limits } from "../src/model/limits.js"
import { fresh } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")
const minute = 60_000

const prepared = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { daybook } = yield* fresh()
  return {
    daybook,
    full: yield* daybook.agent(agent, { trust: "full" }),
    inner: yield* daybook.agent(agent, { trust: "inner" }),
    familiar: yield* daybook.agent(agent, { trust: "familiar" })
  }
})

/** A text of many pieces, with one sentence far from the beginning. */
const longText = (sentence: string) =>
  [
    "Harbour handbook",
    ...Array.from(
      { length: 60 },
      (_, index) => `Paragraph ${index} tells of ropes, fenders and bollards of every size.`
    ),
    sentence,
    ...Array.from({ length: 60 }, (_, index) => `Appendix ${index} lists shackles and blocks by their numbers.`)
  ].join("\n")

describe("a note", () => {
  it.scoped("keeps its id and creation time when it is updated; the engine sets its times", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      const saved = yield* full.notes.save({
        content: "Tide tables\ncome from the pilots on Mondays",
        tags: [" Tides ", "harbour", "tides"],
        source: "memory_save",
        user: "mira"
      })
      expect(saved).toMatchObject({ outcome: "saved", store: "private", version: 1, repeated: false })
      const { id } = saved
      expect(id).toMatch(/^note-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      const first = {
        id,
        content: "Tide tables\ncome from the pilots on Mondays",
        tags: ["tides", "harbour"],
        source: "memory_save",
        namespace: "memory:mira",
        store: "private",
        level: "full",
        tokens: expect.any(Number),
        createdAt: start,
        updatedAt: start,
        schema: 1
      }
      expect(yield* full.notes.get(id)).toEqual(first)
      yield* TestClock.adjust(minute)
      expect(yield* full.notes.update(id, { content: "  On Tuesdays" })).toMatchObject({ outcome: "updated", id })
      expect(yield* full.notes.get(id)).toMatchObject({
        content: "  On Tuesdays",
        tags: ["tides", "harbour"],
        createdAt: start,
        updatedAt: start + minute
      })
      yield* full.notes.update(id, { tags: [] })
      expect(yield* full.notes.get(id)).toMatchObject({ content: "  On Tuesdays", tags: [] })
      expect((yield* full.history(id)).map(({ type }) => type)).toEqual(["ADD", "UPDATE", "UPDATE"])
      const then = yield* daybook.agent(agent, { trust: "full", asOf: { version: 1 } })
      expect(yield* then.notes.get(id)).toEqual(first)
      const refused = yield* Effect.flip(full.notes.save({ content: "x", createdAt: 0 } as never))
      expect(refused).toMatchObject({ _tag: "InvalidInput", field: "createdAt" })
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped(
    "is refused if it is empty or too long; one that is not there cannot be updated, and deletes as false",
    () =>
      Effect.gen(function* () {
        const { daybook, full } = yield* prepared
        for (const [content, problem] of [
          [" \n", /is empty/],
          ["x".repeat(limits.narrative + 1), /longer than 65536/],
          [5, /must be text/],
          ["\ud800", /surrogate/]
        ] as const) {
          const error = yield* Effect.flip(full.notes.save({ content } as never))
          expect(error.message).toMatch(problem)
        }
        const missing = "note-00000000-0000-4000-8000-000000000000"
        expect(yield* full.notes.get(missing)).toBeNull()
        expect(yield* full.notes.delete(missing)).toBe(false)
        expect(yield* Effect.flip(full.notes.update(missing, { content: "x" }))).toMatchObject({
          _tag: "MemoryNotFound"
        })
        expect(yield* daybook.agents).toEqual([])
        const { id } = yield* full.remember({ title: "No note" })
        expect(yield* full.notes.get(id)).toBeNull()
        expect(yield* full.notes.delete(id)).toBe(false)
        expect(yield* Effect.flip(full.notes.update(id, { content: "x" }))).toMatchObject({ _tag: "MemoryNotFound" })
        const note = yield* full.notes.save({ content: "x" })
        expect((yield* Effect.flip(full.notes.update(note.id, {})))._tag).toBe("InvalidInput")
        expect(yield* full.notes.delete(note.id)).toBe(true)
        expect(yield* full.notes.delete(note.id)).toBe(false)
        expect(yield* full.notes.list()).toEqual([])
      })
  )

  it.scoped("is found by a piece far from its beginning, by notes, by memories and by conversations", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      const content = longText("The zephyrine lantern hangs at pier nine.")
      const { id } = yield* full.notes.save({ content, tags: ["harbour"] })
      yield* full.notes.save({ content: "Tea is at five." })
      yield* daybook.backfill(agent)
      const [hit, ...others] = yield* full.notes.search({ text: "zephyrine lantern" })
      expect(others.filter((other) => other.id === id)).toEqual([])
      expect(hit).toMatchObject({ id, content, text: expect.stringContaining("zephyrine lantern hangs") })
      expect(hit!.text.length).toBeLessThan(700)
      expect((yield* full.search({ text: "zephyrine lantern" }))[0]).toMatchObject({ id, type: "note" })
      expect((yield* full.sessions.search({ text: "zephyrine lantern", kinds: ["note"] }))[0]).toMatchObject({
        kind: "note",
        id
      })
      yield* full.notes.update(id, { content: longText("The lantern was sold.") })
      const found = yield* full.notes.search({ text: "zephyrine" })
      expect(found.map(({ text }) => text).join("\n")).not.toContain("zephyrine")
      yield* daybook.backfill(agent)
      yield* expectSameAfterRebuild(daybook, agent)
      yield* full.notes.delete(id)
      expect((yield* full.sessions.search({ text: "lantern" })).map((other) => other.id)).not.toContain(id)
      yield* full.undo({ event: (yield* daybook.stats(agent)).version })
      expect((yield* full.notes.search({ text: "lantern sold" }))[0]).toMatchObject({ id })
      yield* daybook.backfill(agent)
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("is selected by each of its tags, by one of several, and by its user", () =>
    Effect.gen(function* () {
      const { full } = yield* prepared
      const ids = new Map<string, string>()
      for (const [content, tags, user] of [
        ["tea with milk", ["tea", "milk"], "mira"],
        ["tea with lemon", ["tea", "lemon"], "tom"],
        ["milk alone", ["milk"], undefined]
      ] as const) {
        ids.set((yield* full.notes.save({ content, tags, user })).id, content)
      }
      yield* full.remember({ title: "tea with milk and honey", tags: ["tea", "milk"] })
      yield* full.sessions.append({ session: "memory:mira", text: "tea with milk" })
      const named = (notes: ReadonlyArray<{ readonly id: string }>) => notes.map(({ id }) => ids.get(id)).sort()
      for (const [filter, wanted] of [
        [{}, ["milk alone", "tea with lemon", "tea with milk"]],
        [{ tags: ["tea"] }, ["tea with lemon", "tea with milk"]],
        [{ tags: ["Milk", "tea"] }, ["tea with milk"]],
        [{ anyTags: ["lemon", "milk"] }, ["milk alone", "tea with lemon", "tea with milk"]],
        [{ tags: ["tea"], anyTags: ["lemon", "honey"] }, ["tea with lemon"]],
        [{ user: "mira" }, ["tea with milk"]],
        [{ user: "mira", tags: ["lemon"] }, []],
        [{ user: "nobody" }, []]
      ] as const) {
        expect(named(yield* full.notes.list(filter))).toEqual(wanted)
        expect(named(yield* full.notes.search(filter))).toEqual(wanted)
        const found = named(yield* full.notes.search({ ...filter, text: "tea milk" }))
        expect(found).toEqual(wanted)
      }
      expect(yield* full.notes.list({ limit: 1, offset: 1 })).toHaveLength(1)
      expect(yield* full.sessions.summaries()).toEqual([])
    })
  )

  it.scoped("stays as it is: no repeat, no maintenance and no later statement changes it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook } = yield* fresh()
      const full = yield* daybook.agent(agent, { trust: "full" })
      const content = longText("Tea is at five.")
      const ids = [
        (yield* full.notes.save({ content })).id,
        (yield* full.notes.save({ content })).id,
        (yield* full.notes.save({ content: "Tea is at five." })).id
      ]
      expect(new Set(ids).size).toBe(3)
      expect(yield* full.remember({ title: "Tea is at five." })).toMatchObject({ outcome: "added" })
      const before = yield* full.notes.list()
      for (let year = 0; year < 3; year++) {
        yield* TestClock.adjust("300 days")
        yield* full.remember({ title: `The year ${year} began` })
        yield* full.maintenance.run()
      }
      expect(yield* full.notes.list()).toEqual(before)
    })
  )

  it.scoped("lies in a store; a credential makes it private, and no level changes what a higher one wrote", () =>
    Effect.gen(function* () {
      const { familiar, full, inner } = yield* prepared
      const shared = yield* full.notes.save({ content: "ours", store: "shared" })
      const social = yield* full.notes.save({ content: "everybody's", store: "social" })
      expect(yield* familiar.notes.get(shared.id)).toBeNull()
      expect(yield* inner.notes.get(shared.id)).toMatchObject({ content: "ours" })
      expect(yield* familiar.notes.list()).toMatchObject([{ id: social.id }])
      expect(yield* familiar.notes.delete(shared.id)).toBe(false)
      expect(yield* Effect.flip(familiar.notes.delete(social.id))).toMatchObject({ _tag: "LevelTooLow" })
      expect(yield* Effect.flip(familiar.notes.update(social.id, { content: "mine" }))).toMatchObject({
        _tag: "LevelTooLow"
      })
      const secret = ["The key is ghp_", "Fake0123456789Fake0123456789FakeAbCd"].join("")
      expect(yield* full.notes.save({ content: secret, store: "social" })).toMatchObject({
        confined: true,
        store: "private"
      })
      expect(yield* Effect.flip(inner.notes.save({ content: secret }))).toMatchObject({ _tag: "CredentialForbidden" })
      expect(yield* inner.notes.save({ content: "x" }, { commandId: "once" })).not.toHaveProperty("version")
      const again = yield* inner.notes.save({ content: "x" }, { commandId: "once" })
      expect(again).toMatchObject({ repeated: true })
      expect(yield* inner.notes.list()).toHaveLength(3)
    })
  )

  it.scoped("keeps its id in what-if, whatever the policy", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      yield* full.notes.save({ content: "Tea is at five." })
      yield* full.notes.save({ content: "Tea is at five." })
      const report = yield* daybook.whatIf(agent, { policy: { reconcile: { reconciler: "rules" } } } as never)
      expect(report).toMatchObject({ decisions: [] })
    })
  )
})

describe("a scratchpad", () => {
  it.scoped("is found by conversation search until it is replaced, cleared or forgotten", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      const kinds = Effect.map(full.sessions.search({ text: "zephyrine" }), (hits) =>
        hits.filter(({ text }) => text.includes("zephyrine")).map(({ kind, session }) => [kind, session])
      )
      yield* full.scratchpad.write("monday", ["find the zephyrine lantern", "tea"])
      yield* daybook.backfill(agent)
      expect(yield* kinds).toEqual([["scratchpad", "monday"]])
      yield* full.scratchpad.write("monday", ["tea"])
      expect(yield* kinds).toEqual([])
      yield* full.scratchpad.write("monday", ["zephyrine"])
      yield* full.scratchpad.clear("monday")
      expect(yield* kinds).toEqual([])
      yield* full.scratchpad.write("monday", ["zephyrine"])
      yield* daybook.backfill(agent)
      expect(yield* full.sessions.forget("monday")).toMatchObject({ turns: 0, scratchpads: 1 })
      expect(yield* kinds).toEqual([])
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )
})

import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { limits } from "../src/model/limits.js"
import { fresh } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")

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

describe("a scratchpad", () => {
  it.scoped("is replaced as a whole by each write, and can be read as of each version", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      expect(yield* full.scratchpad.read("monday")).toBeNull()
      expect(yield* full.scratchpad.clear("monday")).toBe(false)
      const first = yield* full.scratchpad.write("monday", ["goal: tea", "next: kettle"])
      expect(first).toEqual({
        outcome: "written",
        session: "monday",
        store: "private",
        items: 2,
        version: 1,
        repeated: false
      })
      yield* full.scratchpad.write("monday", ["goal: tea"])
      expect(yield* full.scratchpad.write("monday", ["goal: tea"])).toMatchObject({ outcome: "unchanged" })
      expect(yield* full.scratchpad.read("monday")).toEqual({
        session: "monday",
        store: "private",
        level: "full",
        items: ["goal: tea"],
        writtenAt: start,
        version: 2
      })
      expect(yield* full.scratchpad.read("friday")).toBeNull()
      expect(yield* full.scratchpad.clear("monday")).toBe(true)
      expect(yield* full.scratchpad.clear("monday")).toBe(false)
      expect(yield* full.scratchpad.read("monday")).toBeNull()
      const items = (entries: ReadonlyArray<{ readonly items: ReadonlyArray<string> | null }>) =>
        entries.map((entry) => entry.items)
      expect(items(yield* full.scratchpad.history("monday"))).toEqual([
        null,
        ["goal: tea"],
        ["goal: tea", "next: kettle"]
      ])
      for (const [version, wanted] of [
        [0, []],
        [1, [["goal: tea", "next: kettle"]]],
        [2, [["goal: tea"], ["goal: tea", "next: kettle"]]]
      ] as const) {
        const then = yield* daybook.agent(agent, { trust: "full", asOf: { version } })
        expect((yield* then.scratchpad.read("monday"))?.items ?? null).toEqual(wanted[0] ?? null)
        expect(items(yield* then.scratchpad.history("monday"))).toEqual(wanted)
      }
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("has 1 to 32 items of 1 to 240 characters; others are refused and nothing is written", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      const wrong: ReadonlyArray<readonly [items: unknown, field: string, problem: RegExp]> = [
        [[], "items", /is empty: to remove all items, clear the scratchpad/],
        [["x".repeat(limits.scratchpadItem + 1)], "items.0", /longer than 240/],
        [Array(limits.scratchpadItems + 1).fill("x"), "items", /more than 32 entries/],
        [["tea", " "], "items.1", /is empty/],
        [["tea", 5], "items.1", /must be text/],
        ["tea", "items", /must be a list/],
        [["\ud800"], "items.0", /lone surrogate/]
      ]
      for (const [items, field, problem] of wrong) {
        const error = yield* Effect.flip(full.scratchpad.write("monday", items as never))
        expect(error).toMatchObject({ _tag: "InvalidInput", field, problem: expect.stringMatching(problem) })
      }
      expect(yield* Effect.flip(full.scratchpad.read(""))).toMatchObject({ field: "session" })
      expect(yield* Effect.flip(full.scratchpad.read("m", { store: "open" as never }))).toMatchObject({
        field: "store"
      })
      expect(yield* daybook.agents).toEqual([])
      const most = Array<string>(limits.scratchpadItems).fill("x".repeat(limits.scratchpadItem))
      expect(yield* full.scratchpad.write("monday", most)).toMatchObject({ items: 32 })
    })
  )

  it.scoped("answers a repeated command id with the first answer", () =>
    Effect.gen(function* () {
      const { full } = yield* prepared
      const once = { commandId: "once" }
      const first = yield* full.scratchpad.write("monday", ["tea"], once)
      expect(yield* full.scratchpad.write("monday", ["tea"], once)).toEqual({ ...first, repeated: true })
      const other = yield* Effect.flip(full.scratchpad.write("monday", ["coffee"], once))
      expect(other._tag).toBe("CommandConflict")
      expect(yield* full.scratchpad.clear("friday", { commandId: "clear" })).toBe(false)
      yield* full.scratchpad.write("friday", ["tea"])
      expect(yield* full.scratchpad.clear("friday", { commandId: "clear" })).toBe(false)
      expect((yield* full.scratchpad.read("friday"))?.items).toEqual(["tea"])
    })
  )

  it.scoped("is undone one state at a time; a state that was replaced since needs force", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      yield* full.scratchpad.write("monday", ["one"])
      yield* full.scratchpad.write("monday", ["two"], { run: "work" })
      yield* full.scratchpad.clear("monday")
      const read = Effect.map(full.scratchpad.read("monday"), (state) => state?.items ?? null)
      const back = yield* full.undo({ event: 3 })
      expect(back.undone).toMatchObject([
        { version: 3, type: "SCRATCHPAD", memory: "monday", title: "scratchpad of session monday", what: "restored" }
      ])
      expect(yield* read).toEqual(["two"])
      yield* full.undo({ run: "work" })
      expect(yield* read).toEqual(["one"])
      yield* full.undo({ run: back.run! })
      yield* full.scratchpad.write("monday", ["three"])
      const held = yield* full.undo({ event: 1 })
      expect(held).toMatchObject({ undone: [], conflicts: [{ memory: "monday", fields: ["scratchpad"] }] })
      expect(yield* read).toEqual(["three"])
      yield* full.undo({ event: 1 }, { force: true })
      expect(yield* read).toBeNull()
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("is forgotten with its session, also where nothing else is left, and no undo restores it", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      yield* full.scratchpad.write("monday", ["one"])
      yield* full.scratchpad.write("monday", ["two"])
      expect(yield* full.sessions.forget("monday")).toMatchObject({ outcome: "forgotten", turns: 0 })
      expect(yield* full.scratchpad.read("monday")).toBeNull()
      expect(yield* full.scratchpad.history("monday")).toEqual([])
      expect(yield* Effect.flip(full.sessions.forget("monday"))).toMatchObject({ _tag: "SessionNotFound" })
      yield* full.undo({ event: 2 }, { force: true })
      expect(yield* full.scratchpad.read("monday")).toBeNull()
      yield* full.sessions.append({ session: "friday", text: "tea" })
      yield* full.scratchpad.write("friday", ["pour"])
      yield* full.sessions.forget("friday")
      expect(yield* full.scratchpad.read("friday")).toBeNull()
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("belongs to a store, and no level changes what a higher one wrote", () =>
    Effect.gen(function* () {
      const { daybook, familiar, full, inner } = yield* prepared
      yield* full.scratchpad.write("monday", ["secret"])
      yield* full.scratchpad.write("monday", ["open"], { store: "social" })
      yield* inner.scratchpad.write("monday", ["ours"])
      const items = (memory: typeof full, store?: "private" | "shared" | "social") =>
        Effect.map(memory.scratchpad.read("monday", { store }), (state) => state?.items ?? null)
      expect(yield* items(full)).toEqual(["secret"])
      expect(yield* items(full, "shared")).toEqual(["ours"])
      expect(yield* items(inner)).toEqual(["ours"])
      expect(yield* items(inner, "private")).toBeNull()
      expect(yield* items(familiar)).toEqual(["open"])
      for (const change of [
        familiar.scratchpad.write("monday", ["mine"]),
        familiar.scratchpad.clear("monday"),
        familiar.sessions.forget("monday")
      ]) {
        expect(yield* Effect.flip<unknown, unknown, never>(change)).toMatchObject({
          _tag: "LevelTooLow",
          level: "familiar",
          writer: "full"
        })
      }
      expect(yield* Effect.flip(inner.scratchpad.write("monday", ["x"], { store: "private" }))).toMatchObject({
        _tag: "StoreForbidden"
      })
      expect(yield* inner.scratchpad.read("monday")).not.toHaveProperty("version")
      const nobody = yield* daybook.agent(agent, { trust: "public" })
      expect(yield* nobody.scratchpad.read("monday")).toBeNull()
      // Once it is cleared, there is no text to protect.
      yield* full.scratchpad.clear("monday", { store: "social" })
      yield* familiar.scratchpad.write("monday", ["mine"])
      expect(yield* full.scratchpad.read("monday", { store: "social" })).toMatchObject({ level: "familiar" })
    })
  )
})

import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { isSame } from "../src/whatIf/WhatIf.js"
import { disputingLayer } from "./support/disputes.js"
import { fresh } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"

const agent = "coop"
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

describe("facts about a person", () => {
  it.scoped("are set and removed by name, and people, search and the past show them", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      yield* full.remember({ title: "Ada Lovelace prefers oolong", type: "person", people: ["Ada Lovelace"] })
      const created = yield* full.updatePerson("Ada Lovelace", { birthday: "1990-12-10", relationship: "colleague" })
      expect(created).toEqual({
        ...{ outcome: "created", id: expect.stringMatching(/^person-/), store: "private", version: 2, repeated: false },
        card: { birthday: "1990-12-10", relationship: "colleague" }
      })
      const { id } = created
      const updated = yield* full.updatePerson("ada  LOVELACE", { relationship: "friend", "favourite tea": "oolong" })
      expect(updated).toMatchObject({ outcome: "updated", id, version: 3 })
      const removed = yield* full.updatePerson("Ada Lovelace", { birthday: null })
      expect(removed.card).toEqual({ relationship: "friend", "favourite tea": "oolong" })
      expect(yield* full.updatePerson("Ada Lovelace", { birthday: null, relationship: "friend" })).toMatchObject({
        outcome: "unchanged",
        version: 4
      })
      expect(yield* full.people({ name: "ada" })).toEqual([
        {
          name: "Ada Lovelace",
          stores: ["private"],
          facts: ["Ada Lovelace prefers oolong", "relationship: friend", "favourite tea: oolong"],
          card: removed.card,
          cards: [{ id, store: "private", facts: removed.card }],
          mentions: 2,
          lastMentionedAt: start
        }
      ])
      expect(yield* full.search({ text: "who is a friend of mine" })).toMatchObject([{ id, title: "Ada Lovelace" }])
      const past = yield* daybook.agent(agent, { trust: "full", asOf: { version: 2 } })
      expect((yield* past.people())[0]?.card).toEqual(created.card)
      expect((yield* full.history(id)).map(({ version }) => version)).toEqual([2, 3, 4])
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("go with the last one, and can be set again", () =>
    Effect.gen(function* () {
      const { full } = yield* prepared
      const { id } = yield* full.updatePerson("Ada", { birthday: "02-29" })
      expect(yield* full.updatePerson("Ada", { birthday: null })).toMatchObject({ outcome: "removed", id, card: {} })
      expect(yield* full.people()).toEqual([])
      const error = yield* Effect.flip(full.updatePerson("Ada", { birthday: null }))
      expect(error.message).toBe("facts: has nothing to remove: the store `private` has no facts about this person")
      const again = yield* full.updatePerson("Ada", { birthday: "02-29" })
      expect(again.outcome).toBe("created")
      expect(again.id).not.toBe(id)
    })
  )

  it.scoped("are undone one by one, and a later value wins over a restored one", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      const card = Effect.map(full.people(), ([ada]) => ada?.card)
      yield* full.updatePerson("Ada", { birthday: "1990-12-10", relationship: "colleague" })
      yield* full.updatePerson("Ada", { birthday: "1991-12-10" })
      yield* full.updatePerson("Ada", { relationship: "friend" })
      yield* full.undo({ event: 2 })
      expect(yield* card).toEqual({ birthday: "1990-12-10", relationship: "friend" })
      yield* full.updatePerson("Ada", { birthday: "1992-12-10" })
      yield* full.updatePerson("Ada", { birthday: "1993-12-10" })
      // The value that event 5 set is gone.
      expect(yield* full.undo({ event: 5 })).toMatchObject({ undone: [], conflicts: [] })
      expect(yield* card).toEqual({ birthday: "1993-12-10", relationship: "friend" })
      yield* full.updatePerson("Ada", { birthday: "1994-12-10" })
      expect((yield* full.people())[0]?.facts).toEqual(["relationship: friend", "birthday: 1994-12-10"])
      yield* full.undo({ event: 1 }, { force: true })
      expect(yield* full.people()).toEqual([])
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("are kept by store, and a level neither reads nor changes those above it", () =>
    Effect.gen(function* () {
      const { familiar, full, inner } = yield* prepared
      yield* full.updatePerson("Ada", { birthday: "12-10", nickname: "the Countess" })
      yield* full.updatePerson("Ada", { nickname: "Countess" }, { store: "shared" })
      const social = yield* familiar.updatePerson("Ada", { nickname: "Ms Lovelace", city: "London" })
      expect(social).toMatchObject({ outcome: "created", store: "social" })
      expect(social).not.toHaveProperty("version")
      expect((yield* full.people())[0]?.card).toEqual({ birthday: "12-10", nickname: "the Countess", city: "London" })
      expect((yield* inner.people())[0]?.card).toEqual({ nickname: "Countess", city: "London" })
      expect((yield* familiar.people())[0]?.card).toEqual({ nickname: "Ms Lovelace", city: "London" })
      expect(yield* Effect.flip(inner.updatePerson("Ada", { nickname: "A" }))).toMatchObject({ _tag: "LevelTooLow" })
      expect(yield* Effect.flip(inner.updatePerson("Ada", { nickname: null }))).toMatchObject({ _tag: "LevelTooLow" })
      expect(yield* full.updatePerson("Ada", { city: "Paris" }, { store: "social" })).toMatchObject({
        outcome: "updated",
        id: social.id
      })
    })
  )

  it.scoped("are refused where the input is wrong, with the field and the remedy, and nothing is written", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      const name = /is not allowed: use lower-case words/
      const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`fact ${index}`, "x"]))
      const wrong: ReadonlyArray<readonly [person: unknown, facts: unknown, field: string, problem: RegExp]> = [
        ["", { city: "x" }, "name", /is empty/],
        [7, { city: "x" }, "name", /must be text/],
        ["Ada", {}, "facts", /must have at least one fact/],
        ["Ada", ["x"], "facts", /must be an object/],
        ["Ada", null, "facts", /must be an object/],
        ["Ada", many, "facts", /has more than 64 facts/],
        ["Ada", { City: "x" }, "facts", name],
        ["Ada", { "a: b": "x" }, "facts", name],
        ["Ada", { "city ": "x" }, "facts", name],
        ["Ada", { ["x".repeat(65)]: "x" }, "facts", name],
        ["Ada", { city: "" }, "city", /is empty/],
        ["Ada", { city: 7 }, "city", /must be text/],
        ["Ada", { city: "x".repeat(501) }, "city", /is longer than 500 characters/],
        ["Ada", { birthday: "1990-02-30" }, "birthday", /is not a day: use 1990-12-10/],
        ["Ada", { birthday: "10 December" }, "birthday", /is not a day/],
        ["Ada", { wifi: "password: hunter2-Xy9" }, "wifi", /contains a credential: store it with `remember`/]
      ]
      for (const [person, facts, field, problem] of wrong) {
        const error = yield* Effect.flip(full.updatePerson(person as never, facts as never))
        expect(error).toMatchObject({ _tag: "InvalidInput", field, problem: expect.stringMatching(problem) })
      }
      expect(yield* daybook.agents).toEqual([])
      const half = (from: number) =>
        Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`fact ${from + index}`, "x"]))
      yield* full.updatePerson("Ada", half(0))
      expect(yield* Effect.flip(full.updatePerson("Ada", half(40)))).toMatchObject({ field: "facts" })
    })
  )

  it.scoped("are on one card for each store, and the strictest one counts", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      const open = yield* full.updatePerson("Ada", { city: "London", team: "engines" }, { store: "shared" })
      const strict = yield* full.updatePerson("Ada", { city: "Paris" }, { store: "private" })
      const cards = [
        { id: open.id, store: "shared", facts: { city: "London", team: "engines" } },
        { id: strict.id, store: "private", facts: { city: "Paris" } }
      ]
      expect((yield* full.people())[0]).toMatchObject({ card: { city: "Paris", team: "engines" }, cards })
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      expect((yield* inner.people())[0]).toMatchObject({ card: { city: "London", team: "engines" }, cards: [cards[0]] })
    })
  )

  it.scoped("answer a repeated command id with the first answer", () =>
    Effect.gen(function* () {
      const { full } = yield* prepared
      const once = { commandId: "once" }
      const first = yield* full.updatePerson("Ada", { city: "London" }, once)
      yield* full.updatePerson("Ada", { city: "Paris" })
      expect(yield* full.updatePerson("Ada", { city: "London" }, once)).toEqual({ ...first, repeated: true })
      const other = yield* Effect.flip(full.updatePerson("Ada", { city: "Rome" }, once))
      expect(other._tag).toBe("CommandConflict")
      expect((yield* full.people())[0]?.card).toEqual({ city: "Paris" })
    })
  )

  it.scoped("go with an erasure of the person, and leave those about others", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      yield* full.updatePerson("Ada Lovelace", { city: "London" })
      yield* full.updatePerson("Ada Lovelace", { city: "Paris" })
      yield* full.updatePerson("Grace Hopper", { city: "Arlington" })
      yield* daybook.erase({ person: "Ada Lovelace" }, { reason: "request", actor: "operator" })
      expect(yield* full.people()).toMatchObject([{ name: "Grace Hopper", card: { city: "Arlington" } }])
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("are no side of a later statement, which neither merges with them nor retires them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook } = yield* fresh({ reconciler: disputingLayer })
      const full = yield* daybook.agent(agent, { trust: "full" })
      const { id } = yield* full.updatePerson("Ada", { city: "0.99" })
      const said = yield* full.remember({ title: "Ada is in Paris", people: ["Ada"], facts: ["0.99"] })
      expect(said).toMatchObject({ outcome: "added" })
      expect(said).not.toHaveProperty("disputes")
      const repeated = yield* full.remember({ title: "Ada", facts: ["city: 0.99"] })
      expect(repeated).toMatchObject({ outcome: "added" })
      expect(repeated.id).not.toBe(id)
      yield* TestClock.adjust("300 days")
      yield* full.maintenance.run()
      expect((yield* full.people({ name: "ada" }))[0]).toMatchObject({ cards: [{ id }] })
      expect(yield* full.history(id)).toHaveLength(1)
    })
  )

  it.scoped("are the same when the past is decided again", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      yield* full.remember({ title: "Ada Lovelace prefers oolong", people: ["Ada Lovelace"] })
      yield* full.updatePerson("Ada Lovelace", { city: "London" })
      yield* full.updatePerson("Ada Lovelace", { city: "Paris" })
      expect(isSame(yield* daybook.whatIf(agent, {}))).toBe(true)
    })
  )
})

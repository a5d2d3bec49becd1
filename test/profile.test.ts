import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { answerOf, build, daybookIn, newFolder, removeFolders } from "./support/cli.js"
import { fresh } from "./support/engine.js"

describe("the profile", () => {
  it.scoped("has core memories, identities, preferences and decisions, within its budget and the level's stores", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh({ vectorExtension: null, policy: { reconcile: { reconciler: "none" } } })
      const memory = yield* daybook.agent("ada", { trust: "full", record: false })
      yield* memory.remember({ title: "Mira is a pilot", type: "identity", store: "social" })
      yield* memory.remember({ title: "Tea at four", type: "preference", importance: 0.9, store: "shared" })
      const old = yield* memory.remember({
        title: "Deploys on Tuesdays",
        type: "decision",
        importance: 1,
        store: "shared"
      })
      yield* memory.remember({
        title: "Speak plainly",
        tier: "core",
        type: "technical",
        facts: ["no jargon"],
        store: "private"
      })
      yield* memory.remember({ title: "The crane is broken", type: "event", importance: 1, store: "shared" })
      const titles = (profile: { readonly entries: ReadonlyArray<{ readonly title: string }> }) =>
        profile.entries.map(({ title }) => title)
      const whole = yield* memory.profile()
      expect(titles(whole)).toEqual(["Speak plainly", "Deploys on Tuesdays", "Tea at four", "Mira is a pilot"])
      expect(whole.text.split("\n")[0]).toBe("- Speak plainly; no jargon")
      const small = yield* memory.profile({ tokens: 11 })
      expect(small.tokens).toBeLessThanOrEqual(11)
      expect(small).toMatchObject({ left: 2 })
      const inner = yield* daybook.agent("ada", { trust: "inner" })
      expect(titles(yield* inner.profile())).toEqual(["Deploys on Tuesdays", "Tea at four", "Mira is a pilot"])
      expect(titles(yield* (yield* daybook.agent("ada", { trust: "familiar" })).profile())).toEqual(["Mira is a pilot"])
      // What is no longer true is not in it, and is as of before.
      const version = (yield* daybook.stats("ada")).version
      yield* memory.forget(old.id)
      expect(titles(yield* memory.profile())).not.toContain("Deploys on Tuesdays")
      const then = yield* daybook.agent("ada", { trust: "full", asOf: { version } })
      expect(yield* then.profile()).toEqual(whole)
      expect(yield* Effect.flip(memory.profile({ tokens: 0 }))).toMatchObject({ _tag: "InvalidInput", field: "tokens" })
    })
  )

  it.scoped("names people after everything else, if all of that has room", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh({ vectorExtension: null })
      const memory = yield* daybook.agent("ada", { trust: "full", record: false })
      yield* memory.remember({ title: "Lena keeps bees in Graz", type: "person", importance: 1, store: "private" })
      yield* memory.remember({ title: "Tomas reads tide tables aloud", type: "person", store: "shared" })
      yield* memory.remember({ title: "Mira is a pilot", type: "identity", store: "shared" })
      const titles = ({ entries }: { readonly entries: ReadonlyArray<{ readonly title: string }> }) =>
        entries.map(({ title }) => title)
      const whole = yield* memory.profile()
      expect(titles(whole)).toEqual(["Mira is a pilot", "Lena keeps bees in Graz", "Tomas reads tide tables aloud"])
      expect(whole.left).toBe(0)
      const inner = yield* daybook.agent("ada", { trust: "inner" })
      expect(titles(yield* inner.profile())).toEqual(["Mira is a pilot", "Tomas reads tide tables aloud"])
      // What people cost does not displace the facts of the others, nor does a person who repeats a core memory.
      yield* memory.remember({ title: "Tea at four", type: "preference", facts: ["with oat milk"], store: "shared" })
      const narrow = yield* memory.profile({ tokens: whole.tokens })
      expect(narrow.text).toContain("with oat milk")
      expect(narrow.entries.filter(({ type }) => type === "person").length).toBeLessThan(2)
      yield* memory.remember({ title: "Lena's hives stand in Graz", tier: "core", type: "technical", store: "shared" })
      yield* memory.remember({ title: "The hives of Lena stand in Graz", type: "person", store: "social" })
      expect(titles(yield* memory.profile())[0]).toBe("Lena's hives stand in Graz")
      // A second identity does not fit: people are not read at all.
      yield* memory.remember({ title: "Mira speaks Portuguese and Dutch", type: "identity", store: "shared" })
      const small = yield* memory.profile({ tokens: 12 })
      expect(small.entries.some(({ type }) => type === "person")).toBe(false)
      expect(small.left).toBeGreaterThan(0)
    })
  )

  it.scoped("has other memories that were mentioned three times, among identities that were mentioned once", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh({ vectorExtension: null })
      const memory = yield* daybook.agent("ada", { trust: "full", record: false })
      const say = (title: string, type: string, times: number, store: "private" | "shared" = "shared") =>
        Effect.repeatN(memory.remember({ title, type, store }), times - 1)
      yield* say("The database of Tern is Postgres", "state", 4)
      yield* say("The crane stands at pier 3", "state", 2)
      yield* say("Buy rope", "task", 4)
      yield* say("The door code is hidden", "configuration", 3, "private")
      yield* say("Mira is a pilot", "identity", 1)
      const titles = (query: object = {}) =>
        Effect.map(memory.profile(query), ({ entries }) => entries.map(({ title }) => title))
      yield* say("Mira lives in Oslo", "identity", 2)
      expect(yield* titles()).toEqual([
        "Mira lives in Oslo",
        "The database of Tern is Postgres",
        "The door code is hidden",
        "Mira is a pilot"
      ])
      const inner = yield* daybook.agent("ada", { trust: "inner" })
      expect((yield* inner.profile()).entries.map(({ title }) => title)).toEqual([
        "Mira lives in Oslo",
        "The database of Tern is Postgres",
        "Mira is a pilot"
      ])
      // An identity that was mentioned twice takes the room.
      yield* say("Mira has a brother in Ghent and a sister in Turin", "identity", 2)
      expect(yield* titles({ tokens: 22 })).toEqual([
        "Mira has a brother in Ghent and a sister in Turin",
        "Mira lives in Oslo"
      ])
    })
  )

  it.scoped("has a memory that was mentioned three times, also beside hundreds with a higher score", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh({ vectorExtension: null, policy: { reconcile: { reconciler: "none" } } })
      const memory = yield* daybook.agent("ada", { trust: "full", record: false })
      const often = { title: "The database of Tern is Postgres", type: "state", importance: 0.1 }
      yield* Effect.repeatN(memory.remember(often), 2)
      yield* memory.rememberAll(
        Array.from({ length: 501 }, (_, index) => ({
          title: `Crane ${index} is new`,
          type: "discovery",
          importance: 1
        }))
      )
      expect((yield* memory.profile()).text).toBe("- The database of Tern is Postgres")
    })
  )

  it("is printed on the command line, as are maintenance runs and the archive", async () => {
    build()
    const daybook = daybookIn(newFolder())
    await daybook("remember", "Mira is a pilot", "--type", "identity")
    expect(await daybook("profile")).toMatchObject({ stdout: "- Mira is a pilot\n", stderr: "1 memory, 5 tokens\n" })
    expect(
      answerOf(await daybook("maintain", "--dry-run", "--json")).map(({ stage }: { stage: string }) => stage)
    ).toEqual(["settle", "tools", "daily", "weekly", "compress", "gc", "retention", "archive", "cleanup", "sessions"])
    expect((await daybook("maintain", "--dry-run")).stdout).toMatch(/^weekly +UPDATE +\S+ +core .* Mira is a pilot$/m)
    expect((await daybook("gc")).stdout).toMatch(/^gc .* nothing to do$/m)
    expect(answerOf(await daybook("maintain", "--history", "--json"))).toEqual([])
    expect(answerOf(await daybook("archive", "list", "--json"))).toEqual([])
    expect(await daybook("archive", "shred")).toMatchObject({ code: 2 })
    expect(await daybook("archive", "restore", "0000000000")).toMatchObject({
      code: 1,
      stderr: "daybook: memory 0000000000 not found: check the id and the trust level\n"
    })
    expect(await daybook("maintain", "--trust", "inner")).toMatchObject({ code: 1 })
    removeFolders()
  })
})

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { TrustLevel } from "../events/Trust.js"
import { limits } from "../src/model/limits.js"
import { type EngineOptions, fresh, open, temporaryFolder, told } from "./support/engine.js"

const secret = "Kr4nich!9x"
const key = ["ghp_", "Fake0123456789Fake0123456789FakeAbCd"].join("")

const engine = (options?: EngineOptions) =>
  Effect.gen(function* () {
    const { daybook, folder } = yield* fresh(options)
    const as = (trust: TrustLevel) => daybook.agent("ada", { trust })
    const full = yield* as("full")
    const events = Effect.map(Stream.runCollect(daybook.log("ada")), Chunk.toReadonlyArray)
    return { as, daybook, events, folder, full }
  })

describe("a memory with personal data", () => {
  it.scoped("is tagged pii, wherever the data is, and found by the tag", () =>
    Effect.gen(function* () {
      const { events, full } = yield* engine()
      const inTitle = yield* full.remember({ title: "call me at 555-123-4567", tags: ["Work"], store: "social" })
      const inNarrative = yield* full.remember({ title: "Mira", narrative: "mira@holt.dev", store: "social" })
      const inFact = yield* full.remember({ title: "rent", facts: ["monthly", "DE89370400440532013000"] })
      yield* full.remember({ title: "tea is green" })
      const found = yield* full.list({ tags: ["pii"] })
      expect(new Set(found.map(({ id }) => id))).toEqual(new Set([inTitle.id, inNarrative.id, inFact.id]))
      const [kept] = yield* full.get([inTitle.id])
      expect(kept).toMatchObject({ tags: ["work", "pii"], store: "social", type: "discovery" })
      const [first] = yield* events
      expect(first?.payload).toMatchObject({
        input: { tags: ["Work"] },
        decision: { reason: "no exact duplicate in the store; holds phone: tagged pii" }
      })
    })
  )

  it.scoped("gets the tag once, instead of the last of 16 others", () =>
    Effect.gen(function* () {
      const { full } = yield* engine()
      const tags = Array.from({ length: limits.tags }, (_, index) => `t${index}`)
      const crowded = yield* full.remember({ title: "mira@holt.dev", tags })
      const tagged = yield* full.remember({ title: "tom@holt.dev", tags: ["PII", "x"] })
      const memories = yield* full.get([crowded.id, tagged.id])
      expect(memories.map((memory) => memory.tags)).toEqual([
        [...tags.slice(0, 15), "pii"],
        ["pii", "x"]
      ])
    })
  )

  it.scoped("is tagged when a change adds the data; a removed tag stays away until the text changes", () =>
    Effect.gen(function* () {
      const { events, full } = yield* engine()
      const { id } = yield* full.remember({ title: "Mira", store: "shared" })
      const tagsNow = Effect.map(full.get([id]), ([memory]) => memory?.tags)
      yield* full.update(id, { facts: ["mira@holt.dev"] })
      expect(yield* tagsNow).toEqual(["pii"])
      expect((yield* events).at(-1)?.payload).toMatchObject({
        input: { facts: ["mira@holt.dev"] },
        decision: { reason: "changed facts; holds email: tagged pii" }
      })
      yield* full.update(id, { tags: ["friend"] })
      expect(yield* tagsNow).toEqual(["friend"])
      yield* full.update(id, { importance: 0.5, store: "social" })
      expect(yield* tagsNow).toEqual(["friend"])
      yield* full.update(id, { title: "Mira Holt" })
      expect(yield* tagsNow).toEqual(["friend", "pii"])
      yield* full.update(id, { facts: [] })
      expect(yield* tagsNow).toEqual(["friend", "pii"])
    })
  )
})

describe("a memory with a credential", () => {
  it.scoped("gets type credential and store private, and the event keeps the request", () =>
    Effect.gen(function* () {
      const { as, events, full } = yield* engine()
      const { id } = yield* full.remember({
        title: "staging",
        facts: [`password: ${secret}`],
        store: "social",
        type: "config"
      })
      const [kept] = yield* full.get([id])
      expect(kept).toMatchObject({ type: "credential", store: "private", tags: [] })
      for (const trust of ["inner", "familiar"] as const) {
        expect(yield* (yield* as(trust)).search({ text: "staging password" })).toEqual([])
      }
      const [event] = yield* events
      expect(event?.payload).toMatchObject({ input: { store: "social", type: "config" } })
      const { reason } = (event!.payload as { decision: { reason: string } }).decision
      expect(reason).toBe(
        "no exact duplicate in the store; holds a credential (password): kept as type credential in store private"
      )
      // The same again, from wherever it is asked for, is a mention of what is there.
      expect(yield* full.remember({ title: "staging", facts: [`password: ${secret}`], store: "shared" })).toMatchObject(
        {
          id,
          outcome: "duplicate"
        }
      )
    })
  )

  it.scoped("may be an access code in ordinary words", () =>
    Effect.gen(function* () {
      const { full } = yield* engine()
      const code = yield* full.remember({ title: "med cupboard code got changed again, 4471C", store: "social" })
      const free = yield* full.remember({ title: "the code got changed again", store: "social" })
      const [kept, open] = yield* full.get([code.id, free.id])
      expect(kept).toMatchObject({ type: "credential", store: "private" })
      expect(open).toMatchObject({ type: "discovery", store: "social" })
    })
  )

  it.scoped("may be one by its type alone; type and store stay if the policy says so", () =>
    Effect.gen(function* () {
      const observations = [
        { title: "where the keys hang", type: "credential", store: "shared" },
        { title: `token ${key}, call 555-123-4567`, store: "shared" }
      ] as const
      const kept = (policy?: Readonly<Record<string, unknown>>) =>
        Effect.gen(function* () {
          const { full } = yield* engine(policy === undefined ? {} : { policy })
          const ids: Array<string> = []
          for (const one of yield* full.rememberAll(observations)) ids.push(Either.getOrThrow(one).id)
          return (yield* full.get(ids)).map(({ store, tags, type }) => [store, type, ...tags])
        })
      expect(yield* kept()).toEqual([
        ["private", "credential"],
        ["private", "credential", "pii"]
      ])
      expect(yield* kept({ marks: { credentials: false } })).toEqual([
        ["shared", "credential"],
        ["shared", "discovery", "pii"]
      ])
      expect(yield* kept({ marks: { pii: false } })).toEqual([
        ["private", "credential"],
        ["private", "credential"]
      ])
    })
  )

  it.scoped("is refused from a level that cannot read private: no event, no trace, no value in the error", () =>
    Effect.gen(function* () {
      const { as, daybook, events, folder } = yield* engine()
      const { id } = yield* (yield* as("familiar")).remember({ title: "Mira", store: "social" })
      const before = yield* daybook.digests("ada")
      mkdirSync(join(folder, "notes"))
      const file = join(folder, "notes", "keys.md")
      writeFileSync(file, `- the staging password is ${secret}\n`)
      for (const trust of ["inner", "familiar"] as const) {
        const memory = yield* as(trust)
        const refusals = [
          yield* Effect.flip(memory.remember({ title: `token ${key}`, store: "social" }, { commandId: "c" })),
          yield* Effect.flip(memory.remember({ title: "x", narrative: `password: ${secret}` })),
          yield* Effect.flip(memory.remember({ title: "where the keys hang", type: "credential" })),
          yield* Effect.flip(memory.update(id, { facts: [`password: ${secret}`] })),
          yield* Effect.flip(memory.update(id, { title: `token ${key}` }, { commandId: "d" })),
          yield* Effect.flip(memory.update(id, { type: "credential" })),
          yield* Effect.flip(Effect.flatMap(memory.rememberAll([{ title: `token ${key}` }]), ([one]) => one!))
        ]
        const kinds = [["token"], ["password"], [], ["password"], ["token"], [], ["token"]]
        for (const [index, refusal] of refusals.entries()) {
          expect(refusal).toMatchObject({ _tag: "CredentialForbidden", level: trust, kinds: kinds[index] })
          for (const hidden of [secret, key]) expect(told(refusal)).not.toContain(hidden)
        }
        const imported = yield* memory.importMarkdown([file])
        expect(imported).toMatchObject({ added: 0, refused: [{ line: 1 }] })
        expect(JSON.stringify(imported)).not.toContain(secret)
        // Of what it cannot see, a level learns nothing but that.
        const unseen = yield* Effect.flip(memory.update("0000000000", { title: `token ${key}` }))
        expect(unseen._tag).toBe("MemoryNotFound")
      }
      expect(yield* events).toHaveLength(1)
      expect(yield* daybook.digests("ada")).toEqual(before)
      for (const name of ["log.db", "log.db-wal"]) {
        const bytes = readFileSync(join(folder, name), "latin1")
        for (const hidden of [secret, key]) expect(bytes.includes(hidden)).toBe(false)
      }
    })
  )

  it.scoped("may become one by a change, and must stay in private as long as it contains the credential", () =>
    Effect.gen(function* () {
      const { events, full } = yield* engine()
      const { id } = yield* full.remember({ title: "staging", store: "social" })
      const now = Effect.map(full.get([id]), ([memory]) => [memory?.store, memory?.type])
      yield* full.update(id, { narrative: `password: ${secret}` })
      expect(yield* now).toEqual(["private", "credential"])
      expect((yield* events).at(-1)?.payload).toMatchObject({
        input: { narrative: `password: ${secret}` },
        decision: {
          reason: "changed narrative; holds a credential (password): kept as type credential in store private"
        }
      })
      expect(yield* full.update(id, { store: "shared", type: "config" })).toMatchObject({ outcome: "unchanged" })
      expect(yield* now).toEqual(["private", "credential"])
      yield* full.update(id, { narrative: null })
      expect(yield* now).toEqual(["private", "credential"])
      yield* full.update(id, { store: "shared", type: "config" })
      expect(yield* now).toEqual(["shared", "config"])
    })
  )

  it.scoped("of an older version may be changed by a lower level if texts, type and store stay", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const lax = yield* Effect.scoped(
        Effect.gen(function* () {
          const lenient = yield* (yield* open(folder, { policy: { marks: { credentials: false } } })).agent("ada", {
            trust: "inner"
          })
          return yield* lenient.remember({ title: `token ${key}`, store: "shared" })
        })
      )
      const inner = yield* (yield* open(folder)).agent("ada", { trust: "inner" })
      expect(yield* inner.update(lax.id, { importance: 0.5, tags: ["ci"] })).toMatchObject({ outcome: "updated" })
      for (const changes of [{ narrative: "of the bot" }, { store: "social" }, { type: "config" }] as const) {
        expect((yield* Effect.flip(inner.update(lax.id, changes)))._tag).toBe("CredentialForbidden")
      }
    })
  )

  it.scoped("repeats the first answer to a command id, whatever store was forced", () =>
    Effect.gen(function* () {
      const { full } = yield* engine()
      const asked = { title: `token ${key}`, store: "shared" } as const
      const first = yield* full.remember(asked, { commandId: "c" })
      expect(yield* full.remember(asked, { commandId: "c" })).toEqual({ ...first, repeated: true })
    })
  )

  it.scoped("does not affect turns and files, which stay unchanged", () =>
    Effect.gen(function* () {
      const { as } = yield* engine()
      const inner = yield* as("inner")
      yield* inner.sessions.append({ session: "monday", text: `the password is ${secret}`, store: "shared" })
      yield* inner.files.add({ path: "notes.md", text: `the password is ${secret}`, store: "shared" })
      const found = yield* inner.sessions.search({ text: "password" })
      expect(found).toHaveLength(2)
    })
  )
})

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { changedSettings, policyRecordOf } from "../src/actor/policyRecord.js"
import type { Daybook } from "../src/Daybook.js"
import { decode, defaults } from "../src/ports/Policy.js"
import { embeddingProvider, rerankProvider } from "../src/ports/policy/models.js"
import { answerOf, build, daybookIn, newFolder, removeFolders } from "./support/cli.js"
import { open, temporaryFolder } from "./support/engine.js"

const problemsOf = (document: unknown) =>
  Either.match(decode(document), { onLeft: ({ problems }) => problems, onRight: () => [] })

const typesOf = (daybook: Context.Tag.Service<Daybook>) =>
  Effect.map(Stream.runCollect(daybook.log("ada")), (events) => [...events].map(({ type }) => type))

it("the defaults are what an empty document decodes to", () => {
  expect(JSON.stringify(defaults)).toBe(JSON.stringify(Either.getOrThrow(decode({}))))
  const { embedding, rerank } = Either.getOrThrow(
    decode({ embedding: { providers: { openai: {} } }, rerank: { providers: { cohere: {} } } })
  )
  expect(embeddingProvider).toEqual(embedding.providers.openai)
  expect(rerankProvider).toEqual(rerank.providers.cohere)
})

describe("the maintenance policy", () => {
  it("has the documented defaults", () => {
    const { archive, compress, gc, maintenance, retention, tiers } = defaults
    expect([tiers.frequencyWeight, tiers.recencyWeight, tiers.importanceWeight, tiers.decay]).toEqual([1, 1, 2, 0.05])
    expect(gc).toMatchObject({ promoteHits: 3, promoteWithin: 7, removeBelow: 0.5, removeAfter: 30, capacity: 500 })
    expect(compress).toMatchObject({ after: 14, cluster: 3 })
    expect(retention).toMatchObject({ shortenAfter: 7, dropAfter: 90 })
    expect(archive).toMatchObject({ after: 30, deleteAfter: 365 })
    expect([gc, compress, retention, archive].map(({ rows }) => rows)).toEqual([200, 200, 200, 200])
    expect(maintenance).toMatchObject({ daily: "03:00", weekday: "monday", weekly: "04:00", decayed: 0.001 })
    const { decays } = tiers
    for (const slow of ["identity", "decision"]) expect(decays[slow]).toBeLessThan(tiers.decay)
    for (const fast of ["event", "conversation", "temp", "debug"]) expect(decays[fast]).toBeGreaterThan(tiers.decay)
  })

  it("reports all problems at once, each with its path", () => {
    const document = {
      gc: { capacity: 0, removal: "shred", promoteHit: 3 },
      tiers: { decay: -1, decays: { "Stand up": 0.1 } },
      retention: { shortenAfter: 30, dropAfter: 10 },
      maintenance: { daily: "3 am", zone: "Atlantis" },
      garbage: {}
    }
    const problems = problemsOf(document)
    for (const path of [
      "gc.capacity: ",
      "gc.removal: ",
      "gc.promoteHit: is not a known setting (did you mean promoteHits?)",
      "tiers.decay: ",
      "tiers.decays.Stand up: ",
      "maintenance.daily: must be a time of day",
      "maintenance.zone: is not a time zone",
      "garbage: is not a known setting"
    ])
      expect(
        problems.filter((problem) => problem.startsWith(path)),
        path
      ).not.toHaveLength(0)
    expect(problemsOf({ serch: {}, Search: {}, modle: {}, gx: 1, embedding: { providers: { opnai: {} } } })).toEqual([
      "serch: is not a known setting (did you mean search?)",
      "Search: is not a known setting (did you mean search?)",
      "modle: is not a known setting (did you mean model?)",
      "gx: is not a known setting",
      "embedding.providers.opnai: is not a known setting (did you mean openai?)"
    ])
    expect(problemsOf({ retention: { shortenAfter: 30, dropAfter: 10 } })).toEqual([
      "retention.dropAfter: must be at least `retention.shortenAfter`"
    ])
  })

  it("has one digest for any spelling, independent of operational settings", () => {
    const of = (document: unknown) => policyRecordOf(Either.getOrThrow(decode(document))).digest
    expect(of({})).toBe(policyRecordOf(defaults).digest)
    expect(of({ gc: { capacity: 400, rows: 50 } })).toBe(of({ gc: { rows: 50, capacity: 400 } }))
    expect(of({ actors: { open: 2 } })).toBe(of({}))
    expect(of({ schedules: { concurrency: 9, drain: 1, poll: 5 } })).toBe(of({}))
    expect(of({ summarize: { concurrency: 9, timeout: 5 } })).toBe(of({}))
    expect(of({ schedules: { failures: 3 } })).not.toBe(of({}))
    expect(of({ summarize: { summarizer: "model" } })).not.toBe(of({}))
    expect(of({ gc: { capacity: 400 } })).not.toBe(of({}))
    expect(
      changedSettings(
        policyRecordOf(defaults).values,
        policyRecordOf(Either.getOrThrow(decode({ gc: { capacity: 400 }, tiers: { decays: { standup: 1 } } }))).values
      )
    ).toEqual(["gc.capacity", "tiers.decays"])
    const before = {
      ...policyRecordOf(defaults).values,
      schedules: { ...policyRecordOf(defaults).values.schedules, poll: 5 }
    }
    expect(changedSettings(before, policyRecordOf(defaults).values)).toEqual([])
  })
})

describe("a change of policy", () => {
  it.scoped("is recorded once before the first write under it, but not by a read or a refused write", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const withCapacity = <A, E>(capacity: number, work: (one: Context.Tag.Service<Daybook>) => Effect.Effect<A, E>) =>
        Effect.scoped(Effect.flatMap(open(folder, { implied: "defaults", policy: policyOf(capacity) }), work))
      const policyOf = (capacity: number) => ({ recall: { log: true }, gc: { capacity } })
      const write = (title: string) => (daybook: Context.Tag.Service<Daybook>) =>
        Effect.gen(function* () {
          const memory = yield* daybook.agent("ada", { trust: "full", record: false })
          yield* memory.remember({ title }, { reconcile: false })
          yield* daybook.backfill("ada")
          return yield* typesOf(daybook)
        })
      // These are the defaults, under which a history stands that names no policy.
      expect(yield* withCapacity(500, write("one"))).toEqual(["ADD", "EMBED"])
      yield* withCapacity(400, (daybook) =>
        Effect.gen(function* () {
          const memory = yield* daybook.agent("ada", { trust: "full", record: false })
          yield* memory.search({ text: "one" })
          yield* Effect.flip(memory.update("0000000000", { title: "other" }))
        })
      )
      const then = ["ADD", "EMBED", "CONFIGURE", "ADD", "EMBED"]
      expect(yield* withCapacity(400, write("two"))).toEqual(then)
      expect(yield* withCapacity(400, write("three"))).toEqual([...then, "ADD", "EMBED"])
      yield* withCapacity(400, (daybook) =>
        Effect.gen(function* () {
          const events = [...(yield* Stream.runCollect(daybook.log("ada")))]
          expect(events[2]).toMatchObject({ payload: { changed: ["gc.capacity"], values: { gc: { capacity: 400 } } } })
          const { digest } = yield* daybook.digests("ada")
          yield* daybook.rebuild("ada")
          expect((yield* daybook.digests("ada")).digest).toBe(digest)
          expect((yield* daybook.verify()).ok).toBe(true)
        })
      )
    })
  )
})

describe("daybook check", () => {
  it("accepts a valid policy or lists all problems; the log shows its changes", async () => {
    build()
    const folder = newFolder()
    const daybook = daybookIn(folder)
    expect(answerOf(await daybook("check", "--json"))).toMatchObject({
      ok: true,
      policy: policyRecordOf(defaults).digest
    })
    writeFileSync(join(folder, "policy.toml"), '[gc]\ncapacity = 0\n[retention]\ndropAfter = "late"\n')
    const { code, stderr, stdout } = await daybook("check")
    expect(code).toBe(1)
    expect(stdout.split("\n").filter((line) => line !== "")).toEqual([
      expect.stringMatching(/^problem .*policy\.toml: gc\.capacity: /),
      expect.stringMatching(/^problem .*policy\.toml: retention\.dropAfter: /)
    ])
    expect(stderr).toBe(`daybook: 2 problems in ${join(folder, "policy.toml")}\n`)
    writeFileSync(join(folder, "policy.toml"), "[gc]\ncapacity = 400\n")
    await daybook("remember", "tea")
    expect((await daybook("log")).stdout).toMatch(/CONFIGURE {2}.*policy [0-9a-f]{16}: gc\.capacity\n/)
    removeFolders()
  })
})

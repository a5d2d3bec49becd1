import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Link, Memory } from "../events/Memory.js"
import { opennessOf, type Store, stores } from "../events/Trust.js"
import { demoteDescendants, descendants, flagStale, type Graph, withoutStale } from "../src/actor/lineage.js"
import { Reconciler } from "../src/ports/Reconciler.js"
import { fresh, type open } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"
import { lawRuns } from "./support/size.js"

const agent = "coop"
type System = Effect.Effect.Success<ReturnType<typeof open>>

const memoryOf = (id: string, store: Store, sources: ReadonlyArray<string>): Memory => ({
  id,
  born: 1,
  revision: 1,
  status: "active",
  type: "discovery",
  title: id,
  facts: [],
  tags: [],
  people: [],
  files: [],
  source: { kind: "agent" },
  store,
  tier: "long",
  importance: 0,
  tokens: 1,
  mentions: 1,
  lastMentionedAt: 0,
  createdAt: 0,
  updatedAt: 0,
  lineage: sources.map((to): Link => ({ kind: "derived", to, reason: "extracted" }))
})

/** Memories in a map, and the laws checked by reachability, worked out anew each time. */
const world = () => {
  const memories = new Map<string, Memory>()
  const graph: Graph = {
    derivedFrom: (kind, source) =>
      [...memories.values()].filter(({ lineage = [] }) => lineage.some((one) => one.kind === kind && one.to === source))
  }
  const put = (images: ReadonlyArray<Memory>) => {
    for (const image of images) memories.set(image.id, image)
  }
  /** All that a memory rests on. */
  const sourcesOf = (id: string): ReadonlySet<string> => {
    const found = new Set<string>()
    const walk = (one: string) => {
      for (const { to } of memories.get(one)?.lineage ?? []) if (!found.has(to) && found.add(to)) walk(to)
    }
    walk(id)
    return found
  }
  return { memories, graph, put, sourcesOf }
}

type Step =
  | { readonly do: "add"; readonly sources: ReadonlyArray<number>; readonly store: number }
  | { readonly do: "demote" | "retire" | "confirm"; readonly at: number; readonly store: number }

const steps: FastCheck.Arbitrary<ReadonlyArray<Step>> = FastCheck.array(
  FastCheck.oneof(
    {
      weight: 3,
      arbitrary: FastCheck.record({
        do: FastCheck.constant("add" as const),
        sources: FastCheck.array(FastCheck.nat(9), { maxLength: 3 }),
        store: FastCheck.nat(2)
      })
    },
    {
      weight: 2,
      arbitrary: FastCheck.record({
        do: FastCheck.constantFrom("demote" as const, "retire" as const, "confirm" as const),
        at: FastCheck.nat(9),
        store: FastCheck.nat(2)
      })
    }
  ),
  { minLength: 2, maxLength: 14 }
)

describe("lineage", () => {
  it("in 10,000 random graphs never exceeds a source's openness, raises nothing, and flags stale memories exactly", () => {
    let demoted = 0
    let flagged = 0
    FastCheck.assert(
      FastCheck.property(steps, (history) => {
        const { graph, memories, put, sourcesOf } = world()
        const stale = new Set<string>()
        const idAt = (at: number) => [...memories.keys()][at % memories.size]!
        for (const [index, step] of history.entries()) {
          const before = new Map(memories)
          if (step.do === "add") {
            const sources = memories.size === 0 ? [] : [...new Set(step.sources.map(idAt))]
            const bound = Math.min(step.store, ...sources.map((id) => opennessOf(memories.get(id)!.store)))
            put([memoryOf(`m${index}`, stores[bound]!, sources)])
          } else if (memories.size > 0) {
            const memory = memories.get(idAt(step.at))!
            if (step.do === "demote" && step.store < opennessOf(memory.store)) {
              const changed = { ...memory, store: stores[step.store]! }
              const carried = demoteDescendants(graph, changed)
              demoted += carried.length
              put([changed, ...carried])
            }
            if (step.do === "retire" && memory.status === "active") {
              const carried = flagStale(graph, [{ kind: "derived", to: memory.id }], "replaced")
              put([{ ...memory, status: "superseded" }, ...carried])
              for (const [id, { status }] of memories) {
                if (status === "active" && id !== memory.id && sourcesOf(id).has(memory.id)) stale.add(id)
              }
              flagged += carried.length
            }
            if (step.do === "confirm") {
              put([withoutStale(memory)])
              stale.delete(memory.id)
            }
          }
          for (const [id, memory] of memories) {
            const open = opennessOf(memory.store)
            if (open > opennessOf(before.get(id)?.store ?? memory.store)) throw new Error(`${id} was raised`)
            for (const source of sourcesOf(id)) {
              if (open > opennessOf(memories.get(source)!.store)) throw new Error(`${id} is more open than ${source}`)
            }
            if (memory.status === "active" && (memory.stale !== undefined) !== stale.has(id)) {
              throw new Error(`${id} is ${memory.stale === undefined ? "not " : ""}stale`)
            }
          }
        }
      }),
      { numRuns: lawRuns({ quick: 1_000, full: 10_000 }) }
    )
    expect(Math.min(demoted, flagged)).toBeGreaterThan(lawRuns({ quick: 30, full: 300 }))
  })

  it("lists each descendant once, also in cycles", () => {
    const { graph, put } = world()
    put([memoryOf("a", "social", ["c"]), memoryOf("b", "social", ["a"]), memoryOf("c", "social", ["b", "a"])])
    expect(descendants(graph, { kind: "derived", to: "a" }).map(({ id }) => id)).toEqual(["b", "c"])
  })
})

const updates = (daybook: System) =>
  Effect.map(Stream.runCollect(daybook.log(agent)), (all) =>
    Chunk.toReadonlyArray(all).flatMap((event) =>
      event.type === "UPDATE" && event.payload !== null
        ? [{ version: event.version, cause: event.cause, reason: event.payload.reason, id: event.payload.memory.id }]
        : []
    )
  )

describe("a derived memory", () => {
  it.scopedLive("is never more open than its source, and follows it to a stricter store", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const { id: source } = yield* memory.remember({ title: "Minutes of the board", store: "shared" })
      const from = [{ kind: "memory", id: source } as const]
      const refused = yield* Effect.flip(memory.remember({ title: "Summary", from, store: "social" }))
      expect(refused).toMatchObject({
        field: "store",
        problem: `is less restrictive than the store of memory ${source}: use \`shared\``
      })
      const { id: derived } = yield* memory.remember({ title: "Summary", from, store: "shared" })
      const { id: further } = yield* memory.remember({
        title: "Headline",
        from: [{ kind: "memory", id: derived }],
        store: "shared"
      })
      expect(yield* Effect.flip(memory.update(derived, { store: "social" }))).toMatchObject({ field: "store" })
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      expect((yield* inner.list()).length).toBe(3)
      const { version } = yield* memory.update(source, { store: "private" })
      expect(yield* inner.list()).toEqual([])
      expect(yield* updates(daybook)).toEqual([
        { version, cause: null, reason: "edited", id: source },
        { version: version! + 1, cause: `event:${version}`, reason: "demoted", id: derived },
        { version: version! + 2, cause: `event:${version}`, reason: "demoted", id: further }
      ])
      // Made more open again by hand, it does not take the others along.
      yield* memory.update(source, { store: "social" })
      expect((yield* inner.list()).map(({ id }) => id)).toEqual([source])
    })
  )

  it.scopedLive("is refused with sources that are unknown, or unknown at this level", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const owner = yield* daybook.agent(agent, { trust: "full" })
      const { id } = yield* owner.remember({ title: "Secret", store: "private" })
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      for (const unknown of [id, "nothing"]) {
        const error = yield* Effect.flip(
          inner.remember({ title: "Derived", from: [{ kind: "memory", id: unknown }], store: "shared" })
        )
        expect(error).toMatchObject({ _tag: "SourceNotFound", kind: "memory", id: unknown })
      }
      expect((yield* daybook.stats(agent)).memories.active).toBe(1)
    })
  )

  it.scopedLive(
    "becomes stale when its source, or the source's session or file, is replaced or forgotten; a confirming write clears it",
    () =>
      Effect.gen(function* () {
        const reconciler = Layer.succeed(Reconciler, {
          name: "newer",
          judge: () => ({
            verdict: { action: "DELETE", target: 0, reason: "newer" },
            by: { kind: "rule", name: "newer" },
            sure: true
          })
        })
        const { daybook } = yield* fresh({ reconciler })
        const memory = yield* daybook.agent(agent, { trust: "full" })
        const alone = { reconcile: false }
        const { id: port } = yield* memory.remember({ title: "The database listens on port 5432" }, alone)
        const {
          turn: { id: turn }
        } = yield* memory.sessions.append({
          session: "monday",
          role: "user",
          text: "We use blue-green deploys"
        })
        yield* memory.files.add({ path: "ops.md", text: "Deploys happen on Tuesdays" })
        const make = (title: string, kind: "memory" | "turn" | "file", id: string) =>
          Effect.map(memory.remember({ title, from: [{ kind, id }] }, alone), ({ id }) => id)
        const url = yield* make("postgres://db:5432 is the URL", "memory", port)
        const guide = yield* make("The guide quotes the URL", "memory", url)
        const deploys = yield* make("Deploys are blue-green", "turn", turn)
        const tuesday = yield* make("Nobody deploys on Mondays", "file", "ops.md")
        const stale = Effect.map(memory.list(), (rows) =>
          Object.fromEntries(rows.flatMap(({ id, stale }) => (stale === undefined ? [] : [[id, stale]])))
        )
        expect(yield* stale).toEqual({})

        const { replaced } = yield* memory.remember({ title: "The database listens on port 6432" })
        expect(replaced).toBe(port)
        const flag = { kind: "derived", of: port, reason: "replaced" }
        expect(yield* stale).toEqual({ [url]: flag, [guide]: flag })
        const [hit] = yield* memory.search({ text: "postgres URL" })
        expect(hit).toMatchObject({ id: url, stale: flag })

        yield* memory.sessions.forget("monday")
        yield* memory.files.forget("ops.md")
        expect(yield* stale).toMatchObject({
          [deploys]: { kind: "turn", of: turn, reason: "forgotten" },
          [tuesday]: { kind: "file", of: "ops.md", reason: "forgotten" }
        })

        yield* memory.update(url, { title: "postgres://db:6432 is the URL" })
        yield* memory.remember({ title: "Deploys are blue-green" }, alone)
        expect(Object.keys(yield* stale).sort()).toEqual([guide, tuesday].sort())
        yield* expectSameAfterRebuild(daybook, agent)
      })
  )
})

describe("undo along lineage", () => {
  it.scopedLive("flags memories derived from removed ones, and a second undo clears the flags", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const { id: source, version } = yield* memory.remember({ title: "The gate opens at eight" })
      const { id: made } = yield* memory.remember({
        title: "Be there by eight",
        from: [{ kind: "memory", id: source }]
      })
      yield* daybook.backfill(agent)
      const before = (yield* daybook.digests(agent)).stateDigest
      const dry = yield* memory.undo({ event: version! }, { dryRun: true })
      expect(dry.events!.map(({ payload, type }) => [type, "memory" in payload && payload.memory.id])).toEqual([
        ["DELETE", source],
        ["UPDATE", made]
      ])
      const { run } = yield* memory.undo({ event: version! })
      const [row] = yield* memory.list()
      expect(row).toMatchObject({ id: made, stale: { kind: "derived", of: source, reason: "undone" } })
      yield* memory.undo({ run: run! })
      expect((yield* memory.list()).filter(({ stale }) => stale !== undefined)).toEqual([])
      yield* daybook.backfill(agent)
      expect((yield* daybook.digests(agent)).stateDigest).toBe(before)
    })
  )

  it.scopedLive("never leaves a memory more open than its source", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const { id: source } = yield* memory.remember({ title: "Minutes of the board", store: "private" })
      const { version: raised } = yield* memory.update(source, { store: "shared" })
      const from = [{ kind: "memory", id: source } as const]
      const { id: made } = yield* memory.remember({ title: "Summary of the board", store: "shared", from })
      const { version: lowered } = yield* memory.update(made, { store: "private" })
      yield* memory.undo({ event: raised! })
      // The source is private again: what was made of it does not become shared, whoever takes back its lowering.
      yield* memory.undo({ event: lowered! })
      const stores = new Map((yield* memory.list()).map(({ id, store }) => [id, store]))
      expect([stores.get(source), stores.get(made)]).toEqual(["private", "private"])

      const { version: again } = yield* memory.update(source, { store: "shared" })
      yield* memory.update(made, { store: "shared" })
      yield* memory.undo({ event: again! })
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      expect(yield* inner.list()).toEqual([])
    })
  )
})

describe("several changes of one memory", () => {
  it.scopedLive("become one event, with the strictest of them", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const { id: source } = yield* memory.remember({ title: "Minutes of the board", store: "private" })
      yield* memory.update(source, { store: "social" }, { run: "r" })
      const { id: other } = yield* memory.remember({ title: "Notes of the chair", store: "social" }, { run: "r" })
      const from = [source, other].map((id) => ({ kind: "memory", id }) as const)
      const { id: made } = yield* memory.remember({ title: "Summary", store: "social", from })
      yield* memory.update(made, { importance: 0.5 }, { run: "r" })
      yield* memory.undo({ run: "r" })
      const familiar = yield* daybook.agent(agent, { trust: "familiar" })
      expect(yield* familiar.list()).toEqual([])
      const [whole] = yield* memory.get([made])
      expect(whole).toMatchObject({ store: "private", importance: 0, stale: { of: other, reason: "undone" } })
      expect((yield* memory.history(made)).length).toBe(3)
    })
  )

  it.scopedLive("never move a credential out of private by an undo", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const { id } = yield* memory.remember({ title: "How to get in", store: "social" })
      const { version } = yield* memory.update(id, { narrative: "password: hunter2-made-up-A1" })
      yield* memory.update(id, { narrative: "password: another-made-up-B2" })
      yield* memory.undo({ event: version! })
      const familiar = yield* daybook.agent(agent, { trust: "familiar" })
      expect(JSON.stringify([yield* familiar.list(), yield* familiar.get([id])])).not.toContain("made-up")
    })
  )

  it.scopedLive("treat copies of a file independently", () =>
    Effect.gen(function* () {
      const opened = (hidden: boolean) =>
        Effect.gen(function* () {
          const { daybook } = yield* fresh()
          const owner = yield* daybook.agent(agent, { trust: "full" })
          if (hidden) yield* owner.files.add({ path: "plan.md", text: "secret", store: "private" })
          const inner = yield* daybook.agent(agent, { trust: "inner" })
          const { id } = yield* inner.remember({
            title: "The plan",
            store: "shared",
            source: { kind: "import", name: "plan.md" }
          })
          const outcome = yield* Effect.either(inner.update(id, { store: "social" }))
          if (hidden) yield* owner.files.add({ path: "plan.md", text: "another secret", store: "private" })
          return [outcome._tag, (yield* inner.list()).map(({ stale }) => stale)]
        })
      expect(yield* opened(true)).toEqual(yield* opened(false))
    })
  )
})

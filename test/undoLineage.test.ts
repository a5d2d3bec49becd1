import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import type { Memory } from "../src/Memory.js"
import { fresh, type open } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"
import { lawRuns } from "./support/size.js"

const agent = "coop"
type System = Effect.Effect.Success<ReturnType<typeof open>>

const prepared = Effect.gen(function* () {
  const { daybook } = yield* fresh()
  const memory = yield* daybook.agent(agent, { trust: "full" })
  const remember = (title: string, ...from: ReadonlyArray<string>) =>
    Effect.map(
      memory.remember({ title, from: from.map((id) => ({ kind: "memory", id }) as const) }, { reconcile: false }),
      ({ id }) => id
    )
  return { daybook, memory, remember }
})

const stateOf = (daybook: System) =>
  Effect.gen(function* () {
    yield* daybook.backfill(agent)
    return (yield* daybook.digests(agent)).stateDigest
  })

const staleOf = (memory: Memory, id: string) => Effect.map(memory.get([id]), ([one]) => one?.stale)

/** Undoes; and sees that undone in turn it is as before, and undone again as after. */
const undone = (daybook: System, memory: Memory, what: Parameters<Memory["undo"]>[0]) =>
  Effect.gen(function* () {
    const before = yield* stateOf(daybook)
    const { events: _, ...dry } = yield* memory.undo(what, { dryRun: true })
    const { run, ...done } = yield* memory.undo(what)
    expect(done).toEqual(dry)
    if (run === undefined) return done
    const after = yield* stateOf(daybook)
    const back = yield* memory.undo({ run })
    expect(yield* stateOf(daybook)).toBe(before)
    yield* memory.undo({ run: back.run! })
    expect(yield* stateOf(daybook)).toBe(after)
    return done
  })

describe("the stale flag after an undo", () => {
  it.scopedLive("names another lost source, until that one is restored too", () =>
    Effect.gen(function* () {
      const { daybook, memory, remember } = yield* prepared
      const [a, c] = [yield* remember("The gate opens at eight"), yield* remember("The walk takes an hour")]
      const b = yield* remember("Leave at seven", a, c)
      const guide = yield* remember("The guide says leave at seven", b)
      const { version: first } = yield* memory.forget(a)
      const { version: second } = yield* memory.forget(c)
      yield* undone(daybook, memory, { event: first! })
      const flag = { kind: "derived", of: c, reason: "forgotten" }
      expect([yield* staleOf(memory, b), yield* staleOf(memory, guide)]).toEqual([flag, flag])
      yield* undone(daybook, memory, { event: second! })
      expect([yield* staleOf(memory, b), yield* staleOf(memory, guide)]).toEqual([undefined, undefined])
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scopedLive("is set if the source was lost while the memory was removed", () =>
    Effect.gen(function* () {
      const { daybook, memory, remember } = yield* prepared
      const a = yield* remember("The gate opens at eight")
      const b = yield* remember("Be there by eight", a)
      const { version } = yield* memory.forget(b)
      const { version: later } = yield* memory.forget(a)
      yield* undone(daybook, memory, { event: version! })
      expect(yield* staleOf(memory, b)).toEqual({ kind: "derived", of: a, reason: "forgotten" })
      yield* undone(daybook, memory, { event: later! })
      expect(yield* staleOf(memory, b)).toBeUndefined()
    })
  )

  it.scopedLive("follows the present sources if the confirming write is undone", () =>
    Effect.gen(function* () {
      const { daybook, memory, remember } = yield* prepared
      const a = yield* remember("The gate opens at eight")
      const b = yield* remember("Be there by eight", a)
      const { version } = yield* memory.forget(a)
      const edit = yield* memory.update(b, { title: "Be there before eight" })
      yield* undone(daybook, memory, { event: version! })
      const { conflicts } = yield* undone(daybook, memory, { event: edit.version! })
      expect([yield* staleOf(memory, b), conflicts]).toEqual([undefined, []])
    })
  )

  it.scopedLive("stays cleared by a confirmation if a forget is undone, and if that undo is undone", () =>
    Effect.gen(function* () {
      const { daybook, memory, remember } = yield* prepared
      const a = yield* remember("The gate opens at eight")
      const b = yield* remember("Be there by eight", a)
      const { version } = yield* memory.forget(a)
      const edit = yield* memory.update(b, { importance: 1 })
      const { run } = yield* memory.undo({ event: version! })
      yield* memory.undo({ run: run! })
      expect(yield* staleOf(memory, b)).toBeUndefined()
      yield* undone(daybook, memory, { event: edit.version! })
      expect(yield* staleOf(memory, b)).toEqual({ kind: "derived", of: a, reason: "forgotten" })
    })
  )

  it.scopedLive("is not cleared by a write made while the source was restored", () =>
    Effect.gen(function* () {
      const { daybook, memory, remember } = yield* prepared
      const a = yield* remember("The gate opens at eight")
      const b = yield* remember("Be there by eight", a)
      const { version } = yield* memory.forget(a)
      const { run } = yield* memory.undo({ event: version! })
      yield* memory.update(b, { importance: 1 })
      const late = yield* remember("Nobody is there at seven", a)
      yield* undone(daybook, memory, { run: run! })
      const flag = { kind: "derived", of: a, reason: "forgotten" }
      expect([yield* staleOf(memory, b), yield* staleOf(memory, late)]).toEqual([flag, flag])
    })
  )

  it.scopedLive("counts lost turns and files like memories, but ignores copies that say nothing of it", () =>
    Effect.gen(function* () {
      const { daybook, memory, remember } = yield* prepared
      const a = yield* remember("The gate opens at eight")
      const {
        turn: { id: turn }
      } = yield* memory.sessions.append({ session: "monday", role: "user", text: "An hour on foot" })
      yield* memory.files.add({ path: "walks.md", text: "An hour on foot" })
      yield* memory.files.add({ path: "both.md", text: "An hour on foot" })
      yield* memory.files.add({ path: "both.md", text: "A copy", store: "social" })
      const make = (title: string, kind: "turn" | "file", id: string) =>
        Effect.map(
          memory.remember(
            {
              title,
              from: [
                { kind: "memory", id: a },
                { kind, id }
              ]
            },
            { reconcile: false }
          ),
          (done) => done.id
        )
      const ofTurn = yield* make("Leave at seven", "turn", turn)
      const ofFile = yield* make("Leave before seven", "file", "walks.md")
      const ofBoth = yield* make("Leave after seven", "file", "both.md")
      const { version } = yield* memory.forget(a)
      yield* memory.files.add({ path: "walks.md", text: "Two hours on foot" })
      yield* memory.files.add({ path: "both.md", text: "Two hours on foot" })
      yield* memory.files.forget("walks.md")
      yield* memory.sessions.forget("monday")
      yield* undone(daybook, memory, { event: version! })
      expect(yield* Effect.forEach([ofTurn, ofFile, ofBoth], (id) => staleOf(memory, id))).toEqual([
        { kind: "turn", of: turn, reason: "forgotten" },
        { kind: "file", of: "walks.md", reason: "replaced" },
        undefined
      ])
    })
  )

  it.scopedLive("alone cannot be undone while its source is lost: that is a conflict with the removal", () =>
    Effect.gen(function* () {
      const { daybook, memory, remember } = yield* prepared
      const a = yield* remember("The gate opens at eight")
      const b = yield* remember("Be there by eight", a)
      const { version } = yield* memory.forget(a)
      const flagged = version! + 1
      const left = yield* undone(daybook, memory, { event: flagged })
      expect(left).toMatchObject({
        undone: [],
        conflicts: [{ version: flagged, memory: b, fields: ["stale"], by: [version] }]
      })
      const whole = yield* undone(daybook, memory, { event: version! })
      expect(whole).toMatchObject({ undone: [{ version }, { version: flagged, what: "restored" }], conflicts: [] })
    })
  )

  type Step = { readonly do: "add" | "forget" | "edit" | "undo" | "run"; readonly at: number; readonly other: number }
  const steps = FastCheck.array(
    FastCheck.record({
      do: FastCheck.constantFrom("add", "add", "forget", "edit", "undo", "undo", "run"),
      at: FastCheck.nat(20),
      other: FastCheck.nat(20)
    }) as FastCheck.Arbitrary<Step>,
    { minLength: 12, maxLength: 24, size: "max" }
  )

  it.scoped.prop(
    "in random histories survives a double undo, names a lost source, and is set without a confirmation",
    [steps],
    ([all]) =>
      Effect.gen(function* () {
        const { daybook, memory, remember } = yield* prepared
        const sources = new Map<string, ReadonlyArray<string>>()
        const edited = new Set<string>()
        let last: string | undefined
        const reach = (id: string): ReadonlyArray<string> =>
          (sources.get(id) ?? []).flatMap((one) => [one, ...reach(one)])
        for (const [index, { at, do: what, other }] of all.entries()) {
          const ids = (yield* memory.list()).map(({ id }) => id)
          const id = ids[at % ids.length]
          if (what === "add" || id === undefined) {
            const from = ids.length === 0 ? [] : [...new Set([ids[at % ids.length]!, ids[other % ids.length]!])]
            const made = yield* remember(`statement ${index}`, ...from)
            sources.set(made, from)
            // Who makes something of what is stale knows that.
            if (reach(made).some((one) => !ids.includes(one))) edited.add(made)
          } else if (what === "forget") yield* memory.forget(id)
          else if (what === "edit") {
            yield* memory.update(id, { importance: (index % 10) / 10 })
            edited.add(id)
          } else if (what === "undo") {
            const { version } = yield* daybook.stats(agent)
            yield* Effect.catchTag(
              undone(daybook, memory, { event: 1 + (at % version) }),
              "NotUndoable",
              () => Effect.void
            )
            const done = yield* Effect.either(memory.undo({ event: 1 + (other % version) }))
            if (done._tag === "Right") last = done.right.run ?? last
          } else if (last !== undefined) yield* undone(daybook, memory, { run: last })
          const rows = yield* memory.list()
          const active = new Set(rows.map((row) => row.id))
          for (const { id, stale } of rows) {
            const lost = reach(id).filter((one) => !active.has(one))
            if (stale !== undefined) expect(lost, `step ${index}`).toContain(stale.of)
            else if (!edited.has(id)) expect(lost, `step ${index}`).toEqual([])
          }
        }
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 5, full: 25 }), endOnFailure: true } }
  )
})

describe("a conflict with lineage", () => {
  const scene = Effect.gen(function* () {
    const { daybook, memory } = yield* prepared
    const { id: a } = yield* memory.remember({ title: "Minutes of the board", store: "shared" })
    const from = [{ kind: "memory", id: a }] as const
    const { id: b } = yield* memory.remember({ title: "Summary of it", store: "shared", from })
    const { id: c } = yield* memory.remember({ title: "Lunch is at noon", store: "shared" })
    const lowered = yield* memory.update(b, { store: "private", importance: 0.5 }, { run: "r" })
    const moved = yield* memory.update(c, { title: "Lunch is at one" }, { run: "r" })
    const bound = yield* memory.update(a, { store: "private" })
    // Otherwise an EMBED may take a version between two steps of a test.
    yield* daybook.backfill(agent)
    return { daybook, memory, a, b, c, lowered: lowered.version!, moved: moved.version!, bound: bound.version! }
  })

  it.scopedLive("names the event that binds the memory, in the dry run, the run and a repeat", () =>
    Effect.gen(function* () {
      const { a, b, bound, daybook, lowered, memory, moved } = yield* scene
      const { events, ...dry } = yield* memory.undo({ run: "r" }, { dryRun: true })
      const { version: head } = yield* daybook.stats(agent)
      expect(dry).toMatchObject({
        undone: [
          { version: lowered, memory: b, what: "partly", by: head + 1 },
          { version: moved, what: "restored", by: head + 2 }
        ],
        conflicts: [{ version: lowered, memory: b, fields: ["store"], by: [bound] }]
      })
      expect(events!.map(({ payload, version }) => [version, payload.undoes])).toEqual([
        [head + 1, [lowered]],
        [head + 2, [moved]]
      ])
      const { run, ...done } = yield* memory.undo({ run: "r" }, { commandId: "u" })
      expect(done).toEqual(dry)
      yield* memory.update(a, { store: "social" })
      yield* memory.forget(b)
      expect(yield* memory.undo({ run: "r" }, { commandId: "u" })).toEqual({ ...done, run, repeated: true })
    })
  )

  it.scopedLive("may cover a whole request: nothing is undone, even by force, and others keep their versions", () =>
    Effect.gen(function* () {
      const { b, bound, daybook, lowered, memory, moved } = yield* scene
      yield* memory.update(b, { importance: 0 }, { run: "r" })
      yield* memory.undo({ event: lowered }, { force: true })
      for (const force of [false, true]) {
        const left = yield* memory.undo({ event: lowered }, { force })
        expect(left).toMatchObject({ undone: [], conflicts: [{ version: lowered, fields: ["store"] }] })
        expect(left.conflicts[0]!.by).toContain(bound)
        expect(left).not.toHaveProperty("run")
      }
      const { undone } = yield* memory.undo({ run: "r" })
      const { version } = yield* daybook.stats(agent)
      expect(undone.find((one) => one.version === moved)).toMatchObject({ what: "restored" })
      for (const { by } of undone) expect(by).toBeLessThanOrEqual(version)
      expect((yield* memory.get([b]))[0]!.store).toBe("private")
    })
  )

  it.scopedLive("within one undo names the event that the undo writes", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const { id: a } = yield* memory.remember({ title: "Minutes of the board", store: "private" })
      yield* memory.update(a, { store: "shared" }, { run: "r" })
      const from = [{ kind: "memory", id: a }] as const
      const { id: b } = yield* memory.remember({ title: "Summary of it", store: "shared", from })
      const { version } = yield* memory.update(b, { store: "private" }, { run: "r" })
      yield* daybook.backfill(agent)
      const { version: head } = yield* daybook.stats(agent)
      const done = yield* undone(daybook, memory, { run: "r" })
      expect(done.conflicts).toMatchObject([{ version, memory: b, fields: ["store"], by: [head + 1] }])
    })
  )
})

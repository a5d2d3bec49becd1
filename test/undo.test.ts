import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { codec } from "../events/Codec.js"
import { afterImages, type DaybookEvent } from "../events/catalogue.js"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import type { Memory as Image } from "../events/Memory.js"
import { levels } from "../events/Trust.js"
import type { Memory } from "../src/Memory.js"
import type { Observation } from "../src/model/input.js"
import { type Question, Reconciler, type Verdict } from "../src/ports/Reconciler.js"
import { makeLife } from "../src/undo/links.js"
import { disputingLayer } from "./support/disputes.js"
import { open, temporaryFolder } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"
import { type Asked, histories, perform, type Step } from "./support/histories.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"
import { expectDuration, lawRuns, rounds } from "./support/size.js"

const agent = "coop"
const start = Date.parse("2026-03-14T06:00:00Z")
const awake = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }
type System = Effect.Effect.Success<ReturnType<typeof open>>

const events = (daybook: System, after = 0) =>
  Effect.map(
    Stream.runCollect(daybook.log(agent, after)),
    (all) => Chunk.toReadonlyArray(all) as ReadonlyArray<DaybookEvent>
  )

/** What is so now, vectors included. */
const stateOf = (daybook: System) =>
  Effect.gen(function* () {
    expect((yield* daybook.backfill(agent)).remaining).toBe(0)
    return (yield* daybook.digests(agent)).stateDigest
  })

const versionOf = (daybook: System) => Effect.map(daybook.stats(agent), ({ version }) => version)

/** A reconciler that does what the statement's topic tag says to the candidate that its first fact begins like. */
const scripted = Layer.succeed(Reconciler, {
  name: "scripted",
  judge: ({ candidates, statement }: Question) => {
    const [action] = statement.tags.filter((tag) => ["update", "delete", "none"].includes(tag))
    const subject = statement.title.split(" ")[0]
    const target = candidates.findIndex(({ title }) => title.split(" ")[0] === subject && !/(?:bad|evil)$/.test(title))
    const verdict: Verdict =
      action === undefined || target < 0
        ? { action: "ADD", reason: "told to" }
        : { action: action.toUpperCase() as "UPDATE" | "DELETE" | "NONE", target, reason: "told to" }
    return { verdict, by: { kind: "rule", name: "scripted" }, sure: true }
  }
})

const prepared = (reconciler?: Layer.Layer<Reconciler>) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const daybook = yield* open(folder, {
      policy: { ...awake, reconcile: { threshold: 0.01, candidates: 100 } },
      ...(reconciler === undefined ? {} : { reconciler }),
      extractor: tinyLayer
    })
    const memory = yield* daybook.agent(agent, { trust: "full" })
    return { folder, daybook, memory }
  })

const old: Observation = { title: "harbour listens on port 5432", facts: ["host: db-1"], tags: ["db"], people: ["Ada"] }

describe("an undone event", () => {
  const kinds: Readonly<Record<string, (memory: Memory, id: string) => Effect.Effect<unknown, unknown>>> = {
    add: (memory) => memory.remember({ title: "gulls sleep on one leg", people: ["Grace"] }),
    duplicate: (memory) => memory.remember(old),
    "merged, by UPDATE": (memory) =>
      memory.remember({
        title: "harbour has a user",
        tags: ["update"],
        facts: ["user: app"],
        people: ["Zoë"],
        importance: 0.5
      }),
    "replaced, by DELETE": (memory) => memory.remember({ title: "harbour listens on 6432", tags: ["delete"] }),
    "mentioned, by NONE": (memory) => memory.remember({ title: "harbour listens on 5432", tags: ["none"] }),
    edit: (memory, id) =>
      memory.update(id, {
        title: "harbour closed",
        narrative: "since May",
        tags: [],
        facts: ["x", "host: db-1"],
        store: "shared",
        expiresAt: start + 1
      }),
    "edit of the order": (memory, id) => memory.update(id, { people: ["Tom", "Ada", "Ada"] }),
    forget: (memory, id) => memory.forget(id)
  }
  for (const [kind, act] of Object.entries(kinds)) {
    it.scoped(`${kind}: undo restores the state before, a second undo the state after`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const { daybook, memory } = yield* prepared(scripted)
        const { id } = yield* memory.remember({ ...old, people: ["Ada", "Tom", "Ada"] })
        yield* memory.remember({ title: "marmots whistle" })
        yield* memory.remember(old)
        const before = yield* stateOf(daybook)
        const seen = yield* memory.get([id])
        const version = (yield* versionOf(daybook)) + 1
        yield* TestClock.adjust("1 minute")
        yield* act(memory, id)
        const after = yield* stateOf(daybook)
        expect(after).not.toBe(before)
        yield* TestClock.adjust("1 minute")
        const undone = yield* memory.undo({ event: version })
        expect(undone.conflicts).toEqual([])
        expect(undone.undone.length).toBeGreaterThan(0)
        expect(yield* stateOf(daybook)).toBe(before)
        const [whole] = yield* memory.get([id])
        expect({ ...whole, updatedAt: 0 }).toEqual({ ...seen[0], updatedAt: 0 })
        expect((yield* memory.search({ text: "harbour port" })).map((hit) => hit.id)).toContain(id)
        expect((yield* memory.undo({ event: version })).undone).toEqual([])
        // What was undone is undone by its run, or event by event.
        const again = yield* memory.undo({ run: undone.run! })
        expect(yield* stateOf(daybook)).toBe(after)
        yield* memory.undo({ run: again.run! })
        expect(yield* stateOf(daybook)).toBe(before)
        for (const by of new Set(undone.undone.map(({ by }) => by))) yield* memory.undo({ event: by })
        expect(yield* stateOf(daybook)).toBe(after)
        yield* memory.undo({ event: version })
        yield* expectSameAfterRebuild(daybook, agent)
      })
    )
  }

  it.scoped("leaves a note with several pieces as it was, also later than its last change", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook, memory } = yield* prepared(scripted)
      const version = (yield* versionOf(daybook)) + 1
      yield* memory.notes.save({ content: "The pier is made of oak. ".repeat(200) })
      const before = yield* stateOf(daybook)
      yield* TestClock.adjust("1 hour")
      const { run } = yield* memory.undo({ event: version })
      expect(yield* stateOf(daybook)).not.toBe(before)
      yield* memory.undo({ run: run! })
      expect(yield* stateOf(daybook)).toBe(before)
    })
  )

  it.scoped.prop(
    "can follow any history, step by step, and live equals rebuilt",
    [histories({ agents: [agent], minLength: 15, maxLength: 25 })],
    ([steps]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const { daybook, folder, memory } = yield* prepared(disputingLayer)
        const asked: Asked = new Map()
        const stage = { daybook, folder, asked, wait: TestClock.adjust }
        yield* perform(stage, { kind: "remember", agent, level: "full", observation: old, expiresIn: null })
        let undos = 0
        for (const step of steps) {
          const changing = memoryKinds.has(step.kind)
          const before = changing ? yield* stateOf(daybook) : ""
          const version = yield* versionOf(daybook)
          yield* perform(stage, step)
          if (!changing) continue
          const after = yield* stateOf(daybook)
          const written = (yield* events(daybook, version)).filter((event) => afterImages(event).length > 0)
          const runs: Array<string> = []
          for (const event of [...written].reverse()) {
            const { conflicts, run } = yield* memory.undo({ event: event.version })
            expect(conflicts).toEqual([])
            if (run !== undefined) runs.push(run)
          }
          expect(yield* stateOf(daybook), step.kind).toBe(before)
          for (const run of runs.reverse()) yield* memory.undo({ run })
          expect(yield* stateOf(daybook), step.kind).toBe(after)
          undos += runs.length
        }
        expect(undos).toBeGreaterThan(0)
        // Whatever is undone, with conflicts or by force, comes back as it was; by force nothing is left.
        const changes = (yield* events(daybook)).filter((event) => afterImages(event).length > 0)
        for (const [at, { version }] of changes.entries()) {
          if (at % 5 !== 0) continue
          const before = yield* stateOf(daybook)
          const { run } = yield* memory.undo({ event: version })
          const forced = yield* memory.undo({ event: version }, { force: true })
          expect(forced.conflicts).toEqual([])
          expect((yield* memory.undo({ event: version })).undone).toEqual([])
          if (forced.run !== undefined) yield* memory.undo({ run: forced.run })
          if (run !== undefined) yield* memory.undo({ run })
          expect(yield* stateOf(daybook), `version ${version}`).toBe(before)
        }
        yield* expectSameAfterRebuild(daybook, agent)
        expect((yield* daybook.verify()).problems).toEqual([])
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 1, full: 4 }), endOnFailure: true } }
  )
  const memoryKinds = new Set<Step["kind"]>([
    "remember",
    "batch",
    "again",
    "update",
    "forget",
    "claim",
    "settle",
    "import"
  ])
})

describe("a run is undone as a whole", () => {
  it.scoped("for an import and for writes that name it; changes by others stay", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const kept = yield* memory.remember(old)
      const before = yield* stateOf(daybook)
      yield* memory.remember({ title: "one" }, { run: "tuesday" })
      yield* memory.update(kept.id, { title: "harbour moved" }, { run: "tuesday" })
      yield* memory.sessions.append({ session: "monday", text: "hello" }, { run: "tuesday" })
      yield* memory.remember(old, { run: "tuesday" })
      const other = yield* memory.remember({ title: "two" })
      const { conflicts, undone } = yield* memory.undo({ run: "tuesday" })
      expect(conflicts).toEqual([])
      expect(undone.map(({ type, what }) => `${type} ${what}`).sort()).toEqual([
        "ADD removed",
        "ADD removed",
        "UPDATE restored"
      ])
      expect((yield* memory.list()).map(({ id }) => id).sort()).toEqual([kept.id, other.id].sort())
      expect(yield* memory.sessions.get("monday")).toHaveLength(1)
      yield* memory.undo({ event: other.version! })
      yield* memory.sessions.forget("monday")
      expect(yield* stateOf(daybook)).toBe(before)
    })
  )
})

describe("the consequences of an event", () => {
  it.scoped("are undone with it, and so are theirs", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared()
      const { id } = yield* memory.remember(old)
      const child = yield* memory.remember({ title: "child", from: [{ kind: "memory", id }] })
      const { version } = yield* memory.forget(id)
      const [added] = (yield* events(daybook)).filter((event) => event.version === child.version)
      const log = Context.get(yield* Layer.build(EventLogSqlite.layer(folder)), EventLog)
      const follow = (cause: number, revision: number, change: Partial<Image>) => {
        const image = { ...afterImages(added!)[0]!, revision, ...change }
        const decision = {
          action: "UPDATE",
          by: { kind: "rule", name: "lineage" },
          reason: "",
          candidates: []
        } as const
        const encoded = codec.encode("UPDATE", { memory: image, reason: "stale", decision })
        const event = { type: "UPDATE", ...encoded, cause: `event:${cause}` }
        return log.append({ stream: agent, expected: "any", now: start, commands: [{ actor: "x", events: [event] }] })
      }
      const stale = { kind: "derived", of: id, reason: "forgotten" } as const
      yield* follow(version! + 1, 3, { stale, tier: "mid" })
      expect((yield* memory.get([child.id]))[0]).toMatchObject({ stale, tier: "mid" })
      const { run, undone } = yield* memory.undo({ event: version! })
      expect(undone.map(({ version }) => version)).toEqual([version, version! + 1, version! + 2])
      expect((yield* memory.get([child.id]))[0]).not.toHaveProperty("stale")
      expect((yield* memory.get([child.id]))[0]).toMatchObject({ tier: "long" })
      yield* memory.undo({ run: run! })
      expect((yield* memory.get([child.id, id])).map((one) => one.stale)).toEqual([stale])
    })
  )

  it("that an erased event made unknown block the next undo, and nothing is planned after the last known event", () => {
    const image = (revision: number, title: string) => ({ born: 1, id: "x", revision, title }) as Image
    const event = (version: number, title: string) => ({
      event: {
        version,
        type: "UPDATE",
        payload: { memory: image(version, title), reason: "edited", input: { title }, decision: {} }
      } as unknown as DaybookEvent,
      chosen: true
    })
    const life = makeLife(1, [event(1, "a"), null, event(3, "c"), event(4, "d")])
    expect(life.map(({ before, version }) => [version, before?.title])).toEqual([
      [1, undefined],
      [4, "c"]
    ])
    expect(makeLife(1, [event(1, "a"), null])).toEqual([])
  })
})

describe("later changes by others", () => {
  const scene = Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { daybook, memory } = yield* prepared(scripted)
    const { id } = yield* memory.remember(old)
    const edit = yield* memory.update(id, { title: "harbour poisoned", tags: ["db", "bad"], project: "evil" })
    return { daybook, memory, id, event: edit.version! }
  })

  it.scoped("stay, are listed as conflicts, and are undone only by force", () =>
    Effect.gen(function* () {
      const { event, id, memory } = yield* scene
      const later = yield* memory.update(id, { title: "harbour renamed", importance: 1 })
      const { conflicts, run, undone } = yield* memory.undo({ event })
      expect(conflicts).toEqual([
        { version: event, memory: id, title: "harbour renamed", fields: ["title"], by: [later.version] }
      ])
      expect(undone).toMatchObject([{ version: event, what: "partly" }])
      expect((yield* memory.get([id]))[0]).toMatchObject({ title: "harbour renamed", tags: ["db"], importance: 1 })
      expect((yield* memory.get([id]))[0]).not.toHaveProperty("project")
      const left = yield* memory.undo({ event })
      expect(left).toMatchObject({ undone: [], conflicts: [{ fields: ["title"] }] })
      expect(left).not.toHaveProperty("run")
      const forced = yield* memory.undo({ event }, { force: true })
      expect(forced).toMatchObject({ undone: [{ version: event, what: "restored" }], conflicts: [] })
      expect((yield* memory.get([id]))[0]).toMatchObject({ title: old.title, tags: ["db"], importance: 1 })
      yield* memory.undo({ run: forced.run! })
      expect((yield* memory.get([id]))[0]).toMatchObject({ title: "harbour renamed", tags: ["db"], importance: 1 })
      yield* memory.undo({ run: run! })
      expect((yield* memory.get([id]))[0]).toMatchObject({
        title: "harbour renamed",
        tags: ["db", "bad"],
        project: "evil"
      })
    })
  )

  it.scoped(
    "to entries of a list stay when other entries are undone; a list that was set as a whole is a conflict",
    () =>
      Effect.gen(function* () {
        const { event, id, memory } = yield* scene
        yield* memory.remember({ title: "harbour has more", tags: ["update", "good"], facts: ["user: app"] })
        expect((yield* memory.undo({ event })).conflicts).toEqual([])
        expect((yield* memory.get([id]))[0]).toMatchObject({
          title: old.title,
          tags: ["db", "update", "good"],
          mentions: 2
        })
        const next = yield* memory.update(id, { tags: ["db", "bad"] })
        const set = yield* memory.update(id, { tags: ["x", "bad"] })
        const { conflicts } = yield* memory.undo({ event: next.version! })
        expect(conflicts).toMatchObject([{ fields: ["tags"], by: [set.version] }])
        expect((yield* memory.get([id]))[0]!.tags).toEqual(["x", "bad"])
      })
  )

  it.scoped(
    "that were merged into a memory stay as they were said, and people named only in the replaced text are removed",
    () =>
      Effect.gen(function* () {
        const { memory } = yield* prepared(scripted)
        const bad = { source: { kind: "tool" as const, name: "evil" } }
        const { id } = yield* memory.remember(old)
        const statement = { title: "harbour has more", tags: ["update"] }
        const poison = yield* memory.remember({ ...statement, facts: ["both", "bad"], importance: 0.75, ...bad })
        const good = yield* memory.remember({ ...statement, facts: ["both", "good"], importance: 0.5 })
        yield* memory.remember({ title: "rope is long", people: ["Eve"], ...bad })
        const { id: other } = yield* memory.remember({ title: "rope is short", people: ["Tom"], tags: ["delete"] })
        const { conflicts } = yield* memory.undo({ source: "evil" })
        expect(conflicts).toMatchObject([{ version: poison.version, memory: id, by: [good.version] }])
        expect([...conflicts[0]!.fields].sort()).toEqual(["facts", "importance", "tags"])
        const [whole] = yield* memory.get([id])
        expect(whole).toMatchObject({ facts: ["host: db-1", "both", "good"], importance: 0.5, mentions: 2 })
        expect((yield* memory.list()).map((row) => row.id).sort()).toEqual([id, other].sort())
        expect((yield* memory.people()).map(({ name }) => name).sort()).toEqual(["Ada", "Tom"])
      })
  )

  it.scoped("keep a mentioned, merged or edited memory from being removed, except by force", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared(scripted)
      const touch: ReadonlyArray<(id: string, title: string) => Effect.Effect<{ readonly version?: number }, unknown>> =
        [
          (_, title) => memory.remember({ title }),
          (_, title) => memory.remember({ title: `${title} more`, tags: ["update"] }),
          (_, title) => memory.remember({ title: `${title} too`, tags: ["none"] }),
          (id) => memory.update(id, { importance: 0.5 })
        ]
      for (const [at, write] of touch.entries()) {
        const title = `subject${at} is there`
        const { id, version } = yield* memory.remember({ title, source: { kind: "tool", name: "t" } })
        const later = yield* write(id, title)
        const { conflicts, undone } = yield* memory.undo({ event: version! })
        expect(undone).toEqual([])
        expect(conflicts).toMatchObject([{ version, memory: id, fields: ["status"], by: [later.version] }])
        expect(yield* memory.get([id])).toHaveLength(1)
        // Once that is undone nobody else wants it.
        if (at % 2 === 0) yield* memory.undo({ event: later.version! })
        const gone = yield* memory.undo({ event: version! }, { force: at % 2 === 1 })
        expect(gone).toMatchObject({ undone: [{ what: "removed" }], conflicts: [] })
        expect(yield* memory.get([id])).toEqual([])
      }
      expect((yield* daybook.stats(agent)).memories.active).toBe(0)
    })
  )
})

describe("a restored memory", () => {
  it.scopedLive("is found by text, by vector, as a duplicate and among the people", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const { id } = yield* memory.remember(old)
      yield* memory.remember(old)
      yield* daybook.backfill(agent)
      const { version } = yield* memory.forget(id)
      expect(yield* memory.people()).toEqual([])
      yield* memory.undo({ event: version! })
      yield* daybook.backfill(agent)
      expect((yield* daybook.stats(agent)).vectors.embedded).toBe(1)
      const [hit] = yield* memory.search({ text: "harbour listens" })
      expect(hit).toMatchObject({ id })
      expect(hit!.parts.vector).toBeGreaterThan(0)
      expect(yield* memory.people()).toMatchObject([{ name: "Ada", mentions: 2 }])
      expect(yield* memory.remember(old)).toMatchObject({ outcome: "duplicate", id, mentions: 3 })
      expect((yield* memory.history(id)).map(({ decision, type }) => `${type} ${decision?.by.name}`)).toEqual([
        "ADD remember",
        "UPDATE exact duplicate",
        "DELETE forget",
        "UPDATE undo",
        "UPDATE exact duplicate"
      ])
    })
  )
})

/** One write of a history with a bad source in it. */
interface Write {
  readonly bad: boolean
  readonly subject: string
  readonly action: "add" | "update" | "delete" | "none" | "edit" | "forget"
  readonly word: string
}

const write = (memory: Memory, at: number, { action, bad, subject, word }: Write, known: Map<string, string>) =>
  Effect.gen(function* () {
    const commandId = `w${at}`
    const id = known.get(subject)
    if (action === "edit" || action === "forget") {
      if (bad || id === undefined) return
      if (action === "edit") yield* memory.update(id, { project: word, people: ["Ada", word] }, { commandId })
      else yield* memory.forget(id, { commandId })
      if (action === "forget") known.delete(subject)
      return
    }
    // What is said to the letter again is about a subject that nothing is merged into.
    const again = subject.startsWith("t")
    if (again ? bad && id === undefined : !bad && action === "add" && id !== undefined) return
    const plain = again || (action === "add" && !bad)
    const tags = again || action === "add" ? [] : [action]
    const done = yield* memory.remember(
      {
        // Of what is merged each keeps its own: none holds what another says.
        title: plain ? `${subject} stands` : `${subject} ${word}${bad ? "evil" : ""}`,
        // Nor is anything said to the letter again that would be no duplicate beside what the bad source said.
        facts: plain ? [] : [bad ? `${word}evil` : `${word} of ${at}`],
        people: [word],
        importance: word.length / 10,
        tags: bad ? [...tags, "evil"] : tags,
        source: bad ? { kind: "tool", name: "evil.md" } : { kind: "manual" }
      },
      { commandId }
    )
    if (!bad) known.set(subject, done.id)
  }).pipe(Effect.catchTag("MemoryNotFound", () => Effect.void))

const writes = fc.array(
  fc.record({
    bad: fc.boolean(),
    subject: fc.constantFrom("s0", "s1", "t2"),
    action: fc.constantFrom("add", "update", "update", "none", "edit", "forget"),
    word: fc.constantFrom("tea", "kettle", "harbour")
  }) as fc.Arbitrary<Write>,
  { minLength: 20, maxLength: 40, size: "max" }
)

/** The log of one folder with the ids of another's memories, as far as the same commands made them, in a third. */
const transcribed = (from: System, to: System) =>
  Effect.gen(function* () {
    const made = (all: ReadonlyArray<DaybookEvent>) =>
      new Map(
        all.flatMap((event) => {
          const image = afterImages(event).find(({ born }) => born === event.version)
          return image === undefined ? [] : [[event.commandId, image.id] as const]
        })
      )
    const control = yield* events(from)
    const [here, there] = [made(control), made(yield* events(to))]
    const ids = new Map([...here].map(([command, id]) => [id, there.get(command) ?? id]))
    const folder = yield* temporaryFolder
    yield* Effect.scoped(
      Effect.gen(function* () {
        const log = Context.get(yield* Layer.build(EventLogSqlite.layer(folder)), EventLog)
        for (let from = 0; from < control.length; from += 500) {
          const commands = control.slice(from, from + 500).map((event) => {
            const { payload, schema } = codec.encode(event.type, event.payload as never)
            const renamed = payload.replace(/(?<=")[0-9a-z]{10}(?=")/g, (id) => ids.get(id) ?? id)
            return { actor: event.actor, events: [{ type: event.type, schema, payload: renamed }] }
          })
          yield* log.append({ stream: agent, expected: "any", now: start, commands })
        }
      })
    )
    return yield* open(folder, { policy: awake })
  })

describe("the undo of a source", () => {
  it.scoped.prop(
    "gives the state of a log without it; a repeat changes nothing, and its own undo restores everything",
    [writes],
    ([all]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const [poisoned, without] = [yield* prepared(scripted), yield* prepared(scripted)]
        const [known, others] = [new Map<string, string>(), new Map<string, string>()]
        const prey: ReadonlyArray<Write> = [0, 1].flatMap(
          (at): ReadonlyArray<Write> => [{ bad: false, subject: `p${at}`, action: "add", word: "tea" }]
        )
        const replacing = prey.map((one): Write => ({ ...one, bad: true, action: "delete", word: "kettle" }))
        for (const [at, one] of [...prey, ...all, ...replacing].entries()) {
          yield* write(poisoned.memory, at, one, known)
          if (!one.bad) yield* write(without.memory, at, one, others)
        }
        const full = yield* stateOf(poisoned.daybook)
        const { conflicts, run } = yield* poisoned.memory.undo({ source: "evil.md" })
        // What others said as well stays, and is listed; no memory stays for it.
        expect(conflicts.flatMap(({ fields }) => fields)).not.toContain("status")
        const control = yield* transcribed(without.daybook, poisoned.daybook)
        expect(yield* stateOf(poisoned.daybook)).toBe(yield* stateOf(control))
        expect((yield* poisoned.memory.undo({ source: "evil.md" })).undone).toEqual([])
        expect((yield* poisoned.memory.undo({ source: "tool" })).undone).toEqual([])
        yield* poisoned.memory.undo({ run: run! })
        expect(yield* stateOf(poisoned.daybook)).toBe(full)
        yield* poisoned.memory.undo({ source: "evil.md" })
        expect(yield* stateOf(poisoned.daybook)).toBe(yield* stateOf(control))
        yield* expectSameAfterRebuild(poisoned.daybook, agent)
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 1, full: 5, ci: 2 }), endOnFailure: true } }
  )

  it.scoped("can start at an instant, and covers only the request", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { memory } = yield* prepared()
      const from = (name: string) => ({ source: { kind: "tool" as const, name } })
      yield* memory.remember({ title: "one", ...from("a") })
      yield* TestClock.adjust("1 hour")
      yield* memory.remember({ title: "two", ...from("a") })
      yield* memory.remember({ title: "one", ...from("b") })
      yield* memory.remember({ title: "three" })
      expect((yield* memory.undo({ source: "b" })).undone).toMatchObject([
        { type: "UPDATE", what: "restored", title: "one" }
      ])
      expect((yield* memory.undo({ source: "a", since: start + 1 })).undone).toMatchObject([{ title: "two" }])
      expect((yield* memory.undo({ source: "agent" })).undone).toMatchObject([{ title: "three" }])
      expect((yield* memory.list()).map(({ title }) => title)).toEqual(["one"])
    })
  )

  it.scopedLive("removes all poisoned memories of a source, with the digest of a log without them", () =>
    Effect.gen(function* () {
      const words = ["tea", "kettle", "harbour", "gull", "marmot", "rope", "tide"]
      const statement = (at: number) => `${words[at % 7]} number ${at} of ${words[(at * 3) % 7]} and ${at * 17}`
      const [poisoned, without] = [yield* prepared(), yield* prepared()]
      const bad = rounds({ quick: 50, full: 500, ci: 100 })
      const all = Array.from({ length: 11 * bad }, (_, at) => at)
      const isBad = (at: number) => at % 11 === 5
      const one = (at: number): readonly [Observation, { readonly commandId: string }] => [
        isBad(at)
          ? // Every fifth says what was said before.
            {
              title: at % 5 === 0 ? statement(at - 1) : `${statement(at)}, bad`,
              people: ["Eve"],
              source: { kind: "import", name: "evil.md" }
            }
          : { title: statement(at), facts: [], people: [words[at % 7]!] },
        { commandId: `w${at}` }
      ]
      for (let from = 0; from < all.length; from += 500) {
        const batch = all.slice(from, from + 500)
        yield* poisoned.memory.rememberAll(batch.map(one))
        yield* without.memory.rememberAll(batch.filter((at) => !isBad(at)).map(one))
      }
      yield* stateOf(poisoned.daybook)
      const begun = performance.now()
      const { conflicts, undone } = yield* poisoned.memory.undo({ source: "evil.md" })
      const took = performance.now() - begun
      expectDuration(`undo of ${bad} among ${all.length - bad} by source`, took, 10_000)
      expect(conflicts).toEqual([])
      expect(undone).toHaveLength(bad)
      expect(undone.filter(({ what }) => what === "restored").length).toBe(bad / 5)
      expect(yield* stateOf(poisoned.daybook)).toBe(
        yield* stateOf(yield* transcribed(without.daybook, poisoned.daybook))
      )
    })
  )
})

describe("a request to undo", () => {
  it.scoped("needs full trust", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      yield* memory.remember({ title: "open", store: "social" })
      for (const trust of levels.filter((level) => level !== "full")) {
        const low = yield* daybook.agent(agent, { trust })
        for (const what of [{ event: 1 }, { run: "x" }, { source: "agent" }, { event: 99 }]) {
          const refused = yield* Effect.either(low.undo(what, { dryRun: true }))
          expect(refused).toMatchObject({ left: { _tag: "TrustRequired", what: "undo" } })
        }
      }
      expect(yield* versionOf(daybook)).toBe(1)
    })
  )

  it.scoped("as a dry run writes nothing and lists exactly the events of a real run", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook, memory } = yield* prepared(scripted)
      const bad = { source: { kind: "tool" as const, name: "evil" } }
      const { id } = yield* memory.remember(old)
      yield* memory.remember({ title: "harbour more", tags: ["update"], facts: ["bad"], ...bad })
      yield* memory.remember({ title: "gulls", ...bad })
      yield* memory.remember({ title: "gulls" })
      yield* memory.remember({ title: "rope", ...bad })
      yield* memory.update(id, { facts: ["bad", "good"] })
      yield* stateOf(daybook)
      for (const force of [false, true]) {
        const { digest } = yield* daybook.digests(agent)
        const version = yield* versionOf(daybook)
        const dry = yield* memory.undo({ source: "evil" }, { dryRun: true, force })
        expect(yield* versionOf(daybook)).toBe(version)
        expect((yield* daybook.digests(agent)).digest).toBe(digest)
        expect(dry.conflicts).toHaveLength(force ? 0 : 2)
        const { events: planned, ...told } = dry
        const { run, ...done } = yield* memory.undo({ source: "evil" }, { force })
        expect(done).toEqual(told)
        const written = yield* events(daybook, version)
        expect(written.map(({ payload, type, version }) => ({ version, type, payload }))).toEqual(planned)
        expect(JSON.stringify(written.map(({ payload }) => payload))).toBe(
          JSON.stringify(planned!.map(({ payload }) => payload))
        )
        for (const { cause } of written) expect(cause).toBe(`run:${run}`)
        yield* memory.undo({ run: run! })
        yield* stateOf(daybook)
      }
    })
  )

  it.scoped("is refused if it names nothing, or no change of a memory", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      yield* memory.sessions.append({ session: "monday", text: "hello" }, { run: "talk", extract: false })
      const refusal = (what: Parameters<Memory["undo"]>[0]) =>
        Effect.map(Effect.flip(memory.undo(what)), (error) => error._tag)
      expect(yield* refusal({ event: 1 })).toBe("NotUndoable")
      expect(yield* refusal({ event: 2 })).toBe("NothingToUndo")
      expect(yield* refusal({ run: "talk" })).toBe("NothingToUndo")
      expect(yield* refusal({ source: "agent" })).toBe("NothingToUndo")
      for (const bad of [{}, { event: 1, run: "x" }, { event: 0.5 }, { run: "" }, { source: "x", since: "soon" }]) {
        expect(yield* refusal(bad as never)).toBe("InvalidInput")
      }
      expect(yield* versionOf(daybook)).toBe(1)
    })
  )

  it.scoped("repeats the first answer to a command id", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const { id } = yield* memory.remember(old)
      const edit = yield* memory.update(id, { title: "a", project: "x" })
      yield* memory.update(id, { title: "b" })
      const first = yield* memory.undo({ event: edit.version! }, { commandId: "u" })
      expect(first).toMatchObject({ repeated: false, conflicts: [{ fields: ["title"] }], undone: [{ what: "partly" }] })
      yield* memory.forget(id)
      const version = yield* versionOf(daybook)
      expect(yield* memory.undo({ event: edit.version! }, { commandId: "u" })).toEqual({ ...first, repeated: true })
      expect((yield* Effect.flip(memory.undo({ event: 1 }, { commandId: "u" })))._tag).toBe("CommandConflict")
      expect(yield* versionOf(daybook)).toBe(version)
    })
  )

  it.scopedLive("loses no write of others to the same memories, also from another process", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared()
      const other = yield* Effect.flatMap(open(folder), (one) => one.agent(agent, { trust: "full" }))
      const bad = { ...old, source: { kind: "tool" as const, name: "evil" } }
      yield* memory.remember(old)
      const mentions = Effect.forEach(
        Array.from({ length: 30 }, (_, at) => at),
        (at) => (at % 2 === 0 ? memory : other).remember(at % 3 === 0 ? bad : old),
        { concurrency: 4 }
      )
      const undos = Effect.forEach([1, 2, 3, 4], () => Effect.either(memory.undo({ source: "evil" })), {
        concurrency: 2
      })
      yield* Effect.all([mentions, undos], { concurrency: "unbounded" })
      yield* memory.undo({ source: "evil" })
      expect((yield* memory.list())[0]!.mentions).toBe(21)
      expect((yield* daybook.verify()).problems).toEqual([])
    })
  )
})

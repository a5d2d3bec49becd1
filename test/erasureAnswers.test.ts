import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { countMissedPrompt, missedPrompts } from "../events/missedPrompts.js"
import { prove } from "../src/erasure/proof/prove.js"
import { fresh } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")
const awake = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }

const prepared = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { daybook, folder } = yield* fresh({ policy: { ...awake, recall: { log: true } }, extractor: tinyLayer })
  return { daybook, folder, memory: yield* daybook.agent(agent, { trust: "full", record: false }) }
})

describe("after an erasure", () => {
  it.scoped("undo names an erased event, and restores what remains of a shared one", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const gone = yield* memory.remember({ title: "quokka lives in Perth" })
      const kept = yield* memory.remember({ title: "gulls sleep on one leg" })
      yield* memory.update(kept.id, { title: "gulls sleep on two legs" })
      yield* daybook.erase({ agent, ids: [gone.id] })
      expect(yield* Effect.flip(memory.undo({ event: 1 }))).toMatchObject({
        _tag: "NotUndoable",
        problem: "was erased"
      })
      const { version } = yield* daybook.stats(agent)
      expect(yield* Effect.flip(memory.undo({ event: version }))).toMatchObject({ _tag: "NotUndoable" })
      yield* memory.undo({ event: 3 })
      expect((yield* memory.get([kept.id]))[0]).toMatchObject({ title: "gulls sleep on one leg" })
      expect(yield* memory.get([gone.id])).toEqual([])
      expect((yield* daybook.verify()).problems).toEqual([])
    })
  )

  it.scoped("why and history know nothing of an erased memory, and all of the others", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const gone = yield* memory.remember({ title: "quokka lives in Perth" })
      const kept = yield* memory.remember({ title: "gulls sleep on one leg" })
      const [why, history] = [yield* memory.why(kept.id), yield* memory.history(kept.id)]
      yield* daybook.erase({ agent, ids: [gone.id] })
      expect(yield* Effect.flip(memory.why(gone.id))).toMatchObject({ _tag: "MemoryNotFound" })
      expect(yield* Effect.flip(memory.history(gone.id))).toMatchObject({ _tag: "MemoryNotFound" })
      expect(yield* memory.why(kept.id)).toEqual(why)
      expect(yield* memory.history(kept.id)).toEqual(history)
    })
  )

  it.scoped("as of an earlier version, the erased memory is missing and the others are as they were then", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const gone = yield* memory.remember({ title: "quokka lives in Perth" })
      const kept = yield* memory.remember({ title: "gulls sleep on one leg" })
      yield* memory.update(kept.id, { title: "gulls sleep on two legs" })
      const at = { trust: "full", asOf: { version: 2 } } as const
      const before = yield* (yield* daybook.agent(agent, at)).get([kept.id])
      yield* daybook.erase({ agent, ids: [gone.id] })
      const past = yield* daybook.agent(agent, at)
      expect(yield* past.get([kept.id])).toEqual(before)
      expect(yield* past.get([gone.id])).toEqual([])
      expect(yield* past.search({ text: "quokka" })).toEqual([])
    })
  )

  it.scoped("a repeated command id of an erased event is refused, and the text can be stored anew", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const observation = { title: "quokka lives in Perth" }
      const { id } = yield* memory.remember(observation, { commandId: "once" })
      yield* daybook.erase({ agent, ids: [id] })
      const again = yield* Effect.flip(memory.remember(observation, { commandId: "once" }))
      expect(again).toMatchObject({ _tag: "AlreadyErased" })
      expect((yield* memory.remember(observation)).id).not.toBe(id)
    })
  )

  it.scoped("an import of the same file does not bring erased items back", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared
      mkdirSync(join(folder, "notes"))
      const file = join(folder, "notes", "tea.md")
      writeFileSync(file, "- quokka lives in Perth\n- gulls sleep on one leg\n")
      yield* memory.importMarkdown([file])
      const titles = Effect.map(memory.list(), (all) => all.map(({ title }) => title).sort())
      const before = yield* titles
      expect(before.length).toBeGreaterThan(0)
      const [row] = yield* memory.list()
      const name = (yield* memory.get([row!.id]))[0]!.source.name!
      const { agents } = yield* daybook.erase({ agent, source: `import:${name}` })
      expect(agents[0]!.counts.memories).toBe(before.length)
      expect(yield* titles).toEqual([])
      const again = yield* memory.importMarkdown([file])
      expect(again).toMatchObject({ added: 0 })
      expect(again.refused).toHaveLength(before.length)
      expect(again.refused.every(({ problem }) => problem.startsWith("was erased"))).toBe(true)
      expect(yield* titles).toEqual([])
    })
  )

  it.scoped("what-if counts no erased decision as different", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const gone = yield* memory.remember({ title: "quokka lives in Perth" })
      yield* memory.remember({ title: "gulls sleep on one leg" })
      yield* daybook.erase({ agent, ids: [gone.id] })
      const report = yield* daybook.whatIf(agent)
      expect(report).toMatchObject({ erased: [1], decisions: [], skipped: [], counts: { decided: 1, different: 0 } })
    })
  )

  it.scoped("the list of erasures says when, how and why, and never what", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      yield* memory.remember({ title: "quokka lives in Perth", people: ["Anna"] })
      yield* daybook.erase({ person: "Anna" }, { reason: "privacy", actor: "operator" })
      const list = yield* daybook.erasures()
      expect(list).toMatchObject([
        { agent, at: start, actor: "operator", reason: "privacy", selector: "person", events: 1 }
      ])
      expect(JSON.stringify(list)).not.toMatch(/Anna|quokka|Perth/)
    })
  )
})

describe("erasing a person", () => {
  it.scoped("matches texts, speakers, queries, scratchpads and schedules of all agents", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared
      const other = yield* daybook.agent("bob", { trust: "full", record: true })
      yield* memory.remember({ title: "lunch with ANNA  Berg on Friday" })
      yield* memory.remember({ title: "the cinema opens at eight", facts: ["says anna_berg"] })
      yield* memory.remember({ title: "Annabergite is a mineral" })
      yield* memory.sessions.append({ session: "monday", role: "user", speaker: "Anna Berg", text: "I like tea." })
      yield* memory.sessions.append({ session: "monday", role: "user", speaker: "Tom", text: "I like gulls." })
      yield* memory.scratchpad.write("monday", ["call Anna Berg", "buy milk"])
      yield* memory.schedules.add({ goal: "remind Anna Berg", handler: "tides", every: 3_600_000 })
      yield* memory.files.add({ path: "notes/anna berg.md", text: "# her notes" })
      yield* other.remember({ title: "gulls sleep on one leg" })
      yield* other.search({ text: "gulls Anna Berg" })
      yield* daybook.flush("bob")
      const { agents } = yield* daybook.erase({ person: "Anna Berg" }, { reason: "privacy" })
      expect(agents.map(({ agent }) => agent)).toEqual(["ada", "bob"])
      expect(agents[0]!.counts).toMatchObject({ memories: 3, turns: 1, files: 1, schedules: 1, scratchpads: 1 })
      expect(agents[1]!.counts).toMatchObject({ memories: 0, queries: 1 })
      const titles = (yield* memory.list()).map(({ title }) => title)
      expect(titles).toContain("Annabergite is a mineral")
      expect(titles.join()).not.toMatch(/anna.berg|cinema|tea/iu)
      expect(yield* memory.scratchpad.read("monday")).toMatchObject({ items: ["buy milk"] })
      expect(yield* memory.schedules.list()).toEqual([])
      const proof = yield* prove(folder, ["Anna Berg"])
      expect(proof.hits).toEqual([])
      expect((yield* prove(folder, ["Annabergite"])).clean).toBe(false)
      yield* daybook.erase({ person: "Tom", agent: "ada" })
      expect(yield* Effect.flip(daybook.erase({ person: "Anna Berg" }))).toMatchObject({ _tag: "NothingToErase" })
    })
  )
})

describe("erasing a person from the runs of a schedule", () => {
  it.scoped("takes the output that names the person, and leaves the run and the schedule", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared
      yield* memory.schedules.add({ goal: "list the calls", handler: "tides", every: 3_600_000 })
      yield* TestClock.adjust("2 hours")
      const { claimed } = yield* daybook.runner.claim(agent, new Map([["tides", 30 * 60_000]]), 1)
      yield* daybook.runner.finish(agent, claimed[0]!, { status: "ok", output: "Anna Berg called twice" })
      const [schedule] = yield* memory.schedules.list()
      const before = yield* memory.schedules.runs(schedule!.id)
      const { agents } = yield* daybook.erase({ person: "Anna Berg" })
      expect(agents[0]!.counts).toMatchObject({ runs: 1, schedules: 0 })
      const after = yield* memory.schedules.runs(schedule!.id)
      expect(after).toHaveLength(before.length)
      expect(after[0]).toMatchObject({ run: before[0]!.run, status: "ok" })
      expect((yield* memory.schedules.list()).map(({ id }) => id)).toEqual([schedule!.id])
      expect((yield* prove(folder, ["Anna Berg"])).hits).toEqual([])
    })
  )
})

describe("erasing an agent", () => {
  it.scoped("deletes its stream, and leaves the other agents as they were", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared
      const other = yield* daybook.agent("bob", { trust: "full", record: false })
      yield* memory.remember({ title: "quokka lives in Perth" })
      yield* other.remember({ title: "gulls sleep on one leg" })
      const before = yield* daybook.digests("bob")
      countMissedPrompt(folder, agent, "time limit")
      countMissedPrompt(folder, "bob", "time limit")
      countMissedPrompt(folder, agent, "StorageError (busy)")
      expect(yield* daybook.erase({ everythingOf: agent })).toMatchObject({ whole: [agent], agents: [] })
      expect((yield* daybook.agents).map(({ name }) => name)).toEqual(["bob"])
      expect(yield* daybook.digests("bob")).toEqual(before)
      expect((yield* daybook.verify()).problems).toEqual([])
      expect(yield* memory.list()).toEqual([])
      expect((yield* prove(folder, ["quokka"])).hits).toEqual([])
      expect([missedPrompts(folder, agent).count, missedPrompts(folder, "bob").count]).toEqual([0, 1])
      expect(readFileSync(join(folder, "missed-prompts.log"), "utf8")).not.toContain(agent)
      yield* memory.remember({ title: "a new beginning" })
      expect((yield* memory.list()).map(({ title }) => title)).toEqual(["a new beginning"])
      expect(yield* Stream.runCount(daybook.log(agent))).toBe(1)
    })
  )
})

describe("a selection", () => {
  it.scoped("is refused if it is empty, ambiguous or misspelt", () =>
    Effect.gen(function* () {
      const { daybook } = yield* prepared
      const bad: ReadonlyArray<object> = [
        {},
        { agent },
        { agent, ids: [] },
        { person: "Anna", session: "monday", agent },
        { session: "monday" },
        { person: "?!" },
        { agent, source: "nothing:x" },
        { agent, source: "file" },
        { agnet: "ada", ids: ["x"] }
      ]
      for (const selection of bad) {
        expect(yield* Effect.flip(daybook.erase(selection as never)), JSON.stringify(selection)).toMatchObject({
          _tag: "InvalidInput"
        })
      }
      const reason = yield* Effect.flip(daybook.erase({ person: "Anna" }, { reason: "because" as never }))
      expect(reason).toMatchObject({ _tag: "InvalidInput", field: "reason" })
    })
  )
})

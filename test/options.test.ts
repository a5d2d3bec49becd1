import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Daybook, type Memory } from "../layers/entry.js"

type Call = (
  memory: Memory,
  options: never
) => Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>

/** A call of each method that takes options, with options of no meaning. */
const calls: Readonly<Record<string, Call>> = {
  remember: (memory, options) => memory.remember({ title: "t" }, options),
  update: (memory, options) => memory.update("0000000000", { title: "t" }, options),
  updatePerson: (memory, options) => memory.updatePerson("Ada", { birthday: "12-10" }, options),
  decide: (memory, options) => memory.decide("0000000000", "both", options),
  forget: (memory, options) => memory.forget("0000000000", options),
  search: (memory, options) => memory.search(options),
  explain: (memory, options) => memory.explain(options),
  list: (memory, options) => memory.list(options),
  timeline: (memory, options) => memory.timeline(Object.assign({ anchor: "0000000000" }, options)),
  decisions: (memory, options) => memory.decisions(options),
  people: (memory, options) => memory.people(options),
  profile: (memory, options) => memory.profile(options),
  context: (memory, options) => memory.context(options),
  why: (memory, options) => memory.why("0000000000", options),
  undo: (memory, options) => memory.undo({ event: 1 }, options),
  importMarkdown: (memory, options) => memory.importMarkdown([], options),
  "sessions.list": ({ sessions }, options) => sessions.list(options),
  "sessions.get": ({ sessions }, options) => sessions.get("monday", options),
  "sessions.search": ({ sessions }, options) => sessions.search(options),
  "sessions.summaries": ({ sessions }, options) => sessions.summaries(options),
  "sessions.append": ({ sessions }, options) => sessions.append({ session: "monday", text: "t" }, options),
  "sessions.extract": ({ sessions }, options) => sessions.extract("monday", options),
  "sessions.forget": ({ sessions }, options) => sessions.forget("monday", options),
  "files.list": ({ files }, options) => files.list(options),
  "files.add": ({ files }, options) => files.add({ path: "p", text: "t" }, options),
  "files.forget": ({ files }, options) => files.forget("p", options),
  "sessions.restore": ({ sessions }, options) => sessions.restore("monday", options),
  "sessions.rolling.read": ({ sessions }, options) => sessions.rolling.read("monday", options),
  "sessions.rolling.write": ({ sessions }, options) =>
    sessions.rolling.write("monday", { text: "t", upperSequence: 0, epoch: 0 }, options),
  "sessions.rolling.roll": ({ sessions }, options) => sessions.rolling.roll("monday", options),
  observeTool: (memory, options) => memory.observeTool({ tool: "ls" }, options),
  "notes.search": ({ notes }, options) => notes.search(options),
  "notes.list": ({ notes }, options) => notes.list(options),
  "notes.save": ({ notes }, options) => notes.save({ content: "t" }, options),
  "notes.update": ({ notes }, options) => notes.update("note-0", { content: "t" }, options),
  "notes.delete": ({ notes }, options) => notes.delete("note-0", options),
  "scratchpad.read": ({ scratchpad }, options) => scratchpad.read("monday", options),
  "scratchpad.history": ({ scratchpad }, options) => scratchpad.history("monday", options),
  "scratchpad.write": ({ scratchpad }, options) => scratchpad.write("monday", ["t"], options),
  "scratchpad.clear": ({ scratchpad }, options) => scratchpad.clear("monday", options),
  "archive.list": ({ archive }, options) => archive.list(options),
  "archive.add": ({ archive }, options) => archive.add("0000000000", options),
  "archive.restore": ({ archive }, options) => archive.restore("0000000000", options),
  "maintenance.run": ({ maintenance }, options) => maintenance.run(options),
  "maintenance.list": ({ maintenance }, options) => maintenance.list(options),
  "maintenance.tiers": ({ maintenance }, options) => maintenance.tiers(options),
  "recalls.list": ({ recalls }, options) => recalls.list(options),
  "schedules.list": ({ schedules }, options) => schedules.list(options),
  "schedules.count": ({ schedules }, options) => schedules.count(options),
  "schedules.add": ({ schedules }, options) => schedules.add({ goal: "g", every: 60_000 }, options)
}

describe("an option with a wrong name", () => {
  it.scoped("is refused by every method, and nothing is written", () =>
    Effect.gen(function* () {
      const daybook = yield* Daybook
      const memory = yield* daybook.agent("coop", { trust: "full" })
      for (const [name, call] of Object.entries(calls)) {
        const error = yield* Effect.flip(call(memory, { commandID: "once" } as never))
        expect(error, name).toMatchObject({ _tag: "InvalidInput" })
        expect(error.message, name).toMatch(/^commandID: is not a known option: use [a-zA-Z, ]+$/)
      }
      expect(yield* daybook.agents).toEqual([])
      const wrong = yield* Effect.flip(memory.search({ query: "ferry" } as never))
      expect(wrong.message).toContain(
        "use text, mode, gate, at, embedding, topK, vectorWeight, textWeight, near, types"
      )
      const erasing = yield* Effect.flip(daybook.erase({ person: "Mira" }, { dryrun: true } as never))
      expect(erasing).toMatchObject({ _tag: "InvalidInput" })
      const unknown = yield* Effect.flip(daybook.whatIf("coop", { form: 1 } as never))
      expect(unknown).toMatchObject({ _tag: "InvalidInput", field: "form" })
      const verifying = yield* Effect.flip(daybook.verify(undefined, { view: true } as never))
      expect(verifying.message).toBe("view: is not a known option: use expect, views")
    }).pipe(Effect.provide(Daybook.layerMemory()))
  )
})

describe("options that are no object", () => {
  it.scoped.each(["heating", ["heating"], 7, null])("are refused by every method: %j", (wrong) =>
    Effect.gen(function* () {
      const daybook = yield* Daybook
      const memory = yield* daybook.agent("coop", { trust: "full" })
      // `timeline` above wraps its options in an object.
      const { timeline: _, ...others } = calls
      for (const [name, call] of Object.entries(others)) {
        const error = yield* Effect.flip(call(memory, wrong as never))
        expect(error, name).toMatchObject({ _tag: "InvalidInput" })
        expect(error.message, name).toMatch(/^[a-z]+: must be an object, such as \{ .+ \}$/)
      }
      for (const call of [memory.timeline, memory.remember, memory.sessions.append, memory.files.add]) {
        const error = yield* Effect.flip((call as (input: never) => Effect.Effect<unknown, Error>)(wrong as never))
        expect(error.message).toMatch(/^[a-z]+: must be an object, such as \{ .+ \}$/)
      }
      const asOf = yield* Effect.flip(daybook.agent("coop", { trust: "full", asOf: wrong as never }))
      expect(asOf.message).toMatch(/^asOf: must be an object/)
      const undoing = yield* Effect.flip(memory.undo(wrong as never))
      expect(undoing.message).toMatch(/^undo: must be an object/)
      const erasing = yield* Effect.flip(daybook.erase(wrong as never))
      expect(erasing.message).toMatch(/^erase: must be an object/)
      const handle = yield* Effect.flip(daybook.agent("coop", wrong as never))
      expect(handle.message).toMatch(/^options: must be an object/)
      const folder = yield* Effect.flip(Layer.build(Daybook.layer(wrong as never)))
      expect(folder.message).toMatch(/^options: must be an object/)
      expect(yield* daybook.agents).toEqual([])
    }).pipe(Effect.provide(Daybook.layerMemory()))
  )
})

describe("a list of ids", () => {
  it.scoped("refuses a text", () =>
    Effect.gen(function* () {
      const memory = yield* (yield* Daybook).agent("coop", { trust: "full" })
      const ids = "0000000000" as never
      expect((yield* Effect.flip(memory.get(ids))).message).toBe("ids: must be a list of at most 200 ids")
      expect((yield* Effect.flip(memory.vouch(ids))).message).toBe("ids: must be a list of 1 to 200 ids")
    }).pipe(Effect.provide(Daybook.layerMemory()))
  )
})

describe("the data folder", () => {
  it.scoped("refuses what is no path", () =>
    Effect.gen(function* () {
      for (const folder of ["", " ", 5]) {
        const error = yield* Effect.flip(Layer.build(Daybook.layer({ folder } as never)))
        expect(error.message).toBe("folder: must be a non-empty path")
      }
    })
  )
})

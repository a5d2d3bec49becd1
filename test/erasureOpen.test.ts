import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import type { DaybookService } from "../src/DaybookService.js"
import type { Erasable } from "../src/erasure/Erasure.js"
import { prove } from "../src/erasure/proof/prove.js"
import { filesWith } from "./support/dataFiles.js"
import { open, temporaryFolder } from "./support/engine.js"

const agent = "ada"
const person = "Zoltan Quux"
const policy = { recall: { log: true } }

const fill = (daybook: DaybookService) =>
  Effect.gen(function* () {
    const memory = yield* daybook.agent(agent, { trust: "full", record: false })
    const { id } = yield* memory.remember({ title: `${person} lives in Perth` })
    yield* memory.sessions.append({ session: "monday", role: "user", speaker: person, text: "I like green tea." })
    yield* memory.remember({ title: "the kettle is green" })
    yield* daybook.backfill(agent)
    return id
  })

/** A log that lets another process erase between two pages of the first replay after `arm`. */
const interrupted = (folder: string, eraseNow: Effect.Effect<unknown, unknown>) => {
  let isArmed = false
  const layer = Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) =>
      EventLog.of({
        ...log,
        replay: (stream, options) =>
          Effect.tap(log.replay(stream, options), () => {
            if (!isArmed) return Effect.void
            isArmed = false
            return Effect.orDie(eraseNow)
          })
      })
    )
  ).pipe(Layer.provide(EventLogSqlite.layer(folder)))
  const arm = () => {
    isArmed = true
  }
  return { arm, layer, isDone: () => !isArmed }
}

const selections: ReadonlyArray<readonly [name: string, selection: Erasable]> = [
  ["a person", { person }],
  ["the agent", { everythingOf: agent }]
]

describe("a process that builds a view while another process erases", () => {
  for (const [name, selection] of selections) {
    it.scopedLive(`leaves no file with the erased text: ${name}, by its first read`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const other = yield* open(folder, { policy })
        yield* fill(other)
        const { arm, isDone, layer } = interrupted(
          folder,
          Effect.gen(function* () {
            expect((yield* other.erase(selection, { reason: "privacy" })).cleaning).toBe("done")
          })
        )
        // Without a view of its own, the next process builds one.
        const past = yield* open(folder, { policy, log: layer })
        arm()
        yield* past.rebuild(agent)
        expect(isDone()).toBe(true)
        expect(filesWith(folder, person)).toEqual([])
        expect((yield* prove(folder, [person])).hits).toEqual([])
      })
    )
  }

  it.scopedLive("answers the past without the erased memory, and caches no view with it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const other = yield* open(folder, { policy })
      const id = yield* fill(other)
      const { arm, isDone, layer } = interrupted(folder, other.erase({ person }, { reason: "privacy" }))
      const daybook = yield* open(folder, { policy, log: layer })
      const past = yield* daybook.agent(agent, { trust: "full", asOf: { version: 4 } })
      arm()
      expect(yield* past.get([id])).toEqual([])
      expect(isDone()).toBe(true)
      expect((yield* past.list()).length).toBeGreaterThan(0)
      expect(filesWith(folder, person)).toEqual([])
    })
  )
})

describe("a process that was open before another one erased", () => {
  it.scopedLive("answers nothing of it, in any read, and writes nothing of it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const first = yield* open(folder, { policy })
      const id = yield* fill(first)
      const memory = yield* first.agent(agent, { trust: "full", record: true })
      const past = yield* first.agent(agent, { trust: "full", asOf: { version: 4 } })
      // Everything is warm: the live view, a cached past one, vectors, a queued recall and a branch of the log.
      expect((yield* memory.get([id])).length).toBe(1)
      expect((yield* past.get([id])).length).toBe(1)
      yield* memory.search({ text: `where does ${person} live?` })
      yield* first.whatIf(agent)

      const other = yield* open(folder, { policy })
      yield* other.erase({ person }, { reason: "privacy" })

      expect(yield* past.get([id])).toEqual([])
      expect(yield* memory.get([id])).toEqual([])
      const found = yield* memory.search({ text: "kettle Zoltan Quux Perth" })
      expect(found.map(({ title }) => title)).toEqual(["the kettle is green"])
      expect(yield* memory.people({ name: person })).toEqual([])
      expect((yield* Effect.flip(memory.update(id, { importance: 1 })))._tag).toBe("MemoryNotFound")
      yield* memory.remember({ title: "life goes on" })
      yield* first.flush(agent)
      yield* first.backfill(agent)
      yield* first.whatIf(agent)
      yield* first.rebuild(agent)
      expect((yield* first.verify(undefined, { views: true })).problems).toEqual([])
      const queried = yield* memory.recalls.list()
      expect(queried.filter(({ text }) => text.includes("where does"))).toEqual([])
      expect(filesWith(folder, "lives in Perth")).toEqual([])
    })
  )
})

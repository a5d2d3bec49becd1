import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import type { DaybookService } from "../src/DaybookService.js"
import type { Erasable, EraseError } from "../src/erasure/Erasure.js"
import { prove } from "../src/erasure/proof/prove.js"
import { open, temporaryFolder } from "./support/engine.js"

const agent = "ada"
const policy = { recall: { log: true }, actors: { idle: 50 } }
const person = "Zoltan Quux"

/** The log of one process. Another process erases immediately before the first RECALL event is appended. */
const interrupted = (folder: string, eraseNow: Effect.Effect<unknown, EraseError>) =>
  Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const log = yield* EventLog
      let isErased = false
      return EventLog.of({
        ...log,
        append: (request) =>
          Effect.suspend(() => {
            if (isErased || !request.commands.some(({ events }) => events.some(({ type }) => type === "RECALL")))
              return log.append(request)
            isErased = true
            return Effect.zipRight(
              Effect.orDie(Effect.catchTag(eraseNow, "NothingToErase", () => Effect.void)),
              log.append(request)
            )
          })
      })
    })
  ).pipe(Layer.provide(EventLogSqlite.layer(folder)))

/** Two processes with one folder: the first searches, the second erases while the first records its recall. */
const recordedDuring = (
  selection: Erasable,
  use: (first: DaybookService, other: DaybookService) => Effect.Effect<void, unknown>
) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const other = yield* open(folder, { policy })
    const log = interrupted(folder, other.erase(selection, { reason: "privacy" }))
    const first = yield* open(folder, { policy, log })
    yield* use(first, other)
    const events = Chunk.toReadonlyArray(yield* Stream.runCollect(first.log(agent)))
    return { events, folder, first }
  })

const remembering = (daybook: DaybookService) =>
  Effect.gen(function* () {
    const memory = yield* daybook.agent(agent, { trust: "full", record: true })
    yield* memory.remember({ title: `${person} lives in Perth` })
    yield* memory.remember({ title: "the kettle is green" })
    return memory
  })

const recallsOf = (events: ReadonlyArray<{ readonly type: string; readonly payload: unknown }>) =>
  events.flatMap(({ payload, type }) =>
    type === "RECALL" ? (payload as { recalls: ReadonlyArray<{ text: string }> }).recalls : []
  )

describe("a recall that is recorded while another process erases its query", () => {
  it.scopedLive("is dropped by an agent that is awake, and the next one is recorded", () =>
    Effect.gen(function* () {
      const { events, first, folder } = yield* recordedDuring({ person }, (first) =>
        Effect.gen(function* () {
          const memory = yield* remembering(first)
          yield* memory.search({ text: `where does ${person} live?` })
          expect(yield* first.flush(agent)).toBe(0)
          yield* memory.search({ text: "green kettle" })
          expect(yield* first.flush(agent)).toBe(1)
        })
      )
      expect(recallsOf(events).map(({ text }) => text)).toEqual(["green kettle"])
      expect((yield* prove(folder, [person])).hits).toEqual([])
      expect((yield* first.verify()).problems).toEqual([])
    })
  )

  it.scopedLive("is dropped by an agent that sleeps", () =>
    Effect.gen(function* () {
      const { events, folder } = yield* recordedDuring({ person }, (first, other) =>
        Effect.gen(function* () {
          yield* remembering(other)
          const reader = yield* first.agent(agent, { trust: "full", record: true })
          yield* reader.search({ text: `where does ${person} live?` })
          yield* Effect.sleep("200 millis")
          expect(yield* first.awake).toBe(0)
          expect(yield* first.flush(agent)).toBe(0)
        })
      )
      expect(recallsOf(events)).toEqual([])
      expect((yield* prove(folder, [person])).hits).toEqual([])
    })
  )

  it.scopedLive("is dropped if the whole agent was erased and others have written to it since", () =>
    Effect.gen(function* () {
      const { events } = yield* recordedDuring({ person }, (first, other) =>
        Effect.gen(function* () {
          const memory = yield* remembering(first)
          yield* memory.search({ text: `where does ${person} live?` })
          yield* other.erase({ everythingOf: agent })
          const again = yield* other.agent(agent, { trust: "full", record: false })
          for (let index = 0; index < 9; index++) yield* again.remember({ title: `number ${index}` })
          expect(yield* first.flush(agent)).toBe(0)
        })
      )
      expect(recallsOf(events)).toEqual([])
    })
  )

  it.scopedLive("leaves its recorder at rest where fewer recalls remain than fill an event", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const other = yield* open(folder, { policy })
      const batch = { ...policy, recall: { log: true, batch: 3 } }
      const first = yield* open(folder, { policy: batch })
      const memory = yield* remembering(first)
      for (const text of ["kettle", "Perth"]) yield* memory.search({ text })
      yield* other.erase({ person }, { reason: "privacy" })
      yield* memory.search({ text: "green kettle" })
      const { recalls } = yield* Effect.repeat(Effect.delay(first.stats(agent), "10 millis"), {
        until: ({ recalls }) => recalls.dropped > 0
      })
      expect(recalls).toMatchObject({ waiting: 1, dropped: 2 })
      const before = performance.eventLoopUtilization()
      yield* Effect.sleep("300 millis")
      // A recorder that looks at its queue without a pause keeps the event loop busy all the time.
      expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5)
    })
  )
})

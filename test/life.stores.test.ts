import { expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { afterImages, type DaybookEvent } from "../events/catalogue.js"
import type { TrustLevel } from "../events/Trust.js"
import type { Daybook } from "../src/Daybook.js"
import { dayMillis } from "../src/maintenance/stageRow.js"
import { answers, fresh } from "./support/engine.js"
import { lawRuns } from "./support/size.js"

const start = Date.UTC(2026, 0, 1, 9)
const end = start + 100 * dayMillis
const agent = "ada"

/** Something that was captured so many days before the end, or said. */
const item = fc.record({
  age: fc.integer({ min: 0, max: 60 }),
  title: fc.constantFrom("Tea at four", "The crane is broken", "Mira likes tea"),
  narrative: fc.constantFrom(undefined, "We met, and talked about this and that. ".repeat(6)),
  type: fc.constantFrom("event", "event", "preference", "temp"),
  tier: fc.constantFrom("mid", "mid", "daily", "long"),
  project: fc.constantFrom("harbour", undefined),
  store: fc.constantFrom("private", "private", "shared", "social"),
  expires: fc.constantFrom(null, null, 1),
  /** How often it is shown to full trust. */
  shown: fc.constantFrom(0, 3)
})
type Item = typeof item extends fc.Arbitrary<infer A> ? A : never

/** What lower levels read once all was told, shown, and looked after; ids by their order. */
const readOf = (all: ReadonlyArray<Item>, rows: number, above: boolean) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { daybook } = yield* fresh({
      vectorExtension: null,
      policy: {
        actors: { idle: 1_000 * 365 * dayMillis },
        recall: { log: true },
        gc: { rows, capacity: 4 },
        compress: { rows },
        retention: { rows, narrative: 60 },
        archive: { rows, deleteAfter: 10 },
        sessions: { rows },
        maintenance: { rows, profileTokens: 12 },
        reconcile: { reconciler: "none" }
      }
    })
    const memory = yield* daybook.agent(agent, { trust: "full" })
    const shown: Array<string> = []
    for (const [at, one] of [...all.entries()].sort(([, a], [, b]) => b.age - a.age)) {
      if (one.store === "private" && !above) continue
      yield* TestClock.setTime(end - one.age * dayMillis)
      const { age, expires, shown: times, store, tier, ...said } = one
      const { id } = yield* memory.remember(
        {
          ...said,
          facts: [`number ${at}`],
          tier: tier as "mid",
          store: store as "private",
          source: { kind: "auto" },
          ...(expires === null ? {} : { expiresAt: end - (age - expires) * dayMillis })
        },
        { reconcile: false }
      )
      yield* memory.sessions.append({ session: `session ${at % 5}`, text: `${one.title}?`, store: store as "private" })
      for (let time = 0; time < times; time++) shown.push(id)
    }
    yield* TestClock.setTime(end - dayMillis / 2)
    for (const id of above ? shown : []) yield* memory.get([id])
    yield* daybook.flush(agent)
    for (const [later, stages] of [
      [0, undefined],
      [0, ["daily"]],
      [1, undefined],
      [2, ["gc", "archive"]],
      [12, ["cleanup", "weekly", "compress"]]
    ] as const) {
      yield* TestClock.setTime(end + later * dayMillis)
      yield* memory.maintenance.run(stages === undefined ? {} : { stages })
    }
    const events = yield* eventsOf(daybook)
    const ids = new Map<string, string>()
    for (const image of events.flatMap(afterImages)) {
      if (image.store !== "private" && !ids.has(image.id)) ids.set(image.id, `memory-${ids.size}`)
    }
    const turns = events.flatMap((event) => (event.type === "TURN" ? [event.payload.turn] : []))
    for (const { id, store } of turns) if (store !== "private") ids.set(id, `turn-${ids.size}`)
    const read: Record<string, string> = {}
    for (const trust of ["inner", "familiar", "public"] satisfies ReadonlyArray<TrustLevel>) {
      const reader = yield* daybook.agent(agent, { trust, record: false })
      const probe = {
        ids: [...ids.keys()].filter((id) => !turns.some((turn) => turn.id === id)),
        texts: ["tea", "crane", "notes"],
        people: []
      }
      for (const [name, answer] of Object.entries(yield* answers(reader, probe))) {
        read[`${trust} ${named(name, ids)}`] = named(answer, ids)
      }
    }
    return read
  }).pipe(Effect.scoped)

const eventsOf = (daybook: Context.Tag.Service<Daybook>) =>
  Effect.map(Stream.runCollect(daybook.log(agent)), (events) => [...events] as ReadonlyArray<DaybookEvent>)

const named = (text: string, ids: ReadonlyMap<string, string>): string => {
  let said = text
  for (const [id, name] of ids) said = said.replaceAll(id, name)
  return said
}

it.effect.prop(
  "maintenance of lower stores does not depend on private memories or on reads at higher levels",
  [fc.array(item, { minLength: 12, maxLength: 30 }), fc.constantFrom(3, 200)],
  ([all, rows]) =>
    Effect.gen(function* () {
      const [above, without] = [yield* readOf(all, rows, true), yield* readOf(all, rows, false)]
      expect(Object.keys(above)).toEqual(Object.keys(without))
      const others = Object.keys(above).filter((name) => above[name] !== without[name])
      expect(others.map((name) => [name, above[name], without[name]])).toEqual([])
    }),
  { fastCheck: { numRuns: lawRuns({ quick: 1, full: 12, ci: 3 }), endOnFailure: true } }
)

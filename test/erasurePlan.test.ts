import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { codec } from "../events/Codec.js"
import type { DaybookEvent } from "../events/catalogue.js"
import { EventLog, readAll } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { makeMentionsTest } from "../src/erasure/mentions.js"
import { everyEvent, makeCandidateTest } from "../src/erasure/plan/candidates.js"
import { planAgent } from "../src/erasure/plan/planAgent.js"
import { decodeErasable } from "../src/erasure/plan/selection.js"
import { disputingLayer } from "./support/disputes.js"
import { fresh } from "./support/engine.js"
import { choices, selectionOf } from "./support/erasures.js"
import { tinyLayer } from "./support/extractor.js"
import { type Asked, histories, perform } from "./support/histories.js"
import { lawRuns } from "./support/size.js"

const agent = "ada"
const awake = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }

describe("a plan of an erasure", () => {
  it.scoped.prop(
    "is the same whether it decodes all events or only those that may name a subject",
    [histories({ agents: [agent], minLength: 20, maxLength: 40 }), fc.array(choices, { minLength: 8, maxLength: 8 })],
    ([steps, chosen]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-03-14T06:00:00Z"))
        const { daybook, folder } = yield* fresh({ policy: awake, reconciler: disputingLayer, extractor: tinyLayer })
        const asked: Asked = new Map()
        for (const step of steps) yield* perform({ daybook, folder, asked, wait: TestClock.adjust }, step)
        const log = Context.get(yield* Layer.build(EventLogSqlite.layer(folder)), EventLog)
        const rows = Chunk.toReadonlyArray(yield* Stream.runCollect(readAll(log, agent)))
        const events = yield* Effect.forEach(
          rows.filter(({ payload, type }) => payload !== null && type !== "REMAINS"),
          (row) => codec.decode(row)
        )
        const source = { log, codec, countTokens: (text: string) => text.length }
        for (const choice of chosen) {
          const erasable = selectionOf(agent, choice, events as ReadonlyArray<DaybookEvent>)
          if (erasable === undefined) continue
          const { selection } = yield* decodeErasable(erasable)
          const { report: reportOfAll, ...all } = yield* planAgent(source, agent, selection, () => everyEvent)
          const { report, ...filtered } = yield* planAgent(source, agent, selection)
          const unused = ({ lostDigests, usedDigests }: typeof all) =>
            [...lostDigests].filter((digest) => !usedDigests.has(digest))
          expect(filtered.erasure).toEqual(all.erasure)
          expect(filtered.found).toEqual(all.found)
          expect(unused(filtered)).toEqual(unused(all))
          expect(report()).toEqual(reportOfAll())
        }
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 4, full: 40 }), endOnFailure: true } }
  )
})

describe("the filter of undecoded events", () => {
  const needles = (texts: ReadonlyArray<string>, person?: string) => ({
    texts: new Set(texts),
    mentionsIn: person === undefined ? undefined : makeMentionsTest(person),
    hasPlaces: false
  })
  const turn = (payload: string) => ({ type: "TURN", payload })

  it("finds a text that JSON spells with escapes", () => {
    const ids = ['say "hi"', "a\\b", "two\nlines", "caf\u00e9"]
    for (const id of ids) {
      const [one, many] = [[id], [id, ...Array.from({ length: 40 }, (_, index) => `other${index}`)]]
      for (const texts of [one, many]) {
        const mayConcern = makeCandidateTest(needles(texts))
        expect(mayConcern(turn(JSON.stringify({ to: id })))).toBe(true)
        expect(mayConcern(turn(JSON.stringify({ to: `${id}!` })))).toBe(false)
        const spelt = [...id].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
        expect(mayConcern(turn(`{"to":"${spelt}"}`))).toBe(true)
      }
    }
  })

  it("finds a name next to an escape and in another Unicode form", () => {
    const mayConcern = makeCandidateTest(needles([], "Anna Zoë"))
    for (const text of ["hi\nAnna Zoë\tbye", 'the "Anna"\nZoë', "ANNA ZOE\u0308", "Anna\\Zoë"]) {
      expect(mayConcern(turn(JSON.stringify({ text })))).toBe(true)
    }
    expect(mayConcern(turn(JSON.stringify({ text: "Annals of Zoë" })))).toBe(false)
  })
})

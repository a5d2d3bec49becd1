import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import type { DaybookEvent } from "../events/catalogue.js"
import type { Daybook } from "../src/Daybook.js"
import {
  decodeVerdict,
  type Judgement,
  type Question,
  Reconciler,
  ReconcilerError,
  type Verdict
} from "../src/Reconciler.js"
import { isSame, type WhatIf } from "../src/whatIf/WhatIf.js"
import { fresh, open, temporaryFolder } from "./support/engine.js"
import { type Asked, histories, perform } from "./support/histories.js"

type System = Context.Tag.Service<Daybook>
type Service = Context.Tag.Service<Reconciler>

const agent = "coop"
const start = Date.parse("2026-03-14T06:00:00Z")
/** A clock that is moved by hours would otherwise stop at each look for idle agents. */
const awake = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }

const numberOf = (text: string) => createHash("sha256").update(text).digest().readUInt32BE(0)

/** Decides by nothing but the texts of the question, and every way there is. */
const pure = ({ candidates, statement }: Question): Verdict => {
  const texts = [statement, ...candidates].map(({ facts, narrative, title }) => [title, narrative, facts])
  const number = numberOf(JSON.stringify(texts))
  const target = number % candidates.length
  const reason = `number ${number % 1_000}`
  switch ((number >> 8) % 5) {
    case 0:
      return { action: "ADD", reason }
    case 1:
      return { action: "UPDATE", target, reason }
    case 2:
      return { action: "UPDATE", target, merged: { title: `${statement.title} and more` }, reason }
    case 3:
      return { action: "DELETE", target, reason }
    default:
      return { action: "NONE", target, reason }
  }
}

const ruled = (verdict: Verdict, name = "pure"): Judgement => ({ verdict, by: { kind: "rule", name }, sure: true })
const rules: Service = { name: "pure", judge: (question) => ruled(pure(question)) }
const model = (ask: (question: Question) => Verdict): Service => ({
  name: "model-1",
  judge: () => ruled({ action: "ADD", reason: "not asked" }, "at once"),
  ask: (question) =>
    Effect.sync(() => ({ verdict: ask(question), by: { kind: "model", name: "model-1", promptDigest: "p" }, sure: true }))
})
const layerOf = (service: Service) => Layer.succeed(Reconciler, service)

const events = (daybook: System, of = agent) =>
  Effect.map(Stream.runCollect(daybook.log(of)), (all) => Chunk.toReadonlyArray(all) as ReadonlyArray<DaybookEvent>)

/** What a what-if may not touch, and that it leaves nothing behind. */
const stateOf = (daybook: System, folder: string, of = agent) =>
  Effect.gen(function* () {
    const { digest, stateDigest } = yield* daybook.digests(of)
    const log = readFileSync(join(folder, "log.db"))
    return {
      digest,
      stateDigest,
      log: createHash("sha256").update(log).digest("hex"),
      heads: JSON.stringify(yield* daybook.agents),
      problems: (yield* daybook.verify()).problems,
      branches: branchesIn(folder)
    }
  })

const branchesIn = (folder: string): ReadonlyArray<string> => {
  const cache = join(folder, "cache")
  return existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith(".")) : []
}

/** Fails with what differs, not with everything. */
const expectSame = (found: WhatIf) =>
  expect({ decisions: found.decisions, skipped: found.skipped, memories: found.memories, other: found.counts.otherGrounds }).toEqual({
    decisions: [],
    skipped: [],
    memories: { onlyLive: [], onlyBranch: [], changed: [] },
    other: 0
  })

describe("a stretch of history decided again", () => {
  it.scoped.prop(
    "under the same policy comes out the same, and changes nothing",
    [histories({ minLength: 40, maxLength: 80, agents: ["ada", "bob"] })],
    ([steps]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const folder = yield* temporaryFolder
        const daybook = yield* open(folder, { policy: awake, reconciler: layerOf(rules) })
        const asked: Asked = new Map()
        for (const step of steps) yield* perform({ daybook, folder, asked, wait: TestClock.adjust }, step)
        for (const name of asked.keys()) {
          const before = yield* stateOf(daybook, folder, name)
          const version = (yield* events(daybook, name)).length
          for (const [from, to] of [
            [1, version],
            [Math.ceil(version / 2), version],
            [Math.ceil(version / 3), Math.ceil(version / 2)]
          ] as const) {
            if (version === 0) continue
            const found = yield* daybook.whatIf(name, { from, to })
            expectSame(found)
            expect(isSame(found)).toBe(true)
            expect(found.counts.outcomes.branch).toEqual(found.counts.outcomes.live)
          }
          expect(yield* stateOf(daybook, folder, name)).toEqual(before)
        }
      }),
    { fastCheck: { numRuns: 25 } }
  )
})
void [fresh, Fiber, mkdirSync, decodeVerdict, ReconcilerError, model]

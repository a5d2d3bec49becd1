import { readFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { TrustLevel } from "../../events/Trust.js"
import type { Daybook } from "../../src/Daybook.js"
import {
  type Judgement,
  noReconciler,
  type Question,
  Reconciler,
  type ReconcilerService
} from "../../src/ports/Reconciler.js"
import { type EngineOptions, fresh } from "./engine.js"

export const agent = "ada"
export const start = Date.UTC(2026, 0, 1, 9)
export const hour = 3_600_000
export const policy = { actors: { idle: 365 * 24 * hour } }

const about = (title: string) => title.split(" is ")[0]

/**
 * Takes each statement for a contradiction of the newest memory about the same thing, the text before " is ", as certain
 * as its last fact says: "0.6". A fact "red 0.5" says how certain against a memory that ends with "red". Without a number
 * `others` decides.
 */
export const disputing = (others: Pick<ReconcilerService, "judge"> = noReconciler): ReconcilerService => ({
  name: "scripted",
  judge: (question: Question): Judgement => {
    const { candidates, statement } = question
    const [target] = [...candidates.keys()]
      .filter((index) => about(candidates[index]!.title) === about(statement.title))
      .sort((a, b) => candidates[b]!.at - candidates[a]!.at)
    const own = statement.facts.find((fact) => {
      const word = /^(\p{L}+) 0?\.\d+$/u.exec(fact)?.[1]
      return word !== undefined && target !== undefined && candidates[target]!.title.endsWith(` ${word}`)
    })
    const confidence = Number(own?.split(" ")[1] ?? statement.facts.at(-1) ?? Number.NaN)
    if (Number.isNaN(confidence)) return others.judge(question)
    const by = { kind: "rule", name: "scripted" } as const
    return target === undefined
      ? { verdict: { action: "ADD", reason: "something else" }, by, sure: true }
      : { verdict: { action: "DELETE", target, reason: "another value" }, by, sure: false, confidence }
  }
})

export const disputingLayer = Layer.succeed(Reconciler, disputing())

export const system = (options: EngineOptions = {}) =>
  Effect.tap(fresh({ vectorExtension: null, reconciler: disputingLayer, policy, ...options }), TestClock.setTime(start))

type System = Daybook["Type"]
export const as = (daybook: System, trust: TrustLevel) => daybook.agent(agent, { trust, record: false })

/** Says that something has a value, an hour after what was said before. */
export const say = (daybook: System, title: string, confidence?: number, fields: object = {}) =>
  Effect.gen(function* () {
    yield* TestClock.adjust("1 hour")
    const { trust = "full", ...others } = fields as { readonly trust?: TrustLevel }
    const memory = yield* as(daybook, trust)
    const facts = confidence === undefined ? [] : [String(confidence)]
    return yield* memory.remember({ title, facts, type: "preference", store: "social", ...others })
  })

/** Opens the view of the agent to read it. */
export const viewOf = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const views = join(folder, "views", agent)
      return new Database(join(views, readFileSync(join(views, "current"), "utf8")), { readonly: true })
    }),
    (db) => Effect.sync(() => db.close())
  )

/** The other sides of a memory's dispute, by title; undefined without one. */
export const sidesOf = (daybook: System, id: string, trust: TrustLevel = "full") =>
  Effect.gen(function* () {
    const [memory] = yield* (yield* as(daybook, trust)).get([id])
    return memory?.disputedBy?.map(({ title }) => title)
  })

import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Default from "../../layers/Default.js"
import { Daybook } from "../../src/Daybook.js"
import { bundle } from "./bundle.js"
import { temporaryFolder } from "./engine.js"
import { policy } from "./scheduleRunner.js"

export interface Storm {
  readonly agents: number
  readonly schedules: number
  readonly seconds: number
}

/** What came of it. */
export interface Calm {
  readonly occurrences: number
  readonly kills: number
  /** Attempts of handlers, and runs that were taken over or given back. */
  readonly begun: number
  readonly abandoned: number
  readonly events: number
  readonly warnings: number
  /** Seconds from the first occurrence until the last one was done. */
  readonly took: number
}

/**
 * Two processes on one folder with schedules that are due every second, one of them killed every now and then: each
 * occurrence is finished once, its handler ran, its keyed effect is there once, and no two runs of a schedule overlap.
 */
export const storm = ({ agents, schedules, seconds }: Storm) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const journal = join(folder, "journal")
    const program = yield* Effect.acquireRelease(
      Effect.promise(() => bundle("scheduleRunner")),
      ({ remove }) => Effect.sync(remove)
    )
    const context = yield* Layer.build(Default.layer({ folder, policy, vectorExtension: null }))
    const daybook = Context.get(context, Daybook)
    const names = Array.from({ length: agents }, (_, index) => `agent-${index}`)
    const from = Math.ceil(Date.now() / 1_000) * 1_000 + 2_000
    const end = from + seconds * 1_000
    const ids: Array<string> = []
    for (let index = 0; index < schedules; index++) {
      const memory = yield* daybook.agent(names[index % agents]!, { trust: "full" })
      const { id } = yield* memory.schedules.add({
        goal: "work",
        handler: "work",
        every: 1_000,
        from,
        missed: "each",
        keep: 10
      })
      ids.push(id)
    }

    const errors: Array<string> = []
    let warnings = 0
    const begin = () => {
      const child = spawn(process.execPath, [program.file, JSON.stringify({ folder, journal })])
      child.stderr.on("data", (text) => errors.push(String(text)))
      // Nothing is lost where a log is busy for seconds; how often that was is worth knowing.
      child.stdout.on("data", (text) => {
        warnings += String(text).split("level=WARN").length - 1
      })
      return child
    }
    const children: Array<ChildProcess> = yield* Effect.acquireRelease(
      Effect.sync(() => [begin(), begin()]),
      (all) =>
        Effect.sync(() => {
          for (const child of all) child.kill("SIGKILL")
        })
    )
    let kills = 0
    while (Date.now() < end) {
      yield* Effect.sleep(800 + Math.random() * 2_000)
      const which = Math.floor(Math.random() * 2)
      children[which]!.kill("SIGKILL")
      children[which] = begin()
      kills++
    }

    /** Until everything is done that was due by then. */
    const behind = Effect.map(
      Effect.forEach(names, (name) =>
        Effect.flatMap(daybook.agent(name, { trust: "full" }), (memory) => memory.schedules.count({ before: end }))
      ),
      (counts) => counts.reduce((sum, count) => sum + count, 0)
    )
    while ((yield* behind) > 0) yield* Effect.sleep(200)
    const took = (Date.now() - from) / 1_000
    // Until what the last one that was killed had is taken over.
    yield* Effect.sleep(policy.schedules.timeout + policy.schedules.grace + 1_500)
    for (const child of children) {
      child.kill("SIGTERM")
      yield* Effect.promise(async () => (child.exitCode === null ? await once(child, "exit") : undefined))
    }
    expect(errors).toEqual([])

    const began = new Set(existsSync(journal) ? readFileSync(journal, "utf8").split("\n") : [])
    const finished = new Map<string, number>()
    const effects = new Map<string, number>()
    const told = { abandoned: 0, events: 0 }
    for (const name of names) {
      const underWay = new Map<string, string>()
      yield* Stream.runForEach(daybook.log(name), (event) =>
        Effect.sync(() => {
          told.events++
          if (event.payload === null) return
          if (event.type === "ADD") count(effects, event.payload.memory.title.slice("did ".length))
          if (event.type !== "RUN") return
          const { name: schedule, occurrence, phase, run, status } = event.payload
          if (phase === "started") {
            // A run under way is begun again by itself alone; somebody else's has to be ended before.
            expect(underWay.get(schedule) ?? run).toBe(run)
            underWay.set(schedule, run)
            return
          }
          expect(underWay.get(schedule)).toBe(run)
          underWay.delete(schedule)
          if (status === "abandoned") told.abandoned++
          else {
            count(finished, `${schedule}@${occurrence}`)
            expect(status).toBe("ok")
          }
        })
      )
      // Whoever was told to stop gave back what it had.
      expect([...underWay]).toEqual([])
    }
    for (const id of ids) {
      for (let occurrence = from; occurrence < end; occurrence += 1_000) {
        const key = `${id}@${occurrence}`
        expect([key, finished.get(key), effects.get(key), began.has(key)]).toEqual([key, 1, 1, true])
      }
    }
    // Not one of what came later either is there twice.
    expect(Math.max(...finished.values(), ...effects.values())).toBe(1)
    expect((yield* daybook.verify()).problems).toEqual([])
    expect((yield* daybook.runner.retime).mended).toEqual([])
    const begun = readFileSync(journal, "utf8").split("\n").length - 1
    const calm: Calm = { occurrences: schedules * seconds, kills, begun, warnings, took, ...told }
    return calm
  })

const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

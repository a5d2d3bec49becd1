import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { embeddingText } from "../../events/Memory.js"
import * as Default from "../../layers/Default.js"
import { textDigest } from "../../projections/vectors.js"
import { Daybook } from "../../src/Daybook.js"
import { bundle } from "./bundle.js"
import { known } from "./embedders.js"
import { temporaryFolder } from "./engine.js"
import { agent, far, near, policy, query } from "./switchRunner.js"

export interface Storm {
  readonly memories: number
  readonly kills: number
  /** Milliseconds of one answer of the embedder that is switched to. */
  readonly latency: number
}

export interface Calm {
  readonly memories: number
  /** Texts whose vectors came, and those of them that came twice. */
  readonly received: number
  readonly again: number
  readonly written: number
}

const asked = (daybook: Context.Tag.Service<Daybook>, version?: number) =>
  Effect.gen(function* () {
    const memory = yield* version === undefined
      ? daybook.agent(agent, { trust: "full", record: false })
      : daybook.agent(agent, { trust: "full", asOf: { version } })
    const { explanation, hits } = yield* memory.explain({ text: query, limit: 20 })
    return { model: explanation.vectors, hits: hits.map(({ id, score }) => [id, score]) }
  })

/**
 * An agent's embedder is switched under reads and writes by a process that is killed again and again: no search was
 * ever empty or without vectors, no text was sent again after its vector was stored, the new index is what a fresh one
 * is, and it can be gone back.
 */
export const storm = ({ kills, latency, memories }: Storm) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const [received, wrong] = [join(folder, "received"), join(folder, "wrong")]
    const opened = (old = near(), next = far()) =>
      Effect.map(Layer.build(Default.layer({ folder, policy, ...known(old, next) })), Context.get(Daybook))
    const { before, version } = yield* Effect.scoped(
      Effect.gen(function* () {
        const daybook = yield* opened()
        const memory = yield* daybook.agent(agent, { trust: "full", record: false })
        for (let from = 0; from < memories; from += 500) {
          const some = Array.from({ length: Math.min(500, memories - from) }, (_, at) => from + at)
          yield* memory.rememberAll(
            some.map((at) => ({ title: `pilot ${at} keeps ${["rope", "tea", "maps"][at % 3]} of harbour ${at % 997}` }))
          )
        }
        yield* daybook.backfill(agent)
        const [one] = yield* daybook.agents
        return { before: yield* asked(daybook, one!.version), version: one!.version }
      })
    )
    const program = yield* Effect.acquireRelease(
      Effect.promise(() => bundle("switchRunner")),
      ({ remove }) => Effect.sync(remove)
    )
    let said = ""
    let errors = ""
    const begin = () => {
      const child = spawn(process.execPath, [program.file, JSON.stringify({ folder, received, wrong, latency })])
      child.stdout.on("data", (text) => (said += String(text)))
      child.stderr.on("data", (text) => (errors += String(text)))
      return child
    }
    const running: { child: ChildProcess } = yield* Effect.acquireRelease(
      Effect.sync(() => ({ child: begin() })),
      ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const until = (what: string) =>
      Effect.gen(function* () {
        while (!said.includes(what)) {
          if (running.child.exitCode !== null) throw new Error(`ended by itself: ${errors}`)
          yield* Effect.sleep(20)
        }
      })
    // The kills are spread over the whole of the switch.
    const batches = Math.ceil(memories / 64)
    for (let kill = 0; kill < kills; kill++) {
      yield* until("ready")
      const goal = Math.floor((batches * 64 * (kill + 1)) / (kills + 1))
      while (linesOf(received).length < goal && !said.includes("switched")) yield* Effect.sleep(10)
      yield* Effect.sleep(Math.random() * 2 * latency)
      const ended = new Promise((resolve) => running.child.once("exit", resolve))
      running.child.kill("SIGKILL")
      yield* Effect.promise(() => ended)
      said = ""
      running.child = begin()
    }
    yield* until("switched")
    yield* Effect.sleep(500)
    const ended = new Promise((resolve) => running.child.once("exit", resolve))
    running.child.kill("SIGKILL")
    yield* Effect.promise(() => ended)
    expect(linesOf(wrong)).toEqual([])
    expect(errors).toBe("")

    const texts = linesOf(received)
    const again = texts.length - new Set(texts).size
    // Of each process at most what was under way when it was killed: received, and not yet in the log.
    expect(again).toBeLessThanOrEqual(2 * 64 * (kills + 1))

    const [old, next] = [near(), far()]
    const daybook = yield* opened(old, next)
    yield* daybook.backfill(agent)
    const status = yield* daybook.embedders.status(agent)
    expect(status).toMatchObject({ inForce: { model: "far", lacking: 0 }, preparing: null, kept: [{ model: "near" }] })
    const written = status.inForce.embedded - memories
    expect(written).toBeGreaterThan(0)

    // The same as an index that is made of nothing but the memories.
    const events = [...(yield* Stream.runCollect(daybook.log(agent)))]
    const all = events.flatMap((event) =>
      event.type === "ADD" && event.payload !== null ? [event.payload.memory] : []
    )
    expect(status.inForce.embedded).toBe(all.length)
    const entries = events.flatMap((event) =>
      event.type === "EMBED" && event.payload !== null && event.payload.model === "far" ? event.payload.entries : []
    )
    // Each text once, and as it stands: whose vector it is follows from its digest.
    expect(new Map(entries.map(({ digest, memory }) => [memory, digest]))).toEqual(
      new Map(all.map((memory) => [memory.id, textDigest(embeddingText(memory))]))
    )
    expect(entries).toHaveLength(all.length)

    const after = yield* asked(daybook)
    expect(after.model).toBe("far")
    old.asked.length = next.asked.length = 0
    const live = yield* daybook.digests(agent)
    yield* daybook.rebuild(agent)
    expect(yield* daybook.digests(agent)).toEqual(live)
    expect(yield* asked(daybook)).toEqual(after)
    expect([...old.asked, ...next.asked]).toEqual([])

    expect(yield* asked(daybook, version)).toEqual(before)
    yield* daybook.embedders.back(agent)
    expect((yield* asked(daybook)).model).toBe("near")
    expect(next.asked).toEqual([])
    expect(yield* asked(daybook, version)).toEqual(before)
    return { memories, received: texts.length, again, written } satisfies Calm
  })

const linesOf = (file: string): ReadonlyArray<string> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : []

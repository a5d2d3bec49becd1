import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { bundle } from "./bundle.js"
import { temporaryFolder } from "./engine.js"
import { agent } from "./switchChecks.js"
import type { AnswerLine, Armed, Before, ReceivedLine, RunnerOptions } from "./switchRunner.js"
import { type Calm, linesOf, openWith, pastOf, settled } from "./switchSettled.js"
import { observationOf, seed, worldOf } from "./switchWorld.js"
import { batch } from "./tongues.js"

export interface Storm {
  readonly memories: number
  /** Deaths on the way there and on the way back, those at the beginning and the end of the switch included. */
  readonly kills: { readonly there: number; readonly back: number }
  /** Milliseconds of one answer of the embedder that is switched to. */
  readonly latency: number
  /** Milliseconds between two writes of the process that lives on. */
  readonly pause: number
}

type Role = RunnerOptions["role"]
type Goal = RunnerOptions["goal"]

/**
 * An agent's embedder is switched, and switched back, under reads and writes by two processes that are killed again and
 * again, and at the very moments at which it begins and ends. See `judge` for what each answer is looked at for
 * meanwhile; afterwards the index is what a fresh one is, to the byte and to the score, and the past is as it was.
 */
export const storm = ({ kills, latency, memories, pause }: Storm) =>
  Effect.gen(function* () {
    const [folder, notes] = [yield* temporaryFolder, yield* temporaryFolder]
    const world = worldOf(memories)
    const { before, version } = yield* Effect.scoped(
      Effect.gen(function* () {
        const { daybook } = yield* openWith(folder, "near")
        const memory = yield* daybook.agent(agent, { trust: "full", record: false })
        const { files, observations, turns } = seed(world)
        const prey: Array<{ readonly id: string }> = []
        for (let from = 0; from < observations.length; from += 500) {
          const some = observations.slice(from, from + 500)
          for (const [at, one] of (yield* memory.rememberAll(some)).entries()) {
            const { id } = Either.getOrThrow(one)
            if (!some[at]!.title.includes(" anchor")) prey.push({ id })
          }
        }
        for (let from = 0; from < turns.length; from += 500)
          yield* memory.sessions.appendAll(turns.slice(from, from + 500))
        for (const file of files) yield* memory.files.add(file)
        yield* daybook.backfill(agent)
        writeFileSync(join(notes, "prey"), JSON.stringify(prey))
        const [one] = yield* daybook.agents
        const { version } = one!
        const before = yield* pastOf(daybook, world, version)
        writeFileSync(
          join(notes, "before"),
          JSON.stringify(before.map(({ answer, question }): Before => ({ question, answer: JSON.stringify(answer) })))
        )
        return { before, version }
      })
    )
    const program = yield* Effect.acquireRelease(
      Effect.promise(() => bundle("switchRunner")),
      ({ remove }) => Effect.sync(remove)
    )
    const options = { folder, world, latency, pause, version }
    const way = (goal: Goal, deaths: number, lacking: number) =>
      Effect.gen(function* () {
        const there = join(notes, goal)
        mkdirSync(there)
        for (const file of ["prey", "before"]) writeFileSync(join(there, file), readFileSync(join(notes, file)))
        const began = Date.now()
        const dead = yield* Effect.scoped(suffer(program.file, { ...options, notes: there, goal }, deaths, lacking))
        const seconds = (Date.now() - began) / 1_000
        const calm = yield* Effect.scoped(settled(folder, there, goal, world, version, before))
        // Whoever dies has one batch of what is in force and one of what is prepared on its way to the log, at most.
        expect(calm.again).toBeLessThanOrEqual(2 * batch * dead)
        return { ...calm, kills: dead, seconds } satisfies Calm
      })
    const first = yield* way("far", kills.there, memories)
    // What is written while the new one is in force is what the old one lacks on the way back.
    const more = Math.floor(memories / 4)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { daybook } = yield* openWith(folder, "near")
        const memory = yield* daybook.agent(agent, { trust: "full", record: false })
        for (let from = 0; from < more; from += 500) {
          const some = Array.from({ length: Math.min(500, more - from) }, (_, at) => from + at)
          const stores = ["private", "shared", "social"] as const
          yield* memory.rememberAll(
            some.map((at) => observationOf(world, at % world.things, `more${at}`, stores[at % 3]!))
          )
        }
        yield* daybook.backfill(agent)
      })
    )
    const back = yield* way("near", kills.back, first.behind + more)
    return { first, back }
  })

/** Has two processes live through a switch until it is over and all is whole, with so many deaths on the way. */
const suffer = (program: string, options: Omit<RunnerOptions, "role">, deaths: number, lacking: number) =>
  Effect.gen(function* () {
    const { goal, notes } = options
    let stopping = false
    let last = false
    let arms = 0
    let dead = 0
    let errors = ""
    const children = new Map<Role, { readonly child: ChildProcess; said: string }>()
    const begin = (role: Role) => {
      const pause = role === "other" ? options.pause : 6 * options.pause
      const child = spawn(process.execPath, [program, JSON.stringify({ ...options, role, pause })])
      const one = { child, said: "" }
      children.set(role, one)
      child.stdout.on("data", (text) => {
        one.said += String(text)
      })
      child.stderr.on("data", (text) => {
        errors += String(text)
      })
      child.on("exit", (code, signal) => {
        if (stopping) return
        if (signal !== "SIGKILL") errors += `${role} ended by itself: ${code} ${signal}`
        dead++
        if (!last) begin(role)
      })
    }
    const check = () => {
      if (errors !== "") throw new Error(errors)
      const wrong = linesOf(notes, "wrong")
      if (wrong.length > 0) throw new Error(wrong.slice(0, 5).join("\n"))
    }
    const until = (what: () => boolean) =>
      Effect.gen(function* () {
        while (!what()) {
          check()
          yield* Effect.sleep(40)
        }
      })
    const said = (role: Role, word: string) => until(() => children.get(role)!.said.includes(word))
    const arm = (at: Armed) => {
      const file = join(notes, `armed-${arms++}`)
      writeFileSync(file, JSON.stringify(at))
      return file
    }
    const hit = (at: Armed) =>
      Effect.gen(function* () {
        const now = dead
        const file = arm(at)
        yield* until(() => dead > now && !existsSync(file))
      })
    const strike = (...roles: ReadonlyArray<Role>) =>
      Effect.gen(function* () {
        const now = dead
        for (const role of roles) children.get(role)!.child.kill("SIGKILL")
        yield* until(() => dead >= now + roles.length)
      })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        stopping = true
        for (const { child } of children.values()) child.kill("SIGKILL")
      })
    )

    const inForce = { type: "EMBEDDER", state: "inForce", model: goal } as const
    const preparing = { ...inForce, state: "preparing" } as const
    const embed = { type: "EMBED", model: goal } as const
    // Somebody dies before the beginning is stored, and somebody after it, before the view has it; and so at the end.
    for (const at of [preparing, inForce]) for (const when of ["before", "after"] as const) arm({ ...at, when })
    begin("other")
    begin("switcher")
    yield* until(() => dead >= 2)
    const blows = [
      hit({ ...embed, when: "before" }),
      strike("switcher", "other"),
      hit({ ...embed, when: "after" }),
      strike("other"),
      strike("switcher")
    ]
    for (let blow = 0; blow < deaths - 4; blow++) {
      const reached = Math.floor((lacking * 0.9 * (blow + 1)) / (deaths - 3))
      yield* until(() => receivedIn(notes, goal) >= reached)
      yield* said("other", "ready")
      yield* Effect.sleep(Math.random() * 2 * options.latency)
      yield* blows[blow % blows.length]!
    }
    yield* said("switcher", "switched")
    yield* until(() => !readdirSync(notes).some((file) => /^armed-\d+$/.test(file)))
    yield* said("switcher", "switched")
    const now = Number(process.hrtime.bigint()) / 1e6
    const late = () =>
      linesOf(notes, "answers")
        .map((line) => JSON.parse(line) as AnswerLine)
        .filter(({ begun }) => begun > now)
    // Both answer by the new one.
    const few = 10
    const by = (one?: number) => late().filter(({ pid }) => pid === one)
    yield* until(() => [...children.values()].every(({ child }) => by(child.pid).length >= few))
    for (const { inForce } of late()) expect(inForce).toBe(goal)
    // Who changed memories dies before their new vectors are stored, and is not begun again: the other one makes them.
    last = true
    yield* hit({ ...embed, when: "before", role: "switcher" })
    children.delete("switcher")
    children.get("other")!.child.stdin!.write("stop\n")
    yield* said("other", "whole")
    stopping = true
    const ends = [...children.values()].map(({ child }) => new Promise((resolve) => child.once("exit", resolve)))
    for (const { child } of children.values()) child.kill("SIGKILL")
    yield* Effect.promise(() => Promise.all(ends))
    check()
    expect(dead).toBeGreaterThanOrEqual(deaths)
    return dead + children.size
  })

/** Texts whose vectors came back of a model. */
const receivedIn = (notes: string, goal: Goal): number =>
  linesOf(notes, "received")
    .map((line) => JSON.parse(line) as ReceivedLine)
    .reduce((sum, { model, texts }) => sum + (model === goal ? texts : 0), 0)

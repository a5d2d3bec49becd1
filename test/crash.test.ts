import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import Database from "better-sqlite3"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { DaybookEvent, ErasedEvent } from "../events/catalogue.js"
import * as Default from "../layers/Default.js"
import * as Generations from "../projections/view/generations.js"
import { bundledVectorExtension } from "../projections/view/ViewFile.js"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/ports/Policy.js"
import { bundle } from "./support/bundle.js"
import { type Asked, readJournal, type WriterOptions } from "./support/crashWriter.js"
import { rounds } from "./support/size.js"

const scratch = mkdtempSync(join(tmpdir(), "daybook-crash-"))
const children = new Set<ChildProcess>()
let program: Awaited<ReturnType<typeof bundle>>

beforeAll(async () => {
  program = await bundle("crashWriter")
})

afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
  program.remove()
  rmSync(scratch, { recursive: true, force: true })
})

/** Starts a writer; `atWork` once something new was answered. */
const start = (options: WriterOptions) => {
  const child = spawn(process.execPath, [program.file, JSON.stringify(options)], { stdio: ["ignore", "pipe", "pipe"] })
  children.add(child)
  let errors = ""
  child.stderr.on("data", (chunk) => {
    errors += chunk
  })
  const atWork = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()))
  const gone = new Promise<string>((resolve) =>
    child.once("close", (code, signal) => {
      children.delete(child)
      resolve(signal ?? `${code}: ${errors}`)
    })
  )
  return { child, atWork, gone }
}

const below = (limit: number) => Math.random() * limit

interface Figures {
  readonly asked: number
  readonly lost: number
  readonly twice: number
  readonly errors: ReadonlyArray<string>
  readonly differences: ReadonlyArray<string>
}

const writerNames = rounds({ quick: ["a", "b"], full: ["a", "b", "c", "d"] })

/** Kills writers again and again; each starts where its predecessor was stopped. */
const killing = async (folder: string, agents: ReadonlyArray<string>, kills: { atWork: number; atStart: number }) => {
  const writers = writerNames.map((name) => ({ folder, agents, name, journal: join(scratch, `${agents}-${name}`) }))
  let left = kills.atWork
  let early = kills.atStart
  let repeated = 0
  await Promise.all(
    writers.map(async (writer) => {
      while (left > 0 || early > 0) {
        const { atWork, child, gone } = start({ ...writer, mode: "until killed" })
        if (left > 0) {
          left--
          await Promise.race([atWork, gone, sleep(20_000, undefined, { ref: false })])
          await sleep(5 + below(145))
        } else {
          early--
          await sleep(below(500))
        }
        child.kill("SIGKILL")
        expect(await gone).toBe("SIGKILL")
        const lines = readJournal(writer.journal)
        const answered = new Set(lines.flatMap((line) => ("ids" in line ? [line.n] : [])))
        repeated += lines.filter((line) => "asked" in line && !answered.has(line.n)).length
      }
    })
  )
  const acknowledged = writers.reduce(
    (sum, { journal }) =>
      sum + readJournal(journal).reduce((ids, line) => ids + ("ids" in line ? line.ids.length : 0), 0),
    0
  )
  for (const writer of writers) expect(await start({ ...writer, mode: "finish" }).gone).toBe("0: ")
  return { journals: writers.map(({ journal }) => journal), acknowledged, repeated }
}

/** Compares what the writers were told with what is in the log, in the view, and in a view made anew. */
const compare = (folder: string, agents: ReadonlyArray<string>, journals: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    const errors: Array<string> = []
    const differences: Array<string> = []
    let asked = 0
    let lost = 0
    let twice = 0
    const journaled = journals.map((file) => {
      const lines = readJournal(file)
      errors.push(...lines.flatMap((line) => ("error" in line ? [line.error] : [])))
      const answers = new Map(lines.flatMap((line) => ("ids" in line ? [[line.n, line.ids] as const] : [])))
      return lines
        .flatMap((line) => ("asked" in line ? [{ n: line.n, asked: line.asked, ids: answers.get(line.n) }] : []))
        .sort((one, other) => one.n - other.n)
    })
    for (const agent of agents) {
      const events = Chunk.toReadonlyArray(yield* Stream.runCollect(daybook.log(agent)))
      events.forEach((event, index) => {
        if (event.version !== index + 1) differences.push(`version ${event.version} in place ${index + 1}`)
      })
      const stored = new Map<string, Array<DaybookEvent | ErasedEvent>>()
      for (const event of events) {
        if (event.commandId !== null) stored.set(event.commandId, [...(stored.get(event.commandId) ?? []), event])
      }
      const expected = new Map<string, { readonly title: string; readonly topic?: string }>()
      const titles = new Set<string>()
      /** The turns of each session, by their ids. */
      const turns = new Map<string, Map<string, string>>()
      for (const { asked: one, ids } of journaled.flat()) {
        if (one.agent !== agent) continue
        for (const [index, { commandId, says }] of itemsOf(one).entries()) {
          asked++
          const own = stored.get(commandId) ?? []
          stored.delete(commandId)
          const id = ids?.[index]
          if (own.length === 0 || id === undefined) {
            lost++
            continue
          }
          if (own.length > 1) twice++
          const [event] = own
          if (one.kind === "turns") {
            const said = event?.type === "TURN" && event.payload !== null ? event.payload.turn : undefined
            if (said?.id !== id || said.text !== says || said.session !== one.session) {
              differences.push(`${commandId} was answered with another turn`)
            }
            turns.set(one.session, (turns.get(one.session) ?? new Map()).set(id, says))
          } else if (event?.payload === null || !("memory" in event!.payload) || event!.payload.memory.id !== id) {
            differences.push(`${commandId} was answered with another memory`)
          } else if (one.kind === "remember") {
            // Done again under no command id, it would count as a duplicate.
            if (event?.type !== "ADD" || titles.has(says)) twice++
            titles.add(says)
            expected.set(id, { title: says })
          } else if (one.kind === "update") expected.set(id, { ...expected.get(id)!, topic: one.topic })
          else expected.delete(id)
        }
      }
      for (const commandId of stored.keys()) differences.push(`${commandId} was never asked`)

      const memory = yield* daybook.agent(agent, { trust: "full" })
      const listed: Array<string> = []
      for (let offset = 0; ; offset += 1_000) {
        const rows = yield* memory.list({ limit: 1_000, offset })
        listed.push(...rows.map(({ id }) => id))
        if (rows.length < 1_000) break
      }
      if (new Set(listed).size !== listed.length) differences.push(`${agent} lists memories twice`)
      for (const id of listed) if (!expected.has(id)) differences.push(`${id} is listed and should not be`)
      for (let from = 0; from < listed.length; from += 200) {
        for (const { id, mentions, title, topic } of yield* memory.get(listed.slice(from, from + 200))) {
          const wanted = expected.get(id)
          if (wanted !== undefined && (wanted.title !== title || wanted.topic !== topic)) {
            differences.push(`${id} is not as it was left`)
          }
          if (mentions !== 1) twice++
          expected.delete(id)
        }
      }
      lost += expected.size
      for (const [session, said] of turns) {
        const inLog = events.flatMap((event) =>
          event.type === "TURN" && event.payload?.turn.session === session ? [event.payload.turn] : []
        )
        const last = inLog.slice(-1_000)
        const read = yield* memory.sessions.get(session, { last: 1_000 })
        if (JSON.stringify(read) !== JSON.stringify(last))
          differences.push(`${session} of ${agent} is not as in the log`)
        if (inLog.some(({ sequence }, index) => sequence !== index + 1))
          differences.push(`${session} has gaps or repeats`)
        lost += [...said.keys()].filter((id) => !inLog.some((turn) => turn.id === id)).length
        if (inLog.length !== said.size) differences.push(`${session} has turns that nobody asked for`)
      }
      yield* daybook.backfill(agent)
      const live = yield* daybook.digests(agent)
      yield* daybook.rebuild(agent)
      const rebuilt = yield* daybook.digests(agent)
      for (const [name, digest] of Object.entries({ ...rebuilt.projections, all: rebuilt.digest })) {
        const before = name === "all" ? live.digest : live.projections[name]
        if (digest !== before) differences.push(`${name} of ${agent} is not what its log says`)
      }
      const { view } = yield* daybook.stats(agent)
      differences.push(...view.parked.map(({ projection, reason }) => `${projection} is parked: ${reason}`))
    }
    const { problems } = yield* daybook.verify()
    differences.push(...problems.map(({ what }) => `verify: ${what}`))
    return { asked, lost, twice, errors, differences }
  }).pipe(Effect.provide(Default.layer({ folder, policy: defaults })))

/** The commands of a call, and what each was to write. */
const itemsOf = (asked: Asked): ReadonlyArray<{ readonly commandId: string; readonly says: string }> => {
  if (asked.kind === "remember") return asked.items.map(({ commandId, title }) => ({ commandId, says: title }))
  if (asked.kind === "turns") return asked.items.map(({ commandId, text }) => ({ commandId, says: text }))
  return [{ commandId: asked.commandId, says: "" }]
}

/** What SQLite and FTS5 find wrong with a file themselves. */
const integrityOf = (file: string, fullText: number): ReadonlyArray<string> => {
  const db = new Database(file, { fileMustExist: true })
  try {
    const extension = bundledVectorExtension()
    if (extension !== null) db.loadExtension(extension)
    const found = (db.pragma("integrity_check") as Array<{ integrity_check: string }>)
      .map((row) => row.integrity_check)
      .filter((what) => what !== "ok")
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE sql LIKE '%USING fts5(%'").pluck().all()
    if (tables.length < fullText) found.push(`${tables.length} full-text tables`)
    for (const table of tables) {
      try {
        // Without rank 1 the index is not compared with the texts.
        db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`).run()
      } catch (cause) {
        found.push(`${table}: ${cause}`)
      }
    }
    return found
  } finally {
    db.close()
  }
}

const viewOf = (folder: string, agent: string) => {
  const current = Generations.make(join(folder, "views"), agent).current()
  if (current === undefined) throw new Error(`${agent} has no view`)
  return current
}

describe("processes that are killed", () => {
  for (const agents of rounds({
    quick: [["one", "two"]],
    full: [["one"], ["one", "two"]],
    ci: [["one"], ["one", "two"]]
  })) {
    it(`lose no acknowledged write: ${writerNames.length} writers on ${agents.length === 1 ? "one agent" : "two agents"}`, async () => {
      const folder = join(scratch, agents.join("-"))
      const kills = rounds({
        quick: { atWork: 4, atStart: 1 },
        full: { atWork: 30, atStart: 5 },
        ci: { atWork: 12, atStart: 3 }
      })
      const { acknowledged, journals, repeated } = await killing(folder, agents, kills)
      // Before anything heals: what the last kill left in the files is sound as it is.
      const atOnce = integrityOf(join(folder, "log.db"), 0)
      const figures: Figures = await Effect.runPromise(compare(folder, agents, journals))
      const damaged = [
        ...atOnce,
        ...integrityOf(join(folder, "log.db"), 0),
        ...agents.flatMap((agent) => integrityOf(viewOf(folder, agent), 6))
      ]
      console.log(
        `${kills.atWork + kills.atStart} kills of ${writerNames.length} writers on ${agents.length} agent(s): ` +
          `${acknowledged} acknowledged, ${figures.asked} asked, ${repeated} commands repeated after a kill, ` +
          `${figures.lost} lost, ${figures.twice} twice, ${figures.differences.length} differences, ` +
          `${figures.errors.length} errors, ${damaged.length} damaged`
      )
      expect(figures.errors.slice(0, 5)).toEqual([])
      expect(figures.differences.slice(0, 5)).toEqual([])
      expect(damaged).toEqual([])
      expect({ lost: figures.lost, twice: figures.twice }).toEqual({ lost: 0, twice: 0 })
      expect(acknowledged).toBeGreaterThan(rounds({ quick: 10, full: 100, ci: 20 }))
      expect(repeated).toBeGreaterThan(0)
    }, 180_000)
  }
})

describe("an acknowledged write", () => {
  it("is on disk first: one fsync per transaction", () => {
    const count = rounds({ quick: 50, full: 500 })
    const trace = join(scratch, "trace")
    const strace = spawnSync("strace", ["-o", "/dev/null", "true"])
    if (strace.status !== 0) return console.log("fsyncs were not counted: strace is missing or may not trace")
    const options: WriterOptions = {
      mode: "in order",
      folder: join(scratch, "traced"),
      agents: ["one"],
      name: "a",
      journal: "",
      count
    }
    const run = spawnSync(
      "strace",
      ["-f", "-y", "-e", "trace=fsync,fdatasync", "-o", trace, process.execPath, program.file, JSON.stringify(options)],
      { encoding: "utf8" }
    )
    expect(run.stdout).toBe(`answered ${count}\n`)
    const synced = readFileSync(trace, "utf8")
      .split("\n")
      .flatMap((line) => /\bf(?:data)?sync\(\d+<([^>]*)>/.exec(line)?.[1] ?? [])
    const ofLog = synced.filter((file) => file.endsWith("log.db-wal")).length
    console.log(`${count} acknowledged transactions: ${synced.length} fsyncs, ${ofLog} of the log's write-ahead log`)
    expect(ofLog).toBeGreaterThanOrEqual(count)
  })
})

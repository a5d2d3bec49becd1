import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { agedWorld } from "../bench/agedWorld.js"
import { seedTurns } from "../bench/seed.js"
import * as Programs from "./support/bundle.js"
import { answerOf, build, bundle, lines, newFolder, removeFolders, spawnDaybook } from "./support/cli.js"
import { expectDuration, rounds } from "./support/size.js"

const memories = rounds({ quick: 600, full: 1_500 })
const files = rounds({ quick: 40, full: 100 })
const itemsPerFile = 25
const trialsPerSignal = rounds({ quick: 1, full: 2 })
/** The last moment of a signal, as a part of the command's duration. With one trial each, it must not come after the end. */
const lastMoment = rounds({ quick: 0.4, full: 0.95 })

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143]
] as const

interface Interrupted {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Milliseconds from the signal to the end; undefined if the command had ended before. */
  readonly ending: number | undefined
}

/** Runs the command in a process of its own and sends it a signal after some milliseconds. */
const interrupt = (args: ReadonlyArray<string>, signal: NodeJS.Signals, afterMillis: number): Promise<Interrupted> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [bundle, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    const output = { stdout: "", stderr: "" }
    let sentAt: number | undefined
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text
    })
    const timer = setTimeout(() => {
      sentAt = performance.now()
      child.kill(signal)
    }, afterMillis)
    child.on("close", (code) => {
      clearTimeout(timer)
      resolve({ code, ...output, ending: sentAt === undefined ? undefined : performance.now() - sentAt })
    })
  })

let prepared = ""
let notes = ""

beforeAll(async () => {
  build()
  prepared = newFolder()
  await agedWorld(memories, prepared)
  const at = Date.UTC(2026, 2, 14)
  const turns = Array.from({ length: memories }, (_, index) => ({
    session: `s${index % 50}`,
    text: `Ferry ${index} leaves from pier ${index % 7} at dawn`,
    at
  }))
  await seedTurns(prepared, "talk", turns)
  answerOf(await spawnDaybook(["--data", prepared, "--agent", "agent", "--json", "stats"]))
  answerOf(await spawnDaybook(["--data", prepared, "--agent", "talk", "--json", "stats"]))
  notes = join(newFolder(), "notes")
  mkdirSync(notes)
  for (let file = 0; file < files; file++) {
    const items = Array.from({ length: itemsPerFile }, (_, item) => `- Crate ${file} ${item} holds ${item * 3} ropes`)
    writeFileSync(join(notes, `${file}.md`), `${items.join("\n")}\n`)
  }
})

afterAll(removeFolders)

/** Each command, and whether its second run has completed what the first one began. */
const commands: ReadonlyArray<{
  readonly args: ReadonlyArray<string>
  // biome-ignore lint/suspicious/noExplicitAny: the answer of each command has its own shape.
  readonly isComplete: (answer: any) => boolean
}> = [
  {
    args: ["--agent", "new", "import", "NOTES"],
    isComplete: ({ added, unchanged }) => added + unchanged === files * itemsPerFile
  },
  { args: ["--agent", "agent", "rebuild"], isComplete: ({ events }) => events > memories },
  { args: ["--agent", "agent", "maintain"], isComplete: (runs) => runs.length > 0 },
  { args: ["verify"], isComplete: ({ ok }) => ok === true },
  { args: ["--agent", "agent", "what-if", "--reconciler", "none"], isComplete: ({ counts }) => counts.events > 0 },
  { args: ["--agent", "agent", "embed", "switch", "words"], isComplete: ({ state }) => state === "inForce" },
  { args: ["--agent", "talk", "backfill"], isComplete: ({ remaining }) => remaining === 0 }
]

/** Numbers of events by agent: what was acknowledged must not become less. */
const versionsOf = async (folder: string): Promise<Readonly<Record<string, number>>> => {
  const agents = answerOf(await spawnDaybook(["--data", folder, "--json", "agents"]))
  return Object.fromEntries(agents.map(({ name, version }: { name: string; version: number }) => [name, version]))
}

/** The files of each agent's view: one is in use, another would be unfinished. */
const viewFiles = (folder: string): ReadonlyArray<ReadonlyArray<string>> => {
  const views = join(folder, "views")
  return existsSync(views)
    ? readdirSync(views).map((agent) => readdirSync(join(views, agent)).filter((name) => name.endsWith(".db")))
    : []
}

describe("a signal", () => {
  for (const { args, isComplete } of commands) {
    const name = args.filter((arg) => arg !== "NOTES").join(" ")
    it(`ends ${name} at any moment, and the same command completes the work`, async () => {
      const call = ["--json", ...args.map((arg) => (arg === "NOTES" ? notes : arg))]
      const fresh = () => {
        const folder = newFolder()
        cpSync(prepared, folder, { recursive: true })
        return folder
      }
      const whole = fresh()
      const startedAt = performance.now()
      answerOf(await spawnDaybook(["--data", whole, ...call]))
      const duration = performance.now() - startedAt
      rmSync(whole, { recursive: true })
      let longest = 0
      let interrupted = 0
      for (const [signal, code] of signals) {
        const moments = fc.sample(fc.double({ min: 0.05, max: lastMoment, noNaN: true }), trialsPerSignal)
        for (const moment of moments) {
          const folder = fresh()
          const before = await versionsOf(folder)
          const ended = await interrupt(["--data", folder, ...call], signal, moment * duration)
          if (ended.code !== 0) {
            interrupted++
            longest = Math.max(longest, ended.ending!)
            // Before its handlers are set up, the signal itself ends the process, without a line.
            expect([code, null]).toContain(ended.code)
            if (ended.code !== null) {
              expect(lines(ended.stderr), ended.stderr).toHaveLength(1)
              expect(ended.stderr).toMatch(/^daybook: interrupted: /)
              expect(ended.stdout).toBe("")
              expect(viewFiles(folder).filter((files) => files.length > 1)).toEqual([])
            }
          }
          const after = await versionsOf(folder)
          for (const [agent, version] of Object.entries(before)) {
            expect(after[agent], agent).toBeGreaterThanOrEqual(version)
          }
          expect(answerOf(await spawnDaybook(["--data", folder, "--json", "verify"])).ok).toBe(true)
          expect(isComplete(answerOf(await spawnDaybook(["--data", folder, ...call])))).toBe(true)
          rmSync(folder, { recursive: true })
        }
      }
      console.log(
        `${name}: ${duration.toFixed(0)} ms alone, interrupted ${interrupted} times of ${2 * trialsPerSignal}`
      )
      expect(interrupted).toBeGreaterThan(0)
      expectDuration(`${name} ends after a signal`, longest, 1_000)
    })
  }

  it("reaches programs that only wait for their writes, and acknowledged writes are stored", async () => {
    const folder = newFolder()
    const program = await Programs.bundle("promiseWriter", { assets: true })
    const writers = ["ada", "ben", "cem", "dia"].map((name) => {
      const child = spawn(process.execPath, [program.file, folder, name], { stdio: ["ignore", "pipe", "inherit"] })
      const output = { text: "" }
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output.text += text
      })
      return { child, output, isAtWork: once(child.stdout, "data"), ended: once(child, "close") }
    })
    await Promise.all(writers.map(({ isAtWork }) => isAtWork))
    await new Promise((resolve) => setTimeout(resolve, rounds({ quick: 2_000, full: 5_000 })))
    const sentAt = performance.now()
    for (const { child } of writers) child.kill("SIGTERM")
    for (const { ended } of writers) expect(await ended).toEqual([0, null])
    expectDuration("four writers end after a signal", performance.now() - sentAt, 1_000)
    const answered = writers.flatMap(({ output }) => JSON.parse(lines(output.text).at(-1)!) as ReadonlyArray<string>)
    const daybook = ["--data", folder, "--agent", "shared", "--json"]
    const exported = lines((await spawnDaybook([...daybook, "log", "--limit", "100000"])).stdout).join("\n")
    console.log(`${answered.length} writes were answered`)
    expect(answered.filter((title) => !exported.includes(title))).toEqual([])
    expect(answerOf(await spawnDaybook(["--data", folder, "--json", "verify"])).ok).toBe(true)
    program.remove()
  })
})

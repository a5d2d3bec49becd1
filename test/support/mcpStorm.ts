import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Default from "../../layers/Default.js"
import { Daybook } from "../../src/Daybook.js"
import { bundle } from "./bundle.js"
import { build, bundle as command } from "./cli.js"
import { answeredCalls, callOf, type WriterOptions } from "./mcpWriter.js"

/** Figures of a storm. */
export interface Storm {
  readonly calls: number
  readonly kills: { readonly client: number; readonly server: number }
  /** Calls whose texts are not stored, or stored or counted more than once. */
  readonly lost: number
  readonly twice: number
  readonly errors: ReadonlyArray<string>
}

/**
 * Has clients make calls, and kills a client or its server again and again. The next client repeats the calls without an
 * answer, under the same keys. At the end each call must be stored exactly once.
 */
export const storm = async (calls: number, kills: number): Promise<Storm> => {
  build()
  const program = await bundle("mcpWriter")
  const scratch = mkdtempSync(join(tmpdir(), "daybook-mcp-"))
  try {
    const folder = join(scratch, "data")
    const options: WriterOptions = { command, folder, journal: join(scratch, "journal"), calls }
    const killed = { client: 0, server: 0 }
    const errors: Array<string> = []
    while (killed.client + killed.server < kills && answeredCalls(options.journal).size < calls) {
      const victim = killed.client <= killed.server ? "client" : "server"
      const { ended, pid, stop } = start(program.file, options)
      const server = await Promise.race([pid, ended])
      await sleep(Math.random() * 400)
      if (victim === "client") stop()
      else if (typeof server === "number") kill(server)
      const { code, problem, signal } = await ended
      killed[victim]++
      // 3: the server was killed; 0: every call was answered before the kill.
      if (signal === null && code !== 3 && code !== 0) errors.push(problem)
    }
    const { code, problem } = await start(program.file, options).ended
    if (code !== 0) errors.push(`the last client ended with ${code}: ${problem}`)
    const counts = await countsIn(folder, calls)
    return { calls, kills: killed, ...counts, errors: [...errors, ...counts.errors] }
  } finally {
    program.remove()
    rmSync(scratch, { recursive: true, force: true })
  }
}

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly problem: string
}

const start = (file: string, options: WriterOptions) => {
  const child = spawn(process.execPath, [file, JSON.stringify(options)], { stdio: ["ignore", "pipe", "pipe"] })
  let problem = ""
  child.stderr.on("data", (chunk) => {
    problem += chunk
  })
  const pid = new Promise<number>((resolve) => child.stdout.once("data", (chunk) => resolve(Number(chunk))))
  const ended = new Promise<Ended>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal, problem }))
  )
  return { ended, pid, stop: () => child.kill("SIGKILL") }
}

/** Kills a process; it may have ended by itself. */
const kill = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {}
}

const countsIn = (folder: string, calls: number) =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    const memory = yield* daybook.agent("default", { trust: "full" })
    const stored = new Map<string, number>()
    for (let offset = 0, rows = 1_000; rows === 1_000; offset += 1_000) {
      const page = yield* memory.list({ limit: 1_000, offset })
      rows = page.length
      for (const { mentions, title } of page) stored.set(title, (stored.get(title) ?? 0) + mentions)
    }
    const wanted = Array.from({ length: calls }, (_, number) => Object.values(callOf(number).arguments)[0]!)
    const { problems } = yield* daybook.verify()
    const { differences } = yield* daybook.compareView("default")
    return {
      lost: wanted.filter((text) => !stored.has(text)).length,
      twice: [...stored.values()].filter((mentions) => mentions > 1).length + Math.max(0, stored.size - calls),
      errors: [...problems.map(({ what }) => what), ...differences]
    }
  }).pipe(Effect.provide(Default.layer({ folder })), Effect.runPromise)

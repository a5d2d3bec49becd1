import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Payload } from "../events/catalogue.js"
import * as Default from "../layers/Default.js"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/ports/Policy.js"
import { bundle } from "./support/bundle.js"
import { agent, type CaptureOptions, sessionOf, titleOf } from "./support/captureWriter.js"
import { rounds } from "./support/size.js"

const scratch = mkdtempSync(join(tmpdir(), "daybook-capture-"))
let program: Awaited<ReturnType<typeof bundle>>

beforeAll(async () => {
  program = await bundle("captureWriter")
})

afterAll(() => {
  program.remove()
  rmSync(scratch, { recursive: true, force: true })
})

const start = (options: CaptureOptions) => {
  const child = spawn(process.execPath, [program.file, JSON.stringify(options)], { stdio: ["ignore", "pipe", "pipe"] })
  let errors = ""
  child.stderr.on("data", (chunk) => {
    errors += chunk
  })
  const atWork = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()))
  const gone = new Promise<string>((resolve) =>
    child.once("close", (code, signal) => resolve(signal ?? `${code}: ${errors}`))
  )
  return { child, atWork, gone }
}

/** How many turns were answered. */
const answered = (journal: string): number =>
  existsSync(journal) ? new Set(readFileSync(journal, "utf8").split("\n").filter(Boolean)).size : 0

const stateOf = (turns: number) =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    const memory = yield* daybook.agent(agent, { trust: "full" })
    const events = [...(yield* Stream.runCollect(daybook.log(agent)))]
    const extracts = events.flatMap((event) =>
      event.type === "EXTRACT" && event.payload !== null ? [event.payload] : []
    )
    const said = events.flatMap((event) => (event.type === "TURN" && event.payload !== null ? [event] : []))
    const stored: Array<string> = []
    for (let offset = 0; offset < turns; offset += 200) {
      const page = yield* memory.list({ limit: 200, offset })
      const whole = yield* memory.get(page.map(({ id }) => id))
      stored.push(...whole.map(({ mentions, title }) => `${mentions} ${title}`))
    }
    return {
      extracts,
      stored: stored.sort(),
      turns: said.map((event) => event.payload.turn.session),
      versions: said.map(({ version }) => version),
      differences: (yield* daybook.compareView(agent)).differences,
      problems: (yield* daybook.verify(agent)).problems
    }
  })

/** The versions that extractions captured from. */
const capturedFrom = (extracts: ReadonlyArray<Payload<"EXTRACT">>): ReadonlyArray<number> =>
  extracts.flatMap(({ captured }) => captured.flatMap(({ turns }) => turns)).sort((a, b) => a - b)

describe("a process that is killed while it captures", () => {
  for (const mode of ["turn", "after"] as const) {
    it(`loses no turn and captures none twice: mode ${mode}`, { timeout: 300_000 }, async () => {
      const options = { folder: join(scratch, mode), journal: join(scratch, `${mode}.journal`), mode }
      for (let kill = 0; kill < rounds({ quick: 6, full: 60, ci: 12 }); kill++) {
        const { atWork, child, gone } = start({ ...options, from: answered(options.journal) })
        await Promise.race([atWork, gone, sleep(20_000, undefined, { ref: false })])
        await sleep(Math.random() * 120)
        child.kill("SIGKILL")
        expect(await gone).toBe("SIGKILL")
      }
      const last = answered(options.journal)
      expect(await start({ ...options, from: last, finish: true }).gone).toBe("0: ")
      const layer = Default.layer({ folder: options.folder, policy: defaults, extractor: null })
      const state = await Effect.runPromise(Effect.provide(stateOf(last + 1), layer))
      const numbers = Array.from({ length: last + 1 }, (_, turn) => turn)
      expect(state.turns).toEqual(numbers.map(sessionOf))
      expect(state.stored).toEqual(numbers.map((turn) => `1 ${titleOf(turn)}`).sort())
      expect(capturedFrom(state.extracts)).toEqual(state.versions)
      expect(state.extracts.reduce((sum, { turns }) => sum + turns, 0)).toBe(last + 1)
      expect({ differences: state.differences, problems: state.problems }).toEqual({ differences: [], problems: [] })
    })
  }
})

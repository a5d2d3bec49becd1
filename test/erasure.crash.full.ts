import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { DaybookService } from "../src/DaybookService.js"
import { prove } from "../src/erasure/proof/prove.js"
import { bundle } from "./support/bundle.js"
import { open, temporaryFolder } from "./support/engine.js"
import type { ErasureProcess } from "./support/erasureProcess.js"
import { rounds } from "./support/size.js"

const agent = "ada"
const policy = { recall: { log: true } }
const people = rounds({ quick: 8, full: 100, ci: 12 })
const kills = rounds({ quick: 4, full: 30, ci: 6 })

/** A name that occurs nowhere else, with no word that another has. */
const nameOf = (index: number): string => `Zq${letters(index)}xa Vw${letters(index)}yo`
const letters = (index: number): string =>
  [...String(index).padStart(3, "0")].map((digit) => "bcdfghjklm"[Number(digit)]).join("")

const persons = Array.from({ length: people - 1 }, (_, index) => nameOf(index))

const fill = (daybook: DaybookService) =>
  Effect.gen(function* () {
    const memory = yield* daybook.agent(agent, { trust: "full", record: true })
    for (let index = 0; index < people; index++) {
      const name = nameOf(index)
      const session = `talk-${index}`
      const written = yield* daybook.agent(agent, { trust: "full", record: true, actor: name })
      yield* written.remember({ title: `a letter, number ${index}` })
      yield* memory.remember({ title: `a parcel, number ${index}` }, { run: `for ${name}`, commandId: `${name} 1` })
      yield* memory.remember({ title: `${name} lives in Perth`, facts: [`street of ${name}`], people: [name] })
      yield* memory.sessions.append({ session, role: "user", speaker: name, text: `I like tea number ${index}.` })
      yield* memory.sessions.append({
        ...{ session, role: "assistant", text: "done" },
        toolCalls: [{ name: "mail", arguments: JSON.stringify({ to: name }), result: `sent to "${name}"` }]
      })
      yield* memory.files.add({ path: `notes/${index}.md`, text: `# ${name}\n\n${"word ".repeat(200)}${name}` })
      yield* memory.scratchpad.write(session, [`call ${name}`, `stay ${index}`])
      yield* memory.search({ text: `where does ${name} live?` })
    }
    yield* daybook.flush(agent)
    yield* daybook.backfill(agent)
  })

const filesWith = (folder: string, words: ReadonlyArray<string>): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const file = join(entry.parentPath, entry.name)
      const bytes = readFileSync(file, "latin1").toLowerCase()
      return words.filter((word) => bytes.includes(word.toLowerCase())).map((word) => `${file}: ${word}`)
    })

const program = Effect.acquireRelease(
  Effect.promise(() => bundle("erasureProcess")),
  ({ remove }) => Effect.sync(remove)
)

const start = (file: string, options: ErasureProcess) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [file, JSON.stringify(options)], { stdio: ["pipe", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** A reader or a writer, and what it said. */
const traffic = (file: string, options: ErasureProcess) =>
  Effect.gen(function* () {
    const child: ChildProcess = yield* start(file, options)
    const counts = { rounds: 0, failures: [] as Array<string> }
    const lines = createInterface({ input: child.stdout! })
    lines.on("line", (line) => {
      if (line === "round") counts.rounds++
      if (line.startsWith("failed")) counts.failures.push(line)
    })
    const paused = () =>
      new Promise<void>((resolve) => {
        const listen = (line: string) => {
          if (line !== "paused") return
          lines.off("line", listen)
          resolve()
        }
        lines.on("line", listen)
      })
    return {
      counts,
      go: Effect.sync(() => void child.stdin!.write("go\n")),
      pause: Effect.promise(() => {
        const isPaused = paused()
        child.stdin!.write("pause\n")
        return isPaused
      })
    }
  })

/** Erases the persons from a number on, and is killed at a step. Returns how it ended, and the persons it has erased. */
const eraseUntil = (file: string, { folder, from, step }: { folder: string; from: number; step: number }) =>
  Effect.scoped(
    Effect.gen(function* () {
      const child = yield* start(file, { role: "eraser", folder, persons: persons.slice(from), step })
      let [begun, erased] = [from - 1, from]
      createInterface({ input: child.stdout! }).on("line", (line) => {
        const [what, number] = line.split(" ")
        if (what === "begins") begun = from + Number(number)
        if (what === "erased") erased = from + Number(number) + 1
      })
      const [, signal] = yield* Effect.promise(() => once(child, "close"))
      return { signal, begun, erased }
    })
  )

describe("an erasure that is killed while others read and write", () => {
  it.scopedLive("is finished by the next open: no file has anything of the erased persons", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.scoped(Effect.flatMap(open(folder, { policy }), fill))
      const { file } = yield* program
      const reader = yield* traffic(file, { role: "reader", folder })
      const writer = yield* traffic(file, { role: "writer", folder })
      const others = [reader, writer]
      let [from, unfinished, killed] = [0, 0, 0]
      while (from < persons.length) {
        for (const { go } of others) yield* go
        // Early in a small run, so that each kill finds something to erase.
        const step = killed < kills ? 1 + ((killed * 83) % rounds({ quick: 160, full: 260 })) : -1
        const { begun, erased, signal } = yield* eraseUntil(file, { folder, from, step })
        if (signal === "SIGKILL") killed++
        else expect(signal).toBe(null)
        for (const { pause } of others) yield* pause
        // The next open.
        yield* Effect.scoped(
          Effect.gen(function* () {
            const daybook = yield* open(folder, { policy })
            const person = persons[begun]
            const left = person !== undefined && begun >= erased ? yield* isThere(daybook, person) : false
            const gone = persons.slice(0, begun >= erased && !left ? begun + 1 : erased)
            if (begun >= erased && person !== undefined && !left) unfinished++
            from = gone.length
            if (gone.length === 0) return
            expect((yield* prove(folder, gone)).hits, `killed at step ${step}`).toEqual([])
            expect(
              filesWith(
                folder,
                gone.flatMap((name) => name.split(" "))
              ),
              `killed at step ${step}`
            ).toEqual([])
          })
        )
      }
      expect(killed).toBe(kills)
      expect([...reader.counts.failures, ...writer.counts.failures]).toEqual([])
      expect(reader.counts.rounds).toBeGreaterThan(kills)
      expect(writer.counts.rounds).toBeGreaterThan(kills)
      console.log(
        `${persons.length} of ${people} persons erased with ${killed} kills, ${unfinished} finished by the next open; ` +
          `${reader.counts.rounds} rounds of reads, ${writer.counts.rounds} of writes`
      )
      const daybook = yield* open(folder, { policy })
      expect((yield* prove(folder, [nameOf(people - 1)])).clean).toBe(false)
      expect((yield* daybook.verify(undefined, { views: true })).problems).toEqual([])
      expect(
        filesWith(
          folder,
          persons.flatMap((name) => name.split(" "))
        )
      ).toEqual([])
    })
  )
})

/** Whether the erasure of a person has not begun. It may not be there in part. */
const isThere = (daybook: DaybookService, person: string) =>
  Effect.gen(function* () {
    const plan = yield* Effect.either(daybook.erase({ person }, { dryRun: true }))
    if (plan._tag === "Left") return false
    const { memories, turns, files, queries } = plan.right.agents[0]!.counts
    expect({ memories, turns, files }).toEqual({ memories: 1, turns: 2, files: 1 })
    // The reader's recalls that showed it are erased too.
    expect(queries).toBeGreaterThanOrEqual(1)
    return true
  })

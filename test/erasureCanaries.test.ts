import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { prove } from "../src/erasure/proof/prove.js"
import { filesWith } from "./support/dataFiles.js"
import { fresh } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"
import { rounds } from "./support/size.js"

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")
const awake = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }
const people = rounds({ quick: 10, full: 100, ci: 30 })

/** A name that occurs nowhere else, with no word that another has. */
const nameOf = (index: number): string => `Zq${letters(index)}xa Vw${letters(index)}yo`
const letters = (index: number): string =>
  [...String(index).padStart(3, "0")].map((digit) => "bcdfghjklm"[Number(digit)]).join("")

describe("canaries in every kind of content", () => {
  it.scoped("are in no file after the persons were erased, and those of others stay", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook, folder } = yield* fresh({ policy: { ...awake, recall: { log: true } }, extractor: tinyLayer })
      const memory = yield* daybook.agent(agent, { trust: "full", record: true })
      for (let index = 0; index < people; index++) {
        const name = nameOf(index)
        const session = `talk-${index}`
        const written = yield* daybook.agent(agent, { trust: "full", record: true, actor: name })
        yield* written.remember({ title: `a letter, number ${index}` })
        yield* memory.remember({ title: `a parcel, number ${index}` }, { run: `for ${name}`, commandId: `${name} 1` })
        yield* memory.remember({ title: `${name} lives in Perth`, facts: [`street of ${name}`], people: [name] })
        yield* memory.remember({ title: `a visit, number ${index}`, narrative: `with ${name.toUpperCase()}` })
        yield* memory.sessions.append({ session, role: "user", speaker: name, text: `I like tea number ${index}.` })
        yield* memory.sessions.append({
          ...{ session, role: "assistant", text: "done" },
          toolCalls: [{ name: "mail", arguments: JSON.stringify({ to: name }), result: `sent to "${name}"` }]
        })
        yield* memory.files.add({ path: `notes/${index}.md`, text: `# ${name}\n\nlong\n${"word ".repeat(300)}${name}` })
        yield* memory.scratchpad.write(session, [`call ${name}`, `stay ${index}`])
        yield* memory.notes.save({ content: `note on ${name}` })
        yield* memory.updatePerson(name, { relationship: `friend ${index}` })
        yield* memory.updatePerson(`guest ${index}`, { host: name })
        yield* memory.schedules.add({ goal: `write to ${name}`, handler: "tides", every: 3_600_000 })
        yield* memory.search({ text: `where does ${name} live?` })
      }
      yield* daybook.flush(agent)
      yield* daybook.backfill(agent)
      yield* memory.sessions.extract()
      yield* TestClock.adjust("2 hours")
      yield* memory.maintenance.run({ stages: ["sessions"] })
      const past = yield* daybook.agent(agent, { trust: "full", asOf: { version: 20 } })
      yield* past.list()
      expect(filesWith(folder, nameOf(0)).length).toBeGreaterThan(1)
      expect((yield* prove(folder, [nameOf(0)])).clean).toBe(false)

      const erased = Array.from({ length: people - 1 }, (_, index) => nameOf(index))
      for (const person of erased) {
        const { cleaning } = yield* daybook.erase({ person }, { reason: "privacy" })
        expect(cleaning).toBe("done")
      }
      const proof = yield* prove(folder, erased)
      expect(proof.hits).toEqual([])
      expect(proof.freePages).toBe(0)
      for (const name of erased) for (const word of name.split(" ")) expect(filesWith(folder, word)).toEqual([])
      expect((yield* prove(folder, [nameOf(people - 1)])).clean).toBe(false)
      expect((yield* daybook.verify()).problems).toEqual([])
      // Reads build views again; those have nothing of it either.
      yield* memory.search({ text: "lives in Perth" })
      yield* daybook.backfill(agent)
      expect((yield* prove(folder, erased)).hits).toEqual([])
    })
  )
})

import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Backup from "../src/backup/Backup.js"
import type { DaybookService } from "../src/DaybookService.js"
import { prove } from "../src/erasure/proof/prove.js"
import { filesWith, withLog } from "./support/dataFiles.js"
import { fresh, open, temporaryFolder } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"

const agent = "ada"
const person = "Lena Marwick"

const eventsOf = (daybook: DaybookService) =>
  Effect.map(Stream.runCollect(daybook.log(agent)), (events) => Chunk.toReadonlyArray(events))

/** Three memories without the person's name in their content: she is actor, run and command id. */
const fill = (daybook: DaybookService) =>
  Effect.gen(function* () {
    const hers = yield* daybook.agent(agent, { trust: "full", actor: person })
    const others = yield* daybook.agent(agent, { trust: "full", actor: "clerk" })
    yield* hers.remember({ title: "tea is served at four" })
    yield* others.remember({ title: "the kettle is new" }, { run: `for ${person}` })
    yield* others.remember({ title: "the cups are blue" }, { commandId: `${person} 17`, run: "inventory" })
  })

describe("an erasure of a person who is named beside the content", () => {
  it.scopedLive("empties actor, cause and command id, and keeps the memories", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* fresh()
      yield* fill(daybook)
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const before = yield* memory.list()
      const { agents, leftovers } = yield* daybook.erase({ person }, { dryRun: true })
      expect(leftovers).toEqual([])
      expect(agents).toMatchObject([{ agent, events: 3, remains: 0, memories: [], counts: { memories: 0, names: 3 } }])
      expect(agents[0]!.items).toMatchObject([
        { kind: "names", version: 1, from: "actor", why: "mention", text: person, id: before.at(-1)!.id },
        { kind: "names", from: "cause", text: `run:for ${person}` },
        { kind: "names", from: "commandId", text: `${person} 17` }
      ])
      yield* daybook.erase({ person })
      expect(yield* memory.list()).toEqual(before)
      const written = (yield* eventsOf(daybook)).filter(({ type }) => type === "ADD")
      expect(written.map(({ actor, cause, commandId }) => [actor, cause, commandId])).toEqual([
        ["", null, null],
        ["clerk", null, null],
        ["clerk", "run:inventory", null]
      ])
      expect((yield* daybook.whatIf(agent)).erased).toEqual([])
      expect((yield* prove(folder, [person])).hits).toEqual([])
      expect(filesWith(folder, "Marwick")).toEqual([])
      expect((yield* daybook.verify()).problems).toEqual([])
      expect(yield* daybook.erasures()).toMatchObject([{ agent, events: 3 }])
      expect(yield* Effect.flip(daybook.erase({ person }))).toMatchObject({ _tag: "NothingToErase" })
    })
  )

  it.scopedLive("is reported where another program puts the names back", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* fresh()
      yield* fill(daybook)
      const names = withLog(folder, (db) => db.prepare("SELECT actor, names FROM events WHERE version = 1").get())
      yield* daybook.erase({ person })
      withLog(folder, (db) =>
        db.prepare("UPDATE events SET actor = :actor, names = :names WHERE version = 1").run(names)
      )
      expect((yield* daybook.verify()).problems.map(({ version, what }) => [version, what])).toContainEqual([
        1,
        "an ERASE event names it, but it has all its names"
      ])
    })
  )

  it.scopedLive("leaves the repeat of a command, and the run that the other columns name", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      yield* fill(daybook)
      yield* daybook.erase({ person })
      const memory = yield* daybook.agent(agent, { trust: "full", actor: "clerk" })
      yield* daybook.backfill(agent)
      const before = yield* eventsOf(daybook)
      yield* memory.remember({ title: "the cups are blue" }, { commandId: `${person} 17`, run: "inventory" })
      expect(yield* eventsOf(daybook)).toEqual(before)
      yield* memory.undo({ run: "inventory" })
      expect((yield* memory.list()).map(({ title }) => title).sort()).toEqual([
        "tea is served at four",
        "the kettle is new"
      ])
    })
  )

  it.scopedLive("is repeated in a restored backup, which keeps the other names", () =>
    Effect.gen(function* () {
      const [folder, kept] = [yield* temporaryFolder, yield* temporaryFolder]
      const file = join(kept, "old.backup")
      yield* Effect.scoped(Effect.flatMap(open(folder), fill))
      yield* Backup.create({ folder, to: file })
      yield* Effect.scoped(Effect.flatMap(open(folder), (daybook) => daybook.erase({ person })))
      yield* Backup.restore({ file, folder, replace: true })
      expect(filesWith(folder, "Marwick")).toEqual([])
      const daybook = yield* open(folder)
      const written = (yield* eventsOf(daybook)).filter(({ type }) => type === "ADD")
      expect(written.map(({ actor, cause }) => [actor, cause])).toEqual([
        ["", null],
        ["clerk", null],
        ["clerk", "run:inventory"]
      ])
    })
  )

  it.scopedLive("finds who erased before, and leaves the name of the agent", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember({ title: `${person} likes tea` })
      yield* daybook.erase({ person }, { actor: person })
      expect((yield* daybook.erase({ person }, { actor: "clerk" })).leftovers).toEqual([])
      expect((yield* prove(folder, [person])).hits).toEqual([])
      expect((yield* daybook.erasures()).map(({ actor }) => actor)).toEqual(["", "clerk"])
      yield* memory.remember({ title: "Ada likes tea" })
      expect((yield* daybook.erase({ person: "Ada" })).leftovers).toMatchObject([{ agent, column: "agent" }])
      expect((yield* daybook.verify()).problems).toEqual([])
    })
  )

  it.scopedLive("then of the memory too, is repeated in a backup from before both", () =>
    Effect.gen(function* () {
      const [folder, kept] = [yield* temporaryFolder, yield* temporaryFolder]
      const file = join(kept, "old.backup")
      const write = (daybook: DaybookService) =>
        Effect.gen(function* () {
          const memory = yield* daybook.agent(agent, { trust: "full", actor: person })
          yield* memory.remember({ title: "the pier is closed", facts: ["quokka"], people: ["Otto Lind"] })
          const { id } = yield* memory.remember({ title: "the harbour is quiet" })
          yield* memory.update(id, { title: "the harbour is loud", narrative: "says Otto Lind" })
          yield* memory.files.add({ path: "a.md", text: "tides" })
        })
      yield* Effect.scoped(Effect.flatMap(open(folder), write))
      yield* Backup.create({ folder, to: file })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder)
          yield* daybook.erase({ person })
          yield* daybook.erase({ person: "Otto Lind" })
          yield* daybook.erase({ person: "quokka" }).pipe(Effect.ignore)
        })
      )
      yield* Backup.restore({ file, folder, replace: true })
      const proof = yield* prove(folder, [person, "Otto Lind", "pier", "harbour is loud"])
      expect(proof.hits).toEqual([])
      const daybook = yield* open(folder)
      expect((yield* daybook.verify()).problems).toEqual([])
    })
  )
})

describe("the search for a name", () => {
  it.scopedLive(
    "finds what an erasure would: also with other signs between its words; and counts what it does not list",
    () =>
      Effect.gen(function* () {
        const { daybook, folder } = yield* fresh()
        const memory = yield* daybook.agent(agent, { trust: "full", actor: "lena-marwick" })
        yield* memory.remember({ title: "mail goes to lena.marwick@example.com" }, { commandId: "lena_marwick_1" })
        const { hits } = yield* prove(folder, [person])
        expect(hits.map(({ place }) => place)).toEqual(
          expect.arrayContaining(
            ["actor", "command_id", "payload"].map((column) => `events, ada version 1 (ADD), column ${column}`)
          )
        )
        for (let number = 0; number < 25; number++) yield* memory.remember({ title: `walk ${number}` })
        const many = yield* prove(folder, [person])
        expect(many.hits.length).toBe(20)
        expect(many.more).toBeGreaterThan(5)
        yield* daybook.erase({ person })
        expect(yield* prove(folder, [person])).toMatchObject({ hits: [], more: 0 })
      })
  )
})

describe("an erasure of a session", () => {
  it.scopedLive(
    "removes its key as the cause of what was captured from it, and leaves writers and runs of that name",
    () =>
      Effect.gen(function* () {
        const { daybook, folder } = yield* fresh({ extractor: tinyLayer })
        const memory = yield* daybook.agent(agent, { trust: "full" })
        yield* memory.sessions.append({ session: "visit-4471", role: "user", text: "I like tea." })
        yield* memory.sessions.extract()
        const { hits } = yield* prove(folder, ["visit-4471"])
        expect(hits.map(({ place }) => place).join()).toContain("column cause")
        yield* daybook.erase({ agent, session: "visit-4471" })
        expect((yield* prove(folder, ["visit-4471"])).hits).toEqual([])
        const other = yield* daybook.agent(agent, { trust: "full", actor: "cli" })
        yield* other.remember({ title: "the kettle is new" }, { run: "cli" })
        yield* memory.sessions.append({ session: "cli", role: "user", text: "hello" })
        const { leftovers } = yield* daybook.erase({ agent, session: "cli" })
        expect(leftovers).toEqual([
          { agent, column: "actor", events: 1 },
          { agent, column: "cause", events: 1 }
        ])
        yield* memory.undo({ run: "cli" })
        expect((yield* memory.list()).map(({ title }) => title)).toEqual([])
      })
  )
})

describe("an erasure in a log of an earlier release", () => {
  it.scopedLive("removes the content, and leaves the columns that its hashes cover", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const fixture = join(import.meta.dirname, "fixtures", "log-schema-0005")
      withLog(folder, (db) => db.exec(`${readFileSync(`${fixture}.sql`, "utf8")}; DELETE FROM timers`))
      copyFileSync(`${fixture}.anchor`, join(folder, "anchor.log"))
      const daybook = yield* open(folder)
      const old = yield* daybook.agent("harbour", { trust: "full", actor: "Zoë Kramer" })
      yield* old.remember({ title: "the pier is closed" })
      const { leftovers } = yield* daybook.erase({ person: "harbour" })
      expect(leftovers).toEqual([
        { agent: "harbour", column: "agent", events: 3 },
        { agent: "harbour", column: "cause", events: 1 }
      ])
      yield* daybook.erase({ person: "Zoë Kramer" })
      const rows = withLog(folder, (db) =>
        db.prepare("SELECT chain, actor, command_id AS id FROM events WHERE stream = 'harbour' LIMIT 3").all()
      )
      expect(rows).toEqual([
        { chain: 1, actor: "cli", id: "import tides 12" },
        { chain: 1, actor: "cli", id: null },
        { chain: 2, actor: "", id: null }
      ])
      expect(leftovers.length).toBe(2)
      expect((yield* daybook.verify()).problems).toEqual([])
    })
  )
})

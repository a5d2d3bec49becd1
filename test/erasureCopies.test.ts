import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import * as Backup from "../src/backup/Backup.js"
import type { DaybookService } from "../src/DaybookService.js"
import type { Erasable } from "../src/erasure/Erasure.js"
import { prove } from "../src/erasure/proof/prove.js"
import { type EngineOptions, open, temporaryFolder } from "./support/engine.js"

const agent = "ada"
const person = "Zoltan Quux"
const policy = { recall: { log: true } }

const using = <A, E>(
  folder: string,
  use: (daybook: DaybookService) => Effect.Effect<A, E>,
  options: EngineOptions = {}
) => Effect.scoped(Effect.flatMap(open(folder, { policy, ...options }), use))

const filesWith = (folder: string, text: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text))

/** Fills a folder with a person in every kind of content. */
const fill = (folder: string) =>
  using(folder, (daybook) =>
    Effect.gen(function* () {
      const memory = yield* daybook.agent(agent, { trust: "full", record: true })
      yield* memory.remember({ title: `${person} lives in Perth`, people: [person] })
      yield* memory.remember({ title: "the kettle is green" })
      yield* memory.sessions.append({ session: "monday", role: "user", speaker: person, text: "I like green tea." })
      yield* memory.files.add({ path: "notes.md", text: `# ${person}\n\n${"word ".repeat(300)}` })
      yield* memory.scratchpad.write("monday", [`call ${person}`, "buy tea"])
      yield* memory.search({ text: `where does ${person} live?` })
      yield* daybook.flush(agent)
      yield* daybook.backfill(agent)
      const past = yield* daybook.agent(agent, { trust: "full", asOf: { version: 3 } })
      yield* past.list()
    })
  )

const selections: ReadonlyArray<readonly [name: string, selection: Erasable]> = [
  ["a person", { person }],
  ["an agent", { everythingOf: agent }]
]

const erase = (folder: string, selection: Erasable, options: EngineOptions = {}) =>
  using(
    folder,
    (daybook) =>
      Effect.gen(function* () {
        expect((yield* daybook.erase(selection, { reason: "privacy" })).cleaning).toBe("done")
        // The folder goes on being used after the erasure.
        const memory = yield* daybook.agent("bob", { trust: "full", record: false })
        yield* memory.remember({ title: "bob came later" })
      }),
    options
  )

/** The next open erases before anything is read: no read and no file has the person, and the others are there. */
const expectErased = (folder: string, selection: Erasable, options: EngineOptions = {}) =>
  using(
    folder,
    (daybook) =>
      Effect.gen(function* () {
        yield* expectNothing(folder, daybook, selection)
        const memory = yield* daybook.agent(agent, { trust: "full", record: false })
        yield* memory.remember({ title: "life goes on" })
        expect(filesWith(folder, person)).toEqual([])
        expect((yield* daybook.verify()).problems).toEqual([])
      }),
    options
  )

const expectNothing = (folder: string, daybook: DaybookService, selection: Erasable) =>
  Effect.gen(function* () {
    expect(filesWith(folder, person)).toEqual([])
    expect((yield* prove(folder, [person])).hits).toEqual([])
    const memory = yield* daybook.agent(agent, { trust: "full", record: false })
    const isPerson = "person" in selection
    expect((yield* memory.list()).map(({ title }) => title)).toEqual(isPerson ? ["the kettle is green"] : [])
    if (isPerson) expect((yield* memory.scratchpad.read("monday"))?.items).toEqual(["buy tea"])
    expect(yield* Effect.flip(daybook.erase({ person }, { dryRun: true }))).toMatchObject({ _tag: "NothingToErase" })
  })

describe("an older copy that is put back by the tools of the system", () => {
  for (const [name, selection] of selections) {
    it.scopedLive(`is erased by the next open, which refuses writes: log.db alone, after ${name}`, () =>
      Effect.gen(function* () {
        const [folder, kept] = [yield* temporaryFolder, yield* temporaryFolder]
        yield* fill(folder)
        copyFileSync(join(folder, "log.db"), join(kept, "log.db"))
        yield* erase(folder, selection)
        copyFileSync(join(kept, "log.db"), join(folder, "log.db"))
        expect(filesWith(folder, person)).toEqual([join(folder, "log.db")])
        yield* using(folder, (daybook) =>
          Effect.gen(function* () {
            yield* expectNothing(folder, daybook, selection)
            // The anchor beside it is newer.
            const memory = yield* daybook.agent(agent, { trust: "full", record: false })
            const refusal = yield* Effect.flip(memory.remember({ title: "life goes on" }))
            expect(refusal).toMatchObject({ _tag: "StorageError", kind: "damaged" })
            const { digest } = yield* daybook.verify()
            yield* daybook.accept(digest!)
            expect(filesWith(folder, person)).toEqual([])
          })
        )
        yield* expectErased(folder, selection)
      })
    )

    it.scopedLive(`is erased by the next open: the whole folder over the newer one, after ${name}`, () =>
      Effect.gen(function* () {
        const [folder, kept] = [yield* temporaryFolder, yield* temporaryFolder]
        yield* fill(folder)
        cpSync(folder, kept, { recursive: true })
        yield* erase(folder, selection)
        cpSync(kept, folder, { recursive: true })
        expect(filesWith(folder, person).length).toBeGreaterThan(1)
        yield* expectErased(folder, selection)
      })
    )

    it.scopedLive(
      `is erased by the next open: a folder with an older ledger, from the copy elsewhere, after ${name}`,
      () =>
        Effect.gen(function* () {
          const [folder, kept, elsewhere] = [yield* temporaryFolder, yield* temporaryFolder, yield* temporaryFolder]
          const options = { log: EventLogSqlite.layer(folder, { ledgerCopy: join(elsewhere, "ledger.log") }) }
          yield* fill(folder)
          yield* using(
            folder,
            (daybook) =>
              daybook.agent("eve", { trust: "full" }).pipe(
                Effect.flatMap((memory) => memory.remember({ title: "first of all" })),
                Effect.flatMap(({ id }) => daybook.erase({ agent: "eve", ids: [id] }))
              ),
            options
          )
          cpSync(folder, kept, { recursive: true })
          expect(existsSync(join(kept, "erasures.log"))).toBe(true)
          yield* erase(folder, selection, options)
          cpSync(kept, folder, { recursive: true })
          yield* expectErased(folder, selection, options)
        })
    )

    it.scopedLive(`is erased by restore, after ${name}`, () =>
      Effect.gen(function* () {
        const [folder, kept] = [yield* temporaryFolder, yield* temporaryFolder]
        const file = join(kept, "old.backup")
        yield* fill(folder)
        yield* Backup.create({ folder, to: file })
        yield* erase(folder, selection)
        yield* Backup.restore({ file, folder, replace: true })
        expect(filesWith(folder, person)).toEqual([])
        yield* expectErased(folder, selection)
      })
    )
  }
})

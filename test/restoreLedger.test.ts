import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { textDigest } from "../projections/vectors.js"
import * as Backup from "../src/backup/Backup.js"
import { filesWith, withLog } from "./support/dataFiles.js"
import { open, temporaryFolder } from "./support/engine.js"

const ledger = "erasures.log"

/** How many cached vectors a text has. */
const vectorsOf = (folder: string, text: string): number =>
  withLog(
    folder,
    (db) =>
      db
        .prepare("SELECT count(*) FROM embeddings WHERE digest = ?")
        .pluck()
        .get(Buffer.from(textDigest(text), "hex")) as number
  )

/** Opens a folder as a process does, and ends it. */
const using = <A, E>(
  folder: string,
  use: (daybook: Effect.Effect.Success<ReturnType<typeof open>>) => Effect.Effect<A, E>
) => Effect.scoped(Effect.flatMap(open(folder), use))

const remember = (folder: string, title: string) =>
  using(folder, (daybook) =>
    Effect.flatMap(daybook.agent("coop", { trust: "full" }), (memory) => memory.remember({ title }))
  )
const erase = (folder: string, id: string) => using(folder, (daybook) => daybook.erase({ agent: "coop", ids: [id] }))
const titles = (folder: string) =>
  using(folder, (daybook) =>
    Effect.flatMap(daybook.agent("coop", { trust: "full" }), (memory) =>
      Effect.map(memory.list(), (memories) => memories.map(({ title }) => title).sort())
    )
  )

/** A folder and two backups: one before any erasure, one after the first of two. */
const prepared = Effect.gen(function* () {
  const [folder, backups] = [yield* temporaryFolder, yield* temporaryFolder]
  const first = yield* remember(folder, "the first ibis")
  const second = yield* remember(folder, "the second ibis")
  yield* remember(folder, "the crane")
  yield* Backup.create({ folder, to: join(backups, "before") })
  yield* erase(folder, first.id)
  yield* Backup.create({ folder, to: join(backups, "between") })
  yield* erase(folder, second.id)
  return {
    folder,
    backups,
    restore: (name: string) => Backup.restore({ file: join(backups, name), folder, replace: true })
  }
})

describe("a restore in place of a log with a ledger of erasures", () => {
  it.live("is refused if that ledger is damaged, and changes nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { folder, restore } = yield* prepared
        const whole = readFileSync(join(folder, ledger), "utf8")
        writeFileSync(join(folder, ledger), whole.replace("privacy", "mistake").replace("request", "mistake"))
        const refused = yield* Effect.flip(restore("before"))
        expect(refused.message).toContain("replace it with an undamaged copy")
        writeFileSync(join(folder, ledger), whole)
        yield* restore("before")
        expect(yield* titles(folder)).toEqual(["the crane"])
      })
    )
  )

  it.live("leaves out the ledger of another installation", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { backups, folder } = yield* prepared
        const other = yield* temporaryFolder
        yield* erase(other, (yield* remember(other, "an okapi")).id)
        yield* Backup.restore({ file: join(backups, "before"), folder: other, replace: true })
        yield* remember(other, "a heron")
        expect(yield* titles(other)).toEqual(["a heron", "the crane", "the first ibis", "the second ibis"])
        expect(yield* titles(folder)).toEqual(["the crane"])
      })
    )
  )

  it.live(
    "leaves out a copy that belongs to another installation, but refuses such a ledger in the folder itself",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { backups } = yield* prepared
          const other = yield* temporaryFolder
          yield* erase(other, (yield* remember(other, "an okapi")).id)
          const folder = yield* temporaryFolder
          const file = join(backups, "before")
          const restored = yield* Backup.restore({ file, folder, ledger: join(other, ledger) })
          expect(restored).toMatchObject({ erasedAgain: 0, hasLedger: false })
          const taken = yield* temporaryFolder
          copyFileSync(join(other, ledger), join(taken, ledger))
          expect((yield* Effect.flip(Backup.restore({ file, folder: taken }))).message).toContain("of another log")
        })
      )
  )

  it.live("erases again also after a ledger was lost and restarted", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { folder, restore } = yield* prepared
        writeFileSync(join(folder, ledger), "")
        const report = yield* using(folder, (daybook) => daybook.verify())
        yield* using(folder, (daybook) => daybook.accept(report.digest!))
        yield* erase(folder, (yield* remember(folder, "the third ibis")).id)
        expect(readFileSync(join(folder, ledger), "utf8")).toContain('"line":3,"after"')
        // No ledger has the lost lines any more, so the memory that only they name returns.
        yield* restore("between")
        expect(yield* titles(folder)).toEqual(["the crane", "the second ibis"])
        yield* remember(folder, "a heron")
      })
    )
  )
})

describe("a copy of a log that went on for itself", () => {
  it.live("erases what the ledger of the other one names, once, and keeps its own erasures", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const [folder, other, backups] = [yield* temporaryFolder, yield* temporaryFolder, yield* temporaryFolder]
        const { id } = yield* remember(folder, "the ibis")
        const crane = yield* remember(folder, "the crane")
        yield* remember(folder, "the stork")
        yield* using(folder, (daybook) =>
          Effect.flatMap(daybook.agent("guest", { trust: "full" }), (memory) =>
            Effect.zipRight(memory.remember({ title: "the heron" }), daybook.backfill("guest"))
          )
        )
        yield* Backup.create({ folder, to: join(backups, "both") })
        yield* Backup.restore({ file: join(backups, "both"), folder: other })
        yield* erase(folder, id)
        yield* using(folder, (daybook) => daybook.erase({ everythingOf: "guest" }))
        yield* erase(other, crane.id)
        yield* remember(other, "the egret")

        // In place of its own ledger, the other one stops every write, and the message says what to do.
        const own = readFileSync(join(other, ledger), "utf8")
        copyFileSync(join(folder, ledger), join(other, ledger))
        const stopped = yield* Effect.flip(remember(other, "the gull"))
        expect(stopped.message).toContain("daybook erase --ledger FILE")
        writeFileSync(join(other, ledger), own)

        const byLedger = (file: string) => using(other, (daybook) => daybook.eraseByLedger(file))
        // In one process: the next one would erase what the ledger names anyway.
        yield* using(other, (daybook) =>
          Effect.gen(function* () {
            const memory = yield* daybook.agent("coop", { trust: "full" })
            expect(yield* memory.list()).toHaveLength(3)
            expect(vectorsOf(other, "the heron")).toBe(1)
            const erased = yield* daybook.eraseByLedger(join(folder, ledger))
            expect(erased).toEqual({ erasures: 2, events: 1, cleaning: "done" })
            expect((yield* memory.list()).map(({ title }) => title).sort()).toEqual(["the egret", "the stork"])
            for (const text of ["ibis", "heron", "crane"]) expect(filesWith(other, text)).toEqual([])
            expect(vectorsOf(other, "the heron")).toBe(0)
          })
        )
        expect(yield* using(other, (daybook) => daybook.agents)).toMatchObject([{ name: "coop" }])
        const { problems } = yield* using(other, (daybook) => daybook.verify(undefined, { views: true }))
        expect(problems).toEqual([])
        expect(yield* using(other, (daybook) => daybook.erasures())).toHaveLength(3)
        expect(yield* byLedger(join(folder, ledger))).toEqual({ erasures: 0, events: 0, cleaning: "none" })
        yield* remember(other, "the gull")

        const refused = (file: string) => Effect.map(Effect.flip(byLedger(file)), ({ message }) => message)
        const third = yield* temporaryFolder
        yield* erase(third, (yield* remember(third, "the swift")).id)
        expect(yield* refused(join(third, ledger))).toBe("ledger: belongs to another log: use a ledger of this log")
        expect(yield* refused(join(third, "nothing"))).toBe("ledger: does not exist or is not a file")
        writeFileSync(join(third, "cut"), own.replace('"line":1', '"line":2'))
        expect(yield* refused(join(third, "cut"))).toContain(
          "ledger: is damaged (the ledger of erasures was changed at line 1)"
        )
        writeFileSync(join(third, "empty"), "")
        expect(yield* refused(join(third, "empty"))).toBe(
          "ledger: contains no erasures: check that the file is an erasures.log"
        )
      })
    )
  )
})

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { open, temporaryFolder } from "./support/engine.js"
import { openFiles } from "./support/openFiles.js"

const agent = "coop"

const scratchpad = { session: "pier", store: "shared", scratchpad: { items: ["mend the pier"], level: "full" } }

/**
 * A log that removes the view files that are not current at one of its next reads of a head, as a cleaning does, while
 * another process writes.
 */
const removingLog = (folder: string, state: { readsLeft: number }) =>
  Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) => ({
      ...log,
      head: (stream: string) =>
        Effect.zipRight(
          Effect.suspend(() => {
            if (state.readsLeft-- !== 0) return Effect.void
            const views = join(folder, "views", agent)
            const current = readFileSync(join(views, "current"), "utf8")
            for (const name of readdirSync(views)) {
              if (name !== "current" && !name.startsWith(current)) rmSync(join(views, name))
            }
            const events = [{ type: "SCRATCHPAD", schema: 1, payload: JSON.stringify(scratchpad) }]
            const commands = [{ actor: "test", events }]
            return Effect.orDie(log.append({ stream, expected: "any", now: Date.now(), commands }))
          }),
          log.head(stream)
        )
    }))
  ).pipe(Layer.provide(EventLogSqlite.layer(folder)))

describe("a rebuild whose new file another process removes", () => {
  it.live.each([0, 1, 2, 3, 4, 5, 6, 7, 8])("builds another one: after %d reads of the log's head", (reads) =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const state = { readsLeft: -1 }
        const daybook = yield* open(folder, { log: removingLog(folder, state), vectorExtension: null })
        const memory = yield* daybook.agent(agent, { trust: "full", record: false })
        yield* memory.remember({ title: "The crane is red" })
        state.readsLeft = reads
        yield* daybook.rebuild(agent)
        state.readsLeft = -1
        yield* memory.remember({ title: "The gate is green" })
        expect((yield* memory.list()).map(({ title }) => title).sort()).toEqual([
          "The crane is red",
          "The gate is green"
        ])
        expect((yield* daybook.verify(agent, { views: true })).problems).toEqual([])
      })
    )
  )
})

interface Closable {
  readonly close: () => void
}

/** A log whose first replay opens the unfinished view file and leaves a query open. */
const readingLog = (folder: string, readers: Array<Closable>) =>
  Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) => ({
      ...log,
      replay: (...options: Parameters<typeof log.replay>) =>
        Effect.suspend(() => {
          const views = join(folder, "views", agent)
          const built = readdirSync(views).filter(
            (name) => name.endsWith(".db") && !existsSync(join(views, `${name}-wal`))
          )
          if (readers.length === 0 && built[0] !== undefined) {
            const reader = new Database(join(views, built[0]), { readonly: true })
            const rows = reader.prepare("SELECT * FROM sqlite_schema").iterate()
            rows.next()
            readers.push({
              close: () => {
                rows.return!()
                reader.close()
              }
            })
          }
          return log.replay(...options)
        })
    }))
  ).pipe(Layer.provide(EventLogSqlite.layer(folder)))

describe("a rebuild whose new file another program reads", () => {
  it.live("builds another one at once, and leaves no file open", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const readers: Array<Closable> = []
        yield* Effect.scoped(
          Effect.gen(function* () {
            const daybook = yield* open(folder, { log: readingLog(folder, readers), vectorExtension: null })
            const memory = yield* daybook.agent(agent, { trust: "full", record: false })
            yield* memory.remember({ title: "The crane is red" })
            yield* daybook.rebuild(agent)
            expect(readers).toHaveLength(1)
            expect((yield* memory.list()).map(({ title }) => title)).toEqual(["The crane is red"])
          })
        )
        for (const reader of readers) reader.close()
        expect(openFiles(folder)).toEqual([])
      })
    )
  )
})

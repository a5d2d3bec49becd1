import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { open, temporaryFolder } from "./support/engine.js"

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

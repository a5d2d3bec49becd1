import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventLog } from "../../events/EventLog.js"
import * as EventLogSqlite from "../../events/EventLogSqlite.js"
import { StorageError } from "../../events/errors.js"

/** A log that takes events while `state.sound` holds, and counts what it refuses otherwise. */
export const refusingLog = (folder: string) => {
  const state = { sound: true, refused: 0 }
  const layer = Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) => ({
      ...log,
      append: (request) =>
        Effect.suspend(() => {
          if (state.sound) return log.append(request)
          state.refused++
          return Effect.fail(new StorageError({ kind: "full", where: "log.db", code: "SQLITE_FULL" }))
        })
    }))
  ).pipe(Layer.provide(EventLogSqlite.layer(folder)))
  return { layer, state }
}

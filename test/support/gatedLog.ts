import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventLog } from "../../events/EventLog.js"
import * as EventLogSqlite from "../../events/EventLogSqlite.js"
import type { StorageError } from "../../events/errors.js"

/** A log on real files that stores nothing while its gate is closed, and says when somebody waits at it. */
export const gatedLog = (folder: string) =>
  Effect.gen(function* () {
    const [gate, reached] = [yield* Effect.makeLatch(true), yield* Effect.makeLatch(false)]
    const layer: Layer.Layer<EventLog, StorageError> = Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) => ({
        ...log,
        append: (append) => Effect.zipRight(reached.open, Effect.zipRight(gate.await, log.append(append)))
      }))
    ).pipe(Layer.provide(EventLogSqlite.layer(folder)))
    return { gate, reached, layer }
  })

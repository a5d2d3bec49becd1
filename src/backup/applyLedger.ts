import * as Effect from "effect/Effect"
import { EventLog } from "../../events/EventLog.js"
import * as EventLogSqlite from "../../events/EventLogSqlite.js"
import type { StorageError } from "../../events/errors.js"
import { timerFold } from "../schedules/timerFold.js"

/** Opens a copy of a log, which applies the erasures in its ledger. Then removes the erased text from its files. */
export const applyLedger = (folder: string): Effect.Effect<void, StorageError> =>
  Effect.flatMap(EventLog, (log) => Effect.flatMap(log.cleanings, log.clean)).pipe(
    Effect.provide(EventLogSqlite.layer(folder, { timers: timerFold })),
    Effect.asVoid
  )

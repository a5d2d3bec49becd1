import * as Effect from "effect/Effect"
import { installationStream } from "../../events/accepted.js"
import { codec } from "../../events/Codec.js"
import { EventLog, type Head } from "../../events/EventLog.js"
import * as EventLogSqlite from "../../events/EventLogSqlite.js"
import type { StorageError } from "../../events/errors.js"
import { type Verification, verify } from "../../events/verify.js"
import { BackupRefused } from "../model/errors.js"
import { timerFold } from "../schedules/timerFold.js"

/** A verified copy of a log. */
export interface VerifiedCopy {
  readonly verification: Verification
  readonly heads: ReadonlyArray<Head>
}

/** Verifies the log in a folder. */
export const verifyFolder = (folder: string, expect?: string): Effect.Effect<VerifiedCopy, StorageError> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const verification = yield* verify(log, codec, null, { timers: timerFold, expect })
    const heads = yield* log.streams
    return { verification, heads: heads.filter(({ stream }) => stream !== installationStream) }
  }).pipe(Effect.provide(EventLogSqlite.layer(folder, { timers: timerFold })), Effect.scoped)

/** Verifies the log in a folder. Refuses a damaged log with its first problem. The message names `file`. */
export const requireSoundLog = (folder: string, file: string, expect?: string) =>
  Effect.flatMap(verifyFolder(folder, expect), (copy): Effect.Effect<VerifiedCopy, BackupRefused> => {
    const [first, ...more] = copy.verification.problems
    if (first === undefined) return Effect.succeed(copy)
    const place = `${first.stream ?? "log"}${first.version === null ? "" : ` ${first.version}`}`
    const others = more.length === 0 ? "" : ` (and ${more.length} more)`
    return new BackupRefused({ file, problem: `is damaged: ${place}: ${first.what}${others}` })
  })

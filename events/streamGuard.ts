import * as Effect from "effect/Effect"
import { unacceptedProblems } from "./accepted.js"
import type { AnchorWriter } from "./anchoring.js"
import { streamDamagedError } from "./damage.js"
import { repeatCheckDuringErasures } from "./erasure/steadyCheck.js"
import { type StorageError, storageError } from "./errors.js"
import { type LogFiles, sameFileState } from "./logFiles.js"
import { retryWhileBusy } from "./sqlite.js"
import { type Db, sql } from "./statement.js"
import { newestErasure } from "./store.js"
import { checkStream } from "./streamCheck.js"

/** Verifies each stream before this process first writes to it. A damaged stream can be read but not written. */
export interface StreamGuard {
  /** The streams that this process verified. */
  readonly checked: Set<string>
  /** Cache of damaged streams. It is cleared when another process writes to the log. */
  readonly refused: Map<string, StorageError>
  /** Verifies those of the streams that this process has not verified yet. Undefined if there are none. */
  readonly check: (streams: ReadonlyArray<string>) => Effect.Effect<void, StorageError> | undefined
}

interface Options {
  readonly reader: Db
  readonly writer: Db
  readonly files: LogFiles
  readonly anchoring: () => AnchorWriter
  readonly adopt: () => void
  readonly locked: <A>(work: () => A) => A
}

export const make = ({ adopt, anchoring, files, locked, reader, writer }: Options): StreamGuard => {
  const checked = new Set<string>()
  const refused = new Map<string, StorageError>()
  let refusedAt = -1

  const check = Effect.fnUntraced(function* (stream: string) {
    const { file: noted, marks, ...anchored } = yield* retryWhileBusy("log.db", () => locked(anchoring().current))
    if (refused.has(stream)) return
    const mark = sameFileState(noted, files.state()) ? marks.get(stream) : undefined
    const found = Effect.flatMap(checkStream(reader, stream, mark, anchored), (all) =>
      attempt(() => unacceptedProblems(reader, all))
    )
    const [problem] = yield* repeatCheckDuringErasures(
      found,
      (problems) => problems.length === 0,
      attempt(() => newestErasure(reader, stream))
    )
    if (problem === undefined) checked.add(stream)
    else refused.set(stream, streamDamagedError(stream, problem.version, problem.what))
  })

  return {
    checked,
    refused,
    check: (all) => {
      const streams = new Set(all.filter((stream) => !checked.has(stream)))
      if (streams.size === 0) return undefined
      const forgetRefusals = attempt(() => {
        const { data_version: version } = sql(writer, "PRAGMA data_version").get()
        if (version !== refusedAt) refused.clear()
        refusedAt = version
      })
      return Effect.zipRight(
        Effect.zipRight(forgetRefusals, retryWhileBusy("log.db", adopt)),
        Effect.forEach(streams, check, { discard: true })
      )
    }
  }
}

const attempt = <A>(read: () => A) => Effect.try({ try: read, catch: storageError("log.db") })

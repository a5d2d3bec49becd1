import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Batcher from "./Batcher.js"
import { commandKeyOf } from "./Chain.js"
import { CurrentCodec } from "./Codec.js"
import * as Committer from "./committer.js"
import { EventLog } from "./EventLog.js"
import { clean, cleaningsIn } from "./erasure/cleaning.js"
import * as Ledger from "./erasure/ledger.js"
import { restoreKeptContent } from "./erasure/substitute.js"
import { type StorageError, storageError } from "./errors.js"
import { type EventRow, fromRow, selectEvents, selectReplayed } from "./eventRows.js"
import { streamHeads } from "./heads.js"
import { inspect } from "./inspect.js"
import { newestEvents } from "./newest.js"
import { pauseWrites } from "./pauseWrites.js"
import { openLogDatabase, retryWhileBusy } from "./sqlite.js"
import { sql } from "./statement.js"
import { findCommand, headOf, newestErasure } from "./store.js"
import * as VectorCache from "./vectorCache.js"
import type { TimerFold } from "./verify.js"

/** The maximum number of waiting appends that share one transaction, and so one fsync. */
export const maxGroupSize = 100

/** The log in `<folder>/log.db`, with its anchor file in the same folder. */
export const layer = (folder: string, options: LogOptions = {}): Layer.Layer<EventLog, StorageError> =>
  Layer.scoped(EventLog, make(folder, options)).pipe(Layer.provide(Reactivity.layer))

export interface LogOptions {
  /** A second file for the ledger of erasures, for example on another disk. */
  readonly ledgerCopy?: string | undefined
  /**
   * Computes the timers of an older copy after the ledger erased some of its schedules. If absent, the timers stay
   * unchanged.
   */
  readonly timers?: (() => TimerFold) | undefined
}

// Longer than 80 lines: it joins the parts of the log, one after the other.
export const make = Effect.fnUntraced(function* (folder: string, { ledgerCopy, timers }: LogOptions = {}) {
  const file = join(folder, "log.db")
  const { installation, reader, writer } = yield* openLogDatabase(file)
  const timing = timers === undefined ? undefined : { codec: yield* CurrentCodec, timers }
  const ledger = Ledger.make(join(folder, Ledger.ledgerName), ledgerCopy)
  const committer = yield* Effect.acquireRelease(
    retryWhileBusy("log.db", () => Committer.make({ folder, installation, ledger, timing, reader, writer })),
    ({ close }) => Effect.sync(close)
  )
  // A damaged anchor does not stop reads. `inspect` and the first append report it.
  yield* Effect.ignore(retryWhileBusy("log.db", committer.adopt))
  yield* retryWhileBusy("log.db", committer.enforceLedger)

  const batcher = Batcher.make({ maxBatch: maxGroupSize, run: committer.run })
  const raw = (condition: string, stream: string, ...params: ReadonlyArray<unknown>) =>
    (sql(reader, `${selectEvents} ${condition}`).all(stream, ...params) as Array<EventRow>).map(fromRow)
  const events = (condition: string, stream: string, ...params: ReadonlyArray<unknown>) =>
    attempt(() => restoreKeptContent(reader, stream, raw(condition, stream, ...params)))
  const inRange = "WHERE stream = ? AND version > ? AND version <= ? ORDER BY version LIMIT ?"

  return EventLog.of({
    append: batcher.submit,
    read: (stream, { after, to = Number.MAX_SAFE_INTEGER, limit, raw: isRaw = false }) =>
      isRaw ? attempt(() => raw(inRange, stream, after, to, limit)) : events(inRange, stream, after, to, limit),
    replay: (stream, { after, to = Number.MAX_SAFE_INTEGER, limit }) =>
      attempt(() => restoreKeptContent(reader, stream, sql(reader, selectReplayed).all(stream, after, to, limit))),
    at: (stream, versions) =>
      events(
        "WHERE stream = ? AND version IN (SELECT value FROM json_each(?)) ORDER BY version",
        stream,
        JSON.stringify(versions)
      ),
    // Reads with the write connection, because that connection's own commits do not clear its page cache.
    newest: (stream, subjects) => attempt(() => newestEvents(writer, stream, subjects)),
    head: (stream) => attempt(() => headOf(reader, stream)),
    streams: attempt(() => streamHeads(reader)),
    versionAt: (stream, instant) =>
      attempt(
        () =>
          sql(reader, "SELECT max(version) AS version FROM events WHERE stream = ? AND recorded_at <= ?").get(
            stream,
            instant
          ).version ?? 0
      ),
    earliest: (stream, from) =>
      attempt(
        () =>
          sql(reader, "SELECT min(recorded_at) AS earliest FROM events WHERE stream = ? AND version >= ?").get(
            stream,
            from
          ).earliest ?? Number.POSITIVE_INFINITY
      ),
    command: (stream, commandId, request) =>
      Effect.flatten(
        attempt(() =>
          findCommand(reader, stream, {
            commandId,
            request,
            commandKey: commandKeyOf(installation, stream, commandId)
          })
        )
      ),
    vectors: (model, dimensions, digests) => attempt(() => VectorCache.get(reader, model, dimensions, digests)),
    timers: ({ limit, offset = 0, until }) =>
      attempt(() =>
        sql(reader, "SELECT stream, due FROM timers WHERE due <= ? ORDER BY due, stream LIMIT ? OFFSET ?").all(
          until,
          limit,
          offset
        )
      ),
    erase: committer.eraser.erase,
    pauseWrites: (work) => pauseWrites(file, work),
    eraseAgain: committer.eraser.eraseAgain,
    ledger: attempt(() => Ledger.recordsOf(ledger.read().lines)),
    cleanings: attempt(() => cleaningsIn(reader)),
    clean: (cleaned) => clean({ writer, uncleaned: committer.eraser.uncleaned, locked: committer.locked }, cleaned),
    newestErasure: (stream) => attempt(() => newestErasure(reader, stream)),
    accept: (append, timers) => retryWhileBusy("log.db", () => committer.accept(append, timers)),
    inspect: ({ expect, stream }) =>
      inspect({ reader, installation, ledger, anchor: committer.anchoring.anchor, stream, expect })
  })
})

const attempt = <A>(f: () => A) => Effect.try({ try: f, catch: storageError("log.db") })

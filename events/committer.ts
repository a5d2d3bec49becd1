import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import {
  type AnchorWriter,
  type AppendLineOptions,
  type LineReference,
  make as makeAnchoring,
  nextFirstLine,
  readAnchorReference
} from "./anchoring.js"
import { checkpointIfDue } from "./checkpoint.js"
import type { AcceptedTimer, Append, Head } from "./EventLog.js"
import { type Eraser, makeErase } from "./erasure/erase.js"
import type { Ledger } from "./erasure/ledger.js"
import { rebuildRemainsTable } from "./erasure/remainsTable.js"
import type { TimerContext } from "./erasure/retime.js"
import { type StorageError, storageError } from "./errors.js"
import { newestSequence } from "./heads.js"
import { sameFileState, watchLogFiles } from "./logFiles.js"
import { assertSchema } from "./logSchema.js"
import { appendBatch, appendedEvents, appendMillis } from "./metrics.js"
import { rebuildNewestTable } from "./newest.js"
import { retryWhileBusy } from "./sqlite.js"
import { type Db, sql } from "./statement.js"
import { type AppendExit, type HeadCache, setTimer, storeAll, type TransactionChanges } from "./store.js"
import { make as makeGuard } from "./streamGuard.js"
import { continueInTurns, runAllSteps, type Steps } from "./turns.js"
import * as VectorCache from "./vectorCache.js"
import { make as makeWriteTransactions } from "./writeTransaction.js"

/** Maximum stream heads cached between appends, about 200 bytes each. */
const maxCachedHeads = 10_000

/** Milliseconds between two fdatasyncs of the anchor. Appends do not wait for them. */
const syncMillis = 1_000

/** Milliseconds for one slice of the background check. A slice runs at each sync and when the log is closed. */
const sliceMillis = 5

export interface CommitterOptions {
  readonly folder: string
  readonly installation: string
  readonly ledger: Ledger
  readonly timing?: TimerContext | undefined
  readonly reader: Db
  readonly writer: Db
}

/** Stores groups of appends, each group in one transaction, and writes the new heads to the anchor. */
export interface Committer {
  readonly anchoring: AnchorWriter
  /** Creates the anchor of a new log, or converts an anchor of the first format. */
  readonly adopt: () => void
  readonly run: (appends: ReadonlyArray<Append>) => Effect.Effect<ReadonlyArray<AppendExit>>
  readonly accept: (append: Append, timers: ReadonlyArray<AcceptedTimer>) => void
  readonly eraser: Pick<Eraser, "erase" | "eraseAgain" | "uncleaned">
  /** Erases the events that the ledger names and the log still contains. Runs before anything is read. */
  readonly enforceLedger: () => void
  readonly locked: <A>(work: () => A) => A
  /** Flushes the anchor, stores a reference to its last line in the log, and records the state of `log.db`. */
  readonly close: () => void
}

// Longer than 80 lines: its functions share the cached heads and the lock.
export const make = ({ folder, installation, ledger, reader, timing, writer }: CommitterOptions): Committer => {
  const cache: HeadCache = { version: -1, schema: -1, epoch: 0, sequence: 0, heads: new Map<string, Head>() }
  let onDisk: LineReference | undefined
  let timer: NodeJS.Timeout | undefined
  let hasWritten = false
  /** True while a committed transaction has no anchor line yet. */
  let awaitsLine = false
  /** `data_version` at the last check of the ledger. */
  let assertedAt = -1

  const { locked, lockedInSteps } = makeWriteTransactions(writer)
  // This read makes SQLite open the write-ahead log, so that `watch` finds the file's inode.
  let isAdopted = readAnchorReference(writer)?.line !== 0
  const files = watchLogFiles(join(folder, "log.db"))
  /** A log without a reference is new, or its anchor has the first format. */
  const adopt = () => {
    if (!isAdopted) locked(anchoring.adopt)
    isAdopted = true
  }
  const guard = makeGuard({ adopt, anchoring: () => anchoring, files, locked, reader, writer })
  const { checked, refused } = guard
  const anchoring = makeAnchoring({ files, folder, installation, isChecked: (stream) => checked.has(stream), writer })
  const { anchor } = anchoring

  /** Runs before the events of a transaction: refuses to write to a damaged log, and appends a missing anchor line. */
  const prepare = (streams: ReadonlyArray<string>) => {
    // `data_version` is unchanged while no other connection writes, so the cached heads are current.
    const { data_version: version } = sql(writer, "PRAGMA data_version").get()
    if (version !== cache.version || cache.heads.size > maxCachedHeads) {
      const { schema_version: schema } = sql(writer, "PRAGMA schema_version").get()
      if (schema !== cache.schema) assertSchema(writer)
      cache.heads.clear()
      Object.assign(cache, { version, schema, sequence: newestSequence(writer) })
    }
    if (version !== assertedAt) eraser.assertLedger()
    assertedAt = version
    let state = anchoring.current()
    if (cache.sequence > state.sequence) state = anchoring.appendLine({})
    // Another process's background check found damage, so the next append verifies the stream again.
    for (const stream of streams) if (state.marks.get(stream)?.version === 0) checked.delete(stream)
    // If the newest events were cut off the log, the anchor is ahead of the log. Do not reuse the sequence numbers of
    // those events.
    cache.sequence = Math.max(cache.sequence, state.sequence)
    return sameFileState(state.file, files.check())
  }

  const addingEvents = function* <A extends TransactionChanges>(
    streams: ReadonlyArray<string>,
    work: (cache: HeadCache) => Steps<A>
  ): Steps<{ readonly fileIsKnown: boolean; readonly stored: A }> {
    const fileIsKnown = prepare(streams)
    if (onDisk !== undefined) anchoring.refer(onDisk)
    return { fileIsKnown, stored: yield* work(cache) }
  }

  /** Runs one transaction that adds events. All of them share one fsync. */
  const transaction = function* <A extends TransactionChanges>(
    streams: ReadonlyArray<string>,
    work: (cache: HeadCache) => Steps<A>
  ) {
    const start = performance.now()
    adopt()
    const { fileIsKnown, stored } = yield* lockedInSteps(
      () => addingEvents(streams, work),
      ({ stored }) => stored.appended
    )
    onDisk = undefined
    hasWritten = true
    const { appended, heads, sequence } = stored
    cache.sequence = sequence
    // Copies the hash: a slice of a shared buffer would keep the whole buffer in memory.
    for (const head of heads) cache.heads.set(head.stream, { ...head, hash: new Uint8Array(head.hash) })
    appendMillis.unsafeUpdate(performance.now() - start, [])
    appendBatch.unsafeUpdate(appended, [])
    appendedEvents.unsafeUpdate(appended, [])
    return { ...stored, line: { fileIsKnown, ownEvents: { heads, after: sequence - appended, last: sequence } } }
  }

  /** Appends one anchor line for all events committed since the last line, unless another process holds the lock. */
  const anchorCommitted = (line: AppendLineOptions) => {
    try {
      locked(() => anchoring.appendLine(line))
    } catch {}
    timer ??= setTimeout(sync, syncMillis).unref()
  }

  /** Checks old events and flushes the anchor in the background. After a failure, a later append does the work. */
  const sync = () => {
    timer = undefined
    // The line of that transaction also says that its stream was checked, and starts the timer again.
    if (awaitsLine) return
    try {
      const slice = anchoring.slice(reader, sliceMillis)
      if (slice?.marks !== undefined) checked.clear()
      const { hash, line } = locked(() => anchoring.appendLine({ additions: slice }))
      if (anchor.isLarge()) return rotate()
      anchor.syncInBackground((error) => {
        if (error === null) onDisk = { line, hash }
      })
    } catch {}
  }

  /**
   * Replaces the anchor file. First, the log gets a reference to the last line of the old file, so that a crash between
   * the steps loses nothing.
   */
  const rotate = () => {
    const referred = locked(referToLast)
    locked(() => {
      const state = anchoring.current()
      if (state.line === referred.line) anchoring.refer(anchor.replace(nextFirstLine(state)))
    })
  }

  /** Removes deleted streams from the anchor, in the same two steps as `rotate`. */
  const forget = (streams: ReadonlyArray<string>): void => {
    const referred = locked(referToLast)
    const isDone = locked(() => {
      const isLast = anchoring.current().line === referred.line
      if (isLast) anchoring.forget(streams)
      return isLast
    })
    if (!isDone) forget(streams)
  }

  const referToLast = () => {
    const state = anchoring.current()
    anchor.sync()
    anchoring.refer(state)
    onDisk = undefined
    return state
  }

  /**
   * Runs a transaction. A long transaction yields to the event loop. Only the first step, which takes the lock, is
   * retried.
   */
  const transactInTurns = <A extends TransactionChanges>(
    streams: ReadonlyArray<string>,
    work: (cache: HeadCache) => Steps<A>
  ) =>
    Effect.flatMap(
      retryWhileBusy("log.db", () => {
        const steps = transaction(streams, work)
        return { first: steps.next(), steps }
      }),
      ({ first, steps }) => (first.done === true ? Effect.succeed(first.value) : continueInTurns(steps, attempt))
    )

  /** Records the state of the files when the log is closed. If this fails, the next process verifies more events. */
  const noteState = () => {
    try {
      const slice = anchoring.slice(reader, sliceMillis)
      const { file } = locked(() => {
        anchoring.appendLine({ additions: slice })
        return referToLast()
      })
      if (anchor.isLarge()) rotate()
      const fileIsKnown = sameFileState(file, files.check())
      const [{ busy, checkpointed, log }] = writer.pragma("wal_checkpoint(PASSIVE)") as [Record<string, number>]
      // Inode, size and change time describe the database only if the write-ahead log is empty.
      if (busy === 0 && log === checkpointed) locked(() => anchoring.appendLine({ fileIsKnown }))
    } catch {}
  }

  const commit = (appends: ReadonlyArray<Append>): Effect.Effect<ReadonlyArray<AppendExit>> =>
    appends.length === 0
      ? Effect.succeed([])
      : Effect.matchEffect(
          transactInTurns(streamsOf(appends), (cache) => storeAll(writer, appends, cache, installation)),
          {
            onFailure: failAll(appends),
            // The checkpoint runs first, because it changes the state of the file, which the anchor line records.
            onSuccess: ({ answers, line }) => {
              awaitsLine = true
              return Effect.map(checkpointIfDue(writer), () => {
                awaitsLine = false
                anchorCommitted(line)
                return answers
              })
            }
          }
        )

  /** A damaged stream can be read but not written. Appends to other streams continue. */
  const commitSound = (appends: ReadonlyArray<Append>): Effect.Effect<ReadonlyArray<AppendExit>> => {
    const sound = appends.filter(({ stream }) => !refused.has(stream))
    return Effect.map(commit(sound), (answers) => {
      const answerOf = new Map(sound.map((append, index) => [append, answers[index]!]))
      return appends.map((append) => answerOf.get(append) ?? Exit.fail(refused.get(append.stream)!))
    })
  }

  const eraser = makeErase({
    ...{ anchorCommitted, anchoring, guard, installation, ledger, lockedInSteps, timing, writer },
    transact: transactInTurns,
    forget
  })

  return {
    anchoring,
    adopt,
    accept: (append, timers) => {
      locked(() => {
        const sequence = Math.max(newestSequence(writer), cache.sequence)
        runAllSteps(storeAll(writer, [append], { sequence, heads: new Map() }, installation))
        for (const { due, stream } of timers) setTimer(writer, stream, due)
        VectorCache.removeDamaged(writer)
        for (const remake of [rebuildNewestTable, rebuildRemainsTable]) remake(writer)
        eraser.acceptLedger()
      })
      locked(() => anchoring.startEpoch())
      checked.clear()
      refused.clear()
      cache.version = -1
      isAdopted = true
      hasWritten = true
    },
    eraser,
    enforceLedger: () => runAllSteps(eraser.enforce()),
    locked,
    run: (appends) => {
      const checking = guard.check(streamsOf(appends))
      if (checking === undefined) return commit(appends)
      return Effect.matchEffect(checking, { onFailure: failAll(appends), onSuccess: () => commitSound(appends) })
    },
    close: () => {
      clearTimeout(timer)
      if (hasWritten) noteState()
      anchor.close()
    }
  }
}

const streamsOf = (appends: ReadonlyArray<Append>) => appends.map(({ stream }) => stream)

const failAll = (appends: ReadonlyArray<Append>) => (error: StorageError) =>
  Effect.succeed<ReadonlyArray<AppendExit>>(appends.map(() => Exit.fail(error)))

const attempt = <A>(read: () => A) => Effect.try({ try: read, catch: storageError("log.db") })

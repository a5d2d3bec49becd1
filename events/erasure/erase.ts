import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { AnchorWriter, AppendLineOptions } from "../anchoring.js"
import type { EraseRequest, ErasureResult, LedgerErasureResult } from "../EventLog.js"
import { StorageError, storageError, VersionConflict } from "../errors.js"
import { type EventRow, selectEvents } from "../eventRows.js"
import { newestSequence, streamHeads } from "../heads.js"
import { randomBytes } from "../randomBytes.js"
import { type Db, sql } from "../statement.js"
import { type HeadCache, headOf, type TransactionChanges } from "../store.js"
import type { StreamGuard } from "../streamGuard.js"
import type { Steps } from "../turns.js"
import { streamsToClean } from "./cleaning.js"
import {
  applyLines,
  checkLedger,
  ledgerHeads,
  ledgerProblem,
  pendingLines,
  requestCleaning,
  streamDigest
} from "./enforce.js"
import { applyOtherLedger } from "./eraseAgain.js"
import { collectValues, type ErasedValues, makeUncleanedValues, type UncleanedValues } from "./erasedValues.js"
import { isEmptyPlan } from "./erasePlan.js"
import { deleteStream, deleteVectors, eraseStream, planStream, type StreamPlan } from "./eraseRows.js"
import { describeKeptParts } from "./keptParts.js"
import { type EventKey, type Ledger, type LedgerEntry, type LedgerLine, ledgerDamagedError } from "./ledger.js"
import { appliedLine, setAppliedLine } from "./ledgerReference.js"
import type { TimerContext } from "./retime.js"
import { restoreKeptContent } from "./substitute.js"

interface Options {
  readonly writer: Db
  readonly guard: StreamGuard
  readonly anchoring: AnchorWriter
  readonly installation: string
  readonly ledger: Ledger
  readonly timing: TimerContext | undefined
  readonly lockedInSteps: <A>(work: () => Steps<A>) => Steps<A>
  readonly transact: <A extends TransactionChanges>(
    streams: ReadonlyArray<string>,
    work: (cache: HeadCache) => Steps<A>
  ) => Effect.Effect<A & { readonly line: AppendLineOptions }, StorageError>
  readonly anchorCommitted: (line: AppendLineOptions) => void
  /** Removes deleted streams from the anchor. */
  readonly forget: (streams: ReadonlyArray<string>) => void
}

export interface Eraser {
  readonly erase: (request: EraseRequest) => Effect.Effect<ErasureResult, VersionConflict | StorageError>
  readonly eraseAgain: (
    lines: ReadonlyArray<LedgerLine>,
    now: number
  ) => Effect.Effect<LedgerErasureResult | "anotherLog", StorageError>
  /** Erases the events that the ledger names and this log still contains. Runs before anything is read. */
  readonly enforce: () => Steps<void>
  /** Starts a new ledger after an operator accepted that the old one is lost or damaged. Runs inside a transaction. */
  readonly acceptLedger: () => void
  /** Throws if the ledger does not contain the lines that the log and the anchor refer to. */
  readonly assertLedger: () => void
  readonly uncleaned: UncleanedValues
}

/** Creates the functions that erase events of a log: see `EventLog.erase`. They share `options`, so it is long. */
export const makeErase = (options: Options): Eraser => {
  const { anchorCommitted, anchoring, forget, guard, installation, ledger, lockedInSteps, timing, transact, writer } =
    options
  const uncleaned = makeUncleanedValues()

  const problemNow = () => checkLedger({ db: writer, anchor: anchoring.anchor, installation, ledger })

  const assertLedger = () => {
    const problem = problemNow()
    if (problem !== null) throw ledgerDamagedError(problem)
  }

  const acceptLedger = () => {
    if (problemNow() === null) return
    const newest = ledgerHeads(writer, anchoring.anchor).reduce((a, b) => (b.line > a.line ? b : a))
    const entry = { log: installation, at: Date.now(), events: [], kept: [], streams: [] }
    setAppliedLine(writer, ledger.restart(newest, entry))
  }

  /** Adds missing lines to the ledger or to its copy. Ignores errors: the next erasure reports an unwritable file. */
  const completeLedger = function* (): Steps<void> {
    if (ledger.isComplete()) return
    try {
      yield* lockedInSteps(function* () {
        ledger.complete()
      })
    } catch {}
  }

  const enforce = function* (): Steps<void> {
    const state = ledger.read()
    const isSound = ledgerProblem(state, [appliedLine(writer)], installation) === null
    if (isSound) yield* completeLedger()
    if (isSound && pendingLines(writer, state).length > 0) {
      yield* lockedInSteps(function* () {
        const anchor = anchoring.anchor.read({ repair: false })
        let sequence = Math.max(newestSequence(writer), anchor.kind === "state" ? anchor.state.sequence : 0)
        const context = { now: Date.now(), nextSequence: () => ++sequence, timing }
        yield* applyLines(writer, pendingLines(writer, state), context)
      })
    }
    // The anchor may still name streams that a killed process deleted.
    const deleted = streamsToClean(writer).filter((stream) => stream !== "" && headOf(writer, stream).version === 0)
    if (deleted.length === 0) return
    try {
      forget(deleted)
    } catch (cause) {
      // A damaged anchor stops writes, but not reads. The anchor counts as damaged if, for example, an older `log.db`
      // was copied next to it.
      if (!(cause instanceof StorageError && cause.kind === "damaged")) throw cause
    }
  }

  /** Fails if one of the streams is damaged. */
  const requireSound = (streams: ReadonlyArray<string>): Effect.Effect<void, StorageError> =>
    Effect.zipRight(
      guard.check(streams) ?? Effect.void,
      Effect.suspend(() => {
        const refusal = streams.map((stream) => guard.refused.get(stream)).find((error) => error !== undefined)
        return refusal === undefined ? Effect.void : Effect.fail(refusal)
      })
    )

  /** Writes the newest line of the ledger to the anchor, and removes deleted streams from the anchor. */
  const committed = (line: AppendLineOptions, deleted: ReadonlyArray<string>): void => {
    const { hash, line: number } = appliedLine(writer)
    anchorCommitted({ ...line, additions: { ledger: { line: number, hash } } })
    if (deleted.length > 0) forget(deleted)
  }

  const erase: Eraser["erase"] = (request) =>
    Effect.gen(function* () {
      const streams = [...request.streams.map(({ stream }) => stream), ...request.wholeStreams]
      yield* requireSound(streams)
      const { line, removed, result } = yield* transact(streams, (cache) =>
        eraseAll({ db: writer, installation, ledger, timing, request, cache })
      )
      if (removed !== "nothing") uncleaned.add(removed)
      if (Either.isLeft(result)) return yield* result.left
      committed(line, request.wholeStreams)
      return result.right
    }).pipe(Effect.uninterruptible)

  const again: Eraser["eraseAgain"] = (lines, now) =>
    Effect.gen(function* () {
      if (lines.some(({ log }) => log !== installation)) return "anotherLog" as const
      const heads = yield* Effect.try({ try: () => streamHeads(writer), catch: storageError("log.db") })
      const streams = heads.map(({ stream }) => stream)
      yield* requireSound(streams)
      const { deleted, line, result } = yield* transact(streams, (cache) =>
        applyOtherLedger({ db: writer, ledger, timing, cache, lines, now })
      )
      committed(line, deleted)
      return result
    }).pipe(Effect.uninterruptible)

  return { acceptLedger, assertLedger, enforce, erase, eraseAgain: again, uncleaned }
}

interface Stored extends TransactionChanges {
  readonly result: Either.Either<ErasureResult, VersionConflict>
  /** The removed values; undefined if not all of them are known. */
  readonly removed: ErasedValues | undefined | "nothing"
}

interface Work {
  readonly db: Db
  readonly installation: string
  readonly ledger: Ledger
  readonly timing: TimerContext | undefined
  readonly request: EraseRequest
  readonly cache: HeadCache
}

const eraseAll = function* ({ cache, db, installation, ledger, request, timing }: Work): Steps<Stored> {
  let { sequence } = cache
  const nextSequence = () => ++sequence
  // A process wrote these lines and was killed before it erased the events.
  const pending = pendingLines(db, ledger.read())
  const heads = [...(yield* applyLines(db, pending, { now: request.now, nextSequence, timing }))]
  const added = () => ({ heads, sequence, appended: sequence - cache.sequence })
  const plans: Array<StreamPlan> = []
  for (const erasure of request.streams) {
    const { due, readAt, stream } = erasure
    const { version } = headOf(db, stream)
    if (version !== readAt) {
      const conflict = new VersionConflict({ stream, expected: readAt, actual: version })
      return { ...added(), removed: "nothing", result: Either.left(conflict) }
    }
    const plan = planStream(db, erasure)
    if (!isEmptyPlan(plan)) plans.push({ ...plan, stream, due })
  }
  const whole = request.wholeStreams.filter((stream) => headOf(db, stream).version > 0)
  const counts = { erased: 0, remains: 0 }
  if (plans.length + whole.length + request.vectors.length === 0)
    return { ...added(), removed: "nothing", result: Either.right(counts) }
  const isFirst = !streamsToClean(db).includes("")
  const before = appliedLine(db)
  const collected = collectValues()
  const head = ledger.append(before, entryOf(db, { installation, plans, request, whole }))
  for (const plan of plans) {
    heads.push(yield* eraseStream(db, plan, { request, ledger: head.hash, nextSequence, noteRemoved: collected.add }))
    requestCleaning(db, plan.stream)
    counts.erased += plan.versions.length
    counts.remains += plan.remains.length
  }
  for (const stream of whole) {
    counts.erased += yield* deleteStream(db, stream)
    cache.heads.delete(stream)
    requestCleaning(db, stream)
  }
  yield* deleteVectors(db, request.vectors, collected.add)
  requestCleaning(db, "")
  setAppliedLine(db, head)
  const [values, streams] = [collected.all(), plans.map(({ stream }) => stream)]
  const isKnown = whole.length === 0 && values !== undefined
  const removed = isKnown ? { values, streams, after: before.line, line: head.line, isFirst } : undefined
  return { ...added(), removed, result: Either.right(counts) }
}

/** The ledger's line for an erasure. It is written before the erasure, so it describes what the erasure will do. */
const entryOf = (
  db: Db,
  {
    installation,
    plans,
    request,
    whole
  }: {
    readonly installation: string
    readonly plans: ReadonlyArray<StreamPlan>
    readonly request: EraseRequest
    readonly whole: ReadonlyArray<string>
  }
): LedgerEntry => ({
  log: installation,
  at: request.now,
  reason: request.reason,
  selector: request.selector,
  events: plans.flatMap((plan) => erasedKeys(db, plan)),
  kept: plans.flatMap(({ remains, stream }) => {
    const rows = new Map(
      rowsAt(
        db,
        stream,
        remains.map(({ of }) => of)
      ).map((row) => [row.version, row])
    )
    const keys = new Map([...rows].map(([version, row]) => [version, keyOf(row)]))
    restoreKeptContent(db, stream, [...rows.values()])
    return remains.flatMap(({ of, payload, schema, type }) => {
      const old = rows.get(of)?.payload
      const parts =
        old === null || old === undefined ? undefined : describeKeptParts(JSON.parse(old), JSON.parse(payload))
      return parts === undefined ? [] : [[...keys.get(of)!, type, schema, parts] as const]
    })
  }),
  names: plans.flatMap((plan) => erasedNames(db, plan)),
  streams: whole.map((stream) => {
    const salt = Buffer.from(randomBytes(16)).toString("hex")
    const select = "SELECT max(sequence) AS newest, count(*) AS events FROM events WHERE stream = ?"
    const { events, newest } = sql(db, select).get(stream)
    return [salt, streamDigest(salt, stream), newest, events] as const
  })
})

/**
 * The erased events. If an event lost its remains, both the event and its REMAINS event are listed. When the ledger is
 * applied to a copy from before the first erasure, the event gets a new REMAINS event, which this line must also erase.
 */
const erasedKeys = (db: Db, { remains, stream, versions }: StreamPlan): ReadonlyArray<EventKey> => {
  const kept = new Set(remains.map(({ of }) => of))
  const erased = rowsAt(db, stream, versions)
  const bare = erased
    .flatMap(({ payload, type }) => (type === "REMAINS" && payload !== null ? [Number(JSON.parse(payload).of)] : []))
    .filter((of) => !kept.has(of))
  return [...erased, ...rowsAt(db, stream, bare)].map(keyOf)
}

/** The erased names, except those of events that are erased without remains: their names are erased anyway. */
const erasedNames = (db: Db, { names, remains, stream, versions }: StreamPlan): NonNullable<LedgerEntry["names"]> => {
  const [erased, kept] = [new Set(versions), new Set(remains.map(({ of }) => of))]
  const columnsOf = new Map(names.map(({ columns, version }) => [version, columns]))
  const listed = [...columnsOf.keys()].filter((version) => !erased.has(version) || kept.has(version))
  return rowsAt(db, stream, listed).map((row) => [...keyOf(row), columnsOf.get(row.version)!])
}

const rowsAt = (db: Db, stream: string, versions: ReadonlyArray<number>): ReadonlyArray<EventRow> =>
  sql(db, `${selectEvents} WHERE stream = ? AND version IN (SELECT value FROM json_each(?)) ORDER BY version`).all(
    stream,
    JSON.stringify(versions)
  )

const keyOf = ({ hash, sequence }: EventRow): EventKey => [sequence, hash.toString("hex")]

import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { installationStream, parseAcceptedProblems, problemKey, toAcceptedPlace } from "./accepted.js"
import type { RestoreEntry } from "./anchorLines.js"
import type { Codec } from "./Codec.js"
import type { DaybookEvent, ErasedEvent } from "./catalogue.js"
import { chainChecker } from "./chainChecker.js"
import { type AcceptedTimer, type AppendError, type EventLog, type Head, type Problem, readAll } from "./EventLog.js"
import { repeatCheckDuringErasures } from "./erasure/steadyCheck.js"
import { NotAccepted, type StorageError } from "./errors.js"
import { sha256Hex } from "./sha256.js"
import { yieldIfDue } from "./turns.js"

/** The result of checking one stream or the whole log. */
export interface Verification {
  readonly ok: boolean
  /** Events in the streams of agents. */
  readonly events: number
  readonly streams: number
  /** The newest event; null if more than one stream was checked. */
  readonly head: { readonly version: number; readonly hash: string } | null
  /** At most 100 problems; `digest` covers all of them. */
  readonly problems: ReadonlyArray<Problem>
  /** Hash of the anchor's last line, to be passed as `expect` to a later check; null if the anchor cannot be read. */
  readonly anchor: string | null
  /** Repairs after a crash, made by an earlier write or due at the next write. */
  readonly repairs: ReadonlyArray<string>
  /** Restores of the whole log from a copy, oldest first. */
  readonly restores: ReadonlyArray<RestoreEntry>
  /** Places of damage that an operator has accepted since the log was created. */
  readonly accepted: ReadonlyArray<Problem>
  /**
   * Identifies exactly these problems; `accept` needs it. Null if there are no problems, if only one stream was
   * checked, or if only a backup can repair the problems.
   */
  readonly digest: string | null
}

/** Computes when a stream is due. `apply` gets the events of the stream in order. */
export interface TimerFold {
  readonly apply: (event: DaybookEvent | ErasedEvent) => void
  readonly due: () => number | null
}

export interface VerifyOptions {
  /** Compares each stream's timer with its events. */
  readonly timers?: () => TimerFold
  /**
   * Hash of a line that the anchor must contain. The check proves that nobody replaced the log and the anchor together.
   */
  readonly expect?: string | undefined
}

/** The maximum number of listed problems. */
const maxProblems = 100

type Log = Context.Tag.Service<EventLog>

/**
 * Checks one stream or all streams. Recomputes the chain: versions without gaps, times that never run backwards,
 * payloads that match their digests, hashes that chain, and an ERASE event for each erased event. Then checks timers,
 * the storage's integrity, its schema, the cached vectors and the anchor. Reports damage as a problem, not as an error.
 */
export const verify = (
  log: Log,
  codec: Codec,
  stream: string | null,
  options: VerifyOptions = {}
): Effect.Effect<Verification> => Effect.map(examine(log, codec, stream, options), ({ verification }) => verification)

/**
 * Accepts the damage of the report with this digest: stores an event that names the damage, sets timers from the
 * events, removes damaged vectors, and starts a new epoch of the anchor. Fails with `NotAccepted` if the current report
 * has another digest.
 */
export const accept = Effect.fnUntraced(function* (
  log: Log,
  codec: Codec,
  digest: string,
  options: VerifyOptions = {}
): Effect.fn.Return<void, NotAccepted | AppendError> {
  const examined = yield* examine(log, codec, null, options)
  if (examined.problems.length === 0) return yield* new NotAccepted({ problem: "the log has no damage to accept" })
  if (examined.verification.digest === null) {
    const problem = "the database file itself is damaged: restore a backup, or undo the change with SQLite's own tools"
    return yield* new NotAccepted({ problem })
  }
  if (examined.verification.digest !== digest) {
    const problem =
      "the damage differs from the report with this digest: run 'daybook verify', then accept the new report"
    return yield* new NotAccepted({ problem })
  }
  yield* acceptExamined(log, codec, examined)
})

/**
 * Accepts that the ledger of erasures is lost or changed, and starts a new ledger that records the loss. Fails with
 * `NotAccepted` if the ledger has no problem, or if the log has any other problem.
 */
export const acceptWithoutLedger = Effect.fnUntraced(function* (
  log: Log,
  codec: Codec,
  options: VerifyOptions = {}
): Effect.fn.Return<void, NotAccepted | AppendError> {
  const examined = yield* examine(log, codec, null, options)
  const { ledgerProblems, problems } = examined
  if (ledgerProblems.length === 0)
    return yield* new NotAccepted({
      problem: "the ledger of erasures is not damaged, so it cannot be replaced by a new one"
    })
  const keys = new Set(ledgerProblems.map(problemKey))
  if (!problems.every((problem) => keys.has(problemKey(problem)))) {
    const problem =
      "the log has other damage too: run 'daybook verify' for a report, then accept this report with 'daybook verify --accept DIGEST'"
    return yield* new NotAccepted({ problem })
  }
  yield* acceptExamined(log, codec, examined)
})

/** Stores the accepted places as an event, and starts a new epoch of the anchor. */
const acceptExamined = Effect.fnUntraced(function* (
  log: Log,
  codec: Codec,
  { problems, timers }: Effect.Effect.Success<ReturnType<typeof examine>>
): Effect.fn.Return<void, AppendError> {
  const digest = digestOf(problems)
  const { payload, schema } = codec.encode("ACCEPT", { digest, places: problems.map(toAcceptedPlace) })
  const now = yield* Clock.currentTimeMillis
  const commands = [{ actor: "verify", events: [{ type: "ACCEPT", schema, payload }] }]
  yield* log.accept({ stream: installationStream, expected: "any", now, commands }, timers)
})

const examine = (log: Log, codec: Codec, stream: string | null, options: VerifyOptions) =>
  repeatCheckDuringErasures(
    examineOnce(log, codec, stream, options),
    ({ problems }) => problems.length === 0,
    erasuresIn(log, stream)
  )

/** The newest erasure of each checked stream, as text. Empty if the log cannot be read; the check then reports why. */
const erasuresIn = (log: Log, stream: string | null): Effect.Effect<string> =>
  Effect.flatMap(log.streams, (heads) =>
    Effect.forEach(
      heads.filter((head) => stream === null || head.stream === stream),
      (head) => Effect.map(log.newestErasure(head.stream), (version) => [head.stream, version])
    )
  ).pipe(
    Effect.map((erasures) => JSON.stringify(erasures)),
    Effect.orElseSucceed(() => "")
  )

const examineOnce = Effect.fnUntraced(function* (
  log: Log,
  codec: Codec,
  stream: string | null,
  { expect, timers }: VerifyOptions
) {
  const found: Array<Problem> = []
  const report = (error: StorageError) =>
    Effect.sync(() => void found.push({ stream, version: null, what: error.message }))
  const orAddProblem = <A>(read: Effect.Effect<A, StorageError>, otherwise: A) =>
    Effect.catchAll(read, (error) => Effect.as(report(error), otherwise))
  const heads = yield* orAddProblem(log.streams, [] as ReadonlyArray<Head>)
  const selected = stream === null ? heads : heads.filter((head) => head.stream === stream)
  const agents = selected.filter((head) => head.stream !== installationStream)
  const dueTimers: Array<AcceptedTimer> = []
  const payloads: Array<string | null> = []
  let events = 0
  let head: Verification["head"] = null
  for (const { stream: name } of selected) {
    const checker = chainChecker(name, codec)
    let fold = timers?.()
    let hasErasedTimes = false
    const reading = Stream.runForEach(readAll(log, name, { raw: true }), (event) => {
      checker.next(event)
      if (event.type === "ACCEPT" && name === installationStream) payloads.push(event.payload)
      if (fold !== undefined && isTimed(event)) {
        if (event.erasedAt === null) applyTo(fold, codec, event)
        else hasErasedTimes = true
      }
      return yieldIfDue
    })
    yield* orAddProblem(reading, undefined)
    // Some of these events were erased, so compute the timer from their remains.
    if (hasErasedTimes) {
      fold = timers!()
      const remaining = Stream.runForEach(Stream.filter(readAll(log, name), isTimed), (event) =>
        Effect.sync(() => applyTo(fold!, codec, event))
      )
      yield* orAddProblem(remaining, undefined)
    }
    found.push(...checker.problems({ erasures: true }))
    if (name === installationStream) continue
    events += checker.count()
    head = { version: checker.count(), hash: Buffer.from(checker.hash()).toString("hex") }
    if (fold !== undefined) dueTimers.push({ stream: name, due: fold.due() })
  }
  const wrongTimers = timers === undefined ? [] : yield* orAddProblem(timerProblems(log, stream, dueTimers), [])
  const inspected = yield* orAddProblem(log.inspect({ stream, expect }), {
    ...{ problems: [], ledger: [], broken: [], repairs: [], restores: [], anchor: null }
  })
  const isRestorable = inspected.broken.length === 0
  const accepted = parseAcceptedProblems(payloads)
  const acceptedKeys = new Set(accepted.map(problemKey))
  const problems = [...found, ...wrongTimers, ...inspected.broken, ...inspected.problems].filter(
    (problem) => problem.stream === null || !acceptedKeys.has(problemKey(problem))
  )
  const verification: Verification = {
    ok: problems.length === 0,
    events,
    streams: agents.length,
    head: agents.length === 1 ? head : null,
    problems: problems.slice(0, maxProblems),
    anchor: inspected.anchor,
    repairs: inspected.repairs,
    restores: inspected.restores,
    accepted,
    digest: problems.length > 0 && isRestorable && stream === null ? digestOf(problems) : null
  }
  return { verification, problems, ledgerProblems: inspected.ledger, timers: dueTimers }
})

const digestOf = (problems: ReadonlyArray<Problem>): string =>
  sha256Hex(JSON.stringify(problems.map(problemKey).sort()))

const isTimed = ({ type }: { readonly type: string }): boolean => type === "SCHEDULE" || type === "RUN"

const applyTo = (fold: TimerFold, codec: Codec, event: Parameters<Codec["decode"]>[0]): void => {
  const decoded = codec.decode(event)
  if (decoded._tag === "Right") fold.apply(decoded.right)
}

/** Timers that differ from the due times computed from the events. */
const timerProblems = Effect.fnUntraced(function* (
  log: Log,
  stream: string | null,
  expected: ReadonlyArray<AcceptedTimer>
) {
  const stored = yield* log.timers({ until: Number.MAX_SAFE_INTEGER, limit: expected.length + maxProblems })
  const due = new Map(stored.map((timer) => [timer.stream, timer.due]))
  const known = new Set(expected.map((timer) => timer.stream))
  const differing = expected.filter((timer) => (due.get(timer.stream) ?? null) !== timer.due)
  const unknownTimers = stored.filter(
    (timer) => (stream === null || timer.stream === stream) && !known.has(timer.stream)
  )
  return [...differing, ...unknownTimers].map(
    (timer): Problem => ({
      stream: timer.stream,
      version: null,
      what: "the timer differs from the events: run 'daybook schedules retime'"
    })
  )
})

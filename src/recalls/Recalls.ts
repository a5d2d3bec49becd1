import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { sameBytes } from "../../events/Chain.js"
import type { Codec } from "../../events/Codec.js"
import type { EventLog } from "../../events/EventLog.js"
import { lastRecallNumber } from "../../projections/recalls.js"
import * as ViewFile from "../../projections/view/ViewFile.js"
import type { CommandError } from "../actor/Actor.js"
import type { Agents } from "../actor/Agents.js"
import { isFarAhead, isFarBehind } from "../actor/clock.js"
import type { ShownResults, Snapshot, UnrecordedRecall } from "../actor/ReaderSource.js"
import { failureNames } from "../model/failureNames.js"
import type { Embedder } from "../ports/Embedder.js"
import type { PolicyValues } from "../ports/Policy.js"
import { droppedRecalls, recordedRecalls } from "./metrics.js"
import { makeRecallEvent, oldestReadAt, recordRecalls } from "./recordRecalls.js"

/**
 * The queues of recalls that wait for recording, so that reads do not wait for it. One event records all waiting
 * recalls of an agent a minute later, or as soon as a hundred wait. Recording does not wake a sleeping agent.
 */
export interface Recalls {
  /**
   * Reads the data of a recall from an open snapshot. The returned function takes the results that the read showed.
   * When too many recalls wait, the oldest is dropped and counted.
   */
  readonly observe: (agent: string, snapshot: Snapshot) => (shown: ShownResults) => void
  /** Records all waiting recalls and returns their number. After a failure, the recalls keep waiting. */
  readonly flush: (agent: string) => Effect.Effect<number, CommandError>
  /**
   * Records the waiting recalls if some are from this session. Never fails: after a failure, the recalls keep waiting.
   */
  readonly flushSession: (agent: string, session: string) => Effect.Effect<void>
  readonly counts: (agent: string) => { readonly waiting: number; readonly dropped: number }
}

export interface RecallsOptions {
  readonly agents: Agents
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  /** The embedder that an event names if its recalls used none. */
  readonly embedder: Context.Tag.Service<Embedder>
  readonly policy: PolicyValues["recall"]
  readonly search: PolicyValues["search"]
}

/** The waiting recalls of one agent. */
interface Queue {
  readonly waiting: Array<UnrecordedRecall>
  readonly lock: Effect.Semaphore
  /** Open while enough recalls wait to fill an event. */
  readonly full: Effect.Latch
  /** True while a fiber records this queue. */
  hasRecorder: boolean
  /** How many recalls were dropped because too many waited, and how many of these the log already counts. */
  dropped: number
  droppedRecorded: number
  /** The number of the newest recall in the log when it was last read. Other processes also add recalls. */
  last: number
}

/** Maximum batches of recalls that wait while the log cannot be written. */
const maxWaitingBatches = 10

/** How many agents are flushed concurrently on shutdown. The log appends their events in one transaction. */
const flushConcurrency = 100

const makeQueue = (): Queue => ({
  waiting: [],
  lock: Effect.unsafeMakeSemaphore(1),
  full: Effect.unsafeMakeLatch(false),
  hasRecorder: false,
  dropped: 0,
  droppedRecorded: 0,
  last: 0
})

export const make = Effect.fnUntraced(function* (
  options: RecallsOptions
): Effect.fn.Return<Recalls, never, Scope.Scope> {
  const { policy } = options
  const queues = new Map<string, Queue>()

  /** Records batches of recalls until fewer than `minWaiting` are left. */
  const flush = (agent: string, minWaiting = 1) =>
    Effect.suspend(() => {
      const queue = queues.get(agent)
      return queue === undefined ? Effect.succeed(0) : flushQueue(options, agent, queue, minWaiting)
    })

  /**
   * Flushes, and only logs a failure, because a failure to record must not fail a read. The log line omits the cause,
   * because the cause may quote the query.
   */
  const flushQuietly = (agent: string, minWaiting = 1) =>
    Effect.tap(Effect.exit(flush(agent, minWaiting)), (exit) =>
      Exit.isFailure(exit)
        ? Effect.logWarning("recalls could not be recorded yet", { agent, failure: failureNames(exit.cause) })
        : Effect.void
    )

  const flushPause = Effect.sleep(Duration.millis(policy.flushAfter))

  /** Records an agent's waiting recalls until its queue is empty. */
  const watch = Effect.fnUntraced(function* (agent: string, queue: Queue): Effect.fn.Return<void> {
    let failed = false
    do {
      // After a failure, wait before retrying even if the queue is full. A full queue is recorded in full batches; the
      // rest waits for `flushAfter`.
      const pause = Effect.as(flushPause, 1)
      const minWaiting: number = yield* failed
        ? pause
        : Effect.raceFirst(pause, Effect.as(queue.full.await, policy.batch))
      failed = Exit.isFailure(yield* flushQuietly(agent, minWaiting))
    } while (queue.waiting.length > 0)
    queue.hasRecorder = false
    if (queue.dropped === 0) queues.delete(agent)
  })

  yield* Effect.addFinalizer(() =>
    Effect.forEach([...queues.keys()], (agent) => flushQuietly(agent), {
      concurrency: flushConcurrency,
      discard: true
    })
  )
  const run = yield* FiberSet.makeRuntime<never>()

  return {
    observe: (agent, { db, now }) => {
      const { hash, position } = ViewFile.checkpointOf(db)
      const last = lastRecallNumber(db)
      return (shown) => {
        // An agent without events showed no memory, and a read must not create the agent.
        if (position === 0) return
        const queue = queues.get(agent) ?? makeQueue()
        queues.set(agent, queue)
        queue.waiting.push({ ...shown, askedAt: now, position, readAt: { version: position, hash } })
        queue.last = Math.max(queue.last, last)
        limitQueue(queue, policy.batch)
        if (queue.hasRecorder) return
        queue.hasRecorder = true
        run(watch(agent, queue))
      }
    },
    flush: (agent) => flush(agent),
    flushSession: (agent, session) =>
      Effect.suspend(() =>
        queues.get(agent)?.waiting.some((recall) => recall.session === session) === true
          ? Effect.asVoid(flushQuietly(agent))
          : Effect.void
      ),
    counts: (agent) => {
      const queue = queues.get(agent)
      return { waiting: queue?.waiting.length ?? 0, dropped: queue?.dropped ?? 0 }
    }
  }
})

/** Drops the oldest recalls beyond the limit, and opens or closes the latch. */
const limitQueue = (queue: Queue, batchSize: number): void => {
  const excess = queue.waiting.length - maxWaitingBatches * batchSize
  if (excess > 0) {
    queue.waiting.splice(0, excess)
    queue.dropped += excess
    droppedRecalls.unsafeUpdate(excess, [])
  }
  if (queue.waiting.length >= batchSize) queue.full.unsafeOpen()
  else queue.full.unsafeClose()
}

/**
 * Records the waiting recalls, as long as at least `minWaiting` wait. Uninterruptible: a batch taken from the queue
 * must be recorded or put back.
 */
const flushQueue = (
  options: RecallsOptions,
  agent: string,
  queue: Queue,
  minWaiting: number
): Effect.Effect<number, CommandError> => {
  const requested = queue.waiting.length
  const flushAll = Effect.iterate(0, {
    while: (recorded) => recorded < requested && queue.waiting.length >= minWaiting,
    body: (recorded) =>
      recordBatch(options, agent, queue).pipe(
        Effect.map((count) => recorded + count),
        Effect.catchTag("ErasedMeanwhile", () => Effect.as(dropErased(options, agent, queue), recorded))
      )
  })
  return Effect.uninterruptible(queue.lock.withPermits(1)(flushAll))
}

/**
 * Drops recalls whose reads happened before the newest erasure, because their queries may name erased content. If the
 * whole agent was erased, the event that was read is missing in the stream.
 */
const dropErased = Effect.fnUntraced(function* ({ log, policy }: RecallsOptions, agent: string, queue: Queue) {
  const versions = new Set(queue.waiting.map(({ position }) => position))
  const events = yield* log.at(agent, [...versions])
  const hashes = new Map(events.map(({ hash, version }) => [version, hash]))
  const erasure = yield* log.newestErasure(agent)
  const waiting = queue.waiting.filter(
    ({ readAt: { hash, version } }) => version >= erasure && sameBytes(hashes.get(version) ?? null, hash)
  )
  const dropped = queue.waiting.length - waiting.length
  if (dropped === 0) return
  queue.waiting.splice(0, queue.waiting.length, ...waiting)
  queue.dropped += dropped
  droppedRecalls.unsafeUpdate(dropped, [])
  limitQueue(queue, policy.batch)
})

const recordBatch = (options: RecallsOptions, agent: string, queue: Queue) =>
  Effect.suspend(() => {
    const batchSize = options.policy.batch
    const batch = queue.waiting.splice(0, countOfOneEmbedder(queue.waiting.slice(0, batchSize)))
    const dropped = queue.dropped - queue.droppedRecorded
    return Effect.onExit(append(options, agent, { batch, dropped, first: queue.last + 1 }), (exit) =>
      Effect.sync(() => {
        if (Exit.isSuccess(exit)) {
          queue.droppedRecorded += dropped
          queue.last += batch.length
          recordedRecalls.unsafeUpdate(batch.length, [])
        } else queue.waiting.unshift(...batch)
        limitQueue(queue, batchSize)
      })
    ).pipe(Effect.as(batch.length))
  })

interface Batch {
  readonly batch: ReadonlyArray<UnrecordedRecall>
  readonly dropped: number
  /** The number of the first recall, if the agent sleeps. */
  readonly first: number
}

/**
 * Writes one event: through the agent's actor, or directly to the log if the agent sleeps. The view of a sleeping agent
 * catches up later.
 */
const append = Effect.fnUntraced(function* (
  { agents, codec, embedder, log, search }: RecallsOptions,
  agent: string,
  { batch, dropped, first }: Batch
) {
  const common = { embedder: embedderOf(batch) ?? embedder, policy: search, dropped }
  const result = yield* agents.useAwake(agent, ({ actor }) => actor.run(recordRecalls(batch, common)))
  if (Option.isSome(result)) return
  const now = yield* Clock.currentTimeMillis
  const { recordedAt, version: position } = yield* log.head(agent)
  if (isFarAhead({ position, recordedAt }, now) || isFarBehind({ position, recordedAt }, now)) {
    // Only the actor can handle a jump of the clock, so this wakes the agent.
    return void (yield* agents.use(agent, ({ actor }) => actor.run(recordRecalls(batch, common))))
  }
  const { payload, vectors } = makeRecallEvent(batch, common)
  const event = { type: "RECALL", ...codec.encode("RECALL", payload(first)) }
  yield* log.append({
    stream: agent,
    expected: "any",
    now,
    commands: [{ actor: "recall", events: [event] }],
    vectors,
    readAt: oldestReadAt(batch)
  })
})

/** The embedder that ranked the recalls; undefined if no recall was ranked. */
const embedderOf = (recalls: ReadonlyArray<UnrecordedRecall>) =>
  recalls.find(({ embedder }) => embedder !== null)?.embedder

/** Counts the first recalls that were ranked by the same embedder. An event names only one embedder. */
const countOfOneEmbedder = (recalls: ReadonlyArray<UnrecordedRecall>): number => {
  const key = (embedder: UnrecordedRecall["embedder"]) => JSON.stringify(embedder)
  const first = embedderOf(recalls)
  const other = recalls.findIndex(({ embedder }) => embedder !== null && key(embedder) !== key(first ?? null))
  return other < 0 ? recalls.length : other
}

import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Codec } from "../../events/Codec.js"
import type { EventLog } from "../../events/EventLog.js"
import { lastRecall } from "../../projections/recalls.js"
import * as ViewFile from "../../projections/view/ViewFile.js"
import type { CommandError } from "../actor/Actor.js"
import type { Agents } from "../actor/Agents.js"
import type { Showing, Snapshot, UnrecordedRecall } from "../actor/ReaderSource.js"
import type { Embedder } from "../ports/Embedder.js"
import type { PolicyValues } from "../ports/Policy.js"
import { recalled, recordRecalls } from "./recordRecalls.js"

/**
 * Recalls that wait to be recorded. Reads hand in what they showed and go on; a
 * minute later, or where a hundred of one agent wait, one event records all of
 * them. An agent may go to sleep meanwhile and is not woken for it.
 */
export interface Recalls {
  /**
   * Looks at a snapshot while it lasts, and takes in what a read of it showed
   * when that is known. Where too many wait, the oldest is lost and counted.
   */
  readonly observe: (agent: string, snapshot: Snapshot) => (showing: Showing) => void
  /** Records all that wait by now; answers how many. What cannot be recorded goes on waiting. */
  readonly flush: (agent: string) => Effect.Effect<number, CommandError>
  readonly counts: (agent: string) => { readonly waiting: number; readonly dropped: number }
}

export interface RecallsOptions {
  readonly agents: Agents
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  /** What is named where none of those that are recorded was ranked. */
  readonly embedder: Context.Tag.Service<Embedder>
  readonly policy: PolicyValues["recall"]
  readonly search: PolicyValues["search"]
}

/** What waits of one agent. */
interface Queue {
  readonly waiting: Array<UnrecordedRecall>
  readonly lock: Effect.Semaphore
  /** Open while as many wait as one event takes. */
  readonly many: Effect.Latch
  /** Whether a fiber sees to it. */
  watched: boolean
  /** Lost because too many waited; and how many of them are on record as lost. */
  dropped: number
  told: number
  /** The newest recall on record when last looked at: others write too. */
  last: number
}

/** So many events' worth of recalls may wait, where the log cannot be written to. */
const batchesKept = 10

/** Agents whose recalls are recorded at the same time, in the end: the log takes their events in one transaction. */
const flushedAtOnce = 100

export const make = (options: RecallsOptions): Effect.Effect<Recalls, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { agents, codec, embedder, log, policy, search } = options
    const queues = new Map<string, Queue>()

    const queueOf = (agent: string): Queue => {
      const known = queues.get(agent)
      if (known !== undefined) return known
      const queue: Queue = {
        waiting: [],
        lock: Effect.unsafeMakeSemaphore(1),
        many: Effect.unsafeMakeLatch(false),
        watched: false,
        dropped: 0,
        told: 0,
        last: 0
      }
      queues.set(agent, queue)
      return queue
    }

    const settle = (queue: Queue) => {
      const over = queue.waiting.length - batchesKept * policy.batch
      if (over > 0) {
        queue.waiting.splice(0, over)
        queue.dropped += over
      }
      if (queue.waiting.length >= policy.batch) queue.many.unsafeOpen()
      else queue.many.unsafeClose()
    }

    /** One event: by the agent's actor, or, where it sleeps, straight into the log, which its view follows when it wakes. */
    const write = (agent: string, queue: Queue, batch: ReadonlyArray<UnrecordedRecall>, dropped: number) =>
      Effect.gen(function* () {
        const common = { embedder: embedderOf(batch) ?? embedder, policy: search, dropped }
        const done = yield* agents.useAwake(agent, ({ actor }) => actor.run(recordRecalls(batch, common)))
        if (Option.isSome(done)) return
        const now = yield* Clock.currentTimeMillis
        const { payload, vectors } = recalled(batch, common)
        const event = { type: "RECALL", ...codec.encode("RECALL", payload(queue.last + 1)) }
        yield* log.append({
          stream: agent,
          expected: "any",
          now,
          commands: [{ actor: "recall", events: [event] }],
          vectors
        })
      })

    const record = (agent: string, queue: Queue) =>
      Effect.suspend(() => {
        const batch = queue.waiting.splice(0, alike(queue.waiting.slice(0, policy.batch)))
        const lost = queue.dropped - queue.told
        return Effect.onExit(write(agent, queue, batch, lost), (exit) =>
          Effect.sync(() => {
            if (Exit.isSuccess(exit)) {
              queue.told += lost
              queue.last += batch.length
            } else queue.waiting.unshift(...batch)
            settle(queue)
          })
        ).pipe(Effect.as(batch.length))
      })

    // What was taken out of the queue must be recorded or put back, whoever stops waiting for it.
    const flush = (agent: string): Effect.Effect<number, CommandError> =>
      Effect.suspend(() => {
        const queue = queues.get(agent)
        if (queue === undefined) return Effect.succeed(0)
        const all = Effect.suspend(() => {
          const asked = queue.waiting.length
          return Effect.iterate(0, {
            while: (done) => done < asked && queue.waiting.length > 0,
            body: (done) => Effect.map(record(agent, queue), (count) => done + count)
          })
        })
        return queue.lock.withPermits(1)(all)
      }).pipe(Effect.uninterruptible)

    /** A recall is not worth failing for. What went wrong is not told either: it may quote the query. */
    const quietly = (agent: string) =>
      Effect.tap(Effect.exit(flush(agent)), (exit) =>
        Exit.isFailure(exit) ? Effect.logWarning("recalls could not be recorded yet") : Effect.void
      )

    const minute = Effect.sleep(Duration.millis(policy.flushAfter))

    /** As long as anything waits. */
    const watch = (agent: string, queue: Queue, failed: boolean): Effect.Effect<void> =>
      Effect.gen(function* () {
        // After a failure a full queue is no reason to try again at once.
        yield* failed ? minute : Effect.raceFirst(minute, queue.many.await)
        const exit = yield* quietly(agent)
        if (queue.waiting.length > 0) return yield* watch(agent, queue, Exit.isFailure(exit))
        queue.watched = false
        if (queue.dropped === 0) queues.delete(agent)
      })

    yield* Effect.addFinalizer(() =>
      Effect.forEach([...queues.keys()], quietly, { concurrency: flushedAtOnce, discard: true })
    )
    const run = yield* FiberSet.makeRuntime<never>()

    return {
      observe: (agent, { db, now }) => {
        const { position } = ViewFile.checkpointOf(db)
        const last = lastRecall(db)
        return (showing) => {
          // Nothing was there to show, and no read brings an agent into being.
          if (position === 0) return
          const queue = queueOf(agent)
          queue.waiting.push({ ...showing, askedAt: now, position })
          queue.last = Math.max(queue.last, last)
          settle(queue)
          if (queue.watched) return
          queue.watched = true
          run(watch(agent, queue, false))
        }
      },
      flush,
      counts: (agent) => {
        const queue = queues.get(agent)
        return { waiting: queue?.waiting.length ?? 0, dropped: queue?.dropped ?? 0 }
      }
    }
  })

/** What ranked them; undefined where nothing was. */
const embedderOf = (recalls: ReadonlyArray<UnrecordedRecall>) =>
  recalls.find(({ embedder }) => embedder !== null)?.embedder

/** How many of the first were ranked by the same embedder: one event names one. */
const alike = (recalls: ReadonlyArray<UnrecordedRecall>): number => {
  const key = (embedder: UnrecordedRecall["embedder"]) => JSON.stringify(embedder)
  const first = embedderOf(recalls)
  const other = recalls.findIndex(({ embedder }) => embedder !== null && key(embedder) !== key(first ?? null))
  return other < 0 ? recalls.length : other
}

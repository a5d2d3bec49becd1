import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import { maskInterruption } from "./mask.js"
import { isYieldDue, yieldIfDue, yieldToEventLoop } from "./turns.js"

/**
 * Combines concurrent requests into one run. Only one run is active at a time, and requests keep their order. The first
 * caller yields until no further request arrives, then runs the batch itself, so a lone caller needs no queue. Requests
 * that arrive during a run are processed in the background. Between two runs, the batcher yields to the event loop when
 * a yield is due, so that timers fire even in a program that only waits for requests.
 */
export interface Batcher<Request, A, E> {
  /** An accepted request runs even if its caller is interrupted. */
  readonly submit: (request: Request) => Effect.Effect<A, E>
  /** Milliseconds since the current run started; 0 if no run is active. */
  readonly runMillis: () => number
}

interface WaitingRequest<Request, A, E> {
  readonly request: Request
  /** Delivers the answer to the caller; absent for the caller that runs the batch. */
  readonly answer?: Deferred.Deferred<A, E>
  exit?: Exit.Exit<A, E>
}

export interface BatcherOptions<Request, A, E> {
  /** The maximum number of requests in one run. */
  readonly maxBatch: number
  /** The queue limit, and the answer to requests beyond it. */
  readonly capacity?: { readonly maxWaiting: number; readonly full: Exit.Exit<A, E> }
  /** Returns one exit per request, in order. Never fails. */
  readonly run: (requests: ReadonlyArray<Request>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>>
  /** Called with each change of the number of requests that wait for the current run to end. */
  readonly onWaiting?: (change: number) => void
  /** Wraps the background work, for example to keep a resource open while the work runs. */
  readonly background?: (work: Effect.Effect<void>) => Effect.Effect<void>
}

export const make = <Request, A, E>(options: BatcherOptions<Request, A, E>): Batcher<Request, A, E> => {
  const { background = (work) => work, capacity, maxBatch, onWaiting, run } = options
  const queue: Array<WaitingRequest<Request, A, E>> = []
  let isRunning = false
  /** When the current run began, by `performance.now`. */
  let startedAt = 0

  /** Runs one batch, then continues with `next`. Every write runs this code, so it avoids unneeded effects. */
  const runBatch = <B, E2>(next: () => Effect.Effect<B, E2>): Effect.Effect<B, E2> => {
    const batch = queue.splice(0, maxBatch)
    const waited = onWaiting === undefined ? 0 : batch.filter((entry) => entry.answer !== undefined).length
    if (waited > 0) onWaiting?.(-waited)
    startedAt = performance.now()
    const answer = (exitOf: (index: number) => Exit.Exit<A, E>) => {
      for (const [index, entry] of batch.entries()) {
        entry.exit = exitOf(index)
        if (entry.answer !== undefined) Deferred.unsafeDone(entry.answer, entry.exit)
      }
      return next()
    }
    return Effect.matchCauseEffect(
      Effect.suspend(() => run(batch.map(({ request }) => request))),
      {
        onFailure: (cause) => answer(() => Exit.failCause(cause)),
        onSuccess: (exits) => answer((index) => exits[index]!)
      }
    )
  }

  const drain: Effect.Effect<void> = Effect.suspend(() => {
    if (queue.length > 0)
      return Effect.zipRight(
        yieldIfDue,
        runBatch(() => drain)
      )
    isRunning = false
    return Effect.void
  })

  /** Yields until no further request arrives, then runs the batch. */
  const gatherAndRun = (own: WaitingRequest<Request, A, E>): Effect.Effect<A, E> => {
    const queuedBefore = queue.length
    return Effect.flatMap(isYieldDue() ? yieldToEventLoop : Effect.yieldNow(), () =>
      queue.length > queuedBefore && queue.length < maxBatch ? gatherAndRun(own) : runBatch(() => finish(own))
    )
  }

  const finish = (own: WaitingRequest<Request, A, E>): Effect.Effect<A, E> => {
    if (queue.length > 0) return Effect.zipRight(Effect.forkDaemon(background(drain)), own.exit!)
    isRunning = false
    return own.exit!
  }

  return {
    submit: (request) =>
      // Masked, because an interruption after `isRunning` is set and before the batch runs would stop the queue
      // forever.
      maskInterruption((restore) => {
        if (capacity !== undefined && queue.length >= capacity.maxWaiting) return capacity.full
        if (!isRunning) {
          const own: WaitingRequest<Request, A, E> = { request }
          queue.push(own)
          isRunning = true
          startedAt = performance.now()
          return gatherAndRun(own)
        }
        const answer = Deferred.unsafeMake<A, E>(FiberId.none)
        queue.push({ request, answer })
        onWaiting?.(1)
        return restore(Deferred.await(answer))
      }),
    runMillis: () => (isRunning ? performance.now() - startedAt : 0)
  }
}

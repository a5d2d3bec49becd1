import * as Effect from "effect/Effect"

/** Milliseconds of work after which a loop yields to the event loop. The loop finishes its current step first. */
export const turnMillis = 10

/** A loop over small items, such as events, calls `isYieldDue` after this many of them. */
export const itemsPerCheck = 50

/**
 * When the current turn of the event loop started, by `performance.now`; undefined before the first check of the turn.
 */
let workingSince: number | undefined

const newTurn = () => {
  workingSince = undefined
}

const startTurn = (now: number) => {
  workingSince = now
  setImmediate(newTurn)
}

/**
 * True if this process has worked for `millis` milliseconds without a return to the event loop. Measures real time,
 * even if a test replaces the clock. Cheap enough to call for each item of a loop.
 */
export const isYieldDue = (millis = turnMillis): boolean => {
  const now = performance.now()
  if (workingSince !== undefined) return now - workingSince >= millis
  startTurn(now)
  return false
}

/** The fibers that wait for the next turn of the event loop. */
let waiting: Array<() => void> | undefined

const resumeAll = () => {
  const resumed = waiting!
  waiting = undefined
  startTurn(performance.now())
  for (const resume of resumed) resume()
}

/**
 * Yields to the event loop, so that timers, signals and input are processed. Effect's own yield only runs other fibers.
 * The wait can be interrupted. All waiting fibers continue together, so that their appends still share a transaction of
 * the log.
 *
 * The effect has no canceler, because Effect ignores a resume after an interruption. With a canceler, Effect would mask
 * interruption, and V8 would keep the data of the fiber until the next full garbage collection.
 */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async<void>((resume) => {
  if (waiting === undefined) {
    waiting = []
    setImmediate(resumeAll)
  }
  waiting.push(() => resume(Effect.void))
})

/**
 * Synchronous work in steps. The generator yields after each step. Define generator functions at module level. For each
 * new generator function, V8 keeps a hidden class, and everything that the function refers to, until the next full
 * garbage collection.
 */
export type Steps<A> = Generator<void, A, void>

type Attempt<A, E, R> = (step: () => IteratorResult<void, A>) => Effect.Effect<IteratorResult<void, A>, E, R>

/** Runs steps and yields to the event loop after each. `attempt` runs one step and converts its exceptions. */
export const runInTurns = <A, E, R>(steps: Steps<A>, attempt: Attempt<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    attempt(() => steps.next()),
    (result) => (result.done === true ? Effect.succeed(result.value) : continueInTurns(steps, attempt))
  )

/**
 * Runs the steps after the first one. An interruption or a failure ends the generator. Otherwise a query over which the
 * generator iterates would keep its connection busy, and a busy connection can neither write nor close.
 */
export const continueInTurns = <A, E, R>(steps: Steps<A>, attempt: Attempt<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.onError(nextInTurns(steps, attempt), () => Effect.sync(() => void steps.return(undefined as A)))

const nextInTurns = <A, E, R>(steps: Steps<A>, attempt: Attempt<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Effect.zipRight(
      yieldToEventLoop,
      attempt(() => steps.next())
    ),
    (result) => (result.done === true ? Effect.succeed(result.value) : nextInTurns(steps, attempt))
  )

/** Runs all steps without a return to the event loop. */
export const runAllSteps = <A>(steps: Steps<A>): A => {
  for (;;) {
    const result = steps.next()
    if (result.done === true) return result.value
  }
}

/** Yields to the event loop if `isYieldDue`. Every loop over stored data runs it after each step. */
export const yieldIfDue: Effect.Effect<void> = Effect.suspend(() => (isYieldDue() ? yieldToEventLoop : Effect.void))

/**
 * Waits in real time, not by Effect's clock. A test that replaces that clock would otherwise wait forever for another
 * process.
 */
export const sleepRealTime = (millis: number): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

import * as Effect from "effect/Effect"

/** Milliseconds of work after which a loop gives the event loop a turn. The step under way at that time comes on top. */
export const turnMillis = 20

/** When the present turn of the event loop began to work, by `performance.now`; undefined before its first check. */
let workingSince: number | undefined

const newTurn = () => {
  workingSince = undefined
}

const startTurn = (now: number) => {
  workingSince = now
  setImmediate(newTurn)
}

/**
 * Whether the present turn of the event loop has worked for some milliseconds. It measures real time, whatever clock a
 * test uses. Cheap enough for each item of a loop.
 */
export const isTurnDue = (millis = turnMillis): boolean => {
  const now = performance.now()
  if (workingSince !== undefined) return now - workingSince >= millis
  startTurn(now)
  return false
}

/** The fibers that wait for the next turn. */
let waiting: Set<() => void> | undefined

const resumeAll = () => {
  const resumed = waiting!
  waiting = undefined
  startTurn(performance.now())
  for (const resume of resumed) resume()
}

/**
 * Lets timers, signals and input run. A yield of Effect runs other fibers only. Can be interrupted. All waiting fibers
 * go on together, so that their appends still share a transaction of the log.
 */
export const takeTurn: Effect.Effect<void> = Effect.async<void>((resume) => {
  if (waiting === undefined) {
    waiting = new Set()
    setImmediate(resumeAll)
  }
  const queue = waiting
  const goOn = () => resume(Effect.void)
  queue.add(goOn)
  return Effect.sync(() => void queue.delete(goOn))
})

/** Synchronous work that yields where a turn of the event loop is due. */
export type Steps<A> = Generator<void, A, void>

/** Runs steps with a turn after each. `attempt` runs one step and types what it throws. */
export const inTurns = <A, E, R>(
  steps: Steps<A>,
  attempt: (step: () => IteratorResult<void, A>) => Effect.Effect<IteratorResult<void, A>, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    attempt(() => steps.next()),
    (result) =>
      result.done === true ? Effect.succeed(result.value) : Effect.zipRight(takeTurn, inTurns(steps, attempt))
  )

/** Runs steps without turns. */
export const atOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const result = steps.next()
    if (result.done === true) return result.value
  }
}

/** Lets timers, signals and input run where that is due. Every loop over stored data calls it for each step. */
export const takeTurnIfDue: Effect.Effect<void> = Effect.suspend(() => (isTurnDue() ? takeTurn : Effect.void))

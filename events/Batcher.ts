import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import { mask } from "./mask.js"

/**
 * Lets concurrent requests share one run, one run at a time, in the order in
 * which they came. Whoever finds nobody at work does the work itself, once all
 * who are about to ask have asked, so that a caller alone pays for no queue; what gathered
 * meanwhile is worked off in the background.
 */
export interface Batcher<Request, A, E> {
  /** Once accepted, a request is carried out also if its caller goes. */
  readonly submit: (request: Request) => Effect.Effect<A, E>
}

interface Waiting<Request, A, E> {
  readonly request: Request
  /** Absent for whoever does the work itself. */
  readonly answer?: Deferred.Deferred<A, E>
  exit?: Exit.Exit<A, E>
}

export const make = <Request, A, E>(options: {
  /** Requests that share a run. */
  readonly most: number
  /** Requests that may wait, and what the next one is answered. */
  readonly capacity?: { readonly waiting: number; readonly full: Exit.Exit<A, E> }
  /** Answers each request, in order. Never fails. */
  readonly run: (requests: ReadonlyArray<Request>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>>
  /** Around the work that nobody's fiber does: keeps open what it needs. */
  readonly background?: (work: Effect.Effect<void>) => Effect.Effect<void>
}): Batcher<Request, A, E> => {
  const { background = (work) => work, capacity, most, run } = options
  const waiting: Array<Waiting<Request, A, E>> = []
  let working = false

  /** One run; `then` says how it goes on. Nothing here is an effect that need not be: each write comes by. */
  const once = <B, E2>(then: () => Effect.Effect<B, E2>): Effect.Effect<B, E2> => {
    const batch = waiting.splice(0, most)
    const answer = (exitOf: (index: number) => Exit.Exit<A, E>) => {
      for (const [index, one] of batch.entries()) {
        one.exit = exitOf(index)
        if (one.answer !== undefined) Deferred.unsafeDone(one.answer, one.exit)
      }
      return then()
    }
    return Effect.matchCauseEffect(
      Effect.suspend(() => run(batch.map(({ request }) => request))),
      {
        onFailure: (cause) => answer(() => Exit.failCause(cause)),
        onSuccess: (exits) => answer((index) => exits[index]!)
      }
    )
  }

  const rest: Effect.Effect<void> = Effect.suspend(() => {
    if (waiting.length > 0) return once(() => rest)
    working = false
    return Effect.void
  })

  /** Whoever takes the lead lets others come first, as long as more of them do. */
  const lead = (own: Waiting<Request, A, E>): Effect.Effect<A, E> => {
    const before = waiting.length
    return Effect.flatMap(Effect.yieldNow(), () =>
      waiting.length > before && waiting.length < most ? lead(own) : once(() => finish(own))
    )
  }

  const finish = (own: Waiting<Request, A, E>): Effect.Effect<A, E> => {
    if (waiting.length > 0) return Effect.zipRight(Effect.forkDaemon(background(rest)), own.exit!)
    working = false
    return own.exit!
  }

  return {
    submit: (request) =>
      // A caller that is interrupted between taking the lead and leading would leave nobody at work, for good.
      mask((restore) => {
        if (capacity !== undefined && waiting.length >= capacity.waiting) return capacity.full
        if (!working) {
          const own: Waiting<Request, A, E> = { request }
          waiting.push(own)
          working = true
          return lead(own)
        }
        const answer = Deferred.unsafeMake<A, E>(FiberId.none)
        waiting.push({ request, answer })
        return restore(Deferred.await(answer))
      })
  }
}

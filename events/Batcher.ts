import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"

/**
 * Lets concurrent requests share one run, one run at a time, in the order in
 * which they came. Whoever finds nobody at work does the work itself, once all
 * who are about to ask have asked, so that a caller alone pays for no queue; what gathered
 * meanwhile is worked off in the background.
 */
export interface Batcher<Request, A, E> {
  /** None where `capacity` requests wait already. Once accepted, a request is carried out also if its caller goes. */
  readonly submit: (request: Request) => Effect.Effect<Option.Option<A>, E>
}

export const make = <Request, A, E>(options: {
  /** Requests that share a run. */
  readonly most: number
  readonly capacity?: number
  /** Answers each request, in order. Never fails. */
  readonly run: (requests: ReadonlyArray<Request>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>>
  /** Around the work that nobody's fiber does: keeps open what it needs. */
  readonly background?: (work: Effect.Effect<void>) => Effect.Effect<void>
}): Batcher<Request, A, E> => {
  const { background = (work) => work, capacity = Number.POSITIVE_INFINITY, most, run } = options
  const waiting: Array<{ readonly request: Request; readonly answer: Deferred.Deferred<A, E> }> = []
  let working = false

  const once = Effect.suspend(() => {
    const batch = waiting.splice(0, most)
    return Effect.map(
      Effect.catchAllCause(
        Effect.suspend(() => run(batch.map(({ request }) => request))),
        (cause) => Effect.succeed(batch.map(() => Exit.failCause(cause)))
      ),
      (exits) => {
        for (const [index, { answer }] of batch.entries()) Deferred.unsafeDone(answer, exits[index]!)
      }
    )
  })

  const rest: Effect.Effect<void> = Effect.suspend(() => {
    if (waiting.length > 0) return Effect.zipRight(once, rest)
    working = false
    return Effect.void
  })

  /** Whoever takes the lead lets others come first, as long as more of them do. */
  const gather: Effect.Effect<void> = Effect.suspend(() => {
    const before = waiting.length
    return Effect.flatMap(Effect.yieldNow(), () =>
      waiting.length > before && waiting.length < most ? gather : Effect.void
    )
  })

  const lead = Effect.zipRight(
    Effect.zipRight(gather, once),
    Effect.suspend(() => {
      if (waiting.length > 0) return Effect.asVoid(Effect.forkDaemon(background(rest)))
      working = false
      return Effect.void
    })
  )

  return {
    submit: (request) =>
      // A caller that is interrupted between taking the lead and leading would leave nobody at work, for good.
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          if (waiting.length >= capacity) return Effect.succeedNone
          const answer = Deferred.unsafeMake<A, E>(FiberId.none)
          waiting.push({ request, answer })
          const answered = restore(Effect.map(Deferred.await(answer), Option.some))
          if (working) return answered
          working = true
          return Effect.zipRight(lead, answered)
        })
      )
  }
}

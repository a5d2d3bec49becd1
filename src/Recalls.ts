import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as ViewFile from "../projections/ViewFile.js"
import type { Actor, CommandError } from "./Actor.js"
import { recordRecalls, type UnrecordedRecall } from "./commands/recordRecalls.js"
import type { Embedder } from "./Embedder.js"
import type { PolicyValues } from "./Policy.js"
import type { Showing } from "./ReaderSource.js"
import type { Snapshot } from "./search.js"

/**
 * The recalls of one agent that wait to be recorded. Reads hand in what they
 * showed and go on; a minute later, or where a hundred wait, one event records
 * all of them.
 */
export interface Recalls {
  /** Takes in a recall. Where too many wait, the oldest is lost and counted. */
  readonly add: (recall: UnrecordedRecall) => void
  /** Records all that wait by now; answers how many. What cannot be recorded goes on waiting. */
  readonly flush: Effect.Effect<number, CommandError>
  /** Records from now on, and once more when the scope closes. */
  readonly start: (
    actor: Actor,
    hold: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<void, never, Scope.Scope>
  readonly counts: () => { readonly waiting: number; readonly dropped: number }
}

/** So many events' worth of recalls may wait, where the log cannot be written to. */
const batchesKept = 10

export const make = ({
  embedder,
  policy,
  search
}: {
  readonly embedder: Context.Tag.Service<Embedder>
  readonly policy: PolicyValues["recall"]
  readonly search: PolicyValues["search"]
}): Effect.Effect<Recalls> =>
  Effect.gen(function* () {
    const lock = yield* Effect.makeSemaphore(1)
    const some = yield* Effect.makeLatch(false)
    const many = yield* Effect.makeLatch(false)
    const waiting: Array<UnrecordedRecall> = []
    let dropped = 0
    /** Of those, how many are on record as lost. */
    let told = 0
    let writer: Actor | undefined

    const settle = () => {
      const over = waiting.length - batchesKept * policy.batch
      if (over > 0) {
        waiting.splice(0, over)
        dropped += over
      }
      if (waiting.length > 0) some.unsafeOpen()
      else some.unsafeClose()
      if (waiting.length >= policy.batch) many.unsafeOpen()
      else many.unsafeClose()
    }

    /** One event. */
    const record = (actor: Actor) =>
      Effect.suspend(() => {
        const batch = waiting.splice(0, policy.batch)
        const lost = dropped - told
        return Effect.onExit(actor.run(recordRecalls(batch, { embedder, policy: search, dropped: lost })), (exit) =>
          Effect.sync(() => {
            if (Exit.isSuccess(exit)) told += lost
            else waiting.unshift(...batch)
            settle()
          })
        )
      })

    // What was taken out of the queue must be recorded or put back, whoever stops waiting for it.
    const flush = Effect.suspend(() => {
      const actor = writer
      const asked = actor === undefined ? 0 : waiting.length
      return Effect.iterate(0, {
        while: (done) => done < asked && waiting.length > 0,
        body: (done) => Effect.map(record(actor!), (count) => done + count)
      })
    }).pipe(lock.withPermits(1), Effect.uninterruptible)

    /** A recall is not worth failing for. What went wrong is not told either: it may quote the query. */
    const quietly = Effect.exit(flush).pipe(
      Effect.tap((exit) =>
        Exit.isFailure(exit) ? Effect.logWarning("recalls could not be recorded yet") : Effect.void
      )
    )

    return {
      add: (recall) => {
        waiting.push(recall)
        settle()
      },
      flush,
      start: (actor, hold) =>
        Effect.gen(function* () {
          writer = actor
          const minute = Effect.sleep(Duration.millis(policy.flushAfter))
          let failed = false
          yield* Effect.addFinalizer(() => quietly)
          yield* Effect.gen(function* () {
            yield* some.await
            // After a failure a full queue is no reason to try again at once.
            yield* failed ? minute : Effect.raceFirst(minute, many.await)
            failed = Exit.isFailure(yield* hold(quietly))
          }).pipe(Effect.forever, Effect.interruptible, Effect.forkScoped)
        }),
      counts: () => ({ waiting: waiting.length, dropped })
    }
  })

/** Hands what a read showed to those who record it. A search that used no vector will be run again without one. */
export const taking =
  (recalls: Recalls, { db, now }: Snapshot) =>
  ({ vector, ...showing }: Showing): void => {
    const { position } = ViewFile.checkpointOf(db)
    // Nothing was there to show, and no read brings an agent into being.
    if (position === 0) return
    const index = showing.kind === "conversation" ? "chunkVectors" : "vectors"
    const parked = ViewFile.parkedOf(db).some(({ projection }) => projection === index)
    recalls.add({ ...showing, vector: parked ? null : vector, askedAt: now, position })
  }

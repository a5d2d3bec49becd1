import * as Effect from "effect/Effect"
import { findActiveEmbedder } from "../../projections/embedders.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { CommandError } from "../actor/Actor.js"
import { sameFact, sameModel } from "../actor/activeEmbedders.js"
import type { EmbedderError } from "../ports/Embedder.js"
import { countLackingIn, fillPending } from "./indexFill.js"
import { fillsOf, refresh, type State } from "./state.js"

/** The result of a backfill. `remaining` is 0 when every text has its vector. */
export interface Backfilled {
  readonly embedded: number
  readonly remaining: number
  /** Why it stopped early. */
  readonly error?: EmbedderError
}

/** A fill starts over when the active embedder changes under it. After this many restarts the background goes on. */
const maxRestarts = 3

/** Fills the index of the active embedder. Answers why it stopped early. With `full`, see `fillPending`. */
export const fillActive = (state: State, full: boolean): Effect.Effect<EmbedderError | undefined, CommandError> =>
  fillOnce(state, full).pipe(
    state.active.lock.withPermits(1),
    Effect.repeat({ until: (round) => round?.switched !== true, times: maxRestarts }),
    Effect.map((round) => {
      if (round?.switched === true) state.active.signal.request()
      return round?.failure
    })
  )

const fillOnce = (state: State, full: boolean) =>
  Effect.gen(function* () {
    const { services } = state
    if (services?.actor.view.hasVectors !== true) return undefined
    const { actor, leases, views } = services
    yield* refresh(state, services)
    const { embedder, fact } = state
    let switched = false
    /** The first vectors of a store may make another embedder the active one. */
    const isStillActive = Effect.map(
      views.read(actor.view, (db) => findActiveEmbedder(db)),
      (active) => {
        switched = active !== undefined && !sameFact(active, fact) && !sameModel(active, embedder)
        return !switched
      }
    )
    const filling = fillPending(services, fillsOf(state, state.active, embedder), { full, keepGoing: isStillActive })
    const result = yield* leases.active(filling, isStillActive)
    const failure = yield* state.active.failures.record(result?.failure)
    return { failure, switched }
  })

/** Embeds all texts that have no vector of the active embedder, oldest first. Idempotent. */
export const backfill = (state: State): Effect.Effect<Backfilled, CommandError> =>
  Effect.gen(function* () {
    const { active } = state
    // A fill under way would store its own place after the reset.
    yield* Effect.gen(function* () {
      if (state.services !== undefined) yield* refresh(state, state.services)
      for (const fill of fillsOf(state, active, state.embedder)) fill.reset()
    }).pipe(active.lock.withPermits(1))
    const before = yield* countRemaining(state)
    if (before === 0) {
      yield* active.failures.record(undefined)
      return { embedded: 0, remaining: 0 }
    }
    yield* fillActive(state, false)
    const remaining = yield* countRemaining(state)
    const error =
      active.failures.newest() ?? [...active.fills.values()].map((fill) => fill.skipped().error).find(Boolean)
    return { embedded: Math.max(0, before - remaining), remaining, ...(error === undefined ? {} : { error }) }
  })

const countRemaining = (state: State): Effect.Effect<number, ViewError> =>
  Effect.suspend(() => {
    const { embedder, services } = state
    return services === undefined
      ? Effect.succeed(0)
      : services.views.read(services.actor.view, (db) => countLackingIn(db, fillsOf(state, state.active, embedder)))
  })

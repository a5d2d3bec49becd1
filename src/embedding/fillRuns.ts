import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { findActiveEmbedder, findPreparingEmbedder } from "../../projections/embedders.js"
import type { Db } from "../../projections/Projection.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { CommandError } from "../actor/Actor.js"
import type { AgentServices } from "../actor/Agent.js"
import { isSameEmbedderRecord, sameModel } from "../actor/activeEmbedders.js"
import type { EmbedderError, EmbedderService } from "../ports/Embedder.js"
import { activateEmbedder } from "./commands.js"
import { minInlineBatch } from "./embedInline.js"
import { countMissingInFills, fillIndexes, type IndexFill, readNewestNumbers } from "./indexFill.js"
import { fillsOf, type Preparation, recordWithheldStores, refresh, type State } from "./state.js"

/** The result of a backfill. `remaining` is 0 when every text has its vector. */
export interface Backfilled {
  readonly embedded: number
  readonly remaining: number
  /** The failure that stopped the backfill early. */
  readonly error?: EmbedderError
}

/** Maximum restarts of a fill because the active embedder changed. After the last one, the background continues. */
const maxRestarts = 3

/** Fills the index of the active embedder. Returns why it stopped early. For `full`, see `fillIndexes`. */
export const fillActive = (state: State, full: boolean): Effect.Effect<EmbedderError | undefined, CommandError> =>
  fillOnce(state, full).pipe(
    state.active.lock.withPermits(1),
    Effect.repeat({ until: (round) => round?.switched !== true, times: maxRestarts }),
    Effect.map((round) => {
      if (round?.switched === true) state.active.signal.request()
      return round?.failure
    })
  )

const fillOnce = Effect.fnUntraced(function* (state: State, full: boolean) {
  const { services } = state
  if (services?.actor.view.hasVectors !== true) return undefined
  const { actor, leases, views } = services
  yield* refresh(state, services)
  const { embedder, fact } = state
  let switched = false
  /** The first vectors of a store may make another embedder active. */
  const isStillActive = Effect.map(
    views.read(actor.view, (db) => findActiveEmbedder(db)),
    (active) => {
      switched = active !== undefined && !isSameEmbedderRecord(active, fact) && !sameModel(active, embedder)
      return !switched
    }
  )
  const filling = fillIndexes(services, fillsOf(state, state.active, embedder), { full, keepGoing: isStillActive })
  const result = yield* leases.active(filling, isStillActive)
  const failure = yield* state.active.failures.record(result?.failure)
  return { failure, switched }
})

/** Embeds all texts that have no vector of the active embedder, oldest first. Idempotent. */
export const backfill = Effect.fnUntraced(function* (state: State): Effect.fn.Return<Backfilled, CommandError> {
  const { active } = state
  // The lock lets a running fill end first. Otherwise the fill would store its own position after the reset.
  yield* Effect.gen(function* () {
    if (state.services !== undefined) yield* refresh(state, state.services)
    for (const fill of fillsOf(state, active, state.embedder)) fill.reset()
  }).pipe(active.lock.withPermits(1))
  const missingBefore = yield* countRemaining(state)
  if (missingBefore === 0) {
    yield* active.failures.record(undefined)
    return { embedded: 0, remaining: 0 }
  }
  yield* fillActive(state, false)
  const remaining = yield* countRemaining(state)
  const error = active.failures.newest() ?? [...active.fills.values()].map((fill) => fill.skipped().error).find(Boolean)
  return { embedded: Math.max(0, missingBefore - remaining), remaining, ...(error === undefined ? {} : { error }) }
})

const countRemaining = (state: State): Effect.Effect<number, ViewError> =>
  Effect.suspend(() => {
    const { embedder, services } = state
    return services === undefined
      ? Effect.succeed(0)
      : services.views.read(services.actor.view, (db) =>
          countMissingInFills(db, fillsOf(state, state.active, embedder))
        )
  })

/** Tracks the progress of one embedder. `startedAt` is milliseconds since the epoch. */
const makeProgress = ({ dimensions, model, usage }: EmbedderService, startedAt: number) => {
  const noUsage = { requests: 0, tokens: 0 }
  const usedBefore = usage?.() ?? noUsage
  let [madeCount, left, now] = [0, 0, startedAt]
  let missingAtStart: number | undefined
  const current = (): Preparation => {
    const { requests, tokens } = usage?.() ?? noUsage
    const used = { requests: requests - usedBefore.requests, tokens: tokens - usedBefore.tokens }
    return { model, dimensions, madeCount, left: Math.max(0, left), took: now - startedAt, ...used }
  }
  return {
    /** Sets the number of texts without a vector. Vectors made by other processes count as made. */
    setLacking: (count: number) => {
      missingAtStart ??= count
      left = count
      madeCount = Math.max(madeCount, missingAtStart - count)
    },
    /** Adds texts that this process embedded. */
    addEmbedded: (count: number) => {
      madeCount += count
      left -= count
    },
    at: (millis: number) => {
      now = millis
      return current()
    },
    current
  }
}

/**
 * Fills the candidate index. Adopts it if it is complete and the switch requested that. Returns why it stopped early.
 * With `retrySkipped` it checks all texts again, including skipped ones.
 */
export const fillCandidate = (state: State, retrySkipped: boolean) =>
  Effect.gen(function* () {
    const { services } = state
    if (services?.actor.view.hasVectors !== true) return undefined
    const { actor, leases, views } = services
    yield* refresh(state, services)
    if (state.candidateFact === undefined) return undefined
    const { adopt, version } = state.candidateFact
    const embedder = yield* state.embedders.ofFact(state.candidateFact)
    const fills = fillsOf(state, state.candidate, embedder)
    if (retrySkipped) for (const fill of fills) fill.reset()
    const progress = makeProgress(embedder, yield* Clock.currentTimeMillis)
    state.preparation = progress.current
    const publish = Effect.map(Clock.currentTimeMillis, (now) => {
      for (const listener of state.listeners) listener(progress.at(now))
    })
    /**
     * Whether the embedder is still the candidate. A candidate that was dropped or replaced must cause no more
     * requests.
     */
    const isCandidate = (db: Db) => findPreparingEmbedder(db)?.version === version
    const measure = views.read(actor.view, (db) => {
      progress.setLacking(countMissingInFills(db, fills))
      return isCandidate(db)
    })
    yield* measure
    const filling = fillIndexes(services, fills, {
      // With `full: false`, a continuous writer would keep the fill from ending.
      full: true,
      onBatch: (count) =>
        Effect.suspend(() => {
          progress.addEmbedded(count)
          return publish
        }),
      keepGoing: views.read(actor.view, isCandidate)
    })
    const result = yield* leases.candidate(Effect.zipRight(measure, filling), Effect.zipLeft(measure, publish))
    yield* state.candidate.failures.record(result?.failure)
    if (result?.complete === true && result.failure === undefined && adopt) {
      const active = [...state.active.fills.values()]
      const isAdopted = yield* adoptIfComplete(services, { embedder, isCandidate, candidate: fills, active })
      // Compare the adopted settings with the settings of this process, before other processes record their settings.
      if (isAdopted) yield* recordWithheldStores(state, actor, yield* views.read(actor.view, findActiveEmbedder))
    }
    return result?.failure
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        state.preparation = undefined
      })
    ),
    state.candidate.lock.withPermits(1)
  )

interface Adoption {
  readonly embedder: EmbedderService
  readonly isCandidate: (db: Db) => boolean
  readonly candidate: ReadonlyArray<IndexFill>
  readonly active: ReadonlyArray<IndexFill>
}

/**
 * Makes the candidate active with one event; every reader then uses it. The candidate may miss as many vectors as the
 * active index, or `minInlineBatch` if that is more. All texts are counted before the command runs, so that no writer
 * waits. The command itself counts only the texts that were added after that. Returns true if the candidate became
 * active.
 */
const adoptIfComplete = Effect.fnUntraced(function* (
  { actor, views }: AgentServices,
  { active, candidate, embedder, isCandidate }: Adoption
) {
  const { allowed, lacking, newest } = yield* views.read(actor.view, (db) => ({
    allowed: Math.max(minInlineBatch, countMissingInFills(db, active)),
    lacking: countMissingInFills(db, candidate),
    newest: readNewestNumbers(db)
  }))
  if (lacking > allowed) return false
  const isComplete = (db: Db) => isCandidate(db) && lacking + countMissingInFills(db, candidate, newest) <= allowed
  return yield* actor.run(activateEmbedder("embedder", embedder, isComplete))
})

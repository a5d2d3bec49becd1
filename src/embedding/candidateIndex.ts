import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { findPreparingEmbedder } from "../../projections/embedders.js"
import type { Db } from "../../projections/Projection.js"
import type { AgentServices } from "../actor/Agents.js"
import type { EmbedderService } from "../ports/Embedder.js"
import { adoptEmbedder } from "./commands.js"
import { minInlineBatch } from "./embedInline.js"
import { countLackingIn, fillPending, type IndexFill, newestIn } from "./indexFill.js"
import { fillsOf, type Preparation, refresh, type State } from "./state.js"

/** Counts the progress of one embedder. `startedAt` is milliseconds since the epoch. */
const makeProgress = ({ dimensions, model, usage }: EmbedderService, startedAt: number) => {
  const noUsage = { requests: 0, tokens: 0 }
  const usedBefore = usage?.() ?? noUsage
  let [madeCount, left, now] = [0, 0, startedAt]
  let leftAtStart: number | undefined
  const current = (): Preparation => {
    const { requests, tokens } = usage?.() ?? noUsage
    const used = { requests: requests - usedBefore.requests, tokens: tokens - usedBefore.tokens }
    return { model, dimensions, madeCount, left: Math.max(0, left), took: now - startedAt, ...used }
  }
  return {
    /** Texts without a vector now. Vectors of other processes count as made. */
    setLacking: (count: number) => {
      leftAtStart ??= count
      left = count
      madeCount = Math.max(madeCount, leftAtStart - count)
    },
    /** Texts that this process embedded. */
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
 * Fills the candidate index, and adopts it when it is complete and meant to be adopted. Answers why it stopped early.
 * With `retrySkipped` it checks all texts again, skipped ones included.
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
    /** A dropped or replaced candidate must not cost any more requests. */
    const isCandidate = (db: Db) => findPreparingEmbedder(db)?.version === version
    const measure = views.read(actor.view, (db) => {
      progress.setLacking(countLackingIn(db, fills))
      return isCandidate(db)
    })
    yield* measure
    const filling = fillPending(services, fills, {
      // A steady writer would otherwise keep the fill from ending.
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
      yield* adoptIfComplete(services, { embedder, isCandidate, candidate: fills, active })
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
 * Makes the candidate active with one event; every reader uses it from then on. The candidate may lack as many vectors
 * as the active index, or fewer than `minInlineBatch`. All texts are counted before the command's turn, so that no
 * writer waits; the turn counts only the texts that came since.
 */
const adoptIfComplete = ({ actor, views }: AgentServices, { active, candidate, embedder, isCandidate }: Adoption) =>
  Effect.gen(function* () {
    const { allowed, lacking, newest } = yield* views.read(actor.view, (db) => ({
      allowed: Math.max(minInlineBatch, countLackingIn(db, active)),
      lacking: countLackingIn(db, candidate),
      newest: newestIn(db)
    }))
    if (lacking > allowed) return
    const isComplete = (db: Db) => isCandidate(db) && lacking + countLackingIn(db, candidate, newest) <= allowed
    yield* actor.run(adoptEmbedder("embedder", embedder, isComplete))
  })

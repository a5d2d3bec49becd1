import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { findActiveEmbedder, findPreparingEmbedder } from "../../projections/embedders.js"
import type { View } from "../../projections/view/Views.js"
import type { CommandError } from "../actor/Actor.js"
import type { AgentEmbedding, AgentServices } from "../actor/Agent.js"
import { type ActiveEmbedders, isSameEmbedderRecord, readActiveEmbedderRecord } from "../actor/activeEmbedders.js"
import type { NoSuchIndex, ProjectionParked } from "../model/errors.js"
import type { EmbedderError, EmbedderService } from "../ports/Embedder.js"
import type { PolicyValues } from "../ports/Policy.js"
import { makeLease, runOnSignal } from "./background.js"
import { probeEmbedder } from "./batchEmbedder.js"
import { embedInline, minInlineBatch } from "./embedInline.js"
import { type Backfilled, backfill, fillActive, fillCandidate } from "./fillRuns.js"
import { findTextsToEmbed } from "./indexFill.js"
import { allFills, makeState, type Preparation, type State } from "./state.js"

export type { Backfilled } from "./fillRuns.js"
export type { Preparation } from "./state.js"

/**
 * Makes and stores the vectors of one agent. The background embeds texts in batches after a write; `backfill` repairs
 * failures.
 */
export interface Embedding extends AgentEmbedding {
  /** Embeds all texts that have no vector of the active embedder, oldest first. Idempotent. */
  readonly backfill: Effect.Effect<Backfilled, CommandError>
  /** Fills the candidate index, and activates it if the switch requested that. Returns the failure that stopped it. */
  readonly fillCandidate: (
    onProgress?: (progress: Preparation) => void
  ) => Effect.Effect<EmbedderError | undefined, CommandError | NoSuchIndex | ProjectionParked>
  /** Progress of the candidate index while this process fills it. */
  readonly preparation: () => Preparation | undefined
  /** The failure of the newest run or, without one, of a skipped text. */
  readonly failure: () => EmbedderError | undefined
  /** Sends one harmless text to an embedder. Returns why it cannot embed; undefined if it can. */
  readonly probe: (embedder: EmbedderService) => Effect.Effect<EmbedderError | undefined>
  /** Number of texts that the embedder cannot embed and that are skipped. */
  readonly countSkipped: () => number
}

/**
 * Milliseconds before a process resumes a switch that another process left unfinished. A process that runs a short
 * command ends before that.
 */
const resumeAfterMillis = 2_000

/** Makes the effect that creates an agent's embedding. It runs each time the agent wakes. */
export const make = (activeEmbedders: ActiveEmbedders, policy: PolicyValues["embedding"]): Effect.Effect<Embedding> => {
  const restated = new Map<string, string>()
  return Effect.map(makeState(activeEmbedders, policy.timeout, restated), (state) => embeddingOf(state, policy))
}

const embeddingOf = (state: State, policy: PolicyValues["embedding"]): Embedding => {
  const skipped = () => allFills(state).map((fill) => fill.skipped())
  return {
    embedInline: (view) => (commands) => {
      if (commands.length < minInlineBatch || !view.hasVectors || !isLocal(state.embedder)) return null
      return Effect.flatMap(activeEmbedder(state, view), (embedder) =>
        isLocal(embedder) ? embedInline(embedder, commands, policy.beside) : Effect.succeed([])
      )
    },
    onCommit: (events, after, to) => {
      const hasCandidate = state.candidateFact !== undefined
      const { changed, pending } = findTextsToEmbed(events, state.embedder, hasCandidate)
      for (const fill of allFills(state)) fill.markChanged(changed)
      state.changes.noteWrites(after, to)
      if (!pending) return
      state.active.signal.request()
      if (hasCandidate) state.candidate.signal.request()
    },
    start: (services, keepAwake) => start(state, services, { keepAwake, gatherMillis: policy.gather }),
    activeEmbedder: (view) => activeEmbedder(state, view),
    backfill: backfill(state),
    fillCandidate: (onProgress) =>
      Effect.acquireUseRelease(
        Effect.sync(() => (onProgress === undefined ? undefined : state.listeners.add(onProgress))),
        () => fillCandidate(state, true),
        () => Effect.sync(() => onProgress !== undefined && state.listeners.delete(onProgress))
      ),
    preparation: () => state.preparation?.(),
    failure: () =>
      state.active.failures.newest() ??
      state.candidate.failures.newest() ??
      skipped().find(({ error }) => error)?.error,
    probe: (embedder) => probeEmbedder(embedder, policy.timeout),
    countSkipped: () => skipped().reduce((sum, { count }) => sum + count, 0)
  }
}

/** Whether an embedder embeds every store without using the network. */
const isLocal = ({ substitute, local }: EmbedderService): boolean => local === true && substitute === undefined

const activeEmbedder = (state: State, view: View): Effect.Effect<EmbedderService> =>
  Effect.suspend(() => {
    const fact = readActiveEmbedderRecord(view.reader)
    if (isSameEmbedderRecord(fact, state.fact)) return Effect.succeed(state.embedder)
    return Effect.map(state.embedders.ofFact(fact), (embedder) => {
      state.fact = fact
      state.embedder = embedder
      return embedder
    })
  })

interface StartOptions {
  readonly keepAwake: Parameters<AgentEmbedding["start"]>[1]
  readonly gatherMillis: number
}

const start = Effect.fnUntraced(function* (
  state: State,
  services: AgentServices,
  options: StartOptions
): Effect.fn.Return<void, never, Scope.Scope> {
  const { active, candidate } = state
  const { view } = services.actor
  const leases = {
    active: yield* makeLease(view, "vectors"),
    candidate: yield* makeLease(view, "next-vectors")
  }
  state.services = { ...services, leases }
  const runs = [
    { signal: active.signal, run: active.failures.runIfAllowed(fillActive(state, true)) },
    { signal: candidate.signal, run: candidate.failures.runIfAllowed(fillCandidate(state, false)) }
  ]
  for (const run of runs) yield* runOnSignal({ ...options, ...run })
  yield* resume(state, services).pipe(Effect.ignoreLogged, Effect.interruptible, Effect.forkScoped)
})

/** Requests the work that an earlier process left unfinished. */
const resume = Effect.fnUntraced(function* ({ active, candidate }: State, { actor, views }: AgentServices) {
  yield* Effect.sleep(Duration.millis(resumeAfterMillis))
  const facts = yield* views.read(actor.view, (db) => ({
    active: findActiveEmbedder(db),
    candidate: findPreparingEmbedder(db)
  }))
  if (facts.candidate !== undefined) candidate.signal.request()
  // Vectors of the newest texts may be missing in the active index, if the process that activated it ended immediately
  // afterwards.
  if (facts.active?.state === "inForce") active.signal.request()
})

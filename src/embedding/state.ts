import * as Effect from "effect/Effect"
import { type EmbedderRecord, findActiveEmbedder, findPreparingEmbedder } from "../../projections/embedders.js"
import type { Db } from "../../projections/Projection.js"
import type { Actor, CommandError } from "../actor/Actor.js"
import type { AgentServices } from "../actor/Agent.js"
import { type ActiveEmbedders, isSameEmbedderRecord, modelLabel } from "../actor/activeEmbedders.js"
import type { EmbedderService } from "../ports/Embedder.js"
import { type FailureTracker, makeFailureTracker, makeSignal, type RunWithLease, type Signal } from "./background.js"
import { activateEmbedder } from "./commands.js"
import * as IndexFill from "./indexFill.js"
import { type ChangesByOthers, changesByOthers } from "./pendingVectors.js"

/** Progress of the candidate index. Counts memories and chunks together. */
export interface Preparation {
  readonly model: string
  readonly dimensions: number
  /** Number of vectors made since this process began to fill the index. */
  readonly madeCount: number
  /** Texts without a vector now. */
  readonly left: number
  /** Milliseconds since this process began the fill. */
  readonly took: number
  /** Requests to the provider, and their tokens, since this process began the fill. */
  readonly requests: number
  readonly tokens: number
}

/**
 * The background work on one index. The active index and the candidate each have a lane, and do not wait for each
 * other.
 */
export interface IndexLane {
  readonly lock: Effect.Semaphore
  readonly signal: Signal
  readonly failures: FailureTracker
  /** Keyed by model, dimensions and stores. */
  fills: ReadonlyMap<string, IndexFill.IndexFill>
}

export interface StartedServices extends AgentServices {
  /** Leases that let only one process at a time fill each index. */
  readonly leases: { readonly active: RunWithLease; readonly candidate: RunWithLease }
}

/** The state of one agent's embedding while the agent is awake. */
export interface State {
  readonly embedders: ActiveEmbedders
  /** For each agent, by name: the active embedder whose settings this process has compared with the log. */
  readonly restated: Map<string, string>
  readonly timeoutMillis: number
  readonly active: IndexLane
  readonly candidate: IndexLane
  readonly changes: ChangesByOthers
  readonly listeners: Set<(progress: Preparation) => void>
  /** Undefined before `start`. */
  services: StartedServices | undefined
  /** The active embedder that the view named last, and its service. */
  fact: EmbedderRecord | undefined
  embedder: EmbedderService
  candidateFact: EmbedderRecord | undefined
  /** Present only while this process fills the candidate index. */
  preparation: (() => Preparation) | undefined
}

const makeLane: Effect.Effect<IndexLane> = Effect.map(Effect.makeSemaphore(1), (lock) => ({
  lock,
  signal: makeSignal(),
  failures: makeFailureTracker(),
  fills: new Map()
}))

export const makeState = (
  embedders: ActiveEmbedders,
  timeoutMillis: number,
  restated: Map<string, string>
): Effect.Effect<State> =>
  Effect.map(Effect.all({ active: makeLane, candidate: makeLane }), (lanes) => ({
    ...lanes,
    embedders,
    restated,
    timeoutMillis,
    changes: changesByOthers(),
    listeners: new Set(),
    services: undefined,
    fact: undefined,
    embedder: embedders.configured,
    candidateFact: undefined,
    preparation: undefined
  }))

export const allFills = ({ active, candidate }: State): ReadonlyArray<IndexFill.IndexFill> => [
  ...active.fills.values(),
  ...candidate.fills.values()
]

/**
 * Returns the fills of an embedder: one for its own index, and one for the stores withheld from it. Existing fills are
 * reused.
 */
export const fillsOf = (
  { timeoutMillis }: State,
  lane: IndexLane,
  main: EmbedderService
): ReadonlyArray<IndexFill.IndexFill> => {
  const mainModel = { model: main.model, dimensions: main.dimensions }
  lane.fills = new Map(
    IndexFill.indexEmbedders(main).map(({ isSubstitute, embedder, stores }) => {
      const key = JSON.stringify([embedder.model, embedder.dimensions, isSubstitute, stores])
      const options = { isSubstitute, mainModel, timeoutMillis, ...(stores === undefined ? {} : { stores }) }
      return [key, lane.fills.get(key) ?? IndexFill.make(embedder, options)]
    })
  )
  return [...lane.fills.values()]
}

/**
 * Reads the active and the candidate embedder from the view, because this process or another one may have changed them.
 */
export const refresh = Effect.fnUntraced(function* (state: State, services: AgentServices) {
  const { actor, views } = services
  const changed = yield* state.changes.takeChanged(services)
  for (const fill of allFills(state)) changed === null ? fill.reset() : fill.markChanged(changed)
  const facts = yield* views.read(actor.view, (db) => ({
    active: findActiveEmbedder(db),
    candidate: findPreparingEmbedder(db)
  }))
  state.fact = facts.active
  state.embedder = yield* state.embedders.ofFact(facts.active)
  yield* recordWithheldStores(state, actor, facts.active)
  const before = state.candidateFact
  state.candidateFact = facts.candidate
  if (facts.candidate?.version === before?.version) return
  // An index that was dropped and started again is filled from the beginning.
  state.candidate.fills = new Map()
  if (facts.candidate !== undefined) state.candidate.signal.request()
})

/**
 * Records in the log which stores this process withholds from the active embedder, unless the log already says so.
 * Without this record, a change of the settings would change past answers.
 *
 * A process records this once per active embedder and keeps later records of other processes. Otherwise two processes
 * with different settings would overwrite each other forever. Each process uses its own settings; the log has the
 * newest ones.
 */
export const recordWithheldStores = (
  { embedders, restated }: State,
  actor: Actor,
  fact: EmbedderRecord | undefined
): Effect.Effect<void, CommandError> =>
  Effect.gen(function* () {
    const { agent } = actor.view
    if (fact?.state !== "inForce" || restated.get(agent) === modelLabel(fact)) return
    const embedder = yield* embedders.embedderToRecord(fact)
    const isSame = (db: Db) => isSameEmbedderRecord(findActiveEmbedder(db), fact)
    if (embedder === undefined || (yield* actor.run(activateEmbedder("embedder", embedder, isSame)))) {
      restated.set(agent, modelLabel(fact))
    }
  }).pipe(
    Effect.catchTag("NoSuchIndex", "ProjectionParked", "UnknownEmbedder", "EmbedderUnavailable", () => Effect.void)
  )

import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { CurrentCodec } from "../../events/Codec.js"
import { EventLog } from "../../events/EventLog.js"
import { maskInterruption } from "../../events/mask.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import { Views } from "../../projections/view/Views.js"
import { Policy } from "../ports/Policy.js"
import * as Actor from "./Actor.js"
import type { Agent, AgentEmbedding, AgentFeatures } from "./Agent.js"
import {
  acquire,
  countAsBackground,
  type Entry,
  type Pool,
  putIdleToSleep,
  putToSleep,
  releaseAfter,
  useIfAwake
} from "./agentPool.js"
import { ImpliedPolicy, policyRecordOf } from "./policyRecord.js"

/**
 * The agents of this process. The first use wakes (opens) an agent; an idle one goes to sleep. At most
 * `policy.actors.open` agents are awake. To wake another one, the least recently used idle agent is evicted. If none
 * is idle, the caller waits.
 */
export interface Agents<Embedding = AgentEmbedding> {
  readonly use: <A, E, R>(
    name: string,
    f: (agent: Agent<Embedding>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | ViewError, R>
  /** Uses an agent only if it is awake. */
  readonly useAwake: <A, E, R>(
    name: string,
    f: (agent: Agent<Embedding>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<Option.Option<A>, E, R>
  /**
   * Runs `f` on each awake agent, one after the other. This does not count as a use, so it does not keep the agent
   * awake.
   */
  readonly forEachAwake: <A, E>(
    f: (agent: Agent<Embedding>) => Effect.Effect<A, E>
  ) => Effect.Effect<ReadonlyArray<Either.Either<A, E>>>
  /** Whether an agent is awake or waking. */
  readonly isAwake: (name: string) => boolean
  /** The number of awake agents. */
  readonly awake: () => number
}

export const make = <Embedding extends AgentEmbedding>(features: AgentFeatures<Embedding>) =>
  Effect.gen(function* () {
    const { actors } = yield* Policy
    const agentPool: Pool<Embedding> = {
      entries: new Map(),
      capacity: actors.open,
      wake: yield* makeWake(features),
      occupied: yield* Effect.makeLatch(false),
      whenRoom: undefined,
      isClosed: false
    }
    yield* Effect.addFinalizer(() => {
      agentPool.isClosed = true
      return Effect.forEach(agentPool.entries.values(), (entry) => putToSleep(agentPool, entry), { discard: true })
    })
    yield* agentPool.occupied.await.pipe(
      Effect.zipRight(Effect.sleep(Math.max(1, actors.idle / 2))),
      Effect.zipRight(putIdleToSleep(agentPool, actors.idle)),
      Effect.forever,
      Effect.interruptible,
      Effect.forkScoped
    )
    return {
      useAwake: (name, f) =>
        maskInterruption((restore) => {
          const used = useIfAwake(agentPool, name, f, restore)
          return used === undefined ? Effect.succeedNone : Effect.asSome(used)
        }),
      use: (name, f) =>
        maskInterruption((restore) => {
          const used = useIfAwake(agentPool, name, f, restore)
          if (used !== undefined) return used
          return Effect.flatMap(acquire(agentPool, name, restore), (entry) =>
            releaseAfter(agentPool, entry, restore(Effect.flatMap(Deferred.await(entry.ready), f)))
          )
        }),
      forEachAwake: (f) =>
        Effect.map(
          Effect.forEach([...agentPool.entries.values()], (entry) => {
            const { agent } = entry
            if (agent === undefined || agentPool.entries.get(entry.name) !== entry) return Effect.succeedNone
            return Effect.map(Effect.either(countAsBackground(entry)(f(agent))), (result) =>
              // An agent that went to sleep in the meantime has no result.
              agentPool.entries.get(entry.name) === entry ? Option.some(result) : Option.none()
            )
          }),
          (results) => results.flatMap(Option.toArray)
        ),
      isAwake: (name) => agentPool.entries.has(name),
      awake: () => agentPool.entries.size
    } satisfies Agents<Embedding>
  })

/** Makes the function that opens an agent's view and starts its actor and its background work. */
const makeWake = <Embedding extends AgentEmbedding>(features: AgentFeatures<Embedding>) =>
  Effect.gen(function* () {
    const views = yield* Views
    const log = yield* EventLog
    const codec = yield* CurrentCodec
    const policy = yield* Policy
    const policyRecords = views.config.projections.some(({ name }) => name === "configuration")
      ? { policy: policyRecordOf(policy), implied: policyRecordOf(yield* ImpliedPolicy) }
      : undefined
    return (entry: Entry<Embedding>) =>
      Effect.gen(function* () {
        const view = yield* views.open(entry.name)
        const embedding = yield* features.embedding
        const actor = Actor.make(view, {
          log,
          codec,
          views,
          maxWaiting: policy.actors.waiting,
          redecideMillis: features.redecideMillis,
          background: countAsBackground(entry),
          embedInline: embedding.embedInline(view),
          askModels: features.askModels?.(embedding.activeEmbedder(view), (f) => views.read(view, f)) ?? (() => null),
          onCommit: embedding.onCommit,
          policyRecords
        })
        yield* embedding.start({ actor, log, views }, countAsBackground(entry))
        entry.agent = { actor, embedding }
        return entry.agent
      }).pipe(Scope.extend(entry.scope))
  })

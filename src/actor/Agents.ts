import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { CurrentCodec } from "../../events/Codec.js"
import { EventLog } from "../../events/EventLog.js"
import { mask, type Restore } from "../../events/mask.js"
import type { Db } from "../../projections/Projection.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { View } from "../../projections/view/Views.js"
import { Views } from "../../projections/view/Views.js"
import type { EmbedderService } from "../ports/Embedder.js"
import { Policy } from "../ports/Policy.js"
import * as Actor from "./Actor.js"
import type { AnyCommand, DecidedEvent } from "./Command.js"
import { ImpliedPolicy, policyRecordOf } from "./policyRecord.js"

/** The services that background work of an awake agent uses. */
export interface AgentServices {
  readonly actor: Actor.Actor
  readonly log: Context.Tag.Service<EventLog>
  readonly views: Context.Tag.Service<Views>
}

/** The part of an agent's embedding that its actor needs. The rest is in `embedding/`. */
export interface AgentEmbedding {
  /** Embeds the memories that these commands will add, in the same write. Null if the embedder is too slow for that. */
  readonly embedInline: (
    view: View
  ) => (commands: ReadonlyArray<AnyCommand>) => Effect.Effect<ReadonlyArray<AnyCommand>> | null
  /** Receives the events of each commit. The commit took the stream from version `after` to version `to`. */
  readonly onCommit: (events: ReadonlyArray<DecidedEvent>, after: number, to: number) => void
  /** Starts the background work of an awake agent. `keepAwake` keeps the agent awake while an effect runs. */
  readonly start: (
    services: AgentServices,
    keepAwake: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<void, never, Scope.Scope>
  /** The active embedder of a view. */
  readonly activeEmbedder: (view: View) => Effect.Effect<EmbedderService>
}

/** Features that every agent gets when it wakes. */
export interface AgentFeatures<Embedding extends AgentEmbedding> {
  readonly embedding: Effect.Effect<Embedding>
  /** Asks the models before a command is decided. Absent if no reconciler is configured. */
  readonly askModels?:
    | ((
        embedder: Effect.Effect<EmbedderService>,
        read: <A>(f: (db: Db) => A) => Effect.Effect<A, ViewError>
      ) => Actor.AskModels)
    | undefined
  /** Milliseconds in which a reconciler must answer. */
  readonly redecideMillis: number
}

/** An agent that is awake in this process. */
export interface Agent<Embedding = AgentEmbedding> {
  readonly actor: Actor.Actor
  readonly embedding: Embedding
}

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
  /** Runs `f` on each awake agent, one after the other. It is no use of the agent, so it does not keep it awake. */
  readonly forEachAwake: <A, E>(
    f: (agent: Agent<Embedding>) => Effect.Effect<A, E>
  ) => Effect.Effect<ReadonlyArray<Either.Either<A, E>>>
  /** Whether an agent is awake or waking. */
  readonly isAwake: (name: string) => boolean
  /** The number of awake agents. */
  readonly awake: () => number
}

interface Entry<Embedding> {
  readonly name: string
  readonly scope: Scope.CloseableScope
  readonly ready: Deferred.Deferred<Agent<Embedding>, ViewError>
  /** The agent, once it is awake. */
  agent: Agent<Embedding> | undefined
  /** Wakes the agent. Interrupted if its last user leaves before it is awake. */
  waking: Fiber.Fiber<unknown, unknown> | undefined
  /** Callers that use it now. An agent with users stays awake. */
  users: number
  /** Number of running background jobs. Such an agent is evicted only if every idle agent has some. */
  busy: number
  /** When the agent was last used, milliseconds since the epoch. */
  usedAt: number
}

interface Pool<Embedding> {
  readonly entries: Map<string, Entry<Embedding>>
  /** Maximum agents that are awake at once. */
  readonly capacity: number
  readonly wake: (entry: Entry<Embedding>) => Effect.Effect<Agent<Embedding>, ViewError>
  /** Open while any agent is awake. While all agents sleep, no timer runs. */
  readonly occupied: Effect.Latch
  /** Completed when an agent becomes idle. The first caller that waits for room creates it. */
  whenRoom: Deferred.Deferred<void> | undefined
  /** Whether the system closes. Then no agent wakes any more. */
  isClosed: boolean
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
      return Effect.forEach(agentPool.entries.values(), (entry) => sleep(agentPool, entry), { discard: true })
    })
    yield* agentPool.occupied.await.pipe(
      Effect.zipRight(Effect.sleep(Math.max(1, actors.idle / 2))),
      Effect.zipRight(sleepIdle(agentPool, actors.idle)),
      Effect.forever,
      Effect.interruptible,
      Effect.forkScoped
    )
    return {
      useAwake: (name, f) =>
        mask((restore) => {
          const used = useIfAwake(agentPool, name, f, restore)
          return used === undefined ? Effect.succeedNone : Effect.asSome(used)
        }),
      use: (name, f) =>
        mask((restore) => {
          const used = useIfAwake(agentPool, name, f, restore)
          if (used !== undefined) return used
          return Effect.flatMap(acquire(agentPool, name, restore), (entry) =>
            leaveAfter(agentPool, entry, restore(Effect.flatMap(Deferred.await(entry.ready), f)))
          )
        }),
      forEachAwake: (f) =>
        Effect.map(
          Effect.forEach([...agentPool.entries.values()], (entry) => {
            const { agent } = entry
            if (agent === undefined || agentPool.entries.get(entry.name) !== entry) return Effect.succeedNone
            return Effect.map(Effect.either(inBackground(entry)(f(agent))), (result) =>
              // An agent that went to sleep meanwhile has no result.
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
          background: inBackground(entry),
          embedInline: embedding.embedInline(view),
          askModels: features.askModels?.(embedding.activeEmbedder(view), (f) => views.read(view, f)) ?? (() => null),
          onCommit: embedding.onCommit,
          policyRecords
        })
        yield* embedding.start({ actor, log, views }, inBackground(entry))
        entry.agent = { actor, embedding }
        return entry.agent
      }).pipe(Scope.extend(entry.scope))
  })

/** Counts background work while it runs. */
const inBackground =
  (entry: Pick<Entry<unknown>, "busy">) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => entry.busy++),
      () => effect,
      () => Effect.sync(() => entry.busy--)
    )

/** Uses an agent if it is awake; undefined if it is not. Call it uninterruptibly. */
const useIfAwake = <Embedding, A, E, R>(
  agentPool: Pool<Embedding>,
  name: string,
  f: (agent: Agent<Embedding>) => Effect.Effect<A, E, R>,
  restore: Restore
): Effect.Effect<A, E, R> | undefined => {
  const entry = agentPool.entries.get(name)
  if (entry?.agent === undefined) return undefined
  entry.users++
  return leaveAfter(agentPool, entry, restore(f(entry.agent)))
}

/** Wakes an agent if needed and counts the caller as its user. If the pool is full of agents in use, waits. */
const acquire = <Embedding>(
  agentPool: Pool<Embedding>,
  name: string,
  restore: Restore
): Effect.Effect<Entry<Embedding>> =>
  Effect.suspend(() => {
    if (agentPool.isClosed) return Effect.interrupt
    const existing = agentPool.entries.get(name)
    if (existing !== undefined) {
      existing.users++
      return Effect.succeed(existing)
    }
    if (agentPool.entries.size >= agentPool.capacity) {
      const [idle] = [...agentPool.entries.values()]
        .filter(({ users }) => users === 0)
        .sort((a, b) => Math.sign(a.busy) - Math.sign(b.busy) || a.usedAt - b.usedAt)
      if (idle !== undefined) return Effect.zipRight(sleep(agentPool, idle), acquire(agentPool, name, restore))
      agentPool.whenRoom ??= Deferred.unsafeMake<void>(FiberId.none)
      return Effect.zipRight(restore(Deferred.await(agentPool.whenRoom)), acquire(agentPool, name, restore))
    }
    // Created without yielding to other fibers, so that the next caller finds it in the map.
    const entry: Entry<Embedding> = {
      name,
      scope: Effect.runSync(Scope.make()),
      ready: Deferred.unsafeMake<Agent<Embedding>, ViewError>(FiberId.none),
      agent: undefined,
      waking: undefined,
      users: 1,
      busy: 0,
      usedAt: 0
    }
    agentPool.entries.set(name, entry)
    agentPool.occupied.unsafeOpen()
    // The fiber starts uninterruptible, like its caller, so that an early interruption also completes `ready`.
    const waking = Effect.onExit(Effect.interruptible(agentPool.wake(entry)), (exit) =>
      Effect.zipRight(Exit.isFailure(exit) ? remove(agentPool, entry) : Effect.void, Deferred.done(entry.ready, exit))
    )
    return Effect.map(Effect.forkDaemon(waking), (fiber) => Object.assign(entry, { waking: fiber }))
  })

/** Ends a use of an agent, after success or failure. Call it uninterruptibly. */
const leaveAfter = <Embedding, A, E, R>(
  agentPool: Pool<Embedding>,
  entry: Entry<Embedding>,
  used: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const release = (exit: Exit.Exit<A, E>) =>
    Effect.clockWith((clock) => {
      entry.users--
      entry.usedAt = clock.unsafeCurrentTimeMillis()
      if (entry.users > 0) return exit
      if (agentPool.whenRoom !== undefined) {
        Deferred.unsafeDone(agentPool.whenRoom, Effect.void)
        agentPool.whenRoom = undefined
      }
      return entry.agent === undefined ? Effect.zipRight(sleep(agentPool, entry), exit) : exit
    })
  return Effect.matchCauseEffect(used, {
    onFailure: (cause) => release(Exit.failCause(cause)),
    onSuccess: (value) => release(Exit.succeed(value))
  })
}

const sleep = <Embedding>(agentPool: Pool<Embedding>, entry: Entry<Embedding>): Effect.Effect<void> => {
  const removed = remove(agentPool, entry)
  return entry.waking === undefined || entry.agent !== undefined
    ? removed
    : Effect.zipRight(Fiber.interrupt(entry.waking), removed)
}

/** Removes an agent from the pool at the call; the returned effect closes its resources. */
const remove = <Embedding>({ entries, occupied }: Pool<Embedding>, entry: Entry<Embedding>) => {
  if (entries.get(entry.name) === entry) entries.delete(entry.name)
  if (entries.size === 0) occupied.unsafeClose()
  return Scope.close(entry.scope, Exit.void)
}

/** Puts agents to sleep that had no user and no background work for `idleMillis`. */
const sleepIdle = <Embedding>(agentPool: Pool<Embedding>, idleMillis: number) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const entry of agentPool.entries.values()) {
      if (entry.users + entry.busy === 0 && now - entry.usedAt >= idleMillis) yield* sleep(agentPool, entry)
    }
  })

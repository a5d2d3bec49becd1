import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Scope from "effect/Scope"
import type { RestoreInterruption } from "../../events/mask.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { Agent } from "./Agent.js"

// The pool of awake agents. It counts the users of each agent, evicts an idle agent to make room, and puts agents to
// sleep after a long idle time.

export interface Entry<Embedding> {
  readonly name: string
  readonly scope: Scope.CloseableScope
  readonly ready: Deferred.Deferred<Agent<Embedding>, ViewError>
  /** The agent, once it is awake. */
  agent: Agent<Embedding> | undefined
  /** Wakes the agent. Interrupted if its last user leaves before it is awake. */
  waking: Fiber.Fiber<unknown, unknown> | undefined
  /** Number of callers that use the agent now. An agent with users stays awake. */
  users: number
  /**
   * Number of running background jobs. An agent with running jobs is evicted only if every idle agent has running jobs.
   */
  busy: number
  /** When the agent was last used, milliseconds since the epoch. */
  usedAt: number
}

export interface Pool<Embedding> {
  readonly entries: Map<string, Entry<Embedding>>
  /** Maximum agents that are awake at once. */
  readonly capacity: number
  readonly wake: (entry: Entry<Embedding>) => Effect.Effect<Agent<Embedding>, ViewError>
  /** Open while any agent is awake. While all agents sleep, no timer runs. */
  readonly occupied: Effect.Latch
  /** Completed when an agent becomes idle. The first caller that waits for room creates it. */
  whenRoom: Deferred.Deferred<void> | undefined
  /** True once the pool closes. After that, no agent is woken. */
  isClosed: boolean
}

/** Counts background work while it runs. */
export const countAsBackground =
  (entry: Pick<Entry<unknown>, "busy">) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => entry.busy++),
      () => effect,
      () => Effect.sync(() => entry.busy--)
    )

/** Uses an agent if it is awake; undefined if it is not. Call this in an uninterruptible region. */
export const useIfAwake = <Embedding, A, E, R>(
  agentPool: Pool<Embedding>,
  name: string,
  f: (agent: Agent<Embedding>) => Effect.Effect<A, E, R>,
  restore: RestoreInterruption
): Effect.Effect<A, E, R> | undefined => {
  const entry = agentPool.entries.get(name)
  if (entry?.agent === undefined) return undefined
  entry.users++
  return releaseAfter(agentPool, entry, restore(f(entry.agent)))
}

/** Wakes an agent if needed and counts the caller as its user. If the pool is full and every agent is in use, waits. */
export const acquire = <Embedding>(
  agentPool: Pool<Embedding>,
  name: string,
  restore: RestoreInterruption
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
      if (idle !== undefined) return Effect.zipRight(putToSleep(agentPool, idle), acquire(agentPool, name, restore))
      agentPool.whenRoom ??= Deferred.unsafeMake<void>(FiberId.none)
      return Effect.zipRight(restore(Deferred.await(agentPool.whenRoom)), acquire(agentPool, name, restore))
    }
    // The entry is created without yielding to other fibers, so that the next caller finds it in the map.
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

/**
 * Runs an effect that uses an agent, and ends the use after success or failure. Call this in an uninterruptible region.
 */
export const releaseAfter = <Embedding, A, E, R>(
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
      return entry.agent === undefined ? Effect.zipRight(putToSleep(agentPool, entry), exit) : exit
    })
  return Effect.matchCauseEffect(used, {
    onFailure: (cause) => release(Exit.failCause(cause)),
    onSuccess: (value) => release(Exit.succeed(value))
  })
}

export const putToSleep = <Embedding>(agentPool: Pool<Embedding>, entry: Entry<Embedding>): Effect.Effect<void> => {
  const removed = remove(agentPool, entry)
  return entry.waking === undefined || entry.agent !== undefined
    ? removed
    : Effect.zipRight(Fiber.interrupt(entry.waking), removed)
}

/** Removes an agent from the pool at once. The returned effect closes the agent's resources. */
const remove = <Embedding>({ entries, occupied }: Pool<Embedding>, entry: Entry<Embedding>) => {
  if (entries.get(entry.name) === entry) entries.delete(entry.name)
  if (entries.size === 0) occupied.unsafeClose()
  return Scope.close(entry.scope, Exit.void)
}

/** Puts agents to sleep that have no background work and had no user for `idleMillis`. */
export const putIdleToSleep = <Embedding>(agentPool: Pool<Embedding>, idleMillis: number) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const entry of agentPool.entries.values()) {
      if (entry.users + entry.busy === 0 && now - entry.usedAt >= idleMillis) yield* putToSleep(agentPool, entry)
    }
  })

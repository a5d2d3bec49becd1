import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import type * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { CurrentCodec } from "../../events/Codec.js"
import { EventLog } from "../../events/EventLog.js"
import { mask } from "../../events/mask.js"
import type { Db } from "../../projections/Projection.js"
import type { ViewError } from "../../projections/view/build.js"
import type { View } from "../../projections/view/Views.js"
import { Views } from "../../projections/view/Views.js"
import type { EmbedderService } from "../ports/Embedder.js"
import { Policy } from "../ports/Policy.js"

import * as Actor from "./Actor.js"
import type { AnyCommand, DecidedEvent } from "./Command.js"
import { ImpliedPolicy, inForce } from "./policyInForce.js"

/** The services of an agent that is awake, for work in its background. */
export interface AgentServices {
  readonly actor: Actor.Actor
  readonly log: Context.Tag.Service<EventLog>
  readonly views: Context.Tag.Service<Views>
}

/** The part of an agent's embedding that its actor needs. The whole is in `embedding/`. */
export interface AgentEmbedding {
  /** Embeds memories that these commands are about to add, where that costs no wait; null where it does not. */
  readonly beside: (
    view: View
  ) => (commands: ReadonlyArray<AnyCommand>) => Effect.Effect<ReadonlyArray<AnyCommand>> | null
  /** Takes note of events that were committed after one version, up to another. */
  readonly noticed: (events: ReadonlyArray<DecidedEvent>, after: number, to: number) => void
  readonly start: (
    services: AgentServices,
    hold: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<void, never, Scope.Scope>
  /** The embedder in force in a view. */
  readonly current: (view: View) => Effect.Effect<EmbedderService>
}

/** Features that every agent gets when it wakes. */
export interface AgentFeatures<Embedding extends AgentEmbedding> {
  readonly embedding: Effect.Effect<Embedding>
  /** Asks a reconciler before the turn of a command; absent where no memory is weighed. */
  readonly consult?:
    | ((
        embedder: Effect.Effect<EmbedderService>,
        read: <A>(f: (db: Db) => A) => Effect.Effect<A, ViewError>
      ) => Actor.Consult)
    | undefined
  /** Milliseconds that a reconciler may take. */
  readonly patience: number
}

/** An agent that is awake in this process. */
export interface Agent<Embedding = AgentEmbedding> {
  readonly actor: Actor.Actor
  readonly embedding: Embedding
}

/**
 * The agents of this process: each is woken by its first use and put to sleep
 * after idling. No more than `policy.actors.open` are awake at once: the least
 * recently used idle one makes room, and where all are busy a newcomer waits.
 */
export interface Agents<Embedding = AgentEmbedding> {
  readonly use: <A, E, R>(
    name: string,
    f: (agent: Agent<Embedding>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | ViewError, R>
  /** Uses an agent only where it is awake. */
  readonly useAwake: <A, E, R>(
    name: string,
    f: (agent: Agent<Embedding>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<Option.Option<A>, E, R>
  /** Whether an agent is awake, or about to be. */
  readonly isAwake: (name: string) => boolean
  /** How many are awake. */
  readonly awake: () => number
}

interface Entry<Embedding> {
  readonly scope: Scope.CloseableScope
  readonly ready: Deferred.Deferred<Agent<Embedding>, ViewError>
  /** Once it is awake. */
  agent: Agent<Embedding> | undefined
  /** Callers that it works for; while there are any it stays awake. */
  users: number
  /** Work in the background: it goes to sleep over that only where others need its place. */
  busy: number
  usedAt: number
}

export const make = <Embedding extends AgentEmbedding>(features: AgentFeatures<Embedding>) =>
  Effect.gen(function* () {
    const views = yield* Views
    const log = yield* EventLog
    const codec = yield* CurrentCodec
    const policy = yield* Policy
    const { actors } = policy
    const configuring = views.config.projections.some(({ name }) => name === "configuration")
      ? { policy: inForce(policy), implied: inForce(yield* ImpliedPolicy) }
      : undefined
    const entries = new Map<string, Entry<Embedding>>()
    /** Done when an agent has become idle; made by whoever waits for that. */
    let room: Deferred.Deferred<void> | undefined

    const wake = (name: string, entry: Entry<Embedding>) =>
      Effect.gen(function* () {
        const view = yield* views.open(name)
        const embedding = yield* features.embedding
        const actor = Actor.make(view, {
          log,
          codec,
          views,
          waiting: actors.waiting,
          patience: features.patience,
          background: inBackground(entry),
          beside: embedding.beside(view),
          consult: features.consult?.(embedding.current(view), (f) => views.read(view, f)) ?? (() => null),
          onCommit: embedding.noticed,
          configuring
        })
        yield* embedding.start({ actor, log, views }, inBackground(entry))
        entry.agent = { actor, embedding }
        return entry.agent
      }).pipe(Scope.extend(entry.scope))

    /** The end of a use, however it ended. Uninterruptible. */
    const leaving = <A, E, R>(entry: Entry<Embedding>, used: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
      const leave = (exit: Exit.Exit<A, E>) =>
        Effect.clockWith((clock) => {
          entry.users--
          entry.usedAt = clock.unsafeCurrentTimeMillis()
          if (entry.users === 0 && room !== undefined) {
            Deferred.unsafeDone(room, Effect.void)
            room = undefined
          }
          return exit
        })
      return Effect.matchCauseEffect(used, {
        onFailure: (cause) => leave(Exit.failCause(cause)),
        onSuccess: (value) => leave(Exit.succeed(value))
      })
    }

    /** Counts what is done for an agent while nobody waits for it. */
    const inBackground =
      (entry: Entry<Embedding>) =>
      <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.acquireUseRelease(
          Effect.sync(() => entry.busy++),
          () => effect,
          () => Effect.sync(() => entry.busy--)
        )

    const sleep = (name: string, entry: Entry<Embedding>) => {
      entries.delete(name)
      return Scope.close(entry.scope, Exit.void)
    }

    const enter = (
      name: string,
      restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>
    ): Effect.Effect<Entry<Embedding>> =>
      Effect.suspend(() => {
        const known = entries.get(name)
        if (known !== undefined) {
          known.users++
          return Effect.succeed(known)
        }
        if (entries.size >= actors.open) {
          const [idle] = [...entries]
            .filter(([, { users }]) => users === 0)
            .sort(([, a], [, b]) => Math.sign(a.busy) - Math.sign(b.busy) || a.usedAt - b.usedAt)
          if (idle !== undefined) return Effect.zipRight(sleep(...idle), enter(name, restore))
          room ??= Deferred.unsafeMake<void>(FiberId.none)
          return Effect.zipRight(restore(Deferred.await(room)), enter(name, restore))
        }
        // Made without yielding to other fibers: the next caller finds it.
        const entry: Entry<Embedding> = {
          scope: Effect.runSync(Scope.make()),
          ready: Deferred.unsafeMake<Agent<Embedding>, ViewError>(FiberId.none),
          agent: undefined,
          users: 1,
          busy: 0,
          usedAt: 0
        }
        entries.set(name, entry)
        return Effect.gen(function* () {
          const woken = yield* Effect.exit(wake(name, entry))
          if (Exit.isFailure(woken)) yield* sleep(name, entry)
          yield* Deferred.done(entry.ready, woken)
          return entry
        })
      })

    yield* Effect.addFinalizer(() =>
      Effect.forEach([...entries], ([name, entry]) => sleep(name, entry), { discard: true })
    )
    yield* Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      for (const [name, entry] of entries) {
        if (entry.users + entry.busy === 0 && now - entry.usedAt >= actors.idle) yield* sleep(name, entry)
      }
    }).pipe(Effect.delay(Math.max(1, actors.idle / 2)), Effect.forever, Effect.interruptible, Effect.forkScoped)

    /** Uses an agent that is awake by now; nothing where it is not. */
    const useNow = <A, E, R>(
      name: string,
      f: (agent: Agent<Embedding>) => Effect.Effect<A, E, R>,
      restore: <B, F, Q>(effect: Effect.Effect<B, F, Q>) => Effect.Effect<B, F, Q>
    ): Effect.Effect<A, E, R> | undefined => {
      const entry = entries.get(name)
      if (entry?.agent === undefined) return undefined
      entry.users++
      return leaving(entry, restore(f(entry.agent)))
    }

    return {
      useAwake: (name, f) =>
        mask((restore) => {
          const used = useNow(name, f, restore)
          return used === undefined ? Effect.succeedNone : Effect.asSome(used)
        }),
      use: (name, f) =>
        mask((restore) => {
          const awake = useNow(name, f, restore)
          if (awake !== undefined) return awake
          return Effect.flatMap(enter(name, restore), (entry) =>
            leaving(entry, restore(Effect.flatMap(Deferred.await(entry.ready), f)))
          )
        }),
      isAwake: (name) => entries.has(name),
      awake: () => entries.size
    } satisfies Agents<Embedding>
  })

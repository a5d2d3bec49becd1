import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { stores as allStores, type Store } from "../events/Trust.js"
import type { ViewError } from "../projections/build.js"
import { type EmbedderFact, findInForce, findPreparing } from "../projections/embedders.js"
import type { View } from "../projections/Views.js"
import type { CommandError } from "./Actor.js"
import type { AnyCommand, DecidedEvent } from "./commands/Command.js"
import { adoptEmbedder } from "./commands/embedder.js"
import type { Embedder, EmbedderError } from "./Embedder.js"
import type { NoSuchIndex, ProjectionParked } from "./errors.js"
import { type InUse, inForceIn, sameFact, sameModel } from "./inUse.js"
import type { PolicyValues } from "./Policy.js"
import { besideAbove, vectorsBeside } from "./vectorsBeside.js"
import { lacking, lackingOf, make as makeWork, newWork, type Started, serve, type VectorWork } from "./vectorWork.js"

export type { Started } from "./vectorWork.js"

type Service = Context.Tag.Service<Embedder>

type Role = "inForce" | "preparing"

/** What a backfill did, and what is left: 0 where every memory has its vector. */
export interface Backfilled {
  readonly embedded: number
  readonly remaining: number
  /** Why it stopped early. */
  readonly error?: EmbedderError
}

/** How far the index that is being prepared has come. Memories and chunks together. */
export interface Preparation {
  readonly model: string
  readonly dimensions: number
  /** Made by this process since it began. */
  readonly made: number
  /** Lacking now. */
  readonly left: number
  /** Milliseconds since it began. */
  readonly took: number
  /** What was asked of the provider since. */
  readonly requests: number
  readonly tokens: number
}

/** The vectors of one agent: made after the write, in the background, in batches; a failure is mended by `backfill`. */
export interface Embedding {
  /** What embeds the memories that these commands are about to add, where that is worth an event of its own and costs no wait. */
  readonly beside: (
    view: View
  ) => (commands: ReadonlyArray<AnyCommand>) => Effect.Effect<ReadonlyArray<AnyCommand>> | null
  /** To be told of what was written. */
  readonly noticed: (events: ReadonlyArray<DecidedEvent>) => void
  readonly start: (
    services: Started,
    hold: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<void, never, Scope.Scope>
  /** The embedder in force in a view. */
  readonly current: (view: View) => Effect.Effect<Service>
  /** Embeds whatever has no vector of the embedder in force yet, oldest first. Idempotent. */
  readonly backfill: Effect.Effect<Backfilled, CommandError>
  /** Embeds what has no vector of the one that is being prepared, and puts it in force where it is to be; why it stopped early. */
  readonly prepare: (
    onProgress?: (progress: Preparation) => void
  ) => Effect.Effect<EmbedderError | undefined, CommandError | NoSuchIndex | ProjectionParked>
  /** What is being prepared by this process. */
  readonly preparation: () => Preparation | undefined
  /** The newest failure, while it lasts; that of a text that is left out, where there is no other. */
  readonly failure: () => EmbedderError | undefined
  /** Texts that are left out, each failing by itself. */
  readonly aside: () => number
}

/** Milliseconds after which a process goes on with what another one prepared: no short command does. */
const resumeAfter = 2_000
/** Milliseconds after which a failure of what is being prepared is given another try, where nobody asks for it. */
const tryAgainAfter = 60_000

export const make = (inUse: InUse, policy: PolicyValues["embedding"]): Effect.Effect<Embedding> =>
  Effect.gen(function* () {
    /** One for each role: what is searched does not wait for what is being prepared. */
    const locks = { inForce: yield* Effect.makeSemaphore(1), preparing: yield* Effect.makeSemaphore(1) }
    const wanted = { inForce: yield* Deferred.make<void>(), preparing: yield* Deferred.make<void>() }
    const failures: { inForce?: EmbedderError | undefined; preparing?: EmbedderError | undefined } = {}
    let started: Started | undefined
    /** What the view said last, and what it comes to. */
    let fact: EmbedderFact | undefined
    let main = inUse.configured
    let preparing: EmbedderFact | undefined
    let preparation: (() => Preparation) | undefined
    const listeners = new Set<(progress: Preparation) => void>()
    const works: Record<Role, Map<string, VectorWork>> = { inForce: new Map(), preparing: new Map() }

    /** The indexes that an embedder fills: its own, and that of the stores that it is not to see. */
    const worksOf = (role: Role, embedder: Service): ReadonlyArray<VectorWork> => {
      const { apart } = embedder
      const parts: ReadonlyArray<readonly [Service, boolean, ReadonlyArray<Store>?]> =
        apart === undefined || apart.stores.length === 0
          ? [[embedder, false]]
          : [
              [embedder, false, allStores.filter((store) => !apart.stores.includes(store))],
              [apart.embedder, true, apart.stores]
            ]
      const before = works[role]
      works[role] = new Map(
        parts.map(([one, apart, stores]) => {
          const key = JSON.stringify([one.model, one.dimensions, apart, stores])
          const options = { apart, timeout: policy.timeout, ...(stores === undefined ? {} : { stores }) }
          return [key, before.get(key) ?? makeWork(one, options)]
        })
      )
      return [...works[role].values()]
    }

    const current = (view: View): Effect.Effect<Service> =>
      Effect.suspend(() => {
        const now = inForceIn(view.reader)
        if (sameFact(now, fact)) return Effect.succeed(main)
        return Effect.map(inUse.of(now), (one) => {
          fact = now
          main = one
          return one
        })
      })

    /** What is to be done by now: the log may have been told otherwise, by other processes too. */
    const look = ({ actor: { view }, views }: Started) =>
      Effect.gen(function* () {
        const facts = yield* views.read(view, (db) => ({ now: findInForce(db), next: findPreparing(db) }))
        fact = facts.now
        main = yield* inUse.of(fact)
        const before = preparing
        preparing = facts.next
        if (preparing === undefined) works.preparing.clear()
        else if (preparing.version !== before?.version) Deferred.unsafeDone(wanted.preparing, Effect.void)
      })

    const workOnce = (full: boolean) =>
      Effect.gen(function* () {
        if (started?.actor.view.hasVectors !== true) return
        yield* look(started)
        const { found } = yield* serve(started, worksOf("inForce", main), full, () => Effect.void)
        failures.inForce = found
      }).pipe(locks.inForce.withPermits(1))

    const prepareOnce = (again: boolean) =>
      Effect.gen(function* () {
        if (started?.actor.view.hasVectors !== true) return undefined
        yield* look(started)
        if (preparing === undefined) return undefined
        const { adopt } = preparing
        const next = yield* inUse.of(preparing)
        const ours = worksOf("preparing", next)
        if (again) for (const work of ours) work.again()
        const beganAt = yield* Clock.currentTimeMillis
        const used = next.usage?.() ?? nothingUsed
        let [made, left, now] = [0, 0, beganAt]
        for (const { set } of ours) left += yield* lacking(started, set)
        const { dimensions, model } = next
        preparation = () => {
          const { requests, tokens } = next.usage?.() ?? nothingUsed
          const asked = { requests: requests - used.requests, tokens: tokens - used.tokens }
          return { model, dimensions, made, left: Math.max(0, left), took: now - beganAt, ...asked }
        }
        const told = (served: number) =>
          Effect.map(Clock.currentTimeMillis, (millis) => {
            now = millis
            made += served
            left -= served
            for (const listener of listeners) listener(preparation!())
          })
        // Whoever writes all the time would never let it come to an end otherwise.
        const { found } = yield* serve(started, ours, true, told)
        failures.preparing = found
        if (found === undefined && adopt) yield* adoptWhole(next)
        return found
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            preparation = undefined
          })
        ),
        locks.preparing.withPermits(1)
      )

    /** One event: every reader goes by the new index from then on. It lacks no more than the old one, or next to nothing. */
    const adoptWhole = (next: Service) =>
      started!.actor.run(
        adoptEmbedder("embedder", next, (db) => {
          const still = findPreparing(db)
          if (still?.adopt !== true || !sameModel(still, next)) return false
          const allowed = Math.max(besideAbove, lackingOf(db, [...works.inForce.values()]))
          return lackingOf(db, [...works.preparing.values()]) <= allowed
        })
      )

    /** Carries out what is wanted of a role, again and again, whatever became of it. */
    const forever = <E>(
      role: Role,
      hold: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
      once: Effect.Effect<EmbedderError | undefined, E>
    ) =>
      Effect.gen(function* () {
        yield* Deferred.await(wanted[role])
        const failed = yield* hold(
          Effect.gen(function* () {
            yield* Effect.sleep(Duration.millis(policy.gather))
            wanted[role] = yield* Deferred.make<void>()
            return yield* once
          })
        )
        if (failed === undefined) return
        yield* Effect.sleep(Duration.millis(tryAgainAfter))
        Deferred.unsafeDone(wanted[role], Effect.void)
      }).pipe(Effect.ignoreLogged, Effect.forever, Effect.interruptible, Effect.forkScoped)

    const asides = () => [...works.inForce.values(), ...works.preparing.values()].map((work) => work.aside())
    const failure = () => failures.inForce ?? failures.preparing ?? asides().find(({ error }) => error)?.error

    const remaining = Effect.suspend(
      (): Effect.Effect<number, ViewError> =>
        started === undefined
          ? Effect.succeed(0)
          : started.views.read(started.actor.view, (db) => lackingOf(db, worksOf("inForce", main)))
    )

    const backfill = Effect.gen(function* () {
      // A batch that is on its way would write its own place over it.
      yield* Effect.gen(function* () {
        if (started !== undefined) yield* look(started)
        for (const work of worksOf("inForce", main)) work.again()
      }).pipe(locks.inForce.withPermits(1))
      const before = yield* remaining
      if (before === 0) {
        failures.inForce = undefined
        return { embedded: 0, remaining: 0 }
      }
      yield* workOnce(false)
      const after = yield* remaining
      const error = failures.inForce ?? [...works.inForce.values()].map((work) => work.aside().error).find(Boolean)
      return { embedded: Math.max(0, before - after), remaining: after, ...(error === undefined ? {} : { error }) }
    })

    return {
      beside: (view) => (commands) => {
        if (commands.length < besideAbove || !view.hasVectors || main.local !== true) return null
        return Effect.flatMap(current(view), (one) =>
          one.local === true ? vectorsBeside(one, commands, policy.beside) : Effect.succeed([])
        )
      },
      noticed: (events) => {
        const { changed, needed } = newWork(events, main, preparing !== undefined)
        for (const work of [...works.inForce.values(), ...works.preparing.values()]) work.note(changed)
        if (!needed) return
        Deferred.unsafeDone(wanted.inForce, Effect.void)
        if (preparing !== undefined) Deferred.unsafeDone(wanted.preparing, Effect.void)
      },
      start: (services, hold) =>
        Effect.gen(function* () {
          started = services
          yield* forever(
            "inForce",
            hold,
            Effect.map(
              Effect.suspend(() => workOnce(true)),
              () => undefined
            )
          )
          yield* forever(
            "preparing",
            hold,
            Effect.suspend(() => prepareOnce(false))
          )
          yield* Effect.gen(function* () {
            yield* Effect.sleep(Duration.millis(resumeAfter))
            const begun = yield* services.views.read(services.actor.view, findPreparing)
            if (begun !== undefined) Deferred.unsafeDone(wanted.preparing, Effect.void)
          }).pipe(Effect.ignoreLogged, Effect.interruptible, Effect.forkScoped)
        }),
      current,
      backfill,
      prepare: (onProgress) =>
        Effect.acquireUseRelease(
          Effect.sync(() => (onProgress === undefined ? undefined : listeners.add(onProgress))),
          () => prepareOnce(true),
          () => Effect.sync(() => onProgress !== undefined && listeners.delete(onProgress))
        ),
      preparation: () => preparation?.(),
      failure,
      aside: () => asides().reduce((sum, { count }) => sum + count, 0)
    }
  })

const nothingUsed = { requests: 0, tokens: 0 }

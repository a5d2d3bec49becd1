import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { stores as allStores, type Store } from "../events/Trust.js"
import type { ViewError } from "../projections/build.js"
import { type EmbedderFact, findInForce, findPreparing } from "../projections/embedders.js"
import type { Db } from "../projections/Projection.js"
import type { View } from "../projections/Views.js"
import type { CommandError } from "./Actor.js"
import type { AnyCommand, DecidedEvent } from "./commands/Command.js"
import { adoptEmbedder } from "./commands/embedder.js"
import type { Embedder, EmbedderError } from "./Embedder.js"
import type { NoSuchIndex, ProjectionParked } from "./errors.js"
import { type InUse, sameFact, sameModel } from "./inUse.js"
import type { PolicyValues } from "./Policy.js"
import { besideAbove, vectorsBeside } from "./vectorsBeside.js"
import { countLacking, lacking, make as makeWork, type Started, type VectorWork } from "./vectorWork.js"

export type { Started } from "./vectorWork.js"

type Service = Context.Tag.Service<Embedder>

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
  /** The same, then what has none of the one that is being prepared, which is put in force where it is to be; why it stopped early. */
  readonly prepare: (
    onProgress?: (progress: Preparation) => void
  ) => Effect.Effect<EmbedderError | undefined, CommandError | NoSuchIndex | ProjectionParked>
  /** What is being prepared by this process. */
  readonly preparation: () => Preparation | undefined
  /** The newest failure, while it lasts. */
  readonly failure: () => EmbedderError | undefined
}

/** Milliseconds after which a process goes on with what another one prepared: no short command does. */
const resumeAfter = 2_000

export const make = (inUse: InUse, policy: PolicyValues["embedding"]): Effect.Effect<Embedding> =>
  Effect.gen(function* () {
    const lock = yield* Effect.makeSemaphore(1)
    let wanted = yield* Deferred.make<void>()
    let failure: EmbedderError | undefined
    let started: Started | undefined
    /** Whether something was written since the embedder in force was last given its work. */
    let behind = true
    /** What the view said last, and what it comes to. */
    let fact: EmbedderFact | undefined
    let main = inUse.configured
    let preparing: EmbedderFact | undefined
    let preparation: (() => Preparation) | undefined
    const listeners = new Set<(progress: Preparation) => void>()
    const works = new Map<string, VectorWork>()

    const workOf = (embedder: Service, apart: boolean, stores?: ReadonlyArray<Store>): VectorWork => {
      const key = JSON.stringify([embedder.model, embedder.dimensions, apart, stores])
      const known = works.get(key)
      if (known !== undefined) return known
      const work = makeWork(embedder, { apart, timeout: policy.timeout, ...(stores === undefined ? {} : { stores }) })
      works.set(key, work)
      return work
    }

    /** The indexes that an embedder fills: its own, and that of the stores that it is not to see. */
    const worksOf = (embedder: Service): ReadonlyArray<VectorWork> => {
      const { apart } = embedder
      if (apart === undefined || apart.stores.length === 0) return [workOf(embedder, false)]
      const own = allStores.filter((store) => !apart.stores.includes(store))
      return [workOf(embedder, false, own), workOf(apart.embedder, true, apart.stores)]
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
        preparing = facts.next
        const next = preparing === undefined ? undefined : yield* inUse.of(preparing)
        const [mine, ours] = [worksOf(main), next === undefined ? [] : worksOf(next)]
        const used = new Set([...mine, ...ours])
        for (const [key, work] of works) if (!used.has(work)) works.delete(key)
        return { mine, ours, next }
      })

    /**
     * A batch of each kind of each index in turns, until one serves fewer than it has to be worth going on. What the
     * embedder refuses of the one does not keep the others waiting. Of batches that are to be full the last one has
     * all that there was: whatever came meanwhile is gathered for the next time, or a steady writer would have an
     * EMBED event for every few memories.
     */
    const serve = (all: ReadonlyArray<VectorWork>, least: number, between: Effect.Effect<void, CommandError>) =>
      Effect.gen(function* () {
        let found: EmbedderError | undefined
        let steps = all.flatMap((work) => work.steps)
        let total = 0
        while (steps.length > 0) {
          const more: typeof steps = []
          for (const step of steps) {
            const served = yield* Effect.catchTag(step(started!), "EmbedderError", (error) => {
              found ??= error
              return Effect.succeed(0)
            })
            total += served
            if (served >= least) more.push(step)
            yield* between
          }
          steps = more
        }
        return { found, total }
      })

    const serveInForce = (mine: ReadonlyArray<VectorWork>, least: number) =>
      Effect.gen(function* () {
        behind = false
        const { found } = yield* serve(mine, least, Effect.void)
        failure = found
        return found
      })

    const workOnce = (least?: number) =>
      Effect.gen(function* () {
        if (started?.actor.view.hasVectors !== true) return
        const { mine } = yield* look(started)
        yield* serveInForce(mine, least ?? main.batch)
      }).pipe(lock.withPermits(1))

    /** Whatever was written meanwhile gets its vector of the embedder in force first: that one is being searched. */
    const keepUp = (mine: ReadonlyArray<VectorWork>) =>
      Effect.suspend(() => (behind ? Effect.asVoid(serveInForce(mine, main.batch)) : Effect.void))

    const prepareOnce = Effect.gen(function* () {
      if (started?.actor.view.hasVectors !== true) return undefined
      const { mine, next, ours } = yield* look(started)
      const failed = yield* serveInForce(mine, main.batch)
      if (next === undefined) return failed
      const beganAt = yield* Clock.currentTimeMillis
      const used = next.usage?.() ?? nothingUsed
      let [made, left, now] = [0, 0, beganAt]
      for (const { set } of ours) left += yield* lacking(started, set)
      const { dimensions, model } = next
      const progress = (): Preparation => {
        const { requests, tokens } = next.usage?.() ?? nothingUsed
        const asked = { requests: requests - used.requests, tokens: tokens - used.tokens }
        return { model, dimensions, made, left: Math.max(0, left), took: now - beganAt, ...asked }
      }
      preparation = progress
      const counted = ours.map(({ set, steps, ...work }) => ({
        ...work,
        set,
        steps: steps.map(
          (step) => (services: Started) =>
            Effect.tap(step(services), (served) => {
              made += served
              left -= served
            })
        )
      }))
      const told = Effect.gen(function* () {
        now = yield* Clock.currentTimeMillis
        for (const listener of listeners) listener(progress())
        yield* keepUp(mine)
      })
      const { found } = yield* serve(counted, 1, told)
      if (found !== undefined) failure = found
      else if (preparing?.adopt === true) yield* adopt(next, mine, ours)
      return found
    }).pipe(Effect.ensuring(Effect.sync(() => (preparation = undefined))), lock.withPermits(1))

    /** One event: every reader goes by the new index from then on. It lacks no more than the old one, or next to nothing. */
    const adopt = (next: Service, mine: ReadonlyArray<VectorWork>, ours: ReadonlyArray<VectorWork>) =>
      started!.actor.run(
        adoptEmbedder("embedder", next, (db) => {
          const still = findPreparing(db)
          if (still?.adopt !== true || !sameModel(still, next)) return false
          return lackingOf(db, ours) <= Math.max(besideAbove, lackingOf(db, mine))
        })
      )

    const remaining = Effect.suspend(
      (): Effect.Effect<number, ViewError> =>
        started === undefined
          ? Effect.succeed(0)
          : started.views.read(started.actor.view, (db) => lackingOf(db, worksOf(main)))
    )

    const backfill = Effect.gen(function* () {
      // A batch that is on its way would write its own place over it.
      yield* Effect.gen(function* () {
        if (started !== undefined) yield* look(started)
        for (const work of works.values()) work.again()
      }).pipe(lock.withPermits(1))
      const before = yield* remaining
      if (before === 0) {
        failure = undefined
        return { embedded: 0, remaining: 0 }
      }
      yield* workOnce(1)
      const after = yield* remaining
      return {
        embedded: Math.max(0, before - after),
        remaining: after,
        ...(failure === undefined ? {} : { error: failure })
      }
    })

    return {
      beside: (view) => (commands) => {
        if (commands.length < besideAbove || !view.hasVectors || main.local !== true) return null
        return Effect.flatMap(current(view), (one) =>
          one.local === true ? vectorsBeside(one, commands, policy.beside) : Effect.succeed([])
        )
      },
      noticed: (events) => {
        let needed = false
        const embedded = new Set<string>()
        for (const event of events) {
          if (event.type !== "EMBED" || !sameModel(event.payload, main)) continue
          for (const { memory } of event.payload.entries) embedded.add(memory)
        }
        const noted: Array<number> = []
        for (const event of events) {
          if (event.type === "ADD") needed ||= preparing !== undefined || !embedded.has(event.payload.memory.id)
          if (event.type === "DELETE" && event.payload.replacement !== undefined) {
            needed ||= preparing !== undefined || !embedded.has(event.payload.replacement.id)
          }
          if (event.type === "COMPRESS" || event.type === "TURN" || event.type === "FILE") needed = true
          if (event.type === "EMBEDDER") needed = true
          if (event.type === "UPDATE" && event.payload.reason !== "duplicate") {
            noted.push(event.payload.memory.born)
            needed = true
          }
        }
        if (noted.length > 0) for (const work of works.values()) work.note(noted)
        if (!needed) return
        behind = true
        Deferred.unsafeDone(wanted, Effect.void)
      },
      start: (services, hold) =>
        Effect.gen(function* () {
          started = services
          yield* Effect.gen(function* () {
            yield* Deferred.await(wanted)
            yield* hold(
              Effect.gen(function* () {
                yield* Effect.sleep(Duration.millis(policy.gather))
                wanted = yield* Deferred.make<void>()
                yield* workOnce()
                if (preparing !== undefined) yield* prepareOnce
              })
            )
          }).pipe(Effect.ignoreLogged, Effect.forever, Effect.interruptible, Effect.forkScoped)
          yield* Effect.gen(function* () {
            yield* Effect.sleep(Duration.millis(resumeAfter))
            const begun = yield* services.views.read(services.actor.view, findPreparing)
            if (begun !== undefined) Deferred.unsafeDone(wanted, Effect.void)
          }).pipe(Effect.ignoreLogged, Effect.interruptible, Effect.forkScoped)
        }),
      current,
      backfill,
      prepare: (onProgress) =>
        Effect.acquireUseRelease(
          Effect.sync(() => (onProgress === undefined ? undefined : listeners.add(onProgress))),
          () => prepareOnce,
          () => Effect.sync(() => onProgress !== undefined && listeners.delete(onProgress))
        ),
      preparation: () => preparation?.(),
      failure: () => failure
    }
  })

const nothingUsed = { requests: 0, tokens: 0 }

/** What a view says; nothing where it cannot be read just now. */
const inForceIn = (db: Db): EmbedderFact | undefined => {
  try {
    return findInForce(db)
  } catch {
    return undefined
  }
}

const lackingOf = (db: Db, works: ReadonlyArray<VectorWork>): number =>
  works.reduce((sum, { set }) => sum + countLacking(db, set), 0)

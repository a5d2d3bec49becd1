import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type EmbedderFact, findInForce, findPreparing } from "../../projections/embedders.js"
import type { ViewError } from "../../projections/view/build.js"
import type { View } from "../../projections/view/Views.js"
import type { CommandError } from "../actor/Actor.js"
import type { AgentEmbedding, AgentServices } from "../actor/Agents.js"
import { type InUse, inForceIn, sameFact, sameModel } from "../actor/activeEmbedders.js"
import type { NoSuchIndex, ProjectionParked } from "../model/errors.js"
import type { Embedder, EmbedderError } from "../ports/Embedder.js"
import type { PolicyValues } from "../ports/Policy.js"
import { background, failing, wanting } from "./background.js"
import * as Elsewhere from "./elsewhere.js"
import { type InTurn, inTurn } from "./leases.js"
import { adoptWhole, type Preparation, progressOf } from "./preparation.js"
import { restate } from "./restate.js"
import { besideAbove, vectorsBeside } from "./vectorsBeside.js"
import { lackingOf, make as makeWork, newWork, partsOf, serve, type VectorWork } from "./vectorWork.js"

export type { Preparation } from "./preparation.js"

type Service = Context.Tag.Service<Embedder>

type Role = "inForce" | "preparing"

/** What a backfill did, and what is left: 0 where every memory has its vector. */
export interface Backfilled {
  readonly embedded: number
  readonly remaining: number
  /** Why it stopped early. */
  readonly error?: EmbedderError
}

/** The vectors of one agent: made after the write, in the background, in batches; a failure is mended by `backfill`. */
export interface Embedding extends AgentEmbedding {
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

/** Milliseconds after which a process goes on with what another one left of a switch: no short command does. */
const resumeAfter = 2_000

export const make = (inUse: InUse, policy: PolicyValues["embedding"]): Effect.Effect<Embedding> =>
  Effect.gen(function* () {
    /** One for each role: what is searched does not wait for what is being prepared. */
    const locks = { inForce: yield* Effect.makeSemaphore(1), preparing: yield* Effect.makeSemaphore(1) }
    const wanted = { inForce: wanting(), preparing: wanting() }
    const failures = { inForce: failing(), preparing: failing() }
    let started: (AgentServices & { readonly turns: Record<Role, InTurn> }) | undefined
    /** What the view said last, and what it comes to. */
    let fact: EmbedderFact | undefined
    let main = inUse.configured
    let preparing: EmbedderFact | undefined
    let preparation: (() => Preparation) | undefined
    const listeners = new Set<(progress: Preparation) => void>()
    const works: Record<Role, Map<string, VectorWork>> = { inForce: new Map(), preparing: new Map() }
    const allWorks = () => [...works.inForce.values(), ...works.preparing.values()]
    const elsewhere = Elsewhere.make()

    /** The indexes that an embedder fills: its own, and that of the stores that it is not to see. */
    const worksOf = (role: Role, embedder: Service): ReadonlyArray<VectorWork> => {
      const before = works[role]
      works[role] = new Map(
        partsOf(embedder).map(([one, apart, stores]) => {
          const key = JSON.stringify([one.model, one.dimensions, apart, stores])
          const of = { model: embedder.model, dimensions: embedder.dimensions }
          const options = { apart, of, timeout: policy.timeout, ...(stores === undefined ? {} : { stores }) }
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
    const look = (services: AgentServices) =>
      Effect.gen(function* () {
        const { actor, views } = services
        const changed = yield* elsewhere.changed(services)
        for (const work of allWorks()) changed === null ? work.again() : work.note(changed)
        const facts = yield* views.read(actor.view, (db) => ({ now: findInForce(db), next: findPreparing(db) }))
        fact = facts.now
        main = yield* inUse.of(fact)
        yield* restate(actor, inUse, fact)
        const before = preparing
        preparing = facts.next
        if (preparing?.version === before?.version) return
        // What was dropped meanwhile is to be made from its beginning.
        works.preparing.clear()
        if (preparing !== undefined) wanted.preparing.now()
      })

    /** Begins again where the first vectors of a store made another embedder the one of the log. */
    const workOnce = (full: boolean, rounds = 4) =>
      Effect.gen(function* () {
        if (started?.actor.view.hasVectors !== true) return undefined
        let moved = false
        const { actor, turns, views } = started
        yield* look(started)
        const [by, embedder] = [fact, main]
        /** Whether it is still this one: its first vectors are what the log names it by. */
        const same = Effect.map(
          views.read(actor.view, (db) => {
            const now = findInForce(db)
            return now === undefined || sameFact(now, by) || sameModel(now, embedder)
          }),
          (still) => {
            moved = !still
            return still
          }
        )
        const serving = serve(started, worksOf("inForce", embedder), full, () => Effect.void, same)
        const served = yield* turns.inForce(serving, same)
        const error = yield* failures.inForce.note(served?.found)
        return { error, moved }
      }).pipe(
        locks.inForce.withPermits(1),
        Effect.repeat({ until: (round) => round?.moved !== true, times: rounds - 1 }),
        Effect.map((round) => {
          if (round?.moved === true) wanted.inForce.now()
          return round?.error
        })
      )

    const prepareOnce = (again: boolean) =>
      Effect.gen(function* () {
        if (started?.actor.view.hasVectors !== true) return undefined
        const services = started
        yield* look(services)
        if (preparing === undefined) return undefined
        const { adopt, version } = preparing
        const next = yield* inUse.of(preparing)
        const ours = worksOf("preparing", next)
        if (again) for (const work of ours) work.again()
        const { actor, turns, views } = services
        const progress = progressOf(next, yield* Clock.currentTimeMillis)
        preparation = progress.shown
        const tell = Effect.map(Clock.currentTimeMillis, (now) => {
          for (const listener of listeners) listener(progress.at(now))
        })
        /** Whether it is still this one: who drops it, or prepares another, is not to pay for it any longer. */
        const still = Effect.map(views.read(actor.view, findPreparing), (now) => now?.version === version)
        const looking = views.read(actor.view, (db) => {
          progress.lacking(lackingOf(db, ours))
          return findPreparing(db)?.version === version
        })
        yield* looking
        const serving = Effect.zipRight(
          looking,
          // Whoever writes all the time would never let it come to an end otherwise.
          serve(
            services,
            ours,
            true,
            (served) =>
              Effect.zipRight(
                Effect.sync(() => progress.served(served)),
                tell
              ),
            still
          )
        )
        const served = yield* turns.preparing(serving, Effect.zipLeft(looking, tell))
        yield* failures.preparing.note(served?.found)
        if (served?.whole === true && served.found === undefined && adopt)
          yield* adoptWhole(services, { next, version, ours, others: [...works.inForce.values()] })
        return served?.found
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            preparation = undefined
          })
        ),
        locks.preparing.withPermits(1)
      )

    const asides = () => allWorks().map((work) => work.aside())
    const failure = () =>
      failures.inForce.newest() ?? failures.preparing.newest() ?? asides().find(({ error }) => error)?.error

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
        yield* failures.inForce.note(undefined)
        return { embedded: 0, remaining: 0 }
      }
      yield* workOnce(false)
      const after = yield* remaining
      const error =
        failures.inForce.newest() ?? [...works.inForce.values()].map((work) => work.aside().error).find(Boolean)
      return { embedded: Math.max(0, before - after), remaining: after, ...(error === undefined ? {} : { error }) }
    })

    return {
      beside: (view) => (commands) => {
        if (commands.length < besideAbove || !view.hasVectors || main.local !== true || main.apart !== undefined)
          return null
        return Effect.flatMap(current(view), (one) =>
          one.local === true && one.apart === undefined
            ? vectorsBeside(one, commands, policy.beside)
            : Effect.succeed([])
        )
      },
      noticed: (events, after, to) => {
        const { changed, needed } = newWork(events, main, preparing !== undefined)
        for (const work of allWorks()) work.note(changed)
        elsewhere.wrote(after, to)
        if (!needed) return
        wanted.inForce.now()
        if (preparing !== undefined) wanted.preparing.now()
      },
      start: (services, hold) =>
        Effect.gen(function* () {
          const { view } = services.actor
          const turns = { inForce: yield* inTurn(view, "vectors"), preparing: yield* inTurn(view, "next-vectors") }
          started = { ...services, turns }
          yield* background(wanted.inForce, policy.gather, hold, failures.inForce.unasked(workOnce(true)))
          yield* background(wanted.preparing, policy.gather, hold, failures.preparing.unasked(prepareOnce(false)))
          yield* Effect.gen(function* () {
            yield* Effect.sleep(Duration.millis(resumeAfter))
            const { next, now } = yield* services.views.read(services.actor.view, (db) => ({
              now: findInForce(db),
              next: findPreparing(db)
            }))
            if (next !== undefined) wanted.preparing.now()
            // What was put in force may have lacked the newest, and whoever did it may have ended then.
            if (now?.state === "inForce") wanted.inForce.now()
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

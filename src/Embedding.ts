import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { EventLog } from "../events/EventLog.js"
import { embeddingText, type Memory } from "../events/Memory.js"
import { chunkEmbeddingText, countUnembeddedChunks, findUnembeddedChunks } from "../projections/chunkVectors.js"
import type { View, Views } from "../projections/Views.js"
import { countUnembedded, textDigest } from "../projections/vectors.js"
import type { Actor, CommandError } from "./Actor.js"
import type { AnyCommand, DecidedEvent } from "./commands/Command.js"
import { type Embedded, embed, embedBeside, embedChunks } from "./commands/embed.js"
import type { Embedder, EmbedderError } from "./Embedder.js"
import { embedAll } from "./embedAll.js"
import type { PolicyValues } from "./Policy.js"
import * as Pending from "./pendingVectors.js"

/** Memories of one transaction from which on an EMBED event beside them costs less than one later. */
const besideAbove = 32

/** What a backfill did, and what is left: 0 where every memory has its vector. */
export interface Backfilled {
  readonly embedded: number
  readonly remaining: number
  /** Why it stopped early. */
  readonly error?: EmbedderError
}

/** The agent that an embedding works for. */
export interface Started {
  readonly actor: Actor
  readonly log: Context.Tag.Service<EventLog>
  readonly views: Context.Tag.Service<Views>
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
  /** Embeds whatever has no vector yet, oldest first. Idempotent. */
  readonly backfill: Effect.Effect<Backfilled, CommandError>
  /** The newest failure, while it lasts. */
  readonly failure: () => EmbedderError | undefined
}

export const make = (
  embedder: Context.Tag.Service<Embedder>,
  policy: PolicyValues["embedding"]
): Effect.Effect<Embedding> =>
  Effect.gen(function* () {
    const lock = yield* Effect.makeSemaphore(1)
    let wanted = yield* Deferred.make<void>()
    let failure: EmbedderError | undefined
    const pending = Pending.make(embedder)
    /** Every chunk up to here has its vector or cannot have one. */
    let doneChunks = 0
    let started: Started | undefined

    type Texts = ReadonlyArray<readonly [digest: string, text: string]>
    type Vectors = ReadonlyArray<readonly [digest: string, vector: Float32Array]>

    /** The vectors of one batch of texts, by their digests. */
    const madeOf = (page: Texts, timeout: number): Effect.Effect<Vectors, EmbedderError> =>
      Effect.map(
        embedAll(
          embedder,
          page.map(([, text]) => text),
          "document",
          timeout
        ),
        (vectors) => page.flatMap(([digest], index) => (vectors[index] ? [[digest, vectors[index]] as const] : []))
      )

    /** The vectors of these texts, by their digests, from the cache and the model. One that is at hand is asked at once. */
    const vectorsOf = (log: Started["log"], texts: ReadonlyMap<string, string>) =>
      Effect.gen(function* () {
        const cached =
          embedder.local === true
            ? new Map<string, Float32Array>()
            : yield* log.vectors(embedder.model, embedder.dimensions, [...texts.keys()])
        const missing = [...texts].filter(([digest]) => !cached.has(digest))
        const pages = yield* Effect.forEach(Arr.chunksOf(missing, embedder.batch), (page) =>
          madeOf(page, policy.timeout)
        )
        return new Map([...cached, ...pages.flat()])
      })

    /** As many as can be made while a write waits; what is left, or fails, is for the background. */
    const madeWhileWaiting = (texts: Texts): Effect.Effect<ReadonlyMap<string, Float32Array>> =>
      Effect.gen(function* () {
        const vectors = new Map<string, Float32Array>()
        const until = (yield* Clock.currentTimeMillis) + policy.beside
        for (const page of Arr.chunksOf(texts, embedder.batch)) {
          const left = until - (yield* Clock.currentTimeMillis)
          if (left <= 0) break
          // A write is not to be interrupted, and no time-out would end what runs in its fiber.
          const own = yield* Effect.forkDaemon(Effect.interruptible(Effect.option(madeOf(page, left))))
          const made = yield* Fiber.join(own)
          if (Option.isNone(made)) break
          for (const [digest, vector] of made.value) vectors.set(digest, vector)
        }
        return vectors
      })

    /** One batch of memories; the number that it served, 0 where there are none left. */
    const stepMemories = (services: Started) =>
      pending.batch(services, (memories) => (memories.length === 0 ? Effect.void : embedNow(services, memories)))

    const embedNow = ({ actor, log }: Started, memories: ReadonlyArray<Memory>) =>
      Effect.gen(function* () {
        const texts = memories.map((memory) => {
          const text = embeddingText(memory)
          return { id: memory.id, revision: memory.revision, text, digest: textDigest(text) }
        })
        const vectors = yield* vectorsOf(log, new Map(texts.map(({ digest, text }) => [digest, text])))
        const embedded = texts.flatMap(({ digest, id, revision }): ReadonlyArray<Embedded> => {
          const vector = vectors.get(digest)
          return vector === undefined ? [] : [{ id, revision, digest, vector }]
        })
        if (embedded.length > 0) yield* actor.run(embed(embedder, embedded))
      })

    /** One batch of chunks, likewise. What is said never changes, so each is looked at once. */
    const stepChunks = ({ actor, log, views }: Started) =>
      Effect.gen(function* () {
        const page = { after: doneChunks, limit: embedder.batch }
        const chunks = yield* views.read(actor.view, (db) =>
          findUnembeddedChunks(db, embedder.model, embedder.dimensions, page)
        )
        if (chunks.length === 0) return 0
        const texts = chunks.map((chunk) => {
          const text = chunkEmbeddingText(chunk)
          return { born: chunk.born, text, digest: textDigest(text) }
        })
        const vectors = yield* vectorsOf(log, new Map(texts.map(({ digest, text }) => [digest, text])))
        const embedded = texts.flatMap(({ born, digest }) => {
          const vector = vectors.get(digest)
          return vector === undefined ? [] : [{ born, digest, vector }]
        })
        if (embedded.length > 0) yield* actor.run(embedChunks(embedder, embedded))
        doneChunks = chunks.at(-1)!.born
        return chunks.length
      })

    /**
     * A batch of memories and a batch of chunks in turns, each until one serves
     * fewer than `least`. What the embedder refuses of the one does not keep the
     * other waiting. Of batches that are to be full the last one has all that
     * there was: whatever came meanwhile is gathered for the next time, or a
     * steady writer would have an EMBED event for every few memories.
     */
    const work = (least: number) =>
      Effect.gen(function* () {
        if (started?.actor.view.hasVectors !== true) return
        let found: EmbedderError | undefined
        let steps = [stepMemories, stepChunks]
        while (steps.length > 0) {
          const more: typeof steps = []
          for (const step of steps) {
            const served = yield* Effect.catchTag(step(started), "EmbedderError", (error) => {
              found ??= error
              return Effect.succeed(0)
            })
            if (served >= least) more.push(step)
          }
          steps = more
        }
        failure = found
      }).pipe(lock.withPermits(1))

    const remaining = Effect.suspend(() =>
      started === undefined
        ? Effect.succeed(0)
        : started.views.read(
            started.actor.view,
            (db) =>
              countUnembedded(db, embedder.model, embedder.dimensions) +
              countUnembeddedChunks(db, embedder.model, embedder.dimensions)
          )
    )

    const backfill = Effect.gen(function* () {
      // A batch that is on its way would write its own place over it.
      yield* lock.withPermits(1)(
        Effect.sync(() => {
          pending.again()
          doneChunks = 0
        })
      )
      const before = yield* remaining
      if (before === 0) {
        failure = undefined
        return { embedded: 0, remaining: 0 }
      }
      yield* work(1)
      const after = yield* remaining
      return {
        embedded: Math.max(0, before - after),
        remaining: after,
        ...(failure === undefined ? {} : { error: failure })
      }
    })

    return {
      beside: (view) => (commands) => {
        if (embedder.local !== true || !view.hasVectors || commands.length < besideAbove) return null
        return Effect.suspend(() => {
          const digests = new Map<string, string>()
          for (const command of commands) {
            const text = command.text?.()
            if (text !== undefined && !digests.has(text)) digests.set(text, textDigest(text))
          }
          return digests.size < besideAbove
            ? Effect.succeed([])
            : Effect.map(madeWhileWaiting([...digests].map(([text, digest]) => [digest, text] as const)), (vectors) =>
                vectors.size === 0 ? [] : [embedBeside(embedder, vectors, digests)]
              )
        })
      },
      noticed: (events) => {
        let needed = false
        const embedded = new Set<string>()
        for (const event of events) {
          if (event.type === "EMBED") for (const { memory } of event.payload.entries) embedded.add(memory)
        }
        for (const event of events) {
          if (event.type === "ADD") needed ||= !embedded.has(event.payload.memory.id)
          if (event.type === "DELETE" && event.payload.replacement !== undefined) {
            needed ||= !embedded.has(event.payload.replacement.id)
          }
          if (event.type === "COMPRESS" || event.type === "TURN" || event.type === "FILE") needed = true
          if (event.type === "UPDATE" && event.payload.reason !== "duplicate") {
            pending.note([event.payload.memory.born])
            needed = true
          }
        }
        if (needed) Deferred.unsafeDone(wanted, Effect.void)
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
                yield* work(embedder.batch)
              })
            )
          }).pipe(Effect.ignoreLogged, Effect.forever, Effect.interruptible, Effect.forkScoped)
        }),
      backfill,
      failure: () => failure
    }
  })

import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { embeddingText, type Memory } from "../../events/Memory.js"
import { stores as allStores, type Store } from "../../events/Trust.js"
import {
  chunkEmbeddingText,
  countUnembeddedChunks,
  findUnembeddedChunks,
  newestChunk
} from "../../projections/chunkVectors.js"
import type { ModelName } from "../../projections/embedders.js"
import type { Db } from "../../projections/Projection.js"
import { countUnembedded, newestMemory, textDigest, type VectorSet } from "../../projections/vectors.js"
import type { CommandError } from "../actor/Actor.js"
import type { AgentServices } from "../actor/Agents.js"
import { sameModel } from "../actor/activeEmbedders.js"
import type { DecidedEvent } from "../actor/Command.js"
import type { Embedder, EmbedderError } from "../ports/Embedder.js"
import { type Embedded, embed, embedChunks } from "./embed.js"
import * as MadeVectors from "./madeVectors.js"
import * as Pending from "./pendingVectors.js"

type Service = Context.Tag.Service<Embedder>

/** The vectors of one index that are still to be made, of an agent. */
export interface VectorWork {
  readonly set: VectorSet
  /** Texts of a full batch. */
  readonly size: number
  /** Memories, by row number, whose text or store has changed. */
  readonly note: (borns: ReadonlyArray<number>) => void
  /** All are to be looked at once more. */
  readonly again: () => void
  /** Texts that it fails for: they are left out. */
  readonly aside: () => MadeVectors.Aside
  /** A batch of memories, and a batch of chunks: each answers how many it served, 0 where none are left. */
  readonly steps: ReadonlyArray<(started: AgentServices) => Effect.Effect<number, EmbedderError | CommandError>>
}

/** The newest memory and the newest chunk, by number. */
export interface Newest {
  readonly memory: number
  readonly chunk: number
}

export const newestIn = (db: Db): Newest => ({ memory: newestMemory(db), chunk: newestChunk(db) })

/** What lacks a vector: memories and chunks together; of those alone that came since, where it is said since when. */
export const countLacking = (db: Db, set: VectorSet, since?: Newest): number =>
  countUnembedded(db, set, since?.memory) + countUnembeddedChunks(db, set, since?.chunk)

export const lackingOf = (db: Db, works: ReadonlyArray<VectorWork>, since?: Newest): number =>
  works.reduce((sum, { set }) => sum + countLacking(db, set, since), 0)

/** `timeout` is milliseconds for one batch; `apart` whether it stands in for another embedder, `of`, in these stores. */
export const make = (
  embedder: Service,
  {
    apart,
    of,
    stores,
    timeout
  }: {
    readonly apart: boolean
    readonly of: ModelName
    readonly stores?: ReadonlyArray<Store>
    readonly timeout: number
  }
): VectorWork => {
  const { dimensions, model } = embedder
  const set: VectorSet = { model, dimensions, stores }
  const named = { model, dimensions, apart, of, stores }
  const pending = Pending.make(set, embedder.batch)
  const making = MadeVectors.make(embedder, timeout)
  /** Every chunk up to here has its vector or cannot have one. */
  let doneChunks = 0

  /** The vectors of these texts, by their digests, from the cache and the model. One that is cheap is asked at once. */
  const vectorsOf = (log: AgentServices["log"], texts: ReadonlyMap<string, string>) =>
    Effect.gen(function* () {
      const cached =
        embedder.cheap === true
          ? new Map<string, Float32Array>()
          : yield* log.vectors(model, dimensions, [...texts.keys()])
      const missing = [...texts].filter(([digest]) => !cached.has(digest))
      const pages = yield* Effect.forEach(Arr.chunksOf(missing, embedder.batch), (page) => making.made(page))
      return new Map([...cached, ...pages.flat()])
    })

  const embedNow = ({ actor, log }: AgentServices, memories: ReadonlyArray<Memory>) =>
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
      if (embedded.length > 0) yield* actor.run(embed(named, embedded))
    })

  const stepMemories = (started: AgentServices) =>
    pending.batch(started, (memories) => (memories.length === 0 ? Effect.void : embedNow(started, memories)))

  /** What is said never changes, so each chunk is looked at once. */
  const stepChunks = ({ actor, log, views }: AgentServices) =>
    Effect.gen(function* () {
      const page = { after: doneChunks, limit: embedder.batch }
      const chunks = yield* views.read(actor.view, (db) => findUnembeddedChunks(db, set, page))
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
      if (embedded.length > 0) yield* actor.run(embedChunks(named, embedded))
      doneChunks = chunks.at(-1)!.born
      return chunks.length
    })

  return {
    set,
    size: embedder.batch,
    note: pending.note,
    aside: making.aside,
    again: () => {
      pending.again()
      making.again()
      doneChunks = 0
    },
    steps: [stepMemories, stepChunks]
  }
}

/**
 * A batch of each kind of each index in turns, each until there is none left; or, where they are to be `full`, until one
 * is not. What the embedder refuses of the one does not keep the others waiting. Of full batches the last one has all
 * that there was: whatever came meanwhile is gathered for the next time, or a steady writer would have an EMBED event
 * for every few memories. Answers the first failure, and whether it came to its end.
 */
export const serve = <E>(
  started: AgentServices,
  works: ReadonlyArray<Pick<VectorWork, "size" | "steps">>,
  full: boolean,
  /** Told after each batch how many it served. */
  told: (served: number) => Effect.Effect<void, E>,
  /** Asked before each batch whether it is still worth while. */
  goOn: Effect.Effect<boolean, E>
) =>
  Effect.gen(function* () {
    let found: EmbedderError | undefined
    let steps = works.flatMap(({ size, steps }) => steps.map((step) => ({ step, least: full ? size : 1 })))
    while (steps.length > 0) {
      const more: typeof steps = []
      for (const one of steps) {
        const { least, step } = one
        if (!(yield* goOn)) return { found, whole: false }
        const served = yield* Effect.catchTag(step(started), "EmbedderError", (error) => {
          found ??= error
          return Effect.succeed(0)
        })
        if (served >= least) more.push(one)
        yield* told(served)
      }
      steps = more
    }
    return { found, whole: true }
  })

/** What events leave to be done for the vectors of the embedder in force, and of others where some are being made. */
export const newWork = (
  events: ReadonlyArray<DecidedEvent>,
  inForce: ModelName,
  others: boolean
): {
  readonly needed: boolean
  /** Memories, by row number, whose text or store may be another one. */
  readonly changed: ReadonlyArray<number>
} => {
  const embedded = new Set<string>()
  for (const event of events) {
    if (event.type !== "EMBED" || !sameModel(event.payload, inForce)) continue
    for (const { memory } of event.payload.entries) embedded.add(memory)
  }
  const lacks = (id: string) => others || !embedded.has(id)
  let needed = false
  const changed: Array<number> = []
  for (const event of events) {
    if (event.type === "ADD") needed ||= lacks(event.payload.memory.id)
    if (event.type === "DELETE" && event.payload.replacement !== undefined) {
      needed ||= lacks(event.payload.replacement.id)
    }
    if (event.type === "COMPRESS" || event.type === "TURN" || event.type === "FILE") needed = true
    if (event.type === "EMBEDDER") needed = true
    if (event.type === "UPDATE" && event.payload.reason !== "duplicate") {
      changed.push(event.payload.memory.born)
      needed = true
    }
  }
  return { needed, changed }
}

/** An embedder with the one of the stores that it is not to see, each with its stores: all where absent. */
export const partsOf = (
  embedder: Service
): ReadonlyArray<readonly [one: Service, apart: boolean, stores?: ReadonlyArray<Store>]> => {
  const { apart } = embedder
  return apart === undefined || apart.stores.length === 0
    ? [[embedder, embedder.standsIn === true]]
    : [
        [embedder, embedder.standsIn === true, allStores.filter((store) => !apart.stores.includes(store))],
        [apart.embedder, apart.embedder.standsIn ?? true, apart.stores]
      ]
}

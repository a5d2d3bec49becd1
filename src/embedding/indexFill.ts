import * as Effect from "effect/Effect"
import { embeddingText, type Memory } from "../../events/Memory.js"
import { cachedVectors } from "../../events/metrics.js"
import { stores as allStores, type Store } from "../../events/Trust.js"
import {
  chunkEmbeddingText,
  countUnembeddedChunks,
  findUnembeddedChunks,
  newestChunkNumber
} from "../../projections/chunkVectors.js"
import type { ModelName } from "../../projections/embedders.js"
import type { Db } from "../../projections/Projection.js"
import { countUnembedded, newestMemoryNumber, textDigest, type VectorSet } from "../../projections/vectors.js"
import type { CommandError } from "../actor/Actor.js"
import type { AgentServices } from "../actor/Agent.js"
import { sameModel } from "../actor/activeEmbedders.js"
import type { DecidedEvent } from "../actor/Command.js"
import { splitArray } from "../model/chunksOf.js"
import type { EmbedderError, EmbedderService } from "../ports/Embedder.js"
import * as BatchEmbedder from "./batchEmbedder.js"
import { embedChunks, embedMemories } from "./commands.js"
import * as Pending from "./pendingVectors.js"

/** Fills one index of one agent with its pending vectors. */
export interface IndexFill {
  readonly set: VectorSet
  /** The number of texts in a full batch. */
  readonly batchSize: number
  /** Marks memories, by row number, whose text or store changed. */
  readonly markChanged: (borns: ReadonlyArray<number>) => void
  /** Checks everything again, including skipped texts. */
  readonly reset: () => void
  /** Texts that the embedder cannot embed. */
  readonly skipped: () => BatchEmbedder.SkippedTexts
  /**
   * Embeds one batch of memories or one batch of chunks. Each step returns how many texts it embedded; 0 if none is
   * left.
   */
  readonly steps: ReadonlyArray<(services: AgentServices) => Effect.Effect<number, EmbedderError | CommandError>>
}

/** The newest memory and the newest chunk, by number. */
export interface NewestNumbers {
  readonly memory: number
  readonly chunk: number
}

export const readNewestNumbers = (db: Db): NewestNumbers => ({
  memory: newestMemoryNumber(db),
  chunk: newestChunkNumber(db)
})

/** Counts memories and chunks without a vector; with `since`, only those added later. */
export const countMissingVectors = (db: Db, set: VectorSet, since?: NewestNumbers): number =>
  countUnembedded(db, set, since?.memory) + countUnembeddedChunks(db, set, since?.chunk)

export const countMissingInFills = (db: Db, fills: ReadonlyArray<IndexFill>, since?: NewestNumbers): number =>
  fills.reduce((sum, { set }) => sum + countMissingVectors(db, set, since), 0)

export interface FillOptions {
  /** Whether the embedder replaces `mainModel` in `stores`. */
  readonly isSubstitute: boolean
  readonly mainModel: ModelName
  /** Absent: all stores. */
  readonly stores?: ReadonlyArray<Store>
  /** Time limit of one request. */
  readonly timeoutMillis: number
}

export const make = (
  embedder: EmbedderService,
  { isSubstitute, mainModel, stores, timeoutMillis }: FillOptions
): IndexFill => {
  const { dimensions, model } = embedder
  const set: VectorSet = { model, dimensions, stores }
  const index = { ...set, isSubstitute, mainModel }
  const pending = Pending.make(set, embedder.batch)
  const batches = BatchEmbedder.make(embedder, timeoutMillis)
  /** Every chunk up to this number has its vector or cannot get one. */
  let chunksUpTo = 0

  const embedPending = Effect.fnUntraced(function* ({ actor, log }: AgentServices, memories: ReadonlyArray<Memory>) {
    const texts = memories.map((memory) => withDigest({ id: memory.id, text: embeddingText(memory) }))
    const vectors = yield* vectorsOf(embedder, batches, log, texts)
    const embedded = texts.flatMap(({ digest, id }) => {
      const vector = vectors.get(digest)
      return vector === undefined ? [] : [{ id, digest, vector }]
    })
    if (embedded.length > 0) yield* actor.run(embedMemories(index, embedded))
  })

  const stepMemories = (services: AgentServices) =>
    pending.nextBatch(services, (memories) => (memories.length === 0 ? Effect.void : embedPending(services, memories)))

  /** Embeds one batch of chunks. Chunks never change, so each chunk is checked only once. */
  const stepChunks = Effect.fnUntraced(function* ({ actor, log, views }: AgentServices) {
    const page = { after: chunksUpTo, limit: embedder.batch }
    const chunks = yield* views.read(actor.view, (db) => findUnembeddedChunks(db, set, page))
    if (chunks.length === 0) return 0
    const texts = chunks.map((chunk) => withDigest({ born: chunk.born, text: chunkEmbeddingText(chunk) }))
    const vectors = yield* vectorsOf(embedder, batches, log, texts)
    const embedded = texts.flatMap(({ born, digest }) => {
      const vector = vectors.get(digest)
      return vector === undefined ? [] : [{ born, digest, vector }]
    })
    if (embedded.length > 0) yield* actor.run(embedChunks(index, embedded))
    chunksUpTo = chunks.at(-1)!.born
    return chunks.length
  })

  return {
    set,
    batchSize: embedder.batch,
    markChanged: pending.markChanged,
    skipped: batches.skipped,
    reset: () => {
      pending.reset()
      batches.retrySkipped()
      chunksUpTo = 0
    },
    steps: [stepMemories, stepChunks]
  }
}

const withDigest = <A extends { readonly text: string }>(row: A) => ({ ...row, digest: textDigest(row.text) })

/** Returns vectors by digest, from the cache and then from the embedder. Skips the cache for a very cheap embedder. */
const vectorsOf = Effect.fnUntraced(function* (
  embedder: EmbedderService,
  batches: BatchEmbedder.BatchEmbedder,
  log: AgentServices["log"],
  rows: ReadonlyArray<{ readonly digest: string; readonly text: string }>
) {
  const texts = new Map(rows.map(({ digest, text }) => [digest, text]))
  const cached =
    embedder.skipsCache === true
      ? new Map<string, Float32Array>()
      : yield* log.vectors(embedder.model, embedder.dimensions, [...texts.keys()])
  const missing = [...texts].filter(([digest]) => !cached.has(digest))
  if (embedder.skipsCache !== true) {
    cachedVectors.hit.unsafeUpdate(cached.size, [])
    cachedVectors.miss.unsafeUpdate(missing.length, [])
  }
  const pages = yield* Effect.forEach(splitArray(missing, embedder.batch), batches.embed)
  return new Map([...cached, ...pages.flat()])
})

export interface FillRun<E> {
  /** Whether the run ends for each kind of text at its first batch that is not full. */
  readonly full: boolean
  /** Runs after each batch, with the number of texts it embedded. */
  readonly onBatch?: (count: number) => Effect.Effect<void, E>
  /** Checked before each batch. False ends the run. */
  readonly keepGoing: Effect.Effect<boolean, E>
}

/**
 * Fills several indexes in turn, one batch of each kind at a time, until no batch is left. With `full`, texts that
 * arrive during the run wait for the next run: otherwise a continuous writer would cause an EMBED event for every few
 * memories. A failure in one index does not stop the others. Returns the first failure, and whether the run was
 * completed.
 */
export const fillIndexes = <E>(
  services: AgentServices,
  fills: ReadonlyArray<Pick<IndexFill, "batchSize" | "steps">>,
  { full, keepGoing, onBatch }: FillRun<E>
) =>
  Effect.gen(function* () {
    let failure: EmbedderError | undefined
    let steps = fills.flatMap(({ batchSize, steps }) => steps.map((step) => ({ step, minBatch: full ? batchSize : 1 })))
    while (steps.length > 0) {
      const unfinished: typeof steps = []
      for (const entry of steps) {
        if (!(yield* keepGoing)) return { failure, complete: false }
        const count = yield* Effect.catchTag(entry.step(services), "EmbedderError", (error) => {
          failure ??= error
          return Effect.succeed(0)
        })
        if (count >= entry.minBatch) unfinished.push(entry)
        if (onBatch !== undefined) yield* onBatch(count)
      }
      steps = unfinished
    }
    return { failure, complete: true }
  })

/**
 * Finds the texts that need vectors after events, for the active index and for the candidate index if there is one.
 */
export const findTextsToEmbed = (
  events: ReadonlyArray<DecidedEvent>,
  active: ModelName,
  hasCandidate: boolean
): {
  readonly pending: boolean
  /** Memories, by row number, whose text or store may have changed. */
  readonly changed: ReadonlyArray<number>
} => {
  const embedded = new Set<string>()
  for (const event of events) {
    if (event.type !== "EMBED" || !sameModel(event.payload, active)) continue
    for (const { memory } of event.payload.entries) embedded.add(memory)
  }
  const isPending = (id: string) => hasCandidate || !embedded.has(id)
  let pending = false
  const changed: Array<number> = []
  for (const event of events) {
    if (event.type === "ADD") pending ||= isPending(event.payload.memory.id)
    if (event.type === "DELETE" && event.payload.replacement !== undefined) {
      pending ||= isPending(event.payload.replacement.id)
    }
    if (["COMPRESS", "TURN", "FILE", "EMBEDDER"].includes(event.type)) pending = true
    if (event.type === "UPDATE" && event.payload.reason !== "duplicate") {
      changed.push(event.payload.memory.born)
      pending = true
    }
  }
  return { pending, changed }
}

/**
 * The embedders that fill an embedder's indexes: the embedder itself, and the local one for stores withheld from it.
 */
export const indexEmbedders = (
  embedder: EmbedderService
): ReadonlyArray<{ embedder: EmbedderService; isSubstitute: boolean; stores?: ReadonlyArray<Store> }> => {
  const { substitute: isSubstitute, isLocalSubstitute = false } = embedder
  return isSubstitute === undefined || isSubstitute.stores.length === 0
    ? [{ embedder, isSubstitute: isLocalSubstitute }]
    : [
        {
          embedder,
          isSubstitute: isLocalSubstitute,
          stores: allStores.filter((store) => !isSubstitute.stores.includes(store))
        },
        {
          embedder: isSubstitute.embedder,
          isSubstitute: isSubstitute.embedder.isLocalSubstitute ?? true,
          stores: isSubstitute.stores
        }
      ]
}

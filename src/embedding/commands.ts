import * as Either from "effect/Either"
import { afterImages, type Payload } from "../../events/catalogue.js"
import { embeddingText, type Memory } from "../../events/Memory.js"
import type { Store } from "../../events/Trust.js"
import { chunkEmbeddingText, chunkVectorIndex, findChunkToEmbed } from "../../projections/chunkVectors.js"
import {
  findActiveEmbedder,
  findPreparingEmbedder,
  isModelNeeded,
  type ModelName
} from "../../projections/embedders.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { memoryVectorIndex, textDigest } from "../../projections/vectors.js"
import { chunkingVersion } from "../../text/normalise/chunks.js"
import { embedderParameters, matchesRecord, sameModel, withheldRecordOf } from "../actor/activeEmbedders.js"
import { type Command, requireUnparked, type Situation } from "../actor/Command.js"
import { NoSuchIndex, type ProjectionParked } from "../model/errors.js"
import type { EmbedderService } from "../ports/Embedder.js"

/** The vector of a memory's text. */
export interface MemoryVector {
  readonly id: string
  readonly digest: string
  readonly vector: Float32Array
}

/** The vector of a chunk of a turn or a file. */
export interface ChunkVector {
  readonly born: number
  readonly digest: string
  readonly vector: Float32Array
}

/** The index that vectors belong to. */
export interface IndexModel extends ModelName {
  /** Whether this model replaces `mainModel` in these stores. */
  readonly isSubstitute?: boolean | undefined
  readonly mainModel?: ModelName | undefined
  /** Absent: all stores. */
  readonly stores?: ReadonlyArray<Store> | undefined
}

/** Makes the command that publishes vectors of memories, unless a memory's text changed after it was embedded. */
export const embedMemories = (model: IndexModel, embedded: ReadonlyArray<MemoryVector>): Command<number, never> =>
  embedCommand(
    model,
    embedded.map(({ digest, vector }) => [digest, vector]),
    ({ db }) => ({
      entries: embedded.flatMap((entry) => {
        const memory = findEmbedded(db, entry)
        // A memory that moved to a store of another embedder does not belong in this index.
        return memory === undefined || model.stores?.includes(memory.store) === false
          ? []
          : [{ memory: entry.id, born: memory.born, store: memory.store, digest: entry.digest }]
      })
    })
  )

/**
 * Makes the command that publishes vectors of memories that earlier commands of the same transaction add. `vectors`
 * maps the digest of a text to its vector, `digests` maps a text to its digest.
 */
export const embedAdded = (
  model: IndexModel,
  vectors: ReadonlyMap<string, Float32Array>,
  digests: ReadonlyMap<string, string>
): Command<number, never> =>
  embedCommand(model, [...vectors], ({ decided }) => {
    const added = new Set<number>()
    // A later command of the same transaction may retire, move or rewrite an added memory.
    const latest = new Map<number, Memory>()
    for (const event of decided) {
      if (event.type === "ADD") added.add(event.payload.memory.born)
      if (event.type === "DELETE" && event.payload.replacement !== undefined) added.add(event.payload.replacement.born)
      for (const image of afterImages(event)) latest.set(image.born, image)
    }
    const entries = [...added].flatMap((born) => {
      const memory = latest.get(born)
      if (memory?.status !== "active") return []
      const digest = digests.get(embeddingText(memory))
      return digest !== undefined && vectors.has(digest)
        ? [{ memory: memory.id, born, store: memory.store, digest }]
        : []
    })
    return { entries }
  })

/** Makes the command that publishes vectors of chunks that still exist with the embedded text. */
export const embedChunks = (model: IndexModel, embedded: ReadonlyArray<ChunkVector>): Command<number, never> =>
  embedCommand(
    model,
    embedded.map(({ digest, vector }) => [digest, vector]),
    ({ db }) => ({
      entries: [],
      chunks: embedded.flatMap(({ born, digest }) => {
        const chunk = findChunkToEmbed(db, born)
        // An erasure may have changed the text around the chunk.
        const isEmbedded = chunk !== undefined && textDigest(chunkEmbeddingText(chunk)) === digest
        return !isEmbedded ? [] : [{ turn: chunk.id, born, store: chunk.store, digest }]
      })
    })
  )

const embedCommand = (
  { isSubstitute, dimensions, model, mainModel }: IndexModel,
  vectors: ReadonlyArray<readonly [string, Float32Array]>,
  select: (situation: Situation) => Pick<Payload<"EMBED">, "entries" | "chunks">
): Command<number, never> => ({
  actor: "embedder",
  request: () => "",
  vectors: vectors.map(([digest, vector]) => ({ model, dimensions, digest, vector })),
  decide: (situation) => {
    // Late vectors must not recreate an index that was dropped or abandoned in the meantime.
    if (!isModelNeeded(situation.db, mainModel ?? { model, dimensions })) return Either.right({ answer: 0 })
    const { chunks = [], entries } = select(situation)
    if (entries.length + chunks.length === 0) return Either.right({ answer: 0 })
    const payload = {
      model,
      dimensions,
      entries,
      ...(chunks.length === 0 ? {} : { chunks, cutting: chunkingVersion }),
      ...(isSubstitute === true ? { apart: isSubstitute } : {})
    }
    return Either.right({ events: [{ type: "EMBED", payload }] })
  },
  answer: ([event]) =>
    event?.type === "EMBED" ? event.payload.entries.length + (event.payload.chunks ?? []).length : 0
})

/** The memory, if it is active and its text is the embedded one. */
const findEmbedded = (db: Db, { digest, id }: MemoryVector) => {
  const memory = findById(db, id)
  return memory?.status === "active" && textDigest(embeddingText(memory)) === digest ? memory : undefined
}

/** An embedder with its ranking parameters, and the local embedder for stores withheld from it. */
type Figures = Pick<EmbedderService, "model" | "dimensions" | "weight" | "floor" | "substitute">

type SwitchRefusal = ProjectionParked | NoSuchIndex

/**
 * Makes the command that starts a candidate index. Returns true if it wrote the event; false if the log already says
 * the same, or if another process made the embedder active.
 */
export const prepareEmbedder = (actor: string, embedder: Figures, adopt: boolean): Command<boolean, SwitchRefusal> =>
  embedderCommand(actor, embedder, ({ db }) => {
    const active = findActiveEmbedder(db)
    const candidate = findPreparingEmbedder(db)
    const isCandidate =
      candidate !== undefined &&
      sameModel(candidate, embedder) &&
      candidate.adopt === adopt &&
      matchesRecord(candidate, embedder)
    const unchanged = isCandidate || (active !== undefined && sameModel(active, embedder))
    return Either.right(unchanged ? null : { ...factFieldsOf(embedder), state: "preparing", adopt })
  })

/**
 * Makes the command that activates an embedder if `isComplete` accepts its index. Returns true if it wrote the event.
 */
export const activateEmbedder = (
  actor: string,
  embedder: Figures,
  isComplete: (db: Db) => boolean
): Command<boolean, SwitchRefusal> =>
  embedderCommand(actor, embedder, ({ db }) => {
    const active = findActiveEmbedder(db)
    const unchanged = active?.state === "inForce" && sameModel(active, embedder) && matchesRecord(active, embedder)
    return Either.right(unchanged || !isComplete(db) ? null : { ...factFieldsOf(embedder), state: "inForce" })
  })

/** Makes the command that drops an index. It refuses to drop the active index. */
export const dropEmbedder = (actor: string, index: ModelName): Command<boolean, SwitchRefusal> =>
  embedderCommand(actor, index, ({ db }) => {
    const active = findActiveEmbedder(db)
    const { dimensions, model } = index
    if (active !== undefined && sameModel(active, index)) {
      const problem = `cannot drop ${model}, because it is the active embedder: switch to another embedder first`
      return Either.left(new NoSuchIndex({ problem }))
    }
    const candidate = findPreparingEmbedder(db)
    const exists =
      memoryVectorIndex.setNumber(db, model, dimensions) + chunkVectorIndex.setNumber(db, model, dimensions) > 0 ||
      (candidate !== undefined && sameModel(candidate, index))
    if (!exists)
      return Either.left(
        new NoSuchIndex({
          problem: `there is no index of ${model} with ${dimensions} dimensions: run 'daybook embed status' to list the indexes`
        })
      )
    return Either.right({ model, dimensions, weight: 0, floor: 0, state: "dropped" })
  })

const embedderCommand = (
  actor: string,
  { dimensions, model }: ModelName,
  decide: (situation: Situation) => Either.Either<Payload<"EMBEDDER"> | null, SwitchRefusal>
): Command<boolean, SwitchRefusal> => ({
  actor,
  request: () => JSON.stringify([model, dimensions]),
  decide: (situation) =>
    Either.flatMap(requireUnparked(situation.db, "embedders"), () =>
      Either.map(decide(situation), (payload) =>
        payload === null ? { answer: false } : { events: [{ type: "EMBEDDER", payload }] as const }
      )
    ),
  answer: () => true
})

const factFieldsOf = ({ substitute, ...embedder }: Figures) => ({
  ...embedderParameters(embedder),
  ...(substitute === undefined ? {} : { apart: withheldRecordOf(substitute) })
})

import * as Either from "effect/Either"
import { imagesOf, type Payload } from "../../events/catalogue.js"
import { embeddingText, type Memory } from "../../events/Memory.js"
import type { Store } from "../../events/Trust.js"
import { findChunk } from "../../projections/chunkVectors.js"
import { isWanted, type ModelName } from "../../projections/embedders.js"
import { findActiveAt, findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { textDigest } from "../../projections/vectors.js"
import { cutting } from "../../text/normalise/chunks.js"
import type { Command, Situation } from "../actor/Command.js"

/** A text that now has a vector, and the memory that it belongs to, at the revision in which it was read. */
export interface Embedded {
  readonly id: string
  readonly revision: number
  readonly digest: string
  readonly vector: Float32Array
}

/** Whose vectors, and of which stores: all where absent; `apart` where it stands in for another, `of`, there. */
interface Model extends ModelName {
  readonly apart?: boolean | undefined
  readonly of?: ModelName | undefined
  readonly stores?: ReadonlyArray<Store> | undefined
}

/** Makes the command by which vectors become visible: for memories that still say what was embedded. */
export const embed = (model: Model, embedded: ReadonlyArray<Embedded>): Command<number, never> =>
  embedding(
    model,
    embedded.map(({ digest, vector }) => [digest, vector]),
    ({ db }) =>
      embedded.flatMap((one) => {
        const memory = findActiveAt(db, one.id, one.revision) ?? changedButSaysTheSame(db, one)
        // What went to a store of another embedder meanwhile has no place in this index.
        return memory === undefined || model.stores?.includes(memory.store) === false
          ? []
          : [{ memory: one.id, born: memory.born, store: memory.store, digest: one.digest }]
      })
  )

/** The same, for the memories that the commands before it in the same transaction add. Vectors by the digest of their text, digests by text. */
export const embedBeside = (
  model: Model,
  vectors: ReadonlyMap<string, Float32Array>,
  digests: ReadonlyMap<string, string>
): Command<number, never> =>
  embedding(model, [...vectors], ({ decided }) => {
    const added = new Set<number>()
    // What came behind it in the same transaction may have retired, moved or rewritten it.
    const last = new Map<number, Memory>()
    for (const event of decided) {
      if (event.type === "ADD") added.add(event.payload.memory.born)
      if (event.type === "DELETE" && event.payload.replacement !== undefined) added.add(event.payload.replacement.born)
      for (const image of imagesOf(event)) last.set(image.born, image)
    }
    return [...added].flatMap((born) => {
      const memory = last.get(born)
      if (memory?.status !== "active") return []
      const digest = digests.get(embeddingText(memory))
      return digest !== undefined && vectors.has(digest)
        ? [{ memory: memory.id, born, store: memory.store, digest }]
        : []
    })
  })

/** The same, for chunks of turns that were not forgotten meanwhile. */
export const embedChunks = (
  model: Model,
  embedded: ReadonlyArray<{ readonly born: number; readonly digest: string; readonly vector: Float32Array }>
): Command<number, never> =>
  embedding(
    model,
    embedded.map(({ digest, vector }) => [digest, vector]),
    () => [],
    ({ db }) =>
      embedded.flatMap(({ born, digest }) => {
        const chunk = findChunk(db, born)
        return chunk === undefined ? [] : [{ turn: chunk.id, born, store: chunk.store, digest }]
      })
  )

type Embed = Payload<"EMBED">

const embedding = (
  { apart, dimensions, model, of }: Model,
  vectors: ReadonlyArray<readonly [string, Float32Array]>,
  entriesIn: (situation: Situation) => Embed["entries"],
  chunksIn: (situation: Situation) => NonNullable<Embed["chunks"]> = () => []
): Command<number, never> => ({
  actor: "embedder",
  request: () => "",
  vectors: vectors.map(([digest, vector]) => ({ model, dimensions, digest, vector })),
  decide: (situation) => {
    // What was dropped or left while its vectors were made does not come back by them.
    if (!isWanted(situation.db, of ?? { model, dimensions })) return Either.right({ answer: 0 })
    const [entries, chunks] = [entriesIn(situation), chunksIn(situation)]
    if (entries.length + chunks.length === 0) return Either.right({ answer: 0 })
    const payload = {
      model,
      dimensions,
      entries,
      ...(chunks.length === 0 ? {} : { chunks, cutting }),
      ...(apart === true ? { apart } : {})
    }
    return Either.right({ events: [{ type: "EMBED", payload }] })
  },
  answer: ([event]) =>
    event?.type === "EMBED" ? event.payload.entries.length + (event.payload.chunks ?? []).length : 0
})

/** Another mention or another store, say, leaves the text as it was. */
const changedButSaysTheSame = (db: Db, { digest, id }: Embedded) => {
  const memory = findById(db, id)
  return memory?.status === "active" && textDigest(embeddingText(memory)) === digest ? memory : undefined
}

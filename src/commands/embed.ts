import * as Either from "effect/Either"
import { embeddingText } from "../../events/Memory.js"
import { findById } from "../../projections/observations.js"
import { textDigest } from "../../projections/vectors.js"
import type { Command } from "./Command.js"

/** A text that now has a vector, and the memory that it belongs to. */
export interface Embedded {
  readonly id: string
  readonly digest: string
  readonly vector: Float32Array
}

/** Makes the command by which vectors become visible: for memories that still say what was embedded. */
export const embed = (
  model: string,
  dimensions: number,
  embedded: ReadonlyArray<Embedded>
): Command<number, never> => ({
  actor: "embedder",
  request: () => "",
  vectors: embedded.map(({ digest, vector }) => ({ model, dimensions, digest, vector })),
  decide: ({ db }) => {
    const entries = embedded.flatMap(({ digest, id }) => {
      const memory = findById(db, id)
      return memory?.status === "active" && textDigest(embeddingText(memory)) === digest
        ? [{ memory: id, born: memory.born, store: memory.store, digest }]
        : []
    })
    return Either.right(
      entries.length === 0 ? { answer: 0 } : { events: [{ type: "EMBED", payload: { model, dimensions, entries } }] }
    )
  },
  answer: ([event]) => (event?.type === "EMBED" ? event.payload.entries.length : 0)
})

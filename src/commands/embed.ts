import * as Either from "effect/Either"
import { embeddingText } from "../../events/Memory.js"
import { findActiveAt, findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { textDigest } from "../../projections/vectors.js"
import type { Command } from "./Command.js"

/** A text that now has a vector, and the memory that it belongs to, at the revision in which it was read. */
export interface Embedded {
  readonly id: string
  readonly revision: number
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
    const entries = embedded.flatMap((one) => {
      const memory = findActiveAt(db, one.id, one.revision) ?? changedButSaysTheSame(db, one)
      return memory === undefined
        ? []
        : [{ memory: one.id, born: memory.born, store: memory.store, digest: one.digest }]
    })
    return Either.right(
      entries.length === 0 ? { answer: 0 } : { events: [{ type: "EMBED", payload: { model, dimensions, entries } }] }
    )
  },
  answer: ([event]) => (event?.type === "EMBED" ? event.payload.entries.length : 0)
})

/** Another mention or another store, say, leaves the text as it was. */
const changedButSaysTheSame = (db: Db, { digest, id }: Embedded) => {
  const memory = findById(db, id)
  return memory?.status === "active" && textDigest(embeddingText(memory)) === digest ? memory : undefined
}

import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { atOnce } from "./atOnce.js"

import { type Embedder, EmbedderError } from "./Embedder.js"

import { unitVector } from "./unitVector.js"

/**
 * Asks the embedder and checks what it says: in time, one vector a text, of its
 * own dimensions, finite. A vector without direction (all zero) is as good as none.
 */
export const embedAll = (
  embedder: Context.Tag.Service<Embedder>,
  texts: ReadonlyArray<string>,
  purpose: "document" | "query",
  timeout: number
): Effect.Effect<ReadonlyArray<Float32Array | undefined>, EmbedderError> => {
  const { dimensions, model } = embedder
  const inTime = (rest: Effect.Effect<ReadonlyArray<Float32Array>, EmbedderError>) =>
    rest.pipe(
      // An embedder that cannot be interrupted keeps nobody waiting.
      Effect.disconnect,
      Effect.timeoutFail({
        duration: Duration.millis(timeout),
        onTimeout: () => new EmbedderError({ model, reason: "timeout" })
      })
    )
  const asked = Effect.suspend(() => embedder.embed(texts, purpose))
  return (embedder.cheap === true ? atOnce(asked, inTime) : inTime(asked)).pipe(
    Effect.catchAllDefect(() => Effect.fail(new EmbedderError({ model, reason: "failed" }))),
    Effect.flatMap((vectors) => {
      const fail = (reason: "count" | "dimensions" | "values") => Effect.fail(new EmbedderError({ model, reason }))
      if (!Array.isArray(vectors) || vectors.length !== texts.length) return fail("count")
      if (vectors.some((vector) => vector?.length !== dimensions)) return fail("dimensions")
      // Copies, in one piece of memory: what the embedder gave may be its own.
      const copies = new Float32Array(vectors.length * dimensions)
      const unit = vectors.map((vector, index) => {
        const copy = copies.subarray(index * dimensions, (index + 1) * dimensions)
        copy.set(vector)
        return unitVector(copy)
      })
      return unit.includes(null) ? fail("values") : Effect.succeed(unit as ReadonlyArray<Float32Array | undefined>)
    })
  )
}

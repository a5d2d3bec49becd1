import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as MetricLabel from "effect/MetricLabel"
import { traceEvent } from "../../events/tracing.js"
import { type Embedder, EmbedderError } from "./Embedder.js"
import { embeddedTexts, embedMillis, failedEmbeddings } from "./embedMetrics.js"
import { runInOwnFiber } from "./runInOwnFiber.js"
import { normalizeVector } from "./unitVector.js"

/**
 * Embeds texts within a time limit and checks the result: one vector per text, with the embedder's dimensions and
 * finite values. A zero vector counts as missing.
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
      // The caller does not wait for an embedder that ignores interruption.
      Effect.disconnect,
      Effect.timeoutFail({
        duration: Duration.millis(timeout),
        onTimeout: () => new EmbedderError({ model, reason: "timeout" })
      })
    )
  let start = 0
  const request = Effect.suspend(() => {
    start = performance.now()
    return embedder.embed(texts, purpose)
  })
  const reported = (outcome: string) =>
    traceEvent("embedding.request", () => ({
      model,
      dimensions,
      purpose,
      outcome,
      texts: texts.length,
      characters: texts.reduce((sum, text) => sum + text.length, 0),
      millis: Math.round(performance.now() - start)
    }))
  const tags = [MetricLabel.make("model", model), MetricLabel.make("purpose", purpose)]
  return (embedder.skipsCache === true ? runInOwnFiber(request, inTime) : inTime(request)).pipe(
    Effect.catchAllDefect(() => Effect.fail(new EmbedderError({ model, reason: "failed" }))),
    Effect.flatMap((vectors) => {
      const fail = (reason: "count" | "dimensions" | "values") => Effect.fail(new EmbedderError({ model, reason }))
      if (!Array.isArray(vectors) || vectors.length !== texts.length) return fail("count")
      if (vectors.some((vector) => vector?.length !== dimensions)) return fail("dimensions")
      // Copies the vectors, because the embedder may reuse its arrays. One allocation is enough for all copies.
      const copies = new Float32Array(vectors.length * dimensions)
      const unitVectors = vectors.map((vector, index) => {
        const copy = copies.subarray(index * dimensions, (index + 1) * dimensions)
        copy.set(vector)
        return normalizeVector(copy)
      })
      return unitVectors.includes(null)
        ? fail("values")
        : Effect.succeed(unitVectors as ReadonlyArray<Float32Array | undefined>)
    }),
    Effect.tapBoth({
      onFailure: ({ reason }) => {
        failedEmbeddings.unsafeUpdate(1, [tags[0]!, MetricLabel.make("reason", reason)])
        return reported(reason)
      },
      onSuccess: () => {
        embeddedTexts.unsafeUpdate(texts.length, tags)
        embedMillis.unsafeUpdate(performance.now() - start, tags)
        return reported("ok")
      }
    })
  )
}

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { yieldIfDue } from "../../events/turns.js"
import { textDigest } from "../../projections/vectors.js"
import type { AnyCommand } from "../actor/Command.js"
import { splitArray } from "../model/chunksOf.js"
import type { EmbedderService } from "../ports/Embedder.js"
import { type DigestedTexts, embedBatch } from "./batchEmbedder.js"
import { embedAdded } from "./commands.js"

/** From this number of memories on, embedding in the same transaction costs less than in a later one. */
export const minInlineBatch = 32

/**
 * Makes the command that embeds the memories that `commands` will add, in the same transaction. The write waits at most
 * `waitMillis` for the vectors. The background embeds the rest.
 */
export const embedInline = (
  embedder: EmbedderService,
  commands: ReadonlyArray<AnyCommand>,
  waitMillis: number
): Effect.Effect<ReadonlyArray<AnyCommand>> =>
  Effect.suspend(() => {
    const digests = new Map<string, string>()
    for (const command of commands) {
      const text = command.text?.()
      if (text !== undefined && !digests.has(text)) digests.set(text, textDigest(text))
    }
    const texts = [...digests].map(([text, digest]) => [digest, text] as const)
    const { dimensions, model } = embedder
    return texts.length < minInlineBatch
      ? Effect.succeed([])
      : Effect.map(embedUntil(embedder, texts, waitMillis), (vectors) =>
          vectors.size === 0 ? [] : [embedAdded({ model, dimensions }, vectors, digests)]
        )
  })

/** Returns the vectors that the embedder makes within `waitMillis`, by digest. */
const embedUntil = Effect.fnUntraced(function* (
  embedder: EmbedderService,
  texts: DigestedTexts,
  waitMillis: number
): Effect.fn.Return<ReadonlyMap<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>()
  const deadline = (yield* Clock.currentTimeMillis) + waitMillis
  for (const batch of splitArray(texts, embedder.batch)) {
    const remainingMillis = deadline - (yield* Clock.currentTimeMillis)
    if (remainingMillis <= 0) break
    // The write is uninterruptible, so a time-out could not end a request in the write's own fiber.
    const fiber = yield* Effect.forkDaemon(
      Effect.interruptible(Effect.option(embedBatch(embedder, batch, remainingMillis)))
    )
    const result = yield* Fiber.join(fiber)
    if (Option.isNone(result)) break
    for (const [digest, vector] of result.value) vectors.set(digest, vector)
    yield* yieldIfDue
  }
  return vectors
})

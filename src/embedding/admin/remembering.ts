import * as Effect from "effect/Effect"
import type { EmbedderService } from "../../ports/Embedder.js"

/** The same embedder, but that it is asked once for each text. It forgets nothing: for as long as a measurement takes. */
export const remembering = (embedder: EmbedderService): EmbedderService => {
  const known = new Map<string, Float32Array>()
  return {
    ...embedder,
    ...(embedder.apart === undefined
      ? {}
      : { apart: { ...embedder.apart, embedder: remembering(embedder.apart.embedder) } }),
    embed: (texts, purpose) => {
      const key = (text: string) => `${purpose} ${text}`
      const missing = [...new Set(texts.filter((text) => !known.has(key(text))))]
      const made = missing.length === 0 ? Effect.succeed([]) : embedder.embed(missing, purpose)
      return Effect.map(made, (vectors) => {
        for (const [at, text] of missing.entries()) if (vectors[at] !== undefined) known.set(key(text), vectors[at])
        return texts.flatMap((text) => known.get(key(text)) ?? [])
      })
    }
  }
}

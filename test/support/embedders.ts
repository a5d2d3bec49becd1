import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hashVector } from "../../layers/HashEmbedder.js"
import { Embedder, type EmbedderService } from "../../src/ports/Embedder.js"
import { Embedders, UnknownEmbedder } from "../../src/ports/Embedders.js"

/** An embedder that is told apart by what it makes of a text, with all that it was asked for. */
export interface Scripted {
  readonly service: EmbedderService
  /** The documents of each request, in order. */
  readonly asked: Array<ReadonlyArray<string>>
  /** Done before each answer to documents. */
  before: Effect.Effect<void, never>
  embed: EmbedderService["embed"]
}

/** Features of a text, turned by a number: vectors of two of these have nothing in common. */
export const turned = (text: string, by: number, dimensions: number): Float32Array => {
  const whole = hashVector(text)
  const vector = new Float32Array(dimensions)
  for (const [at, value] of whole.entries())
    vector[(at * 7 + by * 31) % dimensions]! += at % (by + 2) === 0 ? -value : value
  if (vector.every((value) => value === 0)) vector[by % dimensions] = 1
  return vector
}

export const scripted = (
  model: string,
  by: number,
  dimensions: number,
  options: Partial<EmbedderService> = {}
): Scripted => {
  const asked: Array<ReadonlyArray<string>> = []
  const one: Scripted = {
    asked,
    before: Effect.void,
    embed: (texts) => Effect.sync(() => texts.map((text) => turned(text, by, dimensions))),
    service: {
      model,
      dimensions,
      weight: 0.5,
      floor: 0.2,
      batch: 8,
      ...options,
      embed: (texts, purpose) => {
        if (purpose === "query") return one.embed(texts, purpose)
        asked.push(texts)
        return Effect.zipRight(
          Effect.suspend(() => one.before),
          one.embed(texts, purpose)
        )
      }
    }
  }
  return one
}

/** The first as the one that a program is configured with, all of them by the names of their models. */
export const known = (...all: ReadonlyArray<Scripted>) => ({
  embedder: Layer.succeed(Embedder, all[0]!.service),
  embedders: Layer.succeed(Embedders, {
    named: (name, dimensions) => {
      const found = all.find(
        ({ service }) => service.model === name && (dimensions ?? service.dimensions) === service.dimensions
      )
      return found === undefined
        ? Effect.fail(new UnknownEmbedder({ name, problem: "there is none of this name" }))
        : Effect.succeed(found.service)
    }
  })
})

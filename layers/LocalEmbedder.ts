import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Embedder } from "../src/Embedder.js"
import { UnknownEmbedder } from "../src/errors.js"

/** A model from a folder or a hub. */
export const localEmbedder = (
  model: string,
  _dimensions?: number
): Effect.Effect<Context.Tag.Service<Embedder>, UnknownEmbedder> =>
  Effect.fail(new UnknownEmbedder({ name: `local/${model}`, problem: "this build runs no models of its own" }))

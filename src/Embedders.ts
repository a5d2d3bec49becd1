import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Embedder } from "./Embedder.js"
import type { UnknownEmbedder } from "./errors.js"

/** Embedders by name: what a switch, a past version and the configuration name. */
export class Embedders extends Context.Tag("daybook/Embedders")<
  Embedders,
  {
    readonly named: (name: string, dimensions?: number) => Effect.Effect<Context.Tag.Service<Embedder>, UnknownEmbedder>
  }
>() {}

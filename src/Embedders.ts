import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Embedder } from "./Embedder.js"
import type { UnknownEmbedder } from "./errors.js"

/**
 * Embedders by name: what a switch names, and what the log names of the past. The `model` and the dimensions that one
 * of them states name it again.
 */
export class Embedders extends Context.Tag("daybook/Embedders")<
  Embedders,
  {
    /** Asks nobody: only what is needed to ask may be looked for. Dimensions are the model's own where absent. */
    readonly named: (name: string, dimensions?: number) => Effect.Effect<Context.Tag.Service<Embedder>, UnknownEmbedder>
  }
>() {}

import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EmbedderService } from "./Embedder.js"
import type { EmbedderUnavailable, UnknownEmbedder } from "../model/errors.js"

/** Why there is no embedder for a name: there can be none, or not here and now. */
export type NoEmbedder = UnknownEmbedder | EmbedderUnavailable

/** Embedders by name: what a switch, a past version and the configuration name. */
export class Embedders extends Context.Tag("daybook/Embedders")<
  Embedders,
  {
    readonly named: (name: string, dimensions?: number) => Effect.Effect<EmbedderService, NoEmbedder>
  }
>() {}

import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { EmbedderService } from "./Embedder.js"

/** No embedder can ever be had by this name, or with these dimensions: one line that says which there are. */
export class UnknownEmbedder extends Schema.TaggedError<UnknownEmbedder>()("UnknownEmbedder", {
  name: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `no embedder ${this.name}: ${this.problem}`
  }
}

/** An embedder that is known and cannot be asked from here, for want of a key or a file, say: one line that says what. */
export class EmbedderUnavailable extends Schema.TaggedError<EmbedderUnavailable>()("EmbedderUnavailable", {
  name: Schema.String,
  problem: Schema.String
}) {
  /** The one of the stores that it is not to see, which can be had all the same. */
  declare readonly apart?: EmbedderService["apart"]

  /** The same error, with that one. */
  static besides(name: string, problem: string, apart: EmbedderService["apart"]): EmbedderUnavailable {
    return Object.defineProperty(new EmbedderUnavailable({ name, problem }), "apart", {
      value: apart,
      enumerable: false
    })
  }

  override get message() {
    return `embedder ${this.name} cannot be asked: ${this.problem}`
  }
}

/** Why there is no embedder for a name: there can be none, or not here and now. */
export type NoEmbedder = UnknownEmbedder | EmbedderUnavailable

/** Embedders by name: what a switch, a past version and the configuration name. */
export class Embedders extends Context.Tag("daybook/Embedders")<
  Embedders,
  {
    readonly named: (name: string, dimensions?: number) => Effect.Effect<EmbedderService, NoEmbedder>
  }
>() {}

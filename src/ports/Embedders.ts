import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { EmbedderService } from "./Embedder.js"

/**
 * No embedder has this name, or the named one does not have these dimensions. `problem` is one line that lists the
 * choices.
 */
export class UnknownEmbedder extends Schema.TaggedError<UnknownEmbedder>()("UnknownEmbedder", {
  name: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `unknown embedder ${this.name}: ${this.problem}`
  }
}

/**
 * A known embedder that this process cannot use, for example without its key or file. `problem` is one line that says
 * why.
 */
export class EmbedderUnavailable extends Schema.TaggedError<EmbedderUnavailable>()("EmbedderUnavailable", {
  name: Schema.String,
  problem: Schema.String
}) {
  /** The embedder for the withheld stores, which is still available. */
  declare readonly substitute?: EmbedderService["substitute"]

  /** Makes the error with the embedder for the withheld stores. */
  static withSubstitute(name: string, problem: string, substitute: EmbedderService["substitute"]): EmbedderUnavailable {
    return Object.defineProperty(new EmbedderUnavailable({ name, problem }), "substitute", {
      value: substitute,
      enumerable: false
    })
  }

  override get message() {
    return `cannot use embedder ${this.name}: ${this.problem}`
  }
}

/** The errors of an embedder lookup: no such embedder, or this process cannot use the embedder. */
export type EmbedderLookupError = UnknownEmbedder | EmbedderUnavailable

/** The functions of an `Embedders`. */
export interface EmbeddersService {
  readonly named: (name: string, dimensions?: number) => Effect.Effect<EmbedderService, EmbedderLookupError>
}

/** Looks up embedders by name. Used to switch embedders, to read a past version, and to read the configuration. */
export class Embedders extends Context.Tag("daybook/Embedders")<Embedders, EmbeddersService | null>() {
  /** No lookup by name: an agent keeps its current embedder. */
  static readonly layerNone: Layer.Layer<Embedders> = Layer.succeed(this, null)
}

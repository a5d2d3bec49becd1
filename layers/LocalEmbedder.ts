import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Embedder, EmbedderError } from "../src/ports/Embedder.js"
import type { EmbedderLookupError } from "../src/ports/Embedders.js"
import { EmbedderUnavailable, UnknownEmbedder } from "../src/ports/Embedders.js"
import { localModelPrefix, locateModel, ModelProblem, readHubSettings } from "./local/localModel.js"
import { libraryPath, notInstalledProblem, startEncoder } from "./local/worker.js"

type Service = Context.Tag.Service<Embedder>

/** Maximum texts per request. Texts are encoded one by one; an abort takes effect after the current text. */
const batch = 32

/** One service per model and process, so that the weights are in memory only once. */
const services = new Map<string, Service>()

/**
 * An encoder that runs in this process, from ONNX files. The name is a folder (`/models/e5-small-v2`, `./here`,
 * `~/there`) or a hub's model (`Xenova/bge-small-en-v1.5`), with or without the prefix `local/`. Needs the optional
 * package `@huggingface/transformers`.
 *
 * A folder needs no network. A hub's model is downloaded into `$DAYBOOK_MODELS` when the first text is embedded, and
 * read from there afterwards. Texts never leave the process.
 *
 * Prefixes, pooling and length come from the model's own files or from its family: see `local/families.ts`. These
 * settings and a folder's weights are part of the service's `model` name, so incomparable vectors are never compared.
 */
export const localEmbedder = (name: string, dimensions?: number): Effect.Effect<Service, EmbedderLookupError> =>
  Effect.flatMap(readHubSettings, (hub): Effect.Effect<Service, EmbedderLookupError> => {
    const libraryUrl = libraryPath()
    const model = locateModel(name, dimensions, hub)
    const full = name.startsWith(localModelPrefix) ? name : `${localModelPrefix}${name}`
    if (model instanceof ModelProblem) {
      const { kind, problem } = model
      return kind === "name"
        ? new UnknownEmbedder({ name: full, problem })
        : new EmbedderUnavailable({ name: full, problem })
    }
    if (libraryUrl === undefined) return new EmbedderUnavailable({ name: full, problem: notInstalledProblem })
    const key = JSON.stringify([model.model, model.dimensions, model.hub])
    const service = services.get(key) ?? serviceOf(model, libraryUrl)
    services.set(key, service)
    return Effect.succeed(service)
  })

const serviceOf = (located: Exclude<ReturnType<typeof locateModel>, ModelProblem>, libraryUrl: string): Service => {
  const encoder = startEncoder(located, libraryUrl)
  const { model, recipe } = located
  return {
    model,
    dimensions: located.dimensions,
    weight: recipe.weight,
    floor: recipe.floor,
    local: true,
    batch,
    embed: (texts, purpose) =>
      Effect.tryPromise({
        try: (signal) =>
          encoder.encode(
            texts.map((text) => recipe[purpose] + text),
            signal
          ),
        catch: (step) =>
          new EmbedderError({
            model,
            reason: "failed",
            ...(step === "load" ? { kind: located.hub === null ? "settings" : "connection" } : {}),
            detail:
              step === "load"
                ? located.hub === null
                  ? "the model cannot be loaded: check its files"
                  : "the model cannot be downloaded or loaded: check its name and the connection"
                : "the model returned no vector"
          })
      })
  }
}

/** A local embedder as a layer. */
export const layer = (name: string, dimensions?: number): Layer.Layer<Embedder, EmbedderLookupError> =>
  Layer.effect(Embedder, localEmbedder(name, dimensions))

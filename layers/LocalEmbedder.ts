import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Embedder, EmbedderError } from "../src/ports/Embedder.js"
import type { NoEmbedder } from "../src/ports/Embedders.js"
import { EmbedderUnavailable, UnknownEmbedder } from "../src/ports/Embedders.js"
import { Problem, placeOf, prefix } from "./local/place.js"
import { encoderOf, libraryPath, notInstalled } from "./local/worker.js"

type Service = Context.Tag.Service<Embedder>

/** Texts of one request: they are encoded one by one, and are given up between two of them. */
const batch = 32

/** One of each model in a process: its weights are in memory once. */
const known = new Map<string, Service>()

/**
 * An encoder that runs in this process, from ONNX files: `/models/e5-small-v2`,
 * `./here`, `~/there` or a hub's `Xenova/bge-small-en-v1.5`, each also with
 * `local/` before it. Needs the optional package `@huggingface/transformers`.
 *
 * A folder is read and never looked for in the network. A model of a hub is
 * downloaded with the first text, into `$DAYBOOK_MODELS`, and read from there
 * afterwards. Texts stay in the process either way.
 *
 * How it is used (prefixes, pooling, length) is what its own files say, or its
 * family's: see `local/families.ts`. All of it and the weights of a folder are in the
 * `model` that it states, so that vectors which cannot be compared never are.
 */
export const localEmbedder = (
  name: string,
  dimensions?: number,
  environment: NodeJS.ProcessEnv = process.env
): Effect.Effect<Service, NoEmbedder> =>
  Effect.suspend((): Effect.Effect<Service, NoEmbedder> => {
    const library = libraryPath()
    const place = placeOf(name, dimensions, environment)
    const full = name.startsWith(prefix) ? name : `${prefix}${name}`
    if (place instanceof Problem) {
      const { kind, problem } = place
      return kind === "name"
        ? new UnknownEmbedder({ name: full, problem })
        : new EmbedderUnavailable({ name: full, problem })
    }
    if (library === undefined) return new EmbedderUnavailable({ name: full, problem: notInstalled })
    const key = JSON.stringify([place.model, place.dimensions, place.hub])
    const made = known.get(key) ?? serviceOf(place, library)
    known.set(key, made)
    return Effect.succeed(made)
  })

const serviceOf = (place: Exclude<ReturnType<typeof placeOf>, Problem>, library: string): Service => {
  const encoder = encoderOf(place, library)
  const { model, recipe } = place
  return {
    model,
    dimensions: place.dimensions,
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
            ...(step === "load" ? { kind: place.hub === null ? "settings" : "connection" } : {}),
            detail:
              step === "load"
                ? place.hub === null
                  ? "it cannot be loaded"
                  : "it cannot be downloaded or loaded"
                : "it gave no vector"
          })
      })
  }
}

/** One of them as the layer of an engine. */
export const layer = (name: string, dimensions?: number): Layer.Layer<Embedder, NoEmbedder> =>
  Layer.effect(Embedder, localEmbedder(name, dimensions))

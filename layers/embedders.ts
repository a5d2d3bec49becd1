import type { ConfigProvider } from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InvalidPolicy } from "../src/model/errors.js"
import { Embedder, type EmbedderService } from "../src/ports/Embedder.js"
import { type EmbedderLookupError, Embedders, EmbedderUnavailable, UnknownEmbedder } from "../src/ports/Embedders.js"
import { defaults, type PolicyValues } from "../src/ports/Policy.js"
import type { ProviderName } from "./models/embedders/providerTable.js"
import * as staticLayers from "./staticEmbedders.js"

type Service = EmbedderService

/**
 * The embedder with a name: `words`, `hash`, a provider with or without a model (`openai`, `voyage/voyage-4`,
 * `openai-compatible/MODEL`, `ollama/MODEL`), `local/MODEL` for a folder, or an embedder's own `model` name. The same
 * name, dimensions and policy give the same embedder, so that all callers share its limits and its usage counts. The
 * embedder sends no request before it gets the first text.
 *
 * An embedder that sends texts to another machine never gets texts of the stores listed in `embedding.local`: see
 * `substitute`.
 */
export const embedderNamed = (
  name: string,
  dimensions?: number,
  policy: PolicyValues["embedding"] = defaults.embedding
): Effect.Effect<Service, EmbedderLookupError> =>
  Effect.flatMap(lookUpEmbedder(name, dimensions, policy), ({ embedder, missing }) =>
    missing === undefined
      ? Effect.succeed(embedder)
      : Effect.fail(EmbedderUnavailable.withSubstitute(name, missing, embedder.substitute))
  )

/** A layer that looks up embedders by name. */
export const policyEmbeddersLayer = ({ embedding: policy }: Pick<PolicyValues, "embedding">): Layer.Layer<Embedders> =>
  Layer.effect(
    Embedders,
    Effect.configProviderWith((settings) =>
      Effect.succeed({
        named: (name, dimensions) => Effect.withConfigProvider(embedderNamed(name, dimensions, policy), settings)
      })
    )
  )

/** The policy's embedder. Without its key, embedding fails, but writes and full-text searches continue. */
export const policyEmbedderLayer = ({
  embedding: policy
}: Pick<PolicyValues, "embedding">): Layer.Layer<Embedder, InvalidPolicy> =>
  Layer.effect(
    Embedder,
    lookUpEmbedder(policy.embedder, policy.dimensions, policy).pipe(
      Effect.tap(({ embedder: { model }, missing }) =>
        missing === undefined ? Effect.void : Effect.logWarning(`embedder ${model}: ${missing}`)
      ),
      Effect.mapBoth({
        onFailure: ({ message }) => new InvalidPolicy({ problems: [`embedding.embedder: ${message}`] }),
        onSuccess: ({ embedder }) => embedder
      })
    )
  )

interface BuiltEmbedder {
  readonly embedder: Service
  /** The problem, in one line, if the embedder's key is missing. */
  readonly missing?: string
}

const cache = new WeakMap<object, WeakMap<ConfigProvider, Map<string, BuiltEmbedder>>>()

/** The embedders created so far for a policy and its source of keys. */
const cacheOf = (policy: object, settings: ConfigProvider): Map<string, BuiltEmbedder> => {
  const bySettings = cache.get(policy) ?? new WeakMap<ConfigProvider, Map<string, BuiltEmbedder>>()
  cache.set(policy, bySettings)
  const byName = bySettings.get(settings) ?? new Map<string, BuiltEmbedder>()
  bySettings.set(settings, byName)
  return byName
}

/** The embedder with a name. If its key is missing, `missing` states the problem and every request fails. */
export const lookUpEmbedder = (
  name: string,
  dimensions: number | undefined,
  policy: PolicyValues["embedding"]
): Effect.Effect<BuiltEmbedder, EmbedderLookupError> =>
  Effect.configProviderWith((settings) => {
    const cached = cacheOf(policy, settings)
    const key = `${dimensions ?? ""} ${name}`
    const hit = cached.get(key)
    if (hit !== undefined) return Effect.succeed(hit)
    return Effect.map(build(name, dimensions, policy), (built) => {
      if (built.missing !== undefined) return built
      // Several names may mean the same embedder, or a concurrent call may have created the embedder.
      const modelKey = `${built.embedder.dimensions} ${built.embedder.model}`
      const shared = cached.get(modelKey) ?? built
      cached.set(modelKey, shared).set(key, shared)
      return shared
    })
  })

const build = Effect.fnUntraced(function* (
  name: string,
  dimensions: number | undefined,
  policy: PolicyValues["embedding"]
): Effect.fn.Return<BuiltEmbedder, EmbedderLookupError> {
  const unknownEmbedder = (problem: string) => new UnknownEmbedder({ name, problem })
  for (const [short, layer] of staticEmbedders) {
    const embedder = yield* serviceOf(layer)
    if (name !== short && name !== embedder.model) continue
    if (dimensions === undefined || dimensions === embedder.dimensions) return { embedder }
    return yield* unknownEmbedder(`supports ${embedder.dimensions} dimensions, not ${dimensions}`)
  }
  const [first, model] = split(name)
  if (first === "local") {
    if (model === undefined) return yield* unknownEmbedder("the folder of a model is required: write local/FOLDER")
    const { localEmbedder } = yield* Effect.promise(() => import("./LocalEmbedder.js"))
    return { embedder: yield* localEmbedder(model, dimensions) }
  }
  const provider = providerOf(first)
  if (provider === undefined) return yield* unknownEmbedder(`must be one of ${names.join(", ")}`)
  const { providerEmbedder } = yield* Effect.promise(() => import("./models/embedders/named.js"))
  const provided = yield* providerEmbedder(provider, { model, dimensions }, policy)
  if (!provided.isRemote || policy.local.length === 0) return provided
  // Texts of these stores stay on this machine: the word embedder embeds them.
  const substitute = { stores: policy.local, embedder: yield* serviceOf(staticLayers.layerWords) }
  return { ...provided, embedder: { ...provided.embedder, substitute } }
})

/** The embedders without a network, by their short names. */
const staticEmbedders: ReadonlyArray<readonly [string, Layer.Layer<Embedder>]> = Object.entries(staticLayers).map(
  ([name, layer]) => [name.slice("layer".length).toLowerCase(), layer]
)

/** Listed here, because the providers' table is loaded only if a policy names a provider. */
const providerNames: ReadonlyArray<ProviderName> = ["openai", "voyage", "cohere", "openai-compatible", "ollama"]
const names = [...staticEmbedders.map(([name]) => name), ...providerNames, "local"]

const providerOf = (name: string): ProviderName | undefined =>
  providerNames.find((provider) => provider === (name === "compatible" ? "openai-compatible" : name))

const split = (name: string): readonly [first: string, rest: string | undefined] => {
  const slash = name.indexOf("/")
  return slash < 0 ? [name, undefined] : [name.slice(0, slash), name.slice(slash + 1)]
}

const serviceOf = (layer: Layer.Layer<Embedder>): Effect.Effect<Service> =>
  Effect.scoped(Effect.map(Layer.build(layer), Context.get(Embedder)))

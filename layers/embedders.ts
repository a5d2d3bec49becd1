import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InvalidPolicy } from "../src/model/errors.js"
import { Embedder, type EmbedderService } from "../src/ports/Embedder.js"
import { Embedders, EmbedderUnavailable, type NoEmbedder, UnknownEmbedder } from "../src/ports/Embedders.js"
import { defaults, type PolicyValues } from "../src/ports/Policy.js"
import * as HashEmbedder from "./HashEmbedder.js"
import type { ProviderName } from "./models/embedders/table.js"
import * as WordEmbedder from "./WordEmbedder.js"

type Service = EmbedderService

export interface NamedOptions {
  readonly policy?: PolicyValues["embedding"]
  /** Where keys are. */
  readonly environment?: NodeJS.ProcessEnv
}

/**
 * The embedder with a name: `words`, `hash`, a provider with or without its model (`openai`, `voyage/voyage-4`,
 * `openai-compatible/MODEL`, `ollama/MODEL`), `local/MODEL` for one in a folder; or what an embedder calls its model.
 * The same name, dimensions and policy give the same embedder, so that its bounds and its usage count for all who ask.
 * Nothing is asked before the first text is embedded.
 *
 * Whatever sends texts away from this machine is kept from the stores that `embedding.local` names: see `apart`.
 */
export const embedderNamed = (
  name: string,
  dimensions?: number,
  { environment = process.env, policy = defaults.embedding }: NamedOptions = {}
): Effect.Effect<Service, NoEmbedder> =>
  Effect.flatMap(made(name, dimensions, policy, environment), ({ embedder, missing }) =>
    missing === undefined
      ? Effect.succeed(embedder)
      : Effect.fail(EmbedderUnavailable.besides(name, missing, embedder.apart))
  )

/** All of them as the port. */
export const embeddersOf = (
  { embedding: policy }: Pick<PolicyValues, "embedding">,
  environment: NodeJS.ProcessEnv = process.env
): Layer.Layer<Embedders> =>
  Layer.succeed(Embedders, {
    named: (name, dimensions) => embedderNamed(name, dimensions, { policy, environment })
  })

/** The one that a policy names. Where its key is missing, each text fails: writes and searches go on by words. */
export const embedderOf = (
  { embedding: policy }: Pick<PolicyValues, "embedding">,
  environment: NodeJS.ProcessEnv = process.env
): Layer.Layer<Embedder, InvalidPolicy> =>
  Layer.effect(
    Embedder,
    made(policy.embedder, policy.dimensions, policy, environment).pipe(
      Effect.tap(({ embedder: { model }, missing }) =>
        missing === undefined ? Effect.void : Effect.logWarning(`embedder ${model}: ${missing}`)
      ),
      Effect.mapBoth({
        onFailure: ({ message }) => new InvalidPolicy({ problems: [`embedding.embedder: ${message}`] }),
        onSuccess: ({ embedder }) => embedder
      })
    )
  )

/** An embedder, and why it cannot be asked now. */
interface Made {
  readonly embedder: Service
  readonly missing?: string
}

const cache = new WeakMap<object, WeakMap<object, Map<string, Made>>>()

const cacheOf = (policy: object, environment: object): Map<string, Made> => {
  const byEnvironment = cache.get(policy) ?? new WeakMap<object, Map<string, Made>>()
  cache.set(policy, byEnvironment)
  const byName = byEnvironment.get(environment) ?? new Map<string, Made>()
  byEnvironment.set(environment, byName)
  return byName
}

const made = (
  name: string,
  dimensions: number | undefined,
  policy: PolicyValues["embedding"],
  environment: NodeJS.ProcessEnv
): Effect.Effect<Made, NoEmbedder> =>
  Effect.suspend(() => {
    const known = cacheOf(policy, environment)
    const key = `${dimensions ?? ""} ${name}`
    const before = known.get(key)
    if (before !== undefined) return Effect.succeed(before)
    return Effect.map(make(name, dimensions, policy, environment), (fresh) => {
      if (fresh.missing !== undefined) return fresh
      // Several names may mean one embedder, and several may have asked for it meanwhile.
      const own = `${fresh.embedder.dimensions} ${fresh.embedder.model}`
      const one = known.get(own) ?? fresh
      known.set(own, one).set(key, one)
      return one
    })
  })

const make = (
  name: string,
  dimensions: number | undefined,
  policy: PolicyValues["embedding"],
  environment: NodeJS.ProcessEnv
): Effect.Effect<Made, NoEmbedder> =>
  Effect.gen(function* () {
    const refused = (problem: string) => new UnknownEmbedder({ name, problem })
    for (const [short, layer] of own) {
      const embedder = yield* serviceOf(layer)
      if (name !== short && name !== embedder.model) continue
      if (dimensions === undefined || dimensions === embedder.dimensions) return { embedder }
      return yield* refused(`has ${embedder.dimensions} dimensions, not ${dimensions}`)
    }
    const [first, model] = split(name)
    if (first === "local") {
      if (model === undefined) return yield* refused("which model is missing: local/FOLDER")
      const { localEmbedder } = yield* Effect.promise(() => import("./LocalEmbedder.js"))
      return { embedder: yield* localEmbedder(model, dimensions) }
    }
    const provider = providerOf(first)
    if (provider === undefined) return yield* refused(`must be one of ${names.join(", ")}`)
    const { providerEmbedder } = yield* Effect.promise(() => import("./models/embedders/named.js"))
    const provided = yield* providerEmbedder(provider, { model, dimensions }, policy, environment)
    if (!provided.distant || policy.local.length === 0) return provided
    const apart = { stores: policy.local, embedder: yield* serviceOf(WordEmbedder.layer) }
    return { ...provided, embedder: { ...provided.embedder, apart } }
  })

/** Those that need no network, by the names that they have beside those of their models. */
const own: ReadonlyArray<readonly [string, Layer.Layer<Embedder>]> = [
  ["words", WordEmbedder.layer],
  ["hash", HashEmbedder.layer]
]

/** By hand: what speaks to providers is loaded by those that name one. */
const providerNames: ReadonlyArray<ProviderName> = ["openai", "voyage", "cohere", "openai-compatible", "ollama"]
const names = ["words", "hash", ...providerNames, "local"]

const providerOf = (name: string): ProviderName | undefined =>
  providerNames.find((one) => one === (name === "compatible" ? "openai-compatible" : name))

const split = (name: string): readonly [first: string, rest: string | undefined] => {
  const at = name.indexOf("/")
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)]
}

const serviceOf = (layer: Layer.Layer<Embedder>): Effect.Effect<Service> =>
  Effect.scoped(Effect.map(Layer.build(layer), Context.get(Embedder)))

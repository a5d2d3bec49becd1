import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InvalidPolicy, UnknownReranker } from "../src/model/errors.js"
import type { PolicyValues } from "../src/ports/Policy.js"
import { Reranker } from "../src/ports/Reranker.js"
import * as LexicalReranker from "./LexicalReranker.js"
import type { RerankProviderName } from "./models/rerankers/named.js"

type Service = Context.Tag.Service<Reranker>
type Settings = Pick<PolicyValues, "embedding" | "rerank" | "search">

/**
 * The reranker with a name: `lexical`, a provider with or without its model (`cohere`, `voyage/rerank-2.5`, `jina`,
 * `endpoint/MODEL`), or what a reranker calls itself; null for `none`. Nothing is asked before the first search.
 */
export const rerankerNamed = (
  name: string,
  policy: Settings,
  environment: NodeJS.ProcessEnv = process.env
): Effect.Effect<Service | null, UnknownReranker> =>
  Effect.flatMap(made(name, policy, environment), ({ missing, reranker }) =>
    missing === undefined ? Effect.succeed(reranker) : Effect.fail(new UnknownReranker({ name, problem: missing }))
  )

/** The one that a policy names. Where its key is missing, searches keep their order and say why. */
export const rerankerOf = (
  policy: Settings,
  environment: NodeJS.ProcessEnv = process.env
): Layer.Layer<never, InvalidPolicy> =>
  Layer.unwrapEffect(
    Effect.mapBoth(made(policy.rerank.reranker, policy, environment), {
      onFailure: ({ message }) => new InvalidPolicy({ problems: [`rerank.reranker: ${message}`] }),
      onSuccess: ({ reranker }) => (reranker === null ? Layer.empty : Layer.succeed(Reranker, reranker))
    })
  )

const made = (
  name: string,
  policy: Settings,
  environment: NodeJS.ProcessEnv
): Effect.Effect<{ readonly reranker: Service | null; readonly missing?: string }, UnknownReranker> =>
  Effect.gen(function* () {
    if (name === "none") return { reranker: null }
    const lexical = yield* Effect.scoped(Effect.map(Layer.build(LexicalReranker.layer), Context.get(Reranker)))
    if (name === "lexical" || name === lexical.name) return { reranker: lexical }
    const at = name.indexOf("/")
    const first = at < 0 ? name : name.slice(0, at)
    const provider = providerNames.find((one) => one === first)
    if (provider === undefined) {
      const problem = `must be one of lexical, none, ${providerNames.join(", ")}`
      return yield* new UnknownReranker({ name, problem })
    }
    const { providerReranker } = yield* Effect.promise(() => import("./models/rerankers/named.js"))
    return yield* providerReranker(provider, at < 0 ? undefined : name.slice(at + 1), policy, environment)
  })

const providerNames: ReadonlyArray<RerankProviderName> = ["cohere", "voyage", "jina", "endpoint"]

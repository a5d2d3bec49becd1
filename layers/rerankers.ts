import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InvalidPolicy, type RerankerLookupError, RerankerUnavailable, UnknownReranker } from "../src/model/errors.js"
import type { PolicyValues } from "../src/ports/Policy.js"
import { Reranker, type RerankerService } from "../src/ports/Reranker.js"
import * as LexicalReranker from "./LexicalReranker.js"
import type { RerankProviderName } from "./models/rerankers/named.js"

type Service = RerankerService
type Settings = Pick<PolicyValues, "embedding" | "rerank" | "search">

/**
 * The reranker with a name: `lexical`, a provider with or without a model (`cohere`, `voyage/rerank-2.5`, `jina`,
 * `endpoint/MODEL`), or a reranker's own name; null for `none`. It sends no request before the first search.
 */
export const rerankerNamed = (name: string, policy: Settings): Effect.Effect<Service | null, RerankerLookupError> =>
  Effect.flatMap(lookUpReranker(name, policy), ({ missing, reranker }) =>
    missing === undefined ? Effect.succeed(reranker) : Effect.fail(new RerankerUnavailable({ name, problem: missing }))
  )

/** The policy's reranker. Without its key, search results keep their order and report the reason. */
export const policyRerankerLayer = (policy: Settings): Layer.Layer<Reranker, InvalidPolicy> =>
  Layer.unwrapEffect(
    Effect.mapBoth(lookUpReranker(policy.rerank.reranker, policy), {
      onFailure: ({ message }) => new InvalidPolicy({ problems: [`rerank.reranker: ${message}`] }),
      onSuccess: ({ reranker }) => Layer.succeed(Reranker, reranker)
    })
  )

/** The reranker with a name. If its key is missing, `missing` states the problem and every request fails. */
export const lookUpReranker = Effect.fnUntraced(function* (
  name: string,
  policy: Settings
): Effect.fn.Return<{ readonly reranker: Service | null; readonly missing?: string }, RerankerLookupError> {
  if (name === "none") return { reranker: null }
  const { lexicalReranker } = LexicalReranker
  if (name === "lexical" || name === lexicalReranker.name) return { reranker: lexicalReranker }
  const slash = name.indexOf("/")
  const first = slash < 0 ? name : name.slice(0, slash)
  const provider = providerNames.find((candidate) => candidate === first)
  if (provider === undefined) {
    const problem = `must be one of lexical, none, ${providerNames.join(", ")}`
    return yield* new UnknownReranker({ name, problem })
  }
  const { providerReranker } = yield* Effect.promise(() => import("./models/rerankers/named.js"))
  return yield* providerReranker(provider, slash < 0 ? undefined : name.slice(slash + 1), policy)
})

const providerNames: ReadonlyArray<RerankProviderName> = ["cohere", "voyage", "jina", "endpoint"]

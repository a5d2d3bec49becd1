import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { TrustLevel } from "../../../events/Trust.js"
import type { ViewError } from "../../../projections/view/buildViewFile.js"
import type { Views } from "../../../projections/view/Views.js"
import type { Agent } from "../../actor/Agent.js"
import type { ActiveEmbedders } from "../../actor/activeEmbedders.js"
import type { Ranking, ReaderSource } from "../../actor/ReaderSource.js"
import type { InvalidInput } from "../../model/errors.js"
import { checkInteger, type ReadError } from "../../model/filters.js"
import type { EmbedderService } from "../../ports/Embedder.js"
import type { RecallReader } from "../../recalls/RecallReader.js"
import { retrieve } from "../../search/retrieve.js"
import { decodeQuery, type Query, searchMemories } from "../../search/search.js"
import type { Embedding } from "../Embedding.js"
import type { Compared, CompareOptions, Quality } from "./EmbedderOperations.js"
import { type LabelledQuestion, ndcg } from "./labelledQuestions.js"
import { indexStatusOf, modelNameOf, ownVectorSet } from "./status.js"

export interface CompareServices {
  readonly ranking: Omit<Ranking, "embedder">
  readonly reader: (agent: string) => { readonly recalls: Pick<RecallReader, "list" | "get"> }
  /** Reads one snapshot of an agent's view. */
  readonly source: (agent: string) => ReaderSource["read"]
}

export interface OperationServices extends CompareServices {
  readonly use: <A, E>(
    agent: string,
    f: (agent: Agent<Embedding>) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E | ViewError | InvalidInput>
  /** Whether an agent has no events. Reading such an agent must not create a view on disk. */
  readonly isEmpty: (agent: string) => Effect.Effect<boolean>
  readonly activeEmbedders: ActiveEmbedders
  readonly views: Context.Tag.Service<Views>
}

/** The number of first hits to compare. */
const maxHits = 10
const maxDiffering = 10
const recallsPerPage = 200

/** Runs the same queries on two indexes and compares the first hits. */
export const compareIndexHits = Effect.fnUntraced(function* (
  { ranking: configured, reader, source }: CompareServices,
  agent: string,
  { inForce, other }: { readonly inForce: EmbedderService; readonly other: EmbedderService },
  options: CompareOptions
): Effect.fn.Return<Compared, ReadError | ViewError | InvalidInput> {
  const read = source(agent)
  const limit = yield* checkInteger("limit", options.limit ?? 50, 1, 1_000)
  const idsWith = (embedder: EmbedderService, text: string) =>
    searchIds(read, { ...configured, embedder }, "full", { text, limit: maxHits })
  const searchBoth = (text: string) => Effect.all([idsWith(inForce, text), idsWith(other, text)])

  // The reader has full trust, so TrustRequired cannot occur.
  const queries = yield* Effect.catchTag(recentQueries(reader(agent), limit), "TrustRequired", Effect.die)
  const compared = yield* Effect.forEach(queries, (text) =>
    Effect.map(searchBoth(text), ([a, b]) => ({ text, overlap: overlapOf(a, b), first: a[0] === b[0] }))
  )
  const judged = yield* Effect.forEach(options.questions ?? [], (question) =>
    Effect.map(
      searchBoth(question.query),
      ([a, b]) => [measureQuality(question, a), measureQuality(question, b)] as const
    )
  )
  return {
    inForce: modelNameOf(inForce),
    other: yield* read(({ db }) => indexStatusOf(db, ownVectorSet(other))),
    queries: compared.length,
    overlap: meanOf(compared.map(({ overlap }) => overlap)),
    sameFirst: meanOf(compared.map(({ first }) => (first ? 1 : 0))),
    differing: compared
      .filter(({ overlap }) => overlap < 1)
      .sort((a, b) => a.overlap - b.overlap)
      .slice(0, maxDiffering)
      .map(({ overlap, text }) => ({ text, overlap })),
    quality:
      judged.length === 0
        ? null
        : {
            questions: judged.length,
            inForce: meanQuality(judged.map(([a]) => a)),
            other: meanQuality(judged.map(([, b]) => b))
          }
  }
})

/** Returns the ids that a search finds. Uses only local rerankers, so that thousands of searches call no provider. */
export const searchIds = Effect.fnUntraced(function* (
  read: ReaderSource["read"],
  ranking: Ranking,
  level: TrustLevel,
  query: Query
) {
  const reranker = ranking.reranker?.local === true ? ranking.reranker : undefined
  const request = yield* decodeQuery(query, ranking.policy)
  const { hits } = yield* retrieve({ request, level, ranking: { ...ranking, reranker }, read, find: searchMemories })
  return hits.map(({ id }) => id)
})

/** The newest distinct memory queries of the recall log. */
const recentQueries = Effect.fnUntraced(function* (
  reader: { readonly recalls: Pick<RecallReader, "list"> },
  limit: number
) {
  const texts = new Set<string>()
  for (let offset = 0; texts.size < limit; offset += recallsPerPage) {
    const rows = yield* reader.recalls.list({ limit: recallsPerPage, offset })
    for (const { kind, text } of rows) {
      if (kind === "memories" && text.trim() !== "" && texts.size < limit) texts.add(text)
    }
    if (rows.length < recallsPerPage) break
  }
  return [...texts]
})

/** The share of hits that both lists have; 1 if both are empty. */
const overlapOf = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  const longest = Math.max(a.length, b.length)
  return longest === 0 ? 1 : a.filter((id) => b.includes(id)).length / longest
}

/** Recall, NDCG and reciprocal rank of the first hits for a labelled question. */
export const measureQuality = ({ ids }: LabelledQuestion, hits: ReadonlyArray<string>): Quality => {
  const relevant = new Set(ids)
  const matches = hits.map((id) => relevant.has(id))
  const first = matches.indexOf(true)
  return {
    recall: matches.filter(Boolean).length / relevant.size,
    ndcg: ndcg(new Map(ids.map((id) => [id, 1])), hits, maxHits),
    mrr: first < 0 ? 0 : 1 / (first + 1)
  }
}

const meanQuality = (qualities: ReadonlyArray<Quality>): Quality => ({
  recall: meanOf(qualities.map(({ recall }) => recall)) ?? 0,
  ndcg: meanOf(qualities.map(({ ndcg }) => ndcg)) ?? 0,
  mrr: meanOf(qualities.map(({ mrr }) => mrr)) ?? 0
})

const meanOf = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length

import * as Effect from "effect/Effect"
import type { ViewError } from "../../../projections/view/build.js"
import type { Ranking, ReaderSource } from "../../actor/ReaderSource.js"
import type { InvalidInput } from "../../model/errors.js"
import { integerOf, type ReadError } from "../../model/filters.js"
import type { EmbedderService } from "../../ports/Embedder.js"
import type { RecallReader } from "../../recalls/RecallReader.js"
import { retrieve } from "../../search/retrieve.js"
import { decodeQuery, searchIn } from "../../search/search.js"
import type { Compared, CompareOptions, Quality } from "./EmbedderOperations.js"
import type { Labelled } from "./labelled.js"
import { ndcg } from "./ndcg.js"
import { indexOf, nameIn, ownOf } from "./status.js"

export interface Comparing {
  readonly ranking: Omit<Ranking, "embedder">
  readonly reader: (agent: string) => Pick<RecallReader, "recalls" | "recall">
  /** One snapshot of an agent's view, and its asking time. */
  readonly source: (agent: string) => ReaderSource["read"]
}

/** Hits that are compared. */
const shown = 10
const mostDiffering = 10

/** Asks the same of two indexes, and compares what they show first. */
export const compare = (
  { ranking: all, reader, source }: Comparing,
  agent: string,
  inForce: EmbedderService,
  other: EmbedderService,
  options: CompareOptions
): Effect.Effect<Compared, ReadError | ViewError | InvalidInput> =>
  Effect.gen(function* () {
    const read = source(agent)
    // A provider is not asked up to thousands of times for what only orders the hits of both.
    const ranking = withLocalReranker(all)
    const limit = yield* integerOf("limit", options.limit ?? 50, 1, 1_000)
    const idsOf = (embedder: EmbedderService, text: string) =>
      Effect.gen(function* () {
        const request = yield* decodeQuery({ text, limit: shown }, ranking.policy)
        const { hits } = yield* retrieve(request, "full", { ...ranking, embedder }, read, searchIn)
        return hits.map(({ id }) => id)
      })
    const both = (text: string) => Effect.all([idsOf(inForce, text), idsOf(other, text)])

    // A reader at full trust may ask for them.
    const asked = yield* Effect.catchTag(askedLately(reader(agent), limit), "TrustRequired", Effect.die)
    const compared = yield* Effect.forEach(asked, (text) =>
      Effect.map(both(text), ([a, b]) => ({ text, overlap: overlapOf(a, b), first: a[0] === b[0] }))
    )
    const questions = options.questions ?? []
    const judged = yield* Effect.forEach(questions, (question) =>
      Effect.map(both(question.query), ([a, b]) => [judge(question, a), judge(question, b)] as const)
    )
    return {
      inForce: nameIn(inForce),
      other: yield* read(({ db }) => indexOf(db, ownOf(other))),
      queries: compared.length,
      overlap: meanOf(compared.map(({ overlap }) => overlap)),
      sameFirst: meanOf(compared.map(({ first }) => (first ? 1 : 0))),
      differing: compared
        .filter(({ overlap }) => overlap < 1)
        .sort((a, b) => a.overlap - b.overlap)
        .slice(0, mostDiffering)
        .map(({ overlap, text }) => ({ text, overlap })),
      quality:
        judged.length === 0
          ? null
          : {
              questions: judged.length,
              inForce: qualityOf(judged.map(([a]) => a)),
              other: qualityOf(judged.map(([, b]) => b))
            }
    }
  })

/** How a search ranks that is made for its own sake many times over: by a reranker that costs nothing, or none. */
export const withLocalReranker = <R extends Pick<Ranking, "reranker">>(ranking: R): R => ({
  ...ranking,
  reranker: ranking.reranker?.local === true ? ranking.reranker : undefined
})

/** The newest different queries that were asked of memories. */
const askedLately = (reader: Pick<RecallReader, "recalls">, limit: number) =>
  Effect.gen(function* () {
    const texts = new Set<string>()
    for (let offset = 0; texts.size < limit; offset += page) {
      const rows = yield* reader.recalls({ limit: page, offset })
      for (const { kind, text } of rows) {
        if (kind === "memories" && text.trim() !== "" && texts.size < limit) texts.add(text)
      }
      if (rows.length < page) break
    }
    return [...texts]
  })

const page = 200

/** The share of the hits of either that both have; 1 where neither has any. */
const overlapOf = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  const most = Math.max(a.length, b.length)
  return most === 0 ? 1 : a.filter((id) => b.includes(id)).length / most
}

/** What the first hits are worth for a question: recall, NDCG and the reciprocal rank of the first that answers it. */
export const judge = ({ ids }: Labelled, hits: ReadonlyArray<string>): Quality => {
  const wanted = new Set(ids)
  const found = hits.map((id) => wanted.has(id))
  const first = found.indexOf(true)
  return {
    recall: found.filter(Boolean).length / wanted.size,
    ndcg: ndcg(new Map(ids.map((id) => [id, 1])), hits, shown),
    mrr: first < 0 ? 0 : 1 / (first + 1)
  }
}

const qualityOf = (all: ReadonlyArray<Quality>): Quality => ({
  recall: meanOf(all.map(({ recall }) => recall)) ?? 0,
  ndcg: meanOf(all.map(({ ndcg }) => ndcg)) ?? 0,
  mrr: meanOf(all.map(({ mrr }) => mrr)) ?? 0
})

const meanOf = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length

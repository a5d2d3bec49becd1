import * as Effect from "effect/Effect"
import type { Payload } from "../../events/catalogue.js"
import type { RecallHit } from "../../events/Recall.js"
import type { TrustLevel } from "../../events/Trust.js"
import { annotate } from "../../events/tracing.js"
import type { Ranking, ReaderServices, ReaderSource, ShownResults } from "../actor/ReaderSource.js"
import { embedderForQuery } from "./queryVector.js"
import { type Answer, type CheckedRequest, type FindRows, retrieve } from "./retrieve.js"
import { withActiveEmbedder } from "./withActiveEmbedder.js"

/** Runs a search with the active embedder, and passes the results to the recorder of recalls. */
export const searchAndRecord = <
  Filters extends object,
  Row extends { readonly id: string },
  Parts extends { readonly rerank: number }
>(
  source: ReaderSource,
  services: Pick<ReaderServices, "activeEmbedders" | "ranking">,
  kind: "memories" | "conversation",
  request: CheckedRequest<Filters>,
  find: FindRows<Filters, Row, Parts>
) =>
  Effect.gen(function* () {
    const { agent, level, session } = source
    let record: ((results: ShownResults) => void) | undefined
    const { answer, embedder } = yield* withActiveEmbedder(source, services, (active, readSnapshot) => {
      const readObserved: typeof readSnapshot = (f) =>
        readSnapshot((snapshot) => {
          record = snapshot.observe?.()
          return f(snapshot)
        })
      return Effect.map(retrieve({ request, level, ranking: active, read: readObserved, find }), (answer) => ({
        answer,
        embedder: active.embedder
      }))
    })
    record?.({
      ...shownResultsOf(kind, level, request, answer, embedder),
      ...(session === undefined ? {} : { session })
    })
    yield* annotate({ agent, level, "gen_ai.memory.record.count": answer.hits.length })
    return answer
  })

/** The recall log's record of a search. */
const shownResultsOf = (
  kind: "memories" | "conversation",
  level: TrustLevel,
  request: CheckedRequest<object>,
  { explanation, hits, vector }: Answer<{ readonly id: string; readonly score: number }>,
  embedder: Ranking["embedder"]
): ShownResults => {
  const { substitute, ...mainVector } = embedderForQuery(request, level, embedder)
  const { at, filters, fusion, near, usesGate, limit, mode, text } = request
  const recordedFusion = fusion === undefined ? {} : { fusion }
  return {
    kind,
    level,
    text,
    filters: {
      ...filters,
      limit,
      ...(at === undefined ? {} : { at }),
      ...(near === true ? { near } : {}),
      ...recordedFusion
    },
    mode,
    gated: usesGate,
    reranker: explanation.reranker,
    vector,
    embedder: rankingProperties(mainVector),
    ...(substitute === undefined || vector?.substitute === undefined
      ? {}
      : { substitute: { ...rankingProperties(substitute.embedder), stores: substitute.stores } }),
    hits: hits.map(toRecallHit)
  }
}

/** The recall log's record of a read by id. */
export const readByIdResults = (
  { level, session }: Pick<ReaderSource, "level" | "session">,
  memories: ReadonlyArray<{ readonly id: string }>
): ShownResults => ({
  ...(session === undefined ? {} : { session }),
  kind: "get",
  level,
  text: "",
  filters: {},
  mode: null,
  gated: false,
  reranker: null,
  vector: null,
  embedder: null,
  hits: memories.map(toRecallHit)
})

/** The properties of an embedder that affect the ranking. */
export const rankingProperties = ({ dimensions, floor, model, weight }: Payload<"RECALL">["embedder"]) => ({
  model,
  dimensions,
  weight,
  floor
})

/** The fields of a hit that a recall records and a rerun compares. */
export const toRecallHit = (hit: { readonly id: string; readonly score?: number }): RecallHit => ({
  id: hit.id,
  score: hit.score ?? null
})

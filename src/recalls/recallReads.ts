import * as Effect from "effect/Effect"
import type { StoredEvent } from "../../events/Chain.js"
import type { Payload } from "../../events/catalogue.js"
import type { RecallHit, Recall as Recorded } from "../../events/Recall.js"
import type { TrustLevel } from "../../events/Trust.js"
import type { ChunkFilters } from "../../projections/conversationSearch.js"
import type { QueryVector } from "../../projections/hybridSearch.js"
import { getMemories } from "../../projections/observationReads.js"
import type { Filters } from "../../projections/observationSearch.js"
import { findRecall, findRecalls, type RecallPosition } from "../../projections/recalls.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import { modelLabel } from "../actor/activeEmbedders.js"
import type { Ranking, ReaderServices, ReaderSource, ShownResults, Snapshot } from "../actor/ReaderSource.js"
import { searchConversationIn } from "../conversation/searchConversation.js"
import { RecallNotFound, TrustRequired } from "../model/errors.js"
import { checkInteger, checkPage } from "../model/filters.js"
import { toWholeMemory } from "../model/wholeMemory.js"
import { defaults } from "../ports/Policy.js"
import { conversationSyntax, memorySyntax } from "../search/fields.js"
import type { Syntax } from "../search/query.js"
import { combineVectors, embedderForQuery } from "../search/queryVector.js"
import { rankerVersion } from "../search/ranker.js"
import { type Answer, type Request, requestOf, retrieve } from "../search/retrieve.js"
import { searchIn } from "../search/search.js"
import { activeEmbedderOf } from "../search/withActiveEmbedder.js"
import type { Recall, RecallDifference, RecallReader, Rerun } from "./RecallReader.js"

/** A recall of the log, with the event that records it together with others. */
interface RecallInBatch {
  readonly recall: Recall
  readonly recorded: Recorded
  readonly batch: Payload<"RECALL">
}

/** Reads of the recall log. They show what other callers asked, so they require full trust. */
export const make = (source: ReaderSource, services: ReaderServices): RecallReader => {
  const { level, read, readAt } = source
  const { activeEmbedders, ranking } = services
  const requireFullTrust = Effect.suspend(() =>
    level === "full" ? Effect.void : Effect.fail(new TrustRequired({ what: "reading recalls" }))
  )
  const findOne = (number: number) =>
    Effect.gen(function* () {
      yield* requireFullTrust
      yield* checkInteger("number", number, 1, Number.MAX_SAFE_INTEGER)
      const place = yield* read(({ db }) => findRecall(db, number))
      const [recalls] = place === undefined ? [] : yield* readRecalls(services, source.agent, [place])
      return recalls ?? (yield* new RecallNotFound({ number }))
    })

  return {
    list: Effect.fn("Memory.recalls.list")(function* (query = {}) {
      yield* requireFullTrust
      const page = yield* checkPage(query, 50)
      const places = yield* read(({ db }) => findRecalls(db, page))
      const recalls = yield* readRecalls(services, source.agent, places)
      return recalls.map(({ recall: { askedAt, hits, kind, level, number, text } }) => ({
        ...{ number, kind, level, text, askedAt },
        shown: hits.length
      }))
    }),

    get: Effect.fn("Memory.recalls.get")((number) => Effect.map(findOne(number), ({ recall }) => recall)),

    rerun: Effect.fn("Memory.recalls.rerun")(function* (number) {
      const { batch, recall, recorded } = yield* findOne(number)
      const vector = yield* vectorOf(services, recorded, batch)
      const embedder = yield* activeEmbedderOf({ read }, activeEmbedders)
      const recordedRanking = rankingOf(batch, recorded, { ...ranking, embedder })
      const hits = yield* repeat(recorded, vector, recordedRanking, (f) =>
        readAt(recorded.position, recorded.askedAt, f)
      )
      const moves = movedBetween(recorded.hits, hits.map(hitOf))
      const differences = [
        ...changed("ranker", batch.ranker, rankerVersion),
        ...changed("embedder", modelLabel(batch.embedder), modelLabel(embedder)),
        ...changed("reranker", recorded.reranker ?? "none", recordedRanking.reranker?.name ?? "none"),
        ...changed("vector", recorded.vector ?? "none", vector === null ? "none" : (recorded.vector ?? "none")),
        ...moves
      ]
      return { recall, hits, same: moves.length === 0, differences } as Rerun
    })
  }
}

/** Reads recalls from the log. Erased ones are missing. */
const readRecalls = ({ codec, log }: ReaderServices, agent: string, places: ReadonlyArray<RecallPosition>) =>
  Effect.gen(function* () {
    const rows = yield* log.at(agent, [...new Set(places.map(({ version }) => version))])
    const batches = new Map<number, readonly [row: StoredEvent, batch: Payload<"RECALL">]>()
    for (const row of rows) {
      const event = yield* codec.decode(row)
      if (event.type === "RECALL" && event.payload !== null) batches.set(row.version, [row, event.payload])
    }
    return places.flatMap(({ number, place, version }): ReadonlyArray<RecallInBatch> => {
      const [row, batch] = batches.get(version) ?? []
      const recorded = batch?.recalls[place]
      return row === undefined || batch === undefined || recorded === undefined
        ? []
        : [{ recall: recallOf(number, row, recorded, batch), recorded, batch }]
    })
  })

/** The query vectors of a recall, from the cache; null if one of them is gone. */
const vectorOf = ({ log }: ReaderServices, { apart, vector }: Recorded, { embedder }: Payload<"RECALL">) =>
  Effect.gen(function* () {
    const cached = ({ dimensions, floor, model }: Payload<"RECALL">["embedder"], digest: string) =>
      Effect.map(log.vectors(model, dimensions, [digest]), (vectors): QueryVector | null => {
        const values = vectors.get(digest)
        return values === undefined ? null : { model, values, floor }
      })
    const mainVector = vector === null ? null : yield* cached(embedder, vector)
    if (apart === undefined) return mainVector
    const other = yield* cached(apart, apart.vector)
    return other === null ? null : combineVectors(mainVector, other, apart.stores)
  })

const recallOf = (number: number, row: StoredEvent, recorded: Recorded, batch: Payload<"RECALL">): Recall => {
  const { apart: _, vector, ...recall } = recorded
  const { embedder, policy, ranker } = batch
  const { dimensions, model } = embedder
  return {
    number,
    ...recall,
    recordedAt: row.recordedAt,
    ranker,
    embedder: vector === null ? null : { model, dimensions },
    policy
  }
}

/** The ranking at the time of the recall: its policy, the embedder's figures, and its reranker if it is available here. */
const rankingOf = (
  { embedder, policy }: Payload<"RECALL">,
  { apart, reranker }: Pick<Recorded, "reranker" | "apart">,
  { embedder: { substitute: _, ...service }, reranker: currentReranker }: Ranking
): Ranking => ({
  policy: { ...defaults.search, ...policy },
  embedder: {
    ...service,
    ...embedder,
    ...(apart === undefined
      ? {}
      : { substitute: { stores: apart.stores, embedder: { ...service, ...figuresOf(apart) } } })
  },
  reranker: currentReranker?.name === reranker ? currentReranker : undefined
})

/** Repeats a recorded read with its recorded filters. */
const repeat = (
  { filters, gated, hits, kind, level, mode, text }: Recorded,
  vector: QueryVector | null,
  ranking: Ranking,
  read: <A>(f: (snapshot: Snapshot) => A) => Effect.Effect<A, ViewError>
): Effect.Effect<Rerun["hits"], ViewError> => {
  const requestWith = <F>(syntax: Syntax) =>
    requestOf(
      text,
      syntax,
      filters as unknown as F & WithLimit,
      { mode: mode ?? undefined, gate: gated },
      ranking.policy
    )
  switch (kind) {
    case "memories":
      return Effect.map(
        retrieve({ request: requestWith<Filters>(memorySyntax), level, ranking, read, find: searchIn, vector }),
        ({ hits }) => hits
      )
    case "conversation":
      return Effect.map(
        retrieve({
          request: requestWith<ChunkFilters>(conversationSyntax),
          level,
          ranking,
          read,
          find: searchConversationIn,
          vector
        }),
        ({ hits }) => hits
      )
    case "get": {
      const ids = hits.map(({ id }) => id)
      return read(({ db, now }) => getMemories(db, level, ids, now).map(toWholeMemory))
    }
  }
}

interface WithLimit {
  readonly limit: number
}

/** The recall log's record of a search. */
export const shownResultsOf = (
  kind: "memories" | "conversation",
  level: TrustLevel,
  request: Request<object>,
  { explanation, hits, vector }: Answer<{ readonly id: string; readonly score: number }>,
  embedder: Ranking["embedder"]
): ShownResults => {
  const { substitute, ...mainVector } = embedderForQuery(request, level, embedder)
  const { filters, usesGate, limit, mode, text } = request
  return {
    kind,
    level,
    text,
    filters: { ...filters, limit },
    mode,
    gated: usesGate,
    reranker: explanation.reranker,
    vector,
    embedder: figuresOf(mainVector),
    ...(substitute === undefined || vector?.substitute === undefined
      ? {}
      : { substitute: { ...figuresOf(substitute.embedder), stores: substitute.stores } }),
    hits: hits.map(hitOf)
  }
}

const figuresOf = ({ dimensions, floor, model, weight }: Payload<"RECALL">["embedder"]) => ({
  model,
  dimensions,
  weight,
  floor
})

/** The recall log's record of a read by id. */
export const shownResultsOfGet = (
  level: TrustLevel,
  memories: ReadonlyArray<{ readonly id: string }>
): ShownResults => ({
  kind: "get",
  level,
  text: "",
  filters: {},
  mode: null,
  gated: false,
  reranker: null,
  vector: null,
  embedder: null,
  hits: memories.map(hitOf)
})

/** The recorded and compared part of a hit. */
const hitOf = (hit: { readonly id: string; readonly score?: number }): RecallHit => ({
  id: hit.id,
  score: hit.score ?? null
})

const changed = (
  part: "ranker" | "embedder" | "reranker" | "vector",
  recorded: string | number,
  current: string | number
): ReadonlyArray<RecallDifference> =>
  recorded === current ? [] : [{ what: part, was: String(recorded), is: String(current) }]

/** The places of the answer, from 1, whose hit or score differs. */
const movedBetween = (
  recorded: ReadonlyArray<RecallHit>,
  current: ReadonlyArray<RecallHit>
): ReadonlyArray<RecallDifference> =>
  Array.from(
    { length: Math.max(recorded.length, current.length) },
    (_, index) => [recorded[index], current[index]] as const
  ).flatMap(([before, after], index) =>
    before?.id === after?.id && before?.score === after?.score
      ? []
      : [{ what: "hit" as const, place: index + 1, was: before ?? null, is: after ?? null }]
  )

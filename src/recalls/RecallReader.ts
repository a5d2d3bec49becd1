import * as Effect from "effect/Effect"
import type { StoredEvent } from "../../events/Chain.js"
import type { Payload } from "../../events/catalogue.js"
import type { RecallHit, Recall as Recorded } from "../../events/Recall.js"
import type { ChunkFilters } from "../../projections/conversationSearch.js"
import type { QueryVector } from "../../projections/hybridSearch.js"
import type { Filters } from "../../projections/memoryFilters.js"
import { getMemories } from "../../projections/observationReads.js"
import { findRecall, findRecalls, type RecallPosition } from "../../projections/recalls.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import { modelLabel } from "../actor/activeEmbedders.js"
import type { Ranking, ReaderServices, ReaderSource, Snapshot } from "../actor/ReaderSource.js"
import { type ConversationHit, searchConversationRows } from "../conversation/searchConversation.js"
import { RecallErased, RecallNotFound, TrustRequired } from "../model/errors.js"
import { checkInteger, checkPage, type PageQuery, type ReadError } from "../model/filters.js"
import { defineMethod } from "../model/operation.js"
import { toWholeMemory, type WholeMemory } from "../model/wholeMemory.js"
import { defaults } from "../ports/Policy.js"
import { conversationSyntax, memorySyntax } from "../search/fields.js"
import type { Fusion } from "../search/fusion.js"
import type { QuerySyntax } from "../search/querySyntax.js"
import { combineVectors } from "../search/queryVector.js"
import { rankerVersion } from "../search/ranker.js"
import { rankingProperties, toRecallHit } from "../search/recordedSearch.js"
import { retrieve, toRequest } from "../search/retrieve.js"
import { type Hit, searchMemories } from "../search/search.js"
import { activeEmbedderOf } from "../search/withActiveEmbedder.js"

/** The short form of a recall. A recall is a recorded read that showed memories. */
export interface RecallRow extends Pick<Recorded, "kind" | "level" | "text" | "askedAt"> {
  /** The number of the recall, counted per agent from 1. */
  readonly number: number
  /** Number of hits that the read showed. */
  readonly shown: number
  /** Present if the query was erased; the text is then empty. */
  readonly erased?: true
}

/** A recall with everything that its answer depended on. Times are milliseconds since the epoch. */
export interface Recall extends Omit<Recorded, "vector" | "apart"> {
  readonly number: number
  readonly recordedAt: number
  /** The version of the ranking algorithm. */
  readonly ranker: number
  /** The embedder of the query's vector; null without a vector. */
  readonly embedder: { readonly model: string; readonly dimensions: number } | null
  /** The search policy at that time. */
  readonly policy: Readonly<Record<string, unknown>>
}

/**
 * A difference between a rerun and the recorded recall: in the ranker, the embedder, the reranker, the query's vector,
 * or the hit at a rank (from 1).
 */
export type RecallDifference =
  | { readonly what: "ranker" | "embedder" | "reranker" | "vector"; readonly was: string; readonly is: string }
  | { readonly what: "hit"; readonly place: number; readonly was: RecallHit | null; readonly is: RecallHit | null }

/** A repeated recall. */
export interface Rerun {
  readonly recall: Recall
  readonly hits: ReadonlyArray<Hit> | ReadonlyArray<ConversationHit> | ReadonlyArray<WholeMemory>
  /** True if the rerun gives the same ids with the same scores in the same order. */
  readonly same: boolean
  readonly differences: ReadonlyArray<RecallDifference>
}

/** Reads of the recall log: `memory.recalls`. Full trust only. */
export interface RecallReader {
  /** The recalls of searches and `get`, with their level and query, the newest first. */
  readonly list: (query?: PageQuery) => Effect.Effect<ReadonlyArray<RecallRow>, ReadError | TrustRequired>
  /** One recall by its number, with everything that its answer depended on. */
  readonly get: (number: number) => Effect.Effect<Recall, ReadError | TrustRequired | RecallNotFound>
  /** Repeats a recall on the view and at the time of the original, and compares the results. */
  readonly rerun: (number: number) => Effect.Effect<Rerun, ReadError | TrustRequired | RecallNotFound | RecallErased>
}

/** A recall in the log, and the batch of recalls in the same event. */
interface RecallInBatch {
  readonly recall: Recall
  readonly recorded: Recorded
  readonly batch: Payload<"RECALL">
}

/** @internal Recalls show the queries of other callers, so reading them requires full trust. */
export const makeRecallReader = (source: ReaderSource, services: ReaderServices): RecallReader => {
  const { level, read, readAt } = source
  const { activeEmbedders, ranking } = services
  const requireFullTrust = Effect.suspend(() =>
    level === "full" ? Effect.void : Effect.fail(new TrustRequired({ what: "reading recalls" }))
  )
  const findOne = Effect.fnUntraced(function* (number: number) {
    yield* requireFullTrust
    yield* checkInteger("number", number, 1, Number.MAX_SAFE_INTEGER)
    const place = yield* read(({ db }) => findRecall(db, number))
    const [recalls] = place === undefined ? [] : yield* readRecalls(services, source.agent, [place])
    return recalls ?? (yield* new RecallNotFound({ number }))
  })

  return {
    list: defineMethod("Memory.recalls.list")(function* (query = {}) {
      yield* requireFullTrust
      const page = yield* checkPage(query, 50)
      const places = yield* read(({ db }) => findRecalls(db, page))
      const recalls = yield* readRecalls(services, source.agent, places)
      return recalls.map(({ recall: { askedAt, erased, hits, kind, level, number, text } }) => ({
        ...{ number, kind, level, text, askedAt },
        shown: hits.length,
        ...(erased === undefined ? {} : { erased })
      }))
    }),

    get: defineMethod("Memory.recalls.get")((number) => Effect.map(findOne(number), ({ recall }) => recall)),

    rerun: defineMethod("Memory.recalls.rerun")(function* (number) {
      const { batch, recall, recorded } = yield* findOne(number)
      if (recorded.erased === true) return yield* new RecallErased({ number })
      const vector = yield* vectorOf(services, recorded, batch)
      const embedder = yield* activeEmbedderOf({ read }, activeEmbedders)
      const recordedRanking = rankingOf(batch, recorded, { ...ranking, embedder })
      const hits = yield* repeat(recorded, vector, recordedRanking, (f) =>
        readAt(recorded.position, recorded.askedAt, f)
      )
      const moves = movedBetween(recorded.hits, hits.map(toRecallHit))
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

/** Reads recalls from the log. Omits erased recalls. */
const readRecalls = Effect.fnUntraced(function* (
  { codec, log }: ReaderServices,
  agent: string,
  places: ReadonlyArray<RecallPosition>
) {
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

/** The query vectors of a recall, from the cache; null if one of them is missing. */
const vectorOf = Effect.fnUntraced(function* (
  { log }: ReaderServices,
  { apart, vector }: Recorded,
  { embedder }: Payload<"RECALL">
) {
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

/**
 * The ranking at the time of the recall: its policy, the embedder's parameters, and its reranker if this process has
 * it.
 */
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
      : { substitute: { stores: apart.stores, embedder: { ...service, ...rankingProperties(apart) } } })
  },
  reranker: currentReranker?.name === reranker ? currentReranker : undefined
})

/** Repeats a recorded read with its recorded filters. */
const repeat = (
  { filters, gated, hits, kind, level, mode, text }: Recorded,
  vector: QueryVector | null,
  ranking: Ranking,
  read: <A>(f: (snapshot: Snapshot) => A) => Effect.Effect<A, ViewError>
): Effect.Effect<Rerun["hits"], ReadError> => {
  const { at, fusion, near, ...otherFilters } = filters as {
    readonly at?: number
    readonly near?: boolean
    readonly fusion?: Fusion
  }
  const options = {
    text,
    mode: mode ?? undefined,
    gate: gated,
    near,
    ...(at === undefined ? {} : { at }),
    ...(fusion === undefined ? {} : { fusion })
  }
  const requestWith = <F>(syntax: QuerySyntax) =>
    toRequest(syntax, otherFilters as unknown as F & WithLimit, options, ranking.policy)
  switch (kind) {
    case "memories":
      return Effect.map(
        retrieve({ request: requestWith<Filters>(memorySyntax), level, ranking, read, find: searchMemories, vector }),
        ({ hits }) => hits
      )
    case "conversation":
      return Effect.map(
        retrieve({
          request: requestWith<ChunkFilters>(conversationSyntax),
          level,
          ranking,
          read,
          find: searchConversationRows,
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

const changed = (
  part: "ranker" | "embedder" | "reranker" | "vector",
  recorded: string | number,
  current: string | number
): ReadonlyArray<RecallDifference> =>
  recorded === current ? [] : [{ what: part, was: String(recorded), is: String(current) }]

/** Reports the ranks, from 1, where the hit or its score differs. */
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

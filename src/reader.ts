import * as Effect from "effect/Effect"
import { imagesOf } from "../events/catalogue.js"
import { findChanges } from "../projections/history.js"
import { findAround, findRowNumber, getMemories } from "../projections/observationReads.js"
import { findRecentMemories, readIndexRows } from "../projections/observationSearch.js"
import { findPeople } from "../projections/people.js"
import { findAccesses } from "../projections/recalls.js"
import { visibleVersion } from "./actor/Command.js"
import type { ReaderServices, ReaderSource, ShownResults } from "./actor/ReaderSource.js"
import * as conversationReads from "./conversation/reads.js"
import type { SessionReader } from "./conversation/Sessions.js"
import {
  type ConversationQuery,
  decodeConversationQuery,
  searchConversationIn
} from "./conversation/searchConversation.js"
import type { HistoryEntry, MemoryReader } from "./Memory.js"
import * as lifeReads from "./maintenance/reads.js"
import { scoreFactsOf } from "./maintenance/stageRow.js"
import { InvalidInput, MemoryNotFound } from "./model/errors.js"
import { checkInteger, checkPage, refuseUnknownOptions } from "./model/filters.js"
import { decodeKey } from "./model/input.js"
import { limits } from "./model/limits.js"
import { toWholeMemory } from "./model/wholeMemory.js"
import * as recallReads from "./recalls/recallReads.js"
import * as scheduleReads from "./schedules/reads.js"
import { explained, type Find, type Request, retrieve } from "./search/retrieve.js"
import { lifeScoreOf } from "./search/score.js"
import { decodeFilter, decodeQuery, type Query, searchIn } from "./search/search.js"
import { withActiveEmbedder } from "./search/withActiveEmbedder.js"
import { whyOf } from "./whyOf.js"

/** All reads. Each passes the trust level to a query that filters by it in SQL. */
export const make = (source: ReaderSource, services: ReaderServices): MemoryReader => {
  const { level, read } = source
  const { sessions, ...memories } = searches(source, services)
  return {
    ...memories,
    ...lifeReads.makeProfile(source, services),
    sessions: { ...conversationReads.makeSessions(source), ...sessions, ...lifeReads.makeSummaries(source) },
    files: conversationReads.makeFiles(source),
    archive: lifeReads.makeArchive(source),
    maintenance: lifeReads.makeMaintenance(source, services),
    recalls: recallReads.make(source, services),
    schedules: scheduleReads.make(source, services),

    timeline: Effect.fn("Memory.timeline")(function* (query) {
      yield* refuseUnknownOptions(query, ["anchor", "before", "after"])
      const { after, anchor, before } = query
      yield* decodeKey("anchor", anchor)
      const span = {
        before: yield* checkInteger("before", before ?? 5, 0, limits.around),
        after: yield* checkInteger("after", after ?? 5, 0, limits.around)
      }
      const rows = yield* read(({ db, now }) => {
        const born = findAround(db, level, anchor, span, now)
        return born === undefined ? undefined : readIndexRows(db, born)
      })
      if (rows === undefined) return yield* new MemoryNotFound({ id: anchor })
      return rows.map(({ born: _, ...row }) => row)
    }),

    get: Effect.fn("Memory.get")(function* (ids) {
      if (ids.length > limits.ids)
        return yield* new InvalidInput({ field: "ids", problem: `must have at most ${limits.ids} entries` })
      for (const id of ids) yield* decodeKey("ids", id)
      return yield* read(({ db, now, observe }) => {
        const memories = getMemories(db, level, ids, now).map(toWholeMemory)
        if (memories.length > 0) observe?.()(recallReads.shownResultsOfGet(level, memories))
        if (level !== "full") return memories
        const accesses = findAccesses(db, ids)
        return memories.map((memory) => ({ ...memory, ...accesses.get(memory.id) }))
      })
    }),

    list: Effect.fn("Memory.list")(function* (query = {}) {
      const filters = yield* decodeFilter(query, 50, ["offset"])
      const page = yield* checkPage({ limit: query.limit, offset: query.offset }, 50)
      const rows = yield* read(({ db, now }) => readIndexRows(db, findRecentMemories(db, level, filters, now, page)))
      return rows.map(({ born: _, ...row }) => row)
    }),

    history: Effect.fn("Memory.history")(historyOf(source, services)),

    why: Effect.fn("Memory.why")(whyOf(source, services)),

    people: Effect.fn("Memory.people")(function* (query = {}) {
      const page = yield* checkPage(query, 50, ["name"])
      if (query.name !== undefined && typeof query.name !== "string") {
        return yield* new InvalidInput({ field: "name", problem: "must be text" })
      }
      const name = (query.name ?? "").replace(/[\p{Surrogate}\0]/gu, " ").slice(0, limits.person)
      return yield* read(({ db }) => findPeople(db, level, name, page))
    })
  }
}

/** Reads every version of a memory from the log, oldest first. Versions whose content was erased are left out. */
const historyOf = ({ agent, level, read }: ReaderSource, { codec, log }: ReaderServices) =>
  function* (id: string) {
    yield* decodeKey("id", id)
    const changes = yield* read(({ db, now }) => {
      const born = findRowNumber(db, level, id, now)
      return born === undefined ? [] : findChanges(db, level, born)
    })
    if (changes.length === 0) return yield* new MemoryNotFound({ id })
    const rows = yield* log.at(
      agent,
      changes.map(({ version }) => version)
    )
    const entries: Array<HistoryEntry> = []
    for (const row of rows) {
      const event = yield* codec.decode(row)
      const image = event.payload === null ? undefined : imagesOf(event).find((memory) => memory.id === id)
      if (image === undefined) continue
      entries.push({
        revision: image.revision,
        ...visibleVersion(level, event.version),
        type: event.type,
        recordedAt: event.recordedAt,
        actor: event.actor,
        decision: event.payload !== null && "decision" in event.payload ? event.payload.decision : null,
        memory: { ...toWholeMemory(image), status: image.status }
      })
    }
    return entries
  }

/** Search of memories and of conversations, with and without explanation. Hands what each showed to the recording of recalls. */
const searches = (
  source: ReaderSource,
  { activeEmbedders, maintenance, ranking }: ReaderServices
): Pick<MemoryReader, "search" | "explain"> & {
  readonly sessions: Pick<SessionReader, "search" | "explain">
} => {
  const { level, read } = source
  const recorded = <
    Filters extends object,
    Row extends { readonly id: string },
    Parts extends { readonly rerank: number }
  >(
    kind: "memories" | "conversation",
    request: Request<Filters>,
    find: Find<Filters, Row, Parts>
  ) =>
    Effect.gen(function* () {
      let record: ((results: ShownResults) => void) | undefined
      const { answer, embedder } = yield* withActiveEmbedder(
        source,
        { activeEmbedders, ranking },
        (active, readSnapshot) => {
          const readObserved: typeof readSnapshot = (f) =>
            readSnapshot((snapshot) => {
              record = snapshot.observe?.()
              return f(snapshot)
            })
          return Effect.map(retrieve({ request, level, ranking: active, read: readObserved, find }), (answer) => ({
            answer,
            embedder: active.embedder
          }))
        }
      )
      record?.(recallReads.shownResultsOf(kind, level, request, answer, embedder))
      yield* Effect.annotateCurrentSpan({ agent: source.agent, level, hits: answer.hits.length })
      return answer
    })
  const memoriesFor = (query: Query) =>
    Effect.flatMap(
      Effect.suspend(() => decodeQuery(query, ranking.policy)),
      (request) => recorded("memories", request, searchIn)
    )
  const conversationFor = (query: ConversationQuery) =>
    Effect.flatMap(
      Effect.suspend(() => decodeConversationQuery(query, ranking.policy)),
      (request) => recorded("conversation", request, searchConversationIn)
    )
  return {
    search: Effect.fn("Memory.search")((query) => Effect.map(memoriesFor(query), ({ hits }) => hits)),
    explain: Effect.fn("Memory.explain")(function* (query) {
      const { explanation, hits } = explained(yield* memoriesFor(query))
      const ids = hits.map(({ id }) => id)
      const scores = yield* read(({ db, now }) => {
        const accesses = level === "full" ? findAccesses(db, ids) : undefined
        const rows = getMemories(db, level, ids, now).map((memory) => ({ memory, accesses: accesses?.get(memory.id) }))
        return new Map(rows.map((row) => [row.memory.id, lifeScoreOf(scoreFactsOf(row), maintenance.tiers, now)]))
      })
      const scored = hits.map((hit) => {
        const score = scores.get(hit.id)
        return score === undefined ? hit : { ...hit, life: score }
      })
      return { explanation, hits: scored }
    }),
    sessions: {
      search: Effect.fn("Memory.sessions.search")((query) => Effect.map(conversationFor(query), ({ hits }) => hits)),
      explain: Effect.fn("Memory.sessions.explain")((query) => Effect.map(conversationFor(query), explained))
    }
  }
}

import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Codec } from "../events/Codec.js"
import { imagesOf } from "../events/catalogue.js"
import type { EventLog } from "../events/EventLog.js"
import type { Memory as Image } from "../events/Memory.js"
import type { TrustLevel } from "../events/Trust.js"
import type { ViewError } from "../projections/build.js"
import { findSessions, findTurns } from "../projections/conversationReads.js"
import { findFiles } from "../projections/files.js"
import { findChanges } from "../projections/history.js"
import { findPeople } from "../projections/people.js"
import { findAround, findBorn, getMemories } from "../projections/reads.js"
import { findRecent, indexRows } from "../projections/search.js"
import { versionAt } from "./commands/Command.js"
import { InvalidInput, MemoryNotFound } from "./errors.js"
import { integerOf, pageOf } from "./filters.js"
import { decodeKey } from "./input.js"
import { limits } from "./limits.js"
import type { HistoryEntry, MemoryReader, WholeMemory } from "./Memory.js"
import { decodeFilter, queryVector, type Ranking, type Snapshot, searchIn } from "./search.js"
import { decodeConversationFilter, searchConversationIn } from "./searchConversation.js"

/** Where a reader reads: the live view, or that of a past version. */
export interface ReaderSource {
  readonly agent: string
  readonly level: TrustLevel
  /** Runs queries on one snapshot, at its asking time. */
  readonly read: <A>(f: (snapshot: Snapshot) => A) => Effect.Effect<A, ViewError>
}

export interface ReaderServices {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly ranking: Ranking
}

/** Every read path. Each one hands the level to a query that gates by it in SQL. */
export const make = ({ agent, level, read }: ReaderSource, { codec, log, ranking }: ReaderServices): MemoryReader => ({
  search: Effect.fn("Memory.search")(function* (query) {
    const filters = yield* decodeFilter(query, 10)
    const text = query.text ?? ""
    if (typeof text !== "string") return yield* new InvalidInput({ field: "text", problem: "must be text" })
    const vector = text.trim() === "" || level === "public" ? null : yield* queryVector(text, ranking)
    return yield* read((snapshot) => searchIn(snapshot, level, text, filters, vector, ranking))
  }),

  timeline: Effect.fn("Memory.timeline")(function* ({ after, anchor, before }) {
    yield* decodeKey("anchor", anchor)
    const span = {
      before: yield* integerOf("before", before ?? 5, 0, limits.around),
      after: yield* integerOf("after", after ?? 5, 0, limits.around)
    }
    const rows = yield* read(({ db, now }) => {
      const born = findAround(db, level, anchor, span, now)
      return born === undefined ? undefined : indexRows(db, born)
    })
    if (rows === undefined) return yield* new MemoryNotFound({ id: anchor })
    return rows.map(({ born: _, ...row }) => row)
  }),

  get: Effect.fn("Memory.get")(function* (ids) {
    if (ids.length > limits.ids)
      return yield* new InvalidInput({ field: "ids", problem: `has more than ${limits.ids} entries` })
    for (const id of ids) yield* decodeKey("ids", id)
    const memories = yield* read(({ db, now }) => getMemories(db, level, ids, now))
    return memories.map(wholeOf)
  }),

  list: Effect.fn("Memory.list")(function* (query = {}) {
    const filters = yield* decodeFilter(query, 50)
    const page = yield* pageOf(query, 50)
    const rows = yield* read(({ db, now }) => indexRows(db, findRecent(db, level, filters, now, page)))
    return rows.map(({ born: _, ...row }) => row)
  }),

  history: Effect.fn("Memory.history")(function* (id) {
    yield* decodeKey("id", id)
    const changes = yield* read(({ db, now }) => {
      const born = findBorn(db, level, id, now)
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
      const image = event.payload === null ? undefined : imagesOf(event).find((one) => one.id === id)
      if (image === undefined) continue
      entries.push({
        revision: image.revision,
        ...versionAt(level, event.version),
        type: event.type,
        recordedAt: event.recordedAt,
        actor: event.actor,
        decision: event.payload !== null && "decision" in event.payload ? event.payload.decision : null,
        memory: { ...wholeOf(image), status: image.status }
      })
    }
    return entries
  }),

  searchConversation: Effect.fn("Memory.searchConversation")(function* (query) {
    const filters = yield* decodeConversationFilter(query)
    const text = query.text ?? ""
    if (typeof text !== "string") return yield* new InvalidInput({ field: "text", problem: "must be text" })
    const vector = text.trim() === "" || level === "public" ? null : yield* queryVector(text, ranking)
    return yield* read((snapshot) => searchConversationIn(snapshot, level, text, filters, vector, ranking))
  }),

  sessions: Effect.fn("Memory.sessions")(function* (query = {}) {
    const page = yield* pageOf(query, 50)
    return yield* read(({ db }) => findSessions(db, level, page))
  }),

  turns: Effect.fn("Memory.turns")(function* (session, query = {}) {
    yield* decodeKey("session", session)
    const last = yield* integerOf("last", query.last ?? 100, 1, limits.page)
    return yield* read(({ db }) => findTurns(db, level, session, last))
  }),

  files: Effect.fn("Memory.files")(function* (query = {}) {
    const page = yield* pageOf(query, 50)
    return yield* read(({ db }) => findFiles(db, level, page))
  }),

  people: Effect.fn("Memory.people")(function* (query = {}) {
    const page = yield* pageOf(query, 50)
    if (query.name !== undefined && typeof query.name !== "string") {
      return yield* new InvalidInput({ field: "name", problem: "must be text" })
    }
    const name = (query.name ?? "").replace(/[\p{Surrogate}\0]/gu, " ").slice(0, limits.person)
    return yield* read(({ db }) => findPeople(db, level, name, page))
  })
})

const wholeOf = ({ born, revision, status, ...memory }: Image): WholeMemory => memory

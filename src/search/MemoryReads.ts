import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type DisputeDecision, findDecisions, withDisputes } from "../../projections/disputeReads.js"
import { findTimeNeighbours, getMemories } from "../../projections/observationReads.js"
import {
  findRecentMemories,
  type IndexRow,
  type MemoryOrder,
  memoryOrders,
  readIndexRows
} from "../../projections/observationSearch.js"
import { findPeople, type Person } from "../../projections/people.js"
import { findAccesses } from "../../projections/recalls.js"
import { findMemoriesByScore } from "../../projections/scoreReads.js"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import { InvalidInput, MemoryNotFound } from "../model/errors.js"
import { checkInteger, checkPage, type PageQuery, type ReadError, refuseUnknownOptions } from "../model/filters.js"
import { decodeKey } from "../model/input.js"
import { limits } from "../model/limits.js"
import { defineMethod } from "../model/operation.js"
import { toWholeMemory, type WholeMemory } from "../model/wholeMemory.js"
import type { Explained, WithLifeScore } from "./explain.js"
import { readByIdResults, searchAndRecord } from "./recordedSearch.js"
import { withReasons } from "./retrieve.js"
import { lifeScoreOf, scoreFactsOf, toScoreFormula } from "./score.js"
import { decodeFilter, decodeQuery, type Filter, type Hit, type Query, searchMemories } from "./search.js"

export type { DisputeDecision } from "../../projections/disputeReads.js"
export type { PageQuery, ReadError } from "../model/filters.js"
export type { WholeMemory } from "../model/wholeMemory.js"
export type { Explained, Explanation } from "./explain.js"
export type { LifeScore } from "./score.js"

/** Filters people by name. */
export interface PeopleQuery extends PageQuery {
  /** Part of a name. Default: all people. */
  readonly name?: string | undefined
}

export interface ListQuery extends Filter {
  readonly offset?: number | undefined
  /**
   * The order; default `newest`. `changed`: last changed first. `score`: the highest life score first. With `score`,
   * the only filter allowed is one tier.
   */
  readonly sort?: ListOrder | undefined
}

/** The orders of a list. */
export const listOrders = [...memoryOrders, "score"] as const
export type ListOrder = MemoryOrder | "score"

/** A memory, `anchor`, and the number of rows to read before and after it. Default: 5 each. */
export interface TimelineQuery {
  readonly anchor: string
  readonly before?: number | undefined
  readonly after?: number | undefined
}

/** Which disputes to list. */
export interface DecisionsQuery extends PageQuery {
  /** True to list only open disputes. Default: all disputes, each with its state. */
  readonly open?: boolean | undefined
}

/** Reads of memories and of the people in them. */
export interface MemoryReads {
  /** Finds memories by words and by meaning. It returns compact rows, best first. */
  readonly search: (query: Query) => Effect.Effect<ReadonlyArray<Hit>, ReadError>
  /** Runs the same search as `search`. Also reports how the query was read and why each row matched. */
  readonly explain: (query: Query) => Effect.Effect<Explained<Hit & WithLifeScore>, ReadError>
  /** Memories before and after a given memory in time, oldest first, with the memory itself. */
  readonly timeline: (query: TimelineQuery) => Effect.Effect<ReadonlyArray<IndexRow>, ReadError | MemoryNotFound>
  /**
   * Returns whole memories in the order of the ids. Leaves out missing ids and memories that the level must not read.
   */
  readonly get: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<WholeMemory>, ReadError>
  /** The memories that pass the filters, one page; by default the newest first. */
  readonly list: (query?: ListQuery) => Effect.Effect<ReadonlyArray<IndexRow>, ReadError>
  /**
   * The memories that raised disputes, one page: first by the trust level of the writer, then the newest first. Leaves
   * out a dispute if the level may not read all of its sides. `decide` settles a dispute.
   */
  readonly decisions: (query?: DecisionsQuery) => Effect.Effect<ReadonlyArray<DisputeDecision>, ReadError>
  /** The people in memories, most recently mentioned first. */
  readonly people: (query?: PeopleQuery) => Effect.Effect<ReadonlyArray<Person>, ReadError>
}

/**
 * The function is long, because it has a part for each method.
 * @internal
 */
export const makeMemoryReads = (source: ReaderSource, services: ReaderServices): MemoryReads => {
  const { level, read } = source
  const { maintenance, ranking } = services
  const searchFor = (query: Query) =>
    Effect.flatMap(
      Effect.suspend(() => decodeQuery(query, ranking.policy)),
      (request) => searchAndRecord(source, services, "memories", request, searchMemories)
    )
  return {
    search: defineMethod("Memory.search")((query) => Effect.map(searchFor(query), ({ hits }) => hits)),

    explain: defineMethod("Memory.explain")(function* (query) {
      const { explanation, hits } = withReasons(yield* searchFor(query))
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
      return { explanation: { ...explanation, nothingNear: hits.every(({ near }) => !near) }, hits: scored }
    }),

    timeline: defineMethod("Memory.timeline")(function* (query) {
      yield* refuseUnknownOptions(query, ["anchor", "before", "after"])
      const { after, anchor, before } = query
      yield* decodeKey("anchor", anchor)
      const span = {
        before: yield* checkInteger("before", before ?? 5, 0, limits.around),
        after: yield* checkInteger("after", after ?? 5, 0, limits.around)
      }
      const rows = yield* read(({ db, now }) => {
        const born = findTimeNeighbours(db, level, anchor, span, now)
        return born === undefined ? undefined : withDisputes(db, level, readIndexRows(db, born), now)
      })
      if (rows === undefined) return yield* new MemoryNotFound({ id: anchor })
      return rows.map(({ born: _, ...row }) => row)
    }),

    get: defineMethod("Memory.get")(function* (ids) {
      if (!Array.isArray(ids) || ids.length > limits.ids)
        return yield* new InvalidInput({ field: "ids", problem: `must be a list of at most ${limits.ids} ids` })
      for (const id of ids) yield* decodeKey("ids", id)
      return yield* read(({ db, now, observe }) => {
        const memories = withDisputes(db, level, getMemories(db, level, ids, now).map(toWholeMemory), now)
        if (memories.length > 0) observe?.()(readByIdResults(source, memories))
        if (level !== "full") return memories
        const accesses = findAccesses(db, ids)
        return memories.map((memory) => ({ ...memory, ...accesses.get(memory.id) }))
      })
    }),

    list: defineMethod("Memory.list")(function* (query = {}) {
      const filters = yield* decodeFilter(query, 50, ["offset", "sort"])
      const { sort = "newest" } = query
      if (!listOrders.includes(sort)) {
        return yield* new InvalidInput({ field: "sort", problem: `must be one of ${listOrders.join(", ")}` })
      }
      const page = yield* checkPage({ limit: query.limit, offset: query.offset }, 50)
      const tier = sort === "score" ? yield* onlyTier(query) : undefined
      const rows = yield* read(({ db, now }) => {
        const found =
          sort === "score"
            ? findMemoriesByScore(db, level, toScoreFormula(maintenance.tiers), {
                now,
                tier,
                limit: page.offset + page.limit
              })
                .slice(page.offset)
                .map(({ born }) => born)
            : findRecentMemories(db, level, filters, now, { ...page, sort })
        return withDisputes(db, level, readIndexRows(db, found), now)
      })
      return rows.map(({ born: _, ...row }) => row)
    }),

    decisions: defineMethod("Memory.decisions")(function* (query = {}) {
      yield* refuseUnknownOptions(query, ["open", "limit", "offset"])
      const { open = false, ...rest } = query
      if (typeof open !== "boolean") return yield* new InvalidInput({ field: "open", problem: "must be true or false" })
      const page = yield* checkPage(rest, 50)
      return yield* read(({ db, now }) => findDecisions(db, level, now, { ...page, isOpen: open }))
    }),

    people: defineMethod("Memory.people")(function* (query = {}) {
      const page = yield* checkPage(query, 50, ["name"])
      if (query.name !== undefined && typeof query.name !== "string") {
        return yield* new InvalidInput({ field: "name", problem: "must be text" })
      }
      const name = (query.name ?? "").replace(/[\p{Surrogate}\0]/gu, " ").slice(0, limits.person)
      return yield* read(({ db }) => findPeople(db, level, name, page))
    })
  }
}

/** Returns the tier filter of a list that is sorted by score. The indexes of scores support no other filter. */
const onlyTier = ({ limit: _, offset: __, sort: ___, tiers = [], ...others }: ListQuery) =>
  tiers.length > 1 || Object.values(others).some((filter) => filter !== undefined)
    ? Either.left(
        new InvalidInput({ field: "sort", problem: "cannot be `score` if any filter except a single tier is set" })
      )
    : Either.right(tiers[0])

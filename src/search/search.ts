import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { embeddingText, type Memory, Tier } from "../../events/Memory.js"
import { Store, type TrustLevel } from "../../events/Trust.js"
import { findOpenDisputes } from "../../projections/disputeGroups.js"
import { disputedFieldsOf } from "../../projections/disputeReads.js"
import type { Filters } from "../../projections/memoryFilters.js"
import {
  type Candidate,
  candidatesOf,
  findCandidates,
  findMemoriesBySubstring,
  findRecentMemories,
  IndexRow,
  memoryCorpus,
  readMemories
} from "../../projections/observationSearch.js"
import type { Db } from "../../projections/Projection.js"
import type { InvalidInput } from "../model/errors.js"
import {
  checkInteger,
  checkObject,
  decodeOptionalInstant,
  decodeOptionalList,
  decodeOptionalText,
  decodeTagFilters,
  refuseUnknownOptions
} from "../model/filters.js"
import { Instant, listField, type MemoryType, optionalFields } from "../model/input.js"
import { limits } from "../model/limits.js"
import type { PolicyValues } from "../ports/Policy.js"
import { projectMatcher } from "./cues.js"
import { evidenceByRow } from "./evidence.js"
import { memoryFilters, memorySyntax } from "./fields.js"
import { makeRowSearch } from "./pipeline.js"
import type { ScoringInput, SearchKind } from "./plan.js"
import { type Draft, foundBy, type ScoredCandidate, ScoreParts, scoreMemories } from "./rank.js"
import {
  type CheckedRequest,
  decodeSearchOptions,
  defaultHitLimit,
  type FindRows,
  searchOptionNames,
  searchOptions,
  toRequest
} from "./retrieve.js"
import { dateMatcher, timeMatcher } from "./timeCues.js"

const texts = listField(Schema.String, limits.filterValues)

const filterFields = {
  types: listField(Schema.String as Schema.Schema.AnyNoContext as Schema.Schema<MemoryType>, limits.filterValues),
  stores: listField(Store, limits.filterValues),
  /** A memory must have each of these tags. */
  tags: texts,
  /** A memory must have one of these tags. */
  anyTags: texts,
  tiers: listField(Tier, limits.filterValues),
  people: texts,
  project: Schema.String,
  session: Schema.String,
  after: Instant,
  before: Instant,
  /** Maximum rows of the answer, 1…1,000. Default 10 for a search, 50 for a list. */
  limit: Schema.Int.pipe(Schema.between(1, limits.page))
}

/** Filters of a read. The values of a list are alternatives, except those of `tags`. Times are milliseconds, a Date or ISO 8601 text. */
export const Filter = Schema.Struct(optionalFields(filterFields))
export interface Filter extends Schema.Schema.Type<typeof Filter> {}

/** A search. Without text it finds the newest memories that pass the filters. */
export const Query = Schema.Struct(
  optionalFields({ ...filterFields, ...searchOptions, near: Schema.Boolean, text: Schema.String })
)
export interface Query extends Schema.Schema.Type<typeof Query> {}

const nearFields = {
  /** The evidence for this hit, 0…1, independent of the other hits; 1 if the query names only a time, or nothing. */
  evidence: Schema.Number,
  /** True if the memory may answer the query: its evidence is at least `search.nearEvidence`. */
  near: Schema.Boolean
}
const FoundRow = Schema.Struct({ ...IndexRow.fields, ...nearFields })
interface FoundRow extends Schema.Schema.Type<typeof FoundRow> {}

/** A hit: the compact form of a memory, its evidence, its score and the parts of the score. */
export const Hit = Schema.Struct({
  ...FoundRow.fields,
  score: Schema.Number,
  parts: ScoreParts,
  /** Number of further hits that state the same and are left out. */
  alike: Schema.Int
})
export interface Hit extends Schema.Schema.Type<typeof Hit> {}

const filterNames = Object.keys(filterFields)

/** Checks the filters of a read. `otherOptions` are the names of its other options. */
export const decodeFilter = (
  filter: Filter,
  defaultLimit: number,
  otherOptions: ReadonlyArray<string>
): Either.Either<Filters & { readonly limit: number }, InvalidInput> =>
  Either.gen(function* () {
    yield* refuseUnknownOptions(filter, [...otherOptions, ...filterNames])
    return {
      limit: yield* checkInteger("limit", filter.limit ?? defaultLimit, 1, limits.page),
      types: yield* decodeOptionalList("types", filter.types, Schema.String),
      stores: yield* decodeOptionalList("stores", filter.stores, Store),
      ...(yield* decodeTagFilters(filter)),
      ...(filter.tiers === undefined ? {} : { tiers: yield* decodeOptionalList("tiers", filter.tiers, Tier) }),
      people: yield* decodeOptionalList("people", filter.people, Schema.String),
      projects: Object.values(yield* decodeOptionalText("project", filter.project)),
      sessions: Object.values(yield* decodeOptionalText("session", filter.session)),
      ...(yield* decodeOptionalInstant("after", filter.after)),
      ...(yield* decodeOptionalInstant("before", filter.before))
    }
  })

/** Checks a search and parses its text. */
export const decodeQuery = (
  query: Query,
  policy: PolicyValues["search"]
): Either.Either<CheckedRequest<Filters>, InvalidInput> =>
  Either.gen(function* () {
    yield* checkObject("query", query, "text")
    const { at, embedding, gate, mode, near, text = "", textWeight, topK, vectorWeight, ...filter } = query
    const fusion = { embedding, textWeight, topK, vectorWeight }
    const options = yield* decodeSearchOptions({ text, at, gate, mode, ...fusion }, policy)
    const filters = yield* decodeFilter(filter, defaultHitLimit(mode, policy), [...searchOptionNames, "near"])
    return toRequest(memorySyntax, filters, { ...options, near }, policy)
  })

const draftsOf = (
  { db, level, now }: Pick<ScoringInput, "db" | "level" | "now">,
  ranked: ReadonlyArray<ScoredCandidate<ScoreParts>>
): ReadonlyArray<Draft<FoundRow, ScoreParts>> => {
  const memories = readMemories(
    db,
    ranked.map(({ born }) => born)
  )
  const ids = [...memories.values()].map(({ id }) => id)
  const disputes = findOpenDisputes(db, level, ids, now)
  return ranked.flatMap(({ born, parts, time }) => {
    const memory = memories.get(born)
    if (memory === undefined) return []
    const { id, store, type } = memory
    const text = embeddingText(memory)
    const dispute = disputes.get(id)
    const row = { ...indexRowOf(memory), ...disputedFieldsOf(id, dispute), evidence: 1, near: true }
    const draft = { born, parts, time, row, text, alike: 0, store, secret: type === "credential" }
    if (dispute === undefined) return draft
    const { sides } = dispute
    const place = sides.findIndex((side) => side.id === id)
    return { ...draft, side: { group: `disputed ${sides[0]!.id}`, place, before: sides.slice(0, place) } }
  })
}

const unscored = (
  db: Db,
  level: TrustLevel,
  borns: ReadonlyArray<number>,
  text: number | null = null
): ReadonlyArray<Candidate> =>
  candidatesOf(
    db,
    level,
    borns.map((born) => ({ born, text, similarity: null }))
  )

const indexRowOf = ({
  createdAt,
  id,
  mentions,
  occurredAt,
  people,
  stale,
  store,
  title,
  tokens,
  type
}: Memory): IndexRow => ({
  id,
  type,
  title,
  store,
  people,
  tokens,
  mentions,
  createdAt,
  occurredAt: occurredAt ?? null,
  ...(stale === undefined ? {} : { stale })
})

/** How the pipeline searches memories. */
const searched: SearchKind<Filters, Candidate, FoundRow, ScoreParts> = {
  corpus: memoryCorpus,
  rowNoun: "memory",
  text: "fulltext",
  vectors: "vectors",
  filtersOf: (filters, fields, timeReference) => ({ ...filters, and: memoryFilters(fields, timeReference) }),
  filtersDuring: (filters, { from, to }, reading) => ({ during: { from, to, reading }, and: filters }),
  ranksTimesFirst: true,
  find: ({ db, now }, query) => findCandidates(db, { ...query, now }),
  recent: ({ db, now }, { filters, level, limit, required }) =>
    unscored(db, level, findRecentMemories(db, level, filters, now, { limit, offset: 0 }, required)),
  findSubstrings: ({ db, now }, { filters, level, limit, needles }) =>
    unscored(db, level, findMemoriesBySubstring(db, level, filters, now, needles, limit), 1),
  score: ({ now, parsed, policy, times, weights }, candidates) =>
    scoreMemories(candidates, policy, weights, now, {
      date: dateMatcher(parsed.plainText, times.ranges),
      inTimes: timeMatcher(times),
      types: times.types,
      project: projectMatcher(parsed.plainText)
    }),
  judge: ({ level, nearOnly, scoring: { db, parsed, policy, times }, vector }, { candidates, drafts, words }) => {
    const byBorn = new Map(candidates.map((candidate) => [candidate.born, candidate]))
    // A hit that shows another side of its dispute is as near as the side that the query found.
    const hits = drafts.map(foundBy).map(({ born }) => byBorn.get(born) ?? { born, text: null, similarity: null })
    const isInTimes = timeMatcher(times)
    const inTimes =
      times.ranges.length === 0
        ? undefined
        : new Set(candidates.filter((candidate) => isInTimes(candidate)).map(({ born }) => born))
    const required = parsed.must.map((expression) => ({ expression }))
    const terms = [...words, ...required]
    const model = vector?.model ?? null
    const evidence = evidenceByRow({ db, level, corpus: memoryCorpus, policy, words: terms, inTimes, model }, hits)
    const judged = drafts.map((draft) => {
      const value = evidence.get(foundBy(draft).born)!
      return { ...draft, row: { ...draft.row, evidence: value, near: value >= policy.nearEvidence } }
    })
    return nearOnly ? judged.filter(({ row }) => row.near) : judged
  },
  read: draftsOf
}

/** Ranks the memories that a level may read. Synchronous: it sees one snapshot. */
export const searchMemories: FindRows<Filters, FoundRow, ScoreParts> = makeRowSearch(searched)

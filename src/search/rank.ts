import * as Schema from "effect/Schema"
import type { Store } from "../../events/Trust.js"
import type { HitScores } from "../../projections/hybridSearch.js"
import type { Candidate } from "../../projections/observationSearch.js"
import { daysBetween } from "../../text/when/dates.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { MemoryTimes } from "./timeCues.js"

/** The parts of a memory's score; they add up to it. */
export const ScoreParts = Schema.Struct({
  text: Schema.Number,
  vector: Schema.Number,
  /** Gain if the memory is in a time that the question names. */
  date: Schema.Number,
  /** Gain if the question names the memory's type, together with a time that the memory is in. */
  type: Schema.Number,
  /** Gain if the memory belongs to a project that the question names. */
  project: Schema.Number,
  recency: Schema.Number,
  mentions: Schema.Number,
  importance: Schema.Number,
  /** Gain from the reranker. */
  rerank: Schema.Number
})
export interface ScoreParts extends Schema.Schema.Type<typeof ScoreParts> {}

/** The sum of a score's parts. */
export const totalScore = (parts: object): number => {
  let total = 0
  for (const name in parts) total += (parts as Record<string, number>)[name]!
  return total
}

/** A row with the parts of its score; `time` and `born` break ties. */
export interface ScoredCandidate<Parts> {
  readonly born: number
  readonly time: number
  readonly parts: Parts
}

/** The memory that a query found: its text is folded and reranked, its words and vector are the evidence. */
export interface FoundMemory {
  readonly born: number
  readonly text: string
  /** The memory's store, and whether it is a credential: a reranker must not see withheld stores or credentials. */
  readonly store: Store
  readonly secret?: boolean
}

/** A possible hit: its row and the parts of its score. */
export interface Draft<Row, Parts> extends ScoredCandidate<Parts>, FoundMemory {
  readonly row: Row
  /** Number of further hits that state the same. */
  readonly alike: number
  /**
   * The memory's group of contradicting memories, its place in the group (from 0), and the memories before it. Hits of
   * one group are folded.
   */
  readonly side?: {
    readonly group: string
    readonly place: number
    readonly before: ReadonlyArray<{ readonly born: number }>
  }
  /** The memory of the same group that the query found, if the row shows another one. The score is that of `found`. */
  readonly found?: FoundMemory
}

/** The memory whose text speaks for a draft. */
export const foundBy = (draft: Draft<unknown, unknown>): FoundMemory => draft.found ?? draft

/** Orders by score, then by time, then by position in the log; larger first. */
export const orderByScore = <D extends ScoredCandidate<object>>(drafts: ReadonlyArray<D>): ReadonlyArray<D> => {
  const scores = new Map(drafts.map((draft) => [draft, totalScore(draft.parts)]))
  return drafts.toSorted((a, b) => scores.get(b)! - scores.get(a)! || b.time - a.time || b.born - a.born)
}

/** Orders by time alone. */
export const orderByTime = <D extends { readonly born: number; readonly time: number }>(
  rows: ReadonlyArray<D>
): ReadonlyArray<D> => rows.toSorted((a, b) => b.time - a.time || b.born - a.born)

/** The share of vectors in the fused score, 0…1; `substitute` applies to rows embedded by the local embedder. */
export interface VectorWeights {
  readonly main: number
  readonly substitute?: { readonly weight: number; readonly openness: ReadonlyArray<number> } | undefined
}

/**
 * Fuses the text and vector scores of candidates. Similarities of two embedders are not comparable, so each embedder
 * is scaled separately and has its own weight.
 *
 * `minmax` scales the scores of full text and of vectors to 0…1 each. If an index found fewer candidates than the pool
 * allows, its scale begins at 0. Vectors get the weight w, full text 1 − w. `rrf` gives weight × (k + 1) / (k + rank),
 * so that a first place counts as 1.
 */
export const fuse = <A extends FusableHit>(
  candidates: ReadonlyArray<A>,
  policy: PolicyValues["search"],
  { substitute, main }: VectorWeights
): ReadonlyArray<{ readonly candidate: A; readonly text: number; readonly vector: number }> => {
  const scaled = policy.fusion === "rrf" ? byRank(policy.rrfConstant) : byScore(policy.pool)
  const text = scaled(candidates, (candidate) => candidate.text)
  const isSubstituted = ({ openness }: A) => substitute?.openness.includes(openness) === true
  const mainVector = scaled(candidates, (candidate) => (isSubstituted(candidate as A) ? null : candidate.similarity))
  const substituteVector =
    substitute === undefined
      ? mainVector
      : scaled(candidates, (candidate) => (isSubstituted(candidate as A) ? candidate.similarity : null))
  return candidates.map((candidate, index) => {
    const [weight, side] =
      substitute !== undefined && isSubstituted(candidate) ? [substitute.weight, substituteVector] : [main, mainVector]
    return { candidate, text: (1 - weight) * text[index]!, vector: weight * side[index]! }
  })
}

/** The inputs of fusion; `time` breaks ties. */
export type FusableHit = HitScores & { readonly time: number; readonly openness: number }

/** Cues of a question besides its words: the times, types and projects that it names. */
export interface QueryCues {
  /** Matches instants in a named time, and in a named month of any year. */
  readonly date: (instant: number) => boolean
  /** Matches memories in a named time. They rank above all others. */
  readonly inTimes: (times: MemoryTimes) => boolean
  readonly types: ReadonlySet<string>
  readonly project: (project: string | null) => boolean
}

export const noQueryCues: QueryCues = {
  date: () => false,
  inTimes: () => false,
  types: new Set(),
  project: () => false
}

/** Score of a memory that is in a named time but shares no word with the query. */
export const timeMatchScore = 0.05

/**
 * Gain of a memory that is in a named time. It equals the highest possible score of any other memory, so that no other
 * memory ranks above it. A reranker adds at most 1.
 */
export const namedTimeGain = ({
  dateBoost,
  importanceWeight,
  mentionWeight,
  projectBoost,
  recencyWeight
}: PolicyValues["search"]): number =>
  1 + dateBoost + projectBoost + timeMatchScore + recencyWeight + maxDoublings * mentionWeight + importanceWeight + 1

/** Maximum doublings of a memory's mentions that count. */
const maxDoublings = 8

/** Fuses full text and vectors, and adds cues, recency, mentions and importance. */
export const scoreMemories = (
  candidates: ReadonlyArray<Candidate>,
  policy: PolicyValues["search"],
  weights: VectorWeights,
  now: number,
  cues: QueryCues = noQueryCues
): ReadonlyArray<ScoredCandidate<ScoreParts>> =>
  fuse(candidates, policy, weights).map(({ candidate, text, vector }) => {
    const base = text + vector
    const isInTimes = cues.inTimes(candidate)
    const dateBoost = isInTimes || cues.date(candidate.time) ? policy.dateBoost * base + timeMatchScore : 0
    const date = isInTimes ? dateBoost + namedTimeGain(policy) : dateBoost
    const project = cues.project(candidate.project) ? policy.projectBoost * base : 0
    const parts = {
      text,
      vector,
      date,
      type: isInTimes && cues.types.has(candidate.type) ? policy.typeGain : 0,
      project,
      recency: recencyGain(candidate.time, policy, now, policy.decays[candidate.type]),
      mentions: policy.mentionWeight * Math.min(maxDoublings, Math.log2(candidate.mentions)),
      importance: policy.importanceWeight * candidate.importance,
      rerank: 0
    }
    return { born: candidate.born, time: candidate.time, parts }
  })

/** recencyWeight × exp(−decay × whole UTC days). */
export const recencyGain = (
  time: number,
  policy: PolicyValues["search"],
  now: number,
  decay = policy.recencyDecay
): number => policy.recencyWeight * Math.exp(-decay * daysBetween(time, now))

type ScoreOfSide = (candidate: FusableHit) => number | null

/** The scaled score of each candidate, 0…1; 0 for a candidate that this index did not find. */
type Scale = (candidates: ReadonlyArray<FusableHit>, side: ScoreOfSide) => ReadonlyArray<number>

const byScore =
  (pool: number): Scale =>
  (candidates, side) => {
    const scores = candidates.map(side)
    let [count, low, high] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const score of scores) {
      if (score === null) continue
      count++
      if (score < low) low = score
      if (score > high) high = score
    }
    // With fewer candidates than the pool allows, even the last candidate is a real hit, so the scale begins at 0.
    if (count < pool && low > 0) low = 0
    return scores.map((score) => (score === null ? 0 : high === low ? 1 : (score - low) / (high - low)))
  }

const byRank =
  (constant: number): Scale =>
  (candidates, side) => {
    const scores = candidates.map(side)
    const scaled = candidates.map(() => 0)
    candidates
      .map((candidate, index) => ({ index, candidate }))
      .filter(({ index }) => scores[index] !== null)
      .sort(
        (a, b) =>
          scores[b.index]! - scores[a.index]! ||
          b.candidate.time - a.candidate.time ||
          b.candidate.born - a.candidate.born
      )
      .forEach(({ index }, rank) => {
        scaled[index] = (constant + 1) / (constant + rank + 1)
      })
    return scaled
  }

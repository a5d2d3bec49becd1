import type { Store } from "../../events/Trust.js"
import type { HitScores } from "../../projections/hits.js"
import type { Candidate } from "../../projections/search.js"
import { daysBetween } from "../../text/when/dates.js"
import type { PolicyValues } from "../ports/Policy.js"

/** What the score of a memory is made of; the parts add up to it. */
export interface ScoreParts {
  readonly text: number
  readonly vector: number
  /** It happened in a time that the question names. */
  readonly date: number
  /** It is of a project that the question names. */
  readonly project: number
  readonly recency: number
  readonly mentions: number
  readonly importance: number
  /** How the question's words stand in it. */
  readonly rerank: number
}

/** The sum of a score's parts. */
export const sum = (parts: object): number => {
  let total = 0
  for (const name in parts) total += (parts as Record<string, number>)[name]!
  return total
}

/** A row with what its score is made of, and its place in ties. */
export interface Scored<Parts> {
  readonly born: number
  readonly time: number
  readonly parts: Parts
}

/** A hit on its way: how it is shown, and the text that it is looked at by. */
export interface Draft<Row, Parts> extends Scored<Parts> {
  readonly row: Row
  readonly text: string
  /** How many more say the same. */
  readonly alike: number
  /** Where it is kept, and whether it lets somebody in: not everybody who looks may see it. */
  readonly store: Store
  readonly secret?: boolean
}

/** The order of an answer: score, then the newer, then the later stored. */
export const inOrder = <D extends Scored<object>>(drafts: ReadonlyArray<D>): ReadonlyArray<D> => {
  const scores = new Map(drafts.map((draft) => [draft, sum(draft.parts)]))
  return drafts.toSorted((a, b) => scores.get(b)! - scores.get(a)! || b.time - a.time || b.born - a.born)
}

/** For answers that are ranked by nothing but their time. */
export const newestFirst = <D extends { readonly born: number; readonly time: number }>(
  rows: ReadonlyArray<D>
): ReadonlyArray<D> => rows.toSorted((a, b) => b.time - a.time || b.born - a.born)

/** The share of similarity in the fused score, 0…1; another one of rows that another embedder has the vectors of. */
export interface Weights {
  readonly own: number
  readonly apart?: { readonly weight: number; readonly openness: ReadonlyArray<number> } | undefined
}

/**
 * What both sides give to each candidate's score. Similarities of two embedders
 * say nothing of each other: each is a side of its own, and a row is weighed as
 * far as the embedder of its store may be trusted.
 *
 * `minmax`: each side is scaled to 0…1 over its own candidates (from 0 where
 * there are fewer than the pool holds) and weighted with `vectorWeight` and its
 * complement. `rrf`: each side gives weight × (k + 1) / (k + rank), so that a
 * first place counts as 1.
 */
export const fuse = <A extends Fusable>(
  candidates: ReadonlyArray<A>,
  policy: PolicyValues["search"],
  { apart, own }: Weights
): ReadonlyArray<{ readonly candidate: A; readonly text: number; readonly vector: number }> => {
  const scaled = policy.fusion === "rrf" ? byRank(policy.rrfConstant) : byScore(policy.pool)
  const text = scaled(candidates, (candidate) => candidate.text)
  const isApart = ({ openness }: A) => apart?.openness.includes(openness) === true
  const vector = scaled(candidates, (candidate) => (isApart(candidate as A) ? null : candidate.similarity))
  const others =
    apart === undefined
      ? vector
      : scaled(candidates, (candidate) => (isApart(candidate as A) ? candidate.similarity : null))
  return candidates.map((candidate, at) => {
    const [weight, side] = apart !== undefined && isApart(candidate) ? [apart.weight, others] : [own, vector]
    return { candidate, text: (1 - weight) * text[at]!, vector: weight * side[at]! }
  })
}

/** What fusion needs to know of a row; `time` orders those that are equally good. */
export type Fusable = HitScores & { readonly time: number; readonly openness: number }

/** What a question says besides its words: which times and which projects it names. */
export interface Cues {
  readonly date: (instant: number) => boolean
  readonly project: (project: string | null) => boolean
}

export const noCues: Cues = { date: () => false, project: () => false }

/** What lying in a time that was asked for is worth by itself, were there no word in common. */
export const timeWorth = 0.05

/** Fuses what full text and vectors found, and adds what a memory gains by the question's cues and by its standing. */
export const scored = (
  candidates: ReadonlyArray<Candidate>,
  policy: PolicyValues["search"],
  weights: Weights,
  now: number,
  cues: Cues = noCues
): ReadonlyArray<Scored<ScoreParts>> =>
  fuse(candidates, policy, weights).map(({ candidate, text, vector }) => {
    const base = text + vector
    const date = cues.date(candidate.time) ? policy.dateBoost * base + timeWorth : 0
    const project = cues.project(candidate.project) ? policy.projectBoost * base : 0
    const parts = {
      text,
      vector,
      date,
      project,
      recency: recencyOf(candidate.time, policy, now, policy.decays[candidate.type]),
      mentions: policy.mentionWeight * Math.min(8, Math.log2(candidate.mentions)),
      importance: policy.importanceWeight * candidate.importance,
      rerank: 0
    }
    return { born: candidate.born, time: candidate.time, parts }
  })

/** What anything gains by its day: recencyWeight × exp(−decay × whole UTC days). */
export const recencyOf = (
  time: number,
  policy: PolicyValues["search"],
  now: number,
  decay = policy.recencyDecay
): number => policy.recencyWeight * Math.exp(-decay * daysBetween(time, now))

type Side = (candidate: Fusable) => number | null

/** For each candidate what its side gives it, 0…1; 0 where it was not found there. */
type Scale = (candidates: ReadonlyArray<Fusable>, side: Side) => ReadonlyArray<number>

const byScore =
  (pool: number): Scale =>
  (candidates, side) => {
    const scores = candidates.map(side)
    let [found, low, high] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const score of scores) {
      if (score === null) continue
      found++
      if (score < low) low = score
      if (score > high) high = score
    }
    // Where all that was found is here, the least of it is still a find: the scale begins below it.
    if (found < pool && low > 0) low = 0
    return scores.map((score) => (score === null ? 0 : high === low ? 1 : (score - low) / (high - low)))
  }

const byRank =
  (constant: number): Scale =>
  (candidates, side) => {
    const scores = candidates.map(side)
    const given = candidates.map(() => 0)
    candidates
      .map((candidate, at) => ({ at, candidate }))
      .filter(({ at }) => scores[at] !== null)
      .sort(
        (a, b) =>
          scores[b.at]! - scores[a.at]! || b.candidate.time - a.candidate.time || b.candidate.born - a.candidate.born
      )
      .forEach(({ at }, place) => {
        given[at] = (constant + 1) / (constant + place + 1)
      })
    return given
  }

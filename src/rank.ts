import type { HitScores } from "../projections/hits.js"
import type { Candidate } from "../projections/search.js"
import { daysBetween } from "./dates.js"
import type { PolicyValues } from "./Policy.js"

/** What a score is made of; the parts add up to it. */
export interface ScoreParts {
  readonly text: number
  readonly vector: number
  readonly recency: number
  readonly mentions: number
}

export interface Ranked {
  readonly born: number
  readonly score: number
  readonly parts: ScoreParts
}

/**
 * Fuses what full text and vectors found, adds recency and mentions, and puts
 * the result in a fixed order: score, then the newer, then the later stored.
 *
 * `minmax`: each side is scaled to 0…1 over its own candidates (from 0 where
 * there are fewer than the pool holds) and weighted with `vectorWeight` and its
 * complement. `rrf`: each side gives
 * weight × (k + 1) / (k + rank), so that a first place counts as 1.
 */
export const rank = (
  candidates: ReadonlyArray<Candidate>,
  policy: PolicyValues["search"],
  vectorWeight: number,
  now: number
): ReadonlyArray<Ranked> =>
  fuse(candidates, policy, vectorWeight)
    .map(({ candidate, text, vector }) => {
      const parts = { text, vector, ...standing(candidate, policy, now) }
      return { born: candidate.born, time: candidate.time, score: sum(parts), parts }
    })
    .sort((a, b) => b.score - a.score || b.time - a.time || b.born - a.born)

/** What both sides give to each candidate's score. */
export const fuse = <A extends Fusable>(
  candidates: ReadonlyArray<A>,
  policy: PolicyValues["search"],
  vectorWeight: number
): ReadonlyArray<{ readonly candidate: A; readonly text: number; readonly vector: number }> => {
  const scaled = policy.fusion === "rrf" ? byRank(policy.rrfConstant) : byScore(policy.pool)
  const text = scaled(candidates, (candidate) => candidate.text)
  const vector = scaled(candidates, (candidate) => candidate.similarity)
  return candidates.map((candidate) => ({
    candidate,
    text: (1 - vectorWeight) * (text.get(candidate.born) ?? 0),
    vector: vectorWeight * (vector.get(candidate.born) ?? 0)
  }))
}

/** What fusion needs to know of a row; `time` orders those that are equally good. */
export type Fusable = HitScores & { readonly time: number }

/** What a memory gains whatever was asked: by its day and by how often it was mentioned. */
export const standing = (
  { mentions, time }: Pick<Candidate, "mentions" | "time">,
  policy: PolicyValues["search"],
  now: number
): Pick<ScoreParts, "recency" | "mentions"> => ({
  recency: recencyOf(time, policy, now),
  mentions: policy.mentionWeight * Math.min(8, Math.log2(mentions))
})

/** What anything gains by its day. */
export const recencyOf = (time: number, policy: PolicyValues["search"], now: number): number =>
  policy.recencyWeight * Math.exp(-policy.recencyDecay * daysBetween(time, now))

export const sum = (parts: ScoreParts): number => parts.text + parts.vector + parts.recency + parts.mentions

type Side = (candidate: Fusable) => number | null

const byScore =
  (pool: number) =>
  (candidates: ReadonlyArray<Fusable>, side: Side): ReadonlyMap<number, number> => {
    const scores = candidates.flatMap((candidate) => side(candidate) ?? [])
    // Where all that was found is here, the least of it is still a find: the scale begins below it.
    let [low, high] = [scores.length < pool ? 0 : Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const score of scores) {
      low = Math.min(low, score)
      high = Math.max(high, score)
    }
    return new Map(
      candidates.flatMap((candidate) => {
        const score = side(candidate)
        return score === null ? [] : [[candidate.born, high === low ? 1 : (score - low) / (high - low)] as const]
      })
    )
  }

const byRank =
  (constant: number) =>
  (candidates: ReadonlyArray<Fusable>, side: Side): ReadonlyMap<number, number> =>
    new Map(
      candidates
        .filter((candidate) => side(candidate) !== null)
        .sort((a, b) => side(b)! - side(a)! || b.time - a.time || b.born - a.born)
        .map((candidate, index) => [candidate.born, (constant + 1) / (constant + index + 1)])
    )

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
 * `minmax`: each side is scaled to 0…1 over its own candidates and weighted
 * with `vectorWeight` and its complement. `rrf`: each side gives
 * weight × (k + 1) / (k + rank), so that a first place counts as 1.
 */
export const rank = (
  candidates: ReadonlyArray<Candidate>,
  policy: PolicyValues["search"],
  vectorWeight: number,
  now: number
): ReadonlyArray<Ranked> => {
  const fuse = policy.fusion === "rrf" ? byRank(policy.rrfConstant) : byScore
  const text = fuse(candidates, (candidate) => candidate.text)
  const vector = fuse(candidates, (candidate) => candidate.similarity)
  const textWeight = 1 - vectorWeight
  return candidates
    .map((candidate) => {
      const parts = {
        text: textWeight * (text.get(candidate.born) ?? 0),
        vector: vectorWeight * (vector.get(candidate.born) ?? 0),
        ...standing(candidate, policy, now)
      }
      return { born: candidate.born, time: candidate.time, score: sum(parts), parts }
    })
    .sort((a, b) => b.score - a.score || b.time - a.time || b.born - a.born)
}

/** What a memory gains whatever was asked: by its day and by how often it was mentioned. */
export const standing = (
  { mentions, time }: Pick<Candidate, "mentions" | "time">,
  policy: PolicyValues["search"],
  now: number
): Pick<ScoreParts, "recency" | "mentions"> => ({
  recency: policy.recencyWeight * Math.exp(-policy.recencyDecay * daysBetween(time, now)),
  mentions: policy.mentionWeight * Math.min(8, Math.log2(mentions))
})

export const sum = (parts: ScoreParts): number => parts.text + parts.vector + parts.recency + parts.mentions

type Side = (candidate: Candidate) => number | null

const byScore = (candidates: ReadonlyArray<Candidate>, side: Side): ReadonlyMap<number, number> => {
  const scores = candidates.flatMap((candidate) => side(candidate) ?? [])
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
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
  (candidates: ReadonlyArray<Candidate>, side: Side): ReadonlyMap<number, number> =>
    new Map(
      candidates
        .filter((candidate) => side(candidate) !== null)
        .sort((a, b) => side(b)! - side(a)! || b.time - a.time || b.born - a.born)
        .map((candidate, index) => [candidate.born, (constant + 1) / (constant + index + 1)])
    )

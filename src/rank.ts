import type { HitScores } from "../projections/hits.js"
import type { Candidate } from "../projections/search.js"
import { daysBetween } from "./dates.js"
import type { PolicyValues } from "./Policy.js"

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
export const sum = (parts: { readonly [part: string]: number } | object): number =>
  Object.values(parts as Record<string, number>).reduce((total, part) => total + part, 0)

/** A hit on its way: its place in ties, and the text that it is looked at by. */
export interface Draft<Row, Parts> {
  readonly row: Row
  readonly parts: Parts
  readonly born: number
  readonly time: number
  readonly text: string
}

/** The order of an answer: score, then the newer, then the later stored. */
export const inOrder = <D extends Pick<Draft<unknown, object>, "parts" | "born" | "time">>(
  drafts: ReadonlyArray<D>
): ReadonlyArray<D> =>
  drafts
    .map((draft) => ({ draft, score: sum(draft.parts) }))
    .sort((a, b) => b.score - a.score || b.draft.time - a.draft.time || b.draft.born - a.draft.born)
    .map(({ draft }) => draft)

/** For answers that are ranked by nothing but their time. */
export const newestFirst = <D extends { readonly born: number; readonly time: number }>(
  rows: ReadonlyArray<D>
): ReadonlyArray<D> => rows.toSorted((a, b) => b.time - a.time || b.born - a.born)

/**
 * What both sides give to each candidate's score.
 *
 * `minmax`: each side is scaled to 0…1 over its own candidates (from 0 where
 * there are fewer than the pool holds) and weighted with `vectorWeight` and its
 * complement. `rrf`: each side gives weight × (k + 1) / (k + rank), so that a
 * first place counts as 1.
 */
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
  vectorWeight: number,
  now: number,
  cues: Cues = noCues
): ReadonlyArray<Pick<Draft<unknown, ScoreParts>, "born" | "time" | "parts">> =>
  fuse(candidates, policy, vectorWeight).map(({ candidate, text, vector }) => {
    const base = text + vector
    const date = cues.date(candidate.time) ? policy.dateBoost * base + timeWorth : 0
    const project = cues.project(candidate.project) ? policy.projectBoost * base : 0
    const parts = { text, vector, date, project, ...standing(candidate, policy, now), rerank: 0 }
    return { born: candidate.born, time: candidate.time, parts }
  })

/** What a memory gains whatever was asked: by its day and type, by how often it was mentioned and how important it is. */
const standing = (
  { importance, mentions, time, type }: Pick<Candidate, "importance" | "mentions" | "time" | "type">,
  policy: PolicyValues["search"],
  now: number
): Pick<ScoreParts, "recency" | "mentions" | "importance"> => ({
  recency: recencyOf(time, policy, now, policy.decays[type]),
  mentions: policy.mentionWeight * Math.min(8, Math.log2(mentions)),
  importance: policy.importanceWeight * importance
})

/** What anything gains by its day: recencyWeight × exp(−decay × whole UTC days). */
export const recencyOf = (
  time: number,
  policy: PolicyValues["search"],
  now: number,
  decay = policy.recencyDecay
): number => policy.recencyWeight * Math.exp(-decay * daysBetween(time, now))

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

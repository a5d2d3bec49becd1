import type { ScoreFormula } from "../../projections/scoreReads.js"
import { daysBetween } from "../../text/when/dates.js"
import type { Row } from "../model/MemoryRow.js"
import type { MaintenancePolicy } from "../ports/policy/maintenance.js"

/** The properties of a memory that its life score depends on. */
export interface ScoreFacts {
  readonly type: string
  /** 0…1. */
  readonly importance: number
  /** Number of mentions, including the first. */
  readonly mentions: number
  /** Number of times that the memory was shown. */
  readonly accesses: number
  /** When the memory was last added, mentioned or shown, milliseconds since the epoch. */
  readonly seenAt: number
}

export const scoreFactsOf = (row: Row): ScoreFacts => ({
  type: row.memory.type,
  importance: row.memory.importance,
  mentions: row.memory.mentions,
  accesses: row.accesses?.accesses ?? 0,
  seenAt: lastSeenAt(row)
})

/** When a memory was last added, mentioned or shown. */
export const lastSeenAt = ({ accesses, memory }: Row): number =>
  Math.max(memory.createdAt, memory.lastMentionedAt, accesses?.lastAccessedAt ?? 0)

/** A life score; `frequency`, `recency` and `importance` add up to it. */
export interface LifeScore {
  readonly score: number
  readonly frequency: number
  readonly recency: number
  readonly importance: number
  /** Mentions after the first one, plus the number of times that the memory was shown. */
  readonly hits: number
  /** Whole UTC days since `seenAt`. */
  readonly days: number
  /** The decay rate λ of the memory's type, per day. */
  readonly decay: number
  readonly seenAt: number
}

/**
 * Scores how much a memory is worth keeping: frequencyWeight × ln(1 + hits) + recencyWeight × exp(−decay × days) +
 * importanceWeight × importance. The score depends only on policy, recorded facts and time. It is computed on each read
 * and never stored. `findMemoriesByScore` computes the same score in SQL.
 */
export const lifeScoreOf = (facts: ScoreFacts, policy: MaintenancePolicy["tiers"], now: number): LifeScore => {
  const hits = useCount(facts)
  const days = daysBetween(facts.seenAt, now)
  const decay = decayOf(facts.type, policy)
  const frequency = policy.frequencyWeight * Math.log(1 + hits)
  const recency = policy.recencyWeight * remainingRecency(decay, days)
  const importance = policy.importanceWeight * facts.importance
  return {
    score: frequency + recency + importance,
    frequency,
    recency,
    importance,
    hits,
    days,
    decay,
    seenAt: facts.seenAt
  }
}

/** Mentions after the first one, plus the number of times that the memory was shown. */
export const useCount = ({ accesses, mentions }: Pick<ScoreFacts, "accesses" | "mentions">): number =>
  mentions - 1 + accesses

/** The decay rate λ of a type, per day. */
export const decayOf = (type: string, { decay, decays }: MaintenancePolicy["tiers"]): number =>
  Object.hasOwn(decays, type) ? decays[type]! : decay

/** The share of recency that remains after `days`, 0…1. */
export const remainingRecency = (decay: number, days: number): number => Math.exp(-decay * days)

/** A life score in words. */
export const describeLifeScore = ({ days, decay, frequency, hits, importance, recency, score }: LifeScore): string =>
  [
    `life ${score.toFixed(3)}: ${frequency.toFixed(3)} for ${hits} ${hits === 1 ? "hit" : "hits"}`,
    `${recency.toFixed(3)} for ${days} ${days === 1 ? "day" : "days"} unseen (decay ${decay})`,
    `${importance.toFixed(3)} for its importance`
  ].join(", ")

/** The parameters of the score for queries in SQL. */
export const toScoreFormula = (policy: MaintenancePolicy["tiers"]): ScoreFormula => ({
  frequencyWeight: policy.frequencyWeight,
  recencyWeight: policy.recencyWeight,
  importanceWeight: policy.importanceWeight,
  decayOf: (type) => decayOf(type, policy)
})

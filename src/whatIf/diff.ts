import { isDeepStrictEqual } from "node:util"
import type { DaybookEvent } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { isYieldDue, type Steps } from "../../events/turns.js"
import { disputesOf, outcomeOf } from "../remember/remembered.js"
import type { Answered, Changed, DecisionResult, DifferenceCause, OneSidedMemory, WhatIf } from "./WhatIf.js"

/** An event that can be the result of `remember`. */
export type Mutation = Extract<DaybookEvent, { readonly type: "ADD" | "UPDATE" | "DELETE" }>

/** The decision that an event records. */
export const resultOf = (
  event: Pick<Mutation, "type" | "payload">,
  origin: { readonly answered?: Answered; readonly fallback?: string } = {}
): DecisionResult => {
  const { decision, memory } = event.payload
  const replacement = "replacement" in event.payload ? event.payload.replacement : undefined
  const { by, candidates, fallback, reason, threshold } = decision
  const disputes = disputesOf(event)
  return {
    outcome: outcomeOf(event as Mutation),
    id: (replacement ?? memory).id,
    ...(replacement === undefined ? {} : { replaced: memory.id }),
    ...(disputes.length === 0 ? {} : { disputes }),
    by,
    reason,
    candidates,
    ...(threshold === undefined ? {} : { threshold }),
    ...(fallback === undefined ? {} : { fallback }),
    ...origin
  }
}

/** Returns true if two decisions have the same result, even for different reasons. */
export const sameResult = (a: DecisionResult, b: DecisionResult): boolean =>
  a.outcome === b.outcome && a.id === b.id && a.replaced === b.replaced && isDeepStrictEqual(a.disputes, b.disputes)

/** Returns true if two decisions also have the same reason, candidates and reconciler. */
export const sameGrounds = (a: DecisionResult, b: DecisionResult): boolean =>
  a.reason === b.reason &&
  a.threshold === b.threshold &&
  isDeepStrictEqual(a.by, b.by) &&
  isDeepStrictEqual(a.candidates, b.candidates)

/** Data that explains why a decision differs. */
export interface Grounds {
  readonly threshold: number
  readonly candidates: number
  /** Returns the first version at which a memory differs from the log; undefined if it does not differ. */
  readonly since: (id: string) => number | undefined
  /** The first earlier version in the same store whose result differs. */
  readonly first: number | undefined
}

/** Finds the most direct cause of the difference between two decisions. */
export const findDifferenceCause = (
  before: DecisionResult,
  after: DecisionResult,
  { candidates, first, since, threshold }: Grounds
): DifferenceCause => {
  const [candidatesBefore, candidatesAfter] = [before.candidates, after.candidates]
  const lostCandidates = candidatesBefore.filter(({ id }) => !candidatesAfter.some((candidate) => candidate.id === id))
  const gainedCandidates = candidatesAfter.filter(
    ({ id }) => !candidatesBefore.some((candidate) => candidate.id === id)
  )
  const decidedIds = [before.replaced, before.id, after.replaced, after.id].filter((id) => id !== undefined)
  const changedAt = [
    ...decidedIds,
    ...[...lostCandidates, ...gainedCandidates, ...candidatesBefore].map(({ id }) => id)
  ]
    .map(since)
    .find((version) => version !== undefined)
  const followsFrom = (version: number): DifferenceCause => ({ kind: "follows", version })
  // Only one of the two decisions compared the statement with memories, so the reconciler differs.
  if (before.outcome !== "duplicate" && (before.by.kind === "caller") !== (after.by.kind === "caller")) {
    return { kind: "reconciler" }
  }
  const changed = [...lostCandidates, ...gainedCandidates]
  if (changed.length === 0) return changedAt === undefined ? { kind: "reconciler" } : followsFrom(changedAt)
  const allBelow = (scores: typeof candidatesBefore, limit: number) => scores.every(({ score }) => score <= limit)
  if (changed.every(({ id }) => since(id) === undefined)) {
    if (allBelow(lostCandidates, threshold) && allBelow(gainedCandidates, before.threshold ?? threshold))
      return { kind: "threshold" }
    // True if the shorter list of candidates equals the beginning of the longer list.
    const shorter = Math.min(candidatesBefore.length, candidatesAfter.length)
    const sameStart = candidatesBefore.slice(0, shorter).every(({ id }, index) => candidatesAfter[index]!.id === id)
    if (sameStart && (candidatesAfter.length === candidates || gainedCandidates.length > 0) && changedAt === undefined)
      return { kind: "candidates" }
  }
  const cause = changedAt ?? first
  return cause === undefined ? { kind: "likeness" } : followsFrom(cause)
}

/** Fields that change with every event, or that depend on compared fields. */
const technicalFields = new Set(["born", "createdAt", "id", "lastMentionedAt", "revision", "tokens", "updatedAt"])

/**
 * The names of the fields that differ. A level is compared only if both memories have one, because earlier releases
 * recorded none.
 */
export const differingFields = (a: Memory, b: Memory): ReadonlyArray<string> => {
  const [left, right] = [a as unknown as Record<string, unknown>, b as unknown as Record<string, unknown>]
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (field) =>
      left[field] !== right[field] &&
      !isDeepStrictEqual(left[field], right[field]) &&
      (field !== "level" || (left.level !== undefined && right.level !== undefined))
  )
}

/** The states of a differing memory in the log and in the branch. */
export interface MemorySides {
  readonly live: Memory | undefined
  readonly branch: Memory | undefined
}

/** Finds the memories that differ for readers. A memory that has expired by `now` counts as absent. */
export const diffMemories = function* (sides: ReadonlyArray<MemorySides>, now: number): Steps<WhatIf["memories"]> {
  const [onlyLive, onlyBranch]: [Array<OneSidedMemory>, Array<OneSidedMemory>] = [[], []]
  const changed: Array<Changed> = []
  const isReadable = (memory: Memory | undefined): memory is Memory =>
    memory?.status === "active" && (memory.expiresAt === undefined || memory.expiresAt > now)
  const born = ({ branch, live }: MemorySides) => (live ?? branch)!.born
  for (const { branch, live } of [...sides].sort((a, b) => born(a) - born(b))) {
    if (isYieldDue()) yield
    if (isReadable(live) && isReadable(branch)) {
      const fields = differingFields(live, branch).filter((field) => !technicalFields.has(field))
      if (fields.length > 0) changed.push(changedOf(live, branch, fields))
    } else if (isReadable(live)) onlyLive.push(oneSidedOf(live, branch))
    else if (isReadable(branch)) onlyBranch.push(oneSidedOf(branch, live))
  }
  return { onlyLive, onlyBranch, changed }
}

const oneSidedOf = ({ id, store, title, type }: Memory, other: Memory | undefined): OneSidedMemory => ({
  id,
  title,
  type,
  store,
  ...(other === undefined ? {} : { elsewhere: other.status === "active" ? "expired" : other.status })
})

const changedOf = (live: Memory, branch: Memory, fields: ReadonlyArray<string>): Changed => {
  const side = (name: "live" | "branch", memory: Memory, field: string) => {
    const value = (memory as unknown as Record<string, unknown>)[field]
    return value === undefined ? {} : { [name]: value }
  }
  return {
    id: live.id,
    title: live.title,
    fields: Object.fromEntries(
      fields.map((field) => [field, { ...side("live", live, field), ...side("branch", branch, field) }])
    )
  }
}

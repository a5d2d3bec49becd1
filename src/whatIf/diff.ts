import { isDeepStrictEqual } from "node:util"
import type { DaybookEvent } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { outcomeOf } from "../remember/remember.js"
import type { Alone, Answered, Changed, Taken, WhatIf, Why } from "./WhatIf.js"

/** An event that may say what became of something to be remembered. */
export type Mutation = Extract<DaybookEvent, { readonly type: "ADD" | "UPDATE" | "DELETE" }>

/** What was decided, from the event that it came to. */
export const takenOf = (
  event: Pick<Mutation, "type" | "payload">,
  told: { readonly answered?: Answered; readonly fallback?: string } = {}
): Taken => {
  const { decision, memory } = event.payload
  const replacement = "replacement" in event.payload ? event.payload.replacement : undefined
  const { by, candidates, fallback, reason, threshold } = decision
  return {
    outcome: outcomeOf(event as Mutation),
    id: (replacement ?? memory).id,
    ...(replacement === undefined ? {} : { replaced: memory.id }),
    by,
    reason,
    candidates,
    ...(threshold === undefined ? {} : { threshold }),
    ...(fallback === undefined ? {} : { fallback }),
    ...told
  }
}

/** Whether two decisions come to the same, whatever the grounds. */
export const comesToTheSame = (a: Taken, b: Taken): boolean =>
  a.outcome === b.outcome && a.id === b.id && a.replaced === b.replaced

/** Whether they were taken on the same grounds as well. */
export const onTheSameGrounds = (a: Taken, b: Taken): boolean =>
  a.reason === b.reason &&
  a.threshold === b.threshold &&
  isDeepStrictEqual(a.by, b.by) &&
  isDeepStrictEqual(a.candidates, b.candidates)

/** What tells why a decision is another one. */
export interface Grounds {
  readonly threshold: number
  readonly candidates: number
  /** The version from which on a memory is not what it is in the log; undefined where it is the same. */
  readonly since: (id: string) => number | undefined
  /** The first version that came out otherwise in the store, before this one. */
  readonly first: number | undefined
}

/** Why a decision is another one than it was: the nearest cause that can be told. */
export const whyOf = (before: Taken, after: Taken, { candidates, first, since, threshold }: Grounds): Why => {
  const [was, is] = [before.candidates, after.candidates]
  const gone = was.filter(({ id }) => !is.some((one) => one.id === id))
  const come = is.filter(({ id }) => !was.some((one) => one.id === id))
  const touched = [before.replaced, before.id, after.replaced, after.id].filter((id) => id !== undefined)
  const follows = [...touched, ...[...gone, ...come, ...was].map(({ id }) => id)]
    .map(since)
    .find((version) => version !== undefined)
  const because = (version: number): Why => ({ kind: "follows", version })
  // Not weighed then, or not now: by whom is what differs.
  if (before.outcome !== "duplicate" && (before.by.kind === "caller") !== (after.by.kind === "caller")) {
    return { kind: "reconciler" }
  }
  const other = [...gone, ...come]
  if (other.length === 0) return follows === undefined ? { kind: "reconciler" } : because(follows)
  const below = (scores: typeof was, limit: number) => scores.every(({ score }) => score <= limit)
  if (other.every(({ id }) => since(id) === undefined)) {
    if (below(gone, threshold) && below(come, before.threshold ?? threshold)) return { kind: "threshold" }
    // The likest are the same as far as both lists go.
    const both = Math.min(was.length, is.length)
    const alike = was.slice(0, both).every(({ id }, at) => is[at]!.id === id)
    if (alike && (is.length === candidates || come.length > 0) && follows === undefined) return { kind: "candidates" }
  }
  const cause = follows ?? first
  return cause === undefined ? { kind: "likeness" } : because(cause)
}

/** What is kept with every change, or counted from what is compared anyway. */
const technical = new Set(["born", "createdAt", "id", "lastMentionedAt", "revision", "tokens", "updatedAt"])

/** The names of the fields that differ. */
export const differing = (a: Memory, b: Memory): ReadonlyArray<string> => {
  const [left, right] = [a as unknown as Record<string, unknown>, b as unknown as Record<string, unknown>]
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (field) => left[field] !== right[field] && !isDeepStrictEqual(left[field], right[field])
  )
}

/** The two sides of a memory that went another way. */
export interface Sides {
  readonly live: Memory | undefined
  readonly branch: Memory | undefined
}

/** What a reader would find otherwise, of the memories that went another way; those that have expired by `now` are out of it. */
export const memoriesDiff = (sides: ReadonlyArray<Sides>, now: number): WhatIf["memories"] => {
  const [onlyLive, onlyBranch]: [Array<Alone>, Array<Alone>] = [[], []]
  const changed: Array<Changed> = []
  const there = (memory: Memory | undefined): memory is Memory =>
    memory?.status === "active" && (memory.expiresAt === undefined || memory.expiresAt > now)
  const born = ({ branch, live }: Sides) => (live ?? branch)!.born
  for (const { branch, live } of [...sides].sort((a, b) => born(a) - born(b))) {
    if (there(live) && there(branch)) {
      const fields = differing(live, branch).filter((field) => !technical.has(field))
      if (fields.length > 0) changed.push(changedOf(live, branch, fields))
    } else if (there(live)) onlyLive.push(aloneOf(live, branch))
    else if (there(branch)) onlyBranch.push(aloneOf(branch, live))
  }
  return { onlyLive, onlyBranch, changed }
}

const aloneOf = ({ id, store, title, type }: Memory, other: Memory | undefined): Alone => ({
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

import type { Decision, Lowered, Payload } from "../../events/catalogue.js"
import type { Dispute, Link, Memory } from "../../events/Memory.js"
import { levelOf } from "../../events/Trust.js"
import { callerDecision, type DecidedEvent, ruleDecision } from "../actor/Command.js"
import { withoutStale } from "../actor/lineage.js"
import { inheritedTier } from "../model/inheritedTier.js"
import { normaliseTags, type Observation } from "../model/input.js"
import { limits } from "../model/limits.js"
import { memoryText } from "../model/memoryText.js"
import { nextRevision } from "../model/nextRevision.js"
import type { JudgedStatement } from "./judge.js"
import type { Repeat } from "./levels.js"
import { mergeStatements } from "./mergeStatements.js"
import { statementOf, timeOf } from "./Reconciling.js"
import { differingInput } from "./recordedInput.js"

/** A memory before it has an id, a version and times. */
export type Draft = Omit<Memory, "id" | "born" | "createdAt" | "updatedAt" | "lastMentionedAt">

/** The input from which the events of `remember` are made. */
export interface EventInput {
  readonly observation: Observation
  readonly draft: Draft
  /** The fields that the writer's trust level may not set as given. */
  readonly lowered: ReadonlyArray<Lowered>
  /** A memory of a lower level with the same text, which the new memory replaces. */
  readonly copy: Memory | undefined
  readonly id: string
  readonly now: number
  readonly version: number
  readonly countTokens: (text: string) => number
  /** The tag that protects a memory from maintenance. */
  readonly pin: string
  /** The memories that the new memory disputes. */
  readonly disputes?: ReadonlyArray<Dispute> | undefined
  /** Describes the changes that the marks made, as a suffix of the decision's reason; empty if there are none. */
  readonly marks: string
}

/** The rule that finds a memory with the same title and facts. */
export const exactRepeat = "exact duplicate"

/**
 * Makes the event for an exact duplicate. It counts as another mention, unless only a higher level wrote the memory.
 */
export const repeatEvent = (state: EventInput, { effect, memory }: Repeat): DecidedEvent => {
  const decision = ruleDecision("NONE", exactRepeat, "same title and facts in the same store")
  if (effect === "unchanged") return repeatedEvent(state, memory, decision)
  return mentioned(state, memory, "duplicate", decision)
}

/** The decision for `reconcile: false`. A what-if replay does not compare such a statement either. */
export const unweighedDecision: Decision = callerDecision("ADD", "unweighed", "asked to store it without weighing it")

export const isUnweighed = ({ by }: Decision): boolean => by.kind === "caller" && by.name === unweighedDecision.by.name

/** Stores a new memory. */
export const addEvent = (
  state: EventInput,
  decision: Decision = callerDecision("ADD", "remember", "no exact duplicate in the store")
): DecidedEvent => {
  const { copy } = state
  // The copy is retired, so it is no side of a dispute.
  const disputes = state.disputes?.filter(({ id }) => id !== copy?.id)
  if (copy !== undefined) {
    const reason = `${decision.reason}; takes the place of the same text of ${levelOf(copy)}`
    const action = (disputes ?? []).length === 0 ? "DELETE" : decision.action
    return replacedEvent({ ...state, disputes }, copy, { ...decision, action, reason }, "replaced")
  }
  const memory = memoryOf(state, state.draft.lineage)
  return {
    type: "ADD",
    payload: { memory, ...asked(state, memory), decision: withMarks(state, decision) },
    ...occurrence(memory)
  }
}

/** Makes the event of a reconciler's verdict: another mention, a merge, a replacement or a new memory. */
export const verdictEvent = (
  input: EventInput,
  { decision, disputes, verdict }: JudgedStatement,
  targets: ReadonlyArray<Memory>
): DecidedEvent => {
  const state = disputes === undefined ? input : { ...input, disputes }
  if (verdict.action === "ADD") return addEvent(state, decision)
  const target = targets[verdict.target]!
  switch (verdict.action) {
    case "NONE":
      return state.draft.level === undefined || state.draft.level === levelOf(target)
        ? mentioned(state, target, "reconciled", decision)
        : repeatedEvent(state, target, decision)
    case "UPDATE": {
      const { countTokens, draft, now } = state
      const merged = mergeStatements(statementOf(target, timeOf(target)), statementOf(draft, now), verdict.merged)
      const { expiresAt, narrative, ...others } = withoutStale(target)
      const lineage = united(target, draft.lineage)
      const memory: Memory = {
        ...others,
        ...merged,
        // A merged text never removes a mark.
        type: draft.type === "credential" ? draft.type : target.type,
        tags: mergedTags(state, target, merged.tags),
        files: [...new Set([...target.files, ...draft.files])].slice(0, limits.files),
        importance: Math.max(target.importance, draft.importance),
        tokens: countTokens(memoryText(merged)),
        revision: target.revision + 1,
        mentions: target.mentions + 1,
        lastMentionedAt: now,
        updatedAt: now,
        ...laterExpiry(target, draft),
        ...(lineage === undefined ? {} : { lineage })
      }
      return {
        type: "UPDATE",
        payload: {
          memory,
          reason: "reconciled",
          ...asked(state, memory),
          decision: withMarks(state, decision)
        },
        ...occurrence(state.draft)
      }
    }
    case "DELETE":
      return replacedEvent(state, target, decision, "conflict")
  }
}

/** Replaces a memory by a new one. */
const replacedEvent = (state: EventInput, target: Memory, decision: Decision, reason: Link["reason"]): DecidedEvent => {
  const { draft, now } = state
  const links: ReadonlyArray<Link> = [...(draft.lineage ?? []), { kind: "supersedes", to: target.id, reason }]
  // The replacement keeps the target's place in the profile.
  const replacement = { ...memoryOf(state, links), ...inheritedTier(draft, [target]) }
  const payload: Payload<"DELETE"> = {
    memory: nextRevision(target, { status: "superseded", updatedAt: now }),
    reason: "replaced",
    replacement,
    ...asked(state, replacement),
    decision: withMarks(state, decision)
  }
  return { type: "DELETE", payload, ...occurrence(replacement) }
}

const mentioned = (
  state: EventInput,
  target: Memory,
  reason: Payload<"UPDATE">["reason"],
  decision: Decision
): DecidedEvent => {
  const { expiresAt, ...others } = withoutStale(target)
  const memory: Memory = {
    ...others,
    revision: target.revision + 1,
    mentions: target.mentions + 1,
    lastMentionedAt: state.now,
    // A repeat without an expiry does not change the expiry.
    ...laterExpiry(target, { expiresAt: state.draft.expiresAt ?? expiresAt })
  }
  return {
    type: "UPDATE",
    payload: { memory, reason, ...differingInput(state.observation, memory), decision: withMarks(state, decision) }
  }
}

/** Records that a lower level repeated a memory. The memory does not change. */
const repeatedEvent = ({ draft, observation, marks }: EventInput, memory: Memory, decision: Decision): DecidedEvent => {
  const limit = `; ${draft.level} changes nothing of what ${levelOf(memory)} wrote`
  return {
    type: "UPDATE",
    payload: {
      memory,
      reason: "repeated",
      input: { ...differingInput(observation, memory).input, level: draft.level },
      decision: { ...decision, reason: `${decision.reason}${limit}${marks}` }
    }
  }
}

/** The fields of the request that differ from the after-image, and the fields that were lowered. */
const asked = ({ lowered, observation }: EventInput, memory: Memory) => ({
  ...differingInput(observation, memory),
  ...(lowered.length === 0 ? {} : { lowered })
})

/** The tags of a merged memory. A merge keeps the tag `pii`, and adds no tag that the statement's level may not set. */
const mergedTags = (
  { draft, pin }: EventInput,
  target: Memory,
  merged: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const given = [...draft.tags, ...target.tags]
  const tags = merged.filter((tag) => tag !== pin || given.includes(tag))
  return given.includes("pii") ? normaliseTags(["pii", ...tags]) : tags
}

const withMarks = ({ marks }: EventInput, decision: Decision): Decision =>
  marks === "" ? decision : { ...decision, reason: `${decision.reason}${marks}` }

const memoryOf = (
  { disputes = [], draft, id, now, version }: EventInput,
  lineage: ReadonlyArray<Link> | undefined
): Memory => {
  const { expiresAt, lineage: _, occurredAt, ...rest } = draft
  return {
    id,
    born: version,
    ...rest,
    lastMentionedAt: now,
    ...(occurredAt === undefined ? {} : { occurredAt }),
    createdAt: now,
    updatedAt: now,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(lineage === undefined ? {} : { lineage }),
    ...(disputes.length === 0 ? {} : { disputes })
  }
}

/** The later expiry of two memories; none if either is permanent. */
const laterExpiry = (a: Pick<Memory, "expiresAt">, b: Pick<Memory, "expiresAt">): Pick<Memory, "expiresAt"> =>
  a.expiresAt === undefined || b.expiresAt === undefined ? {} : { expiresAt: Math.max(a.expiresAt, b.expiresAt) }

const occurrence = ({ occurredAt }: { readonly occurredAt?: number | undefined }) =>
  occurredAt === undefined ? {} : { occurredAt }

/** Unites old and new links, each once, without links from a memory to itself. */
const united = ({ id, lineage = [] }: Memory, newLinks: ReadonlyArray<Link> = []): ReadonlyArray<Link> | undefined => {
  const others = newLinks.filter(({ to }) => to !== id)
  const links = new Map([...lineage, ...others].map((link) => [`${link.kind} ${link.to} ${link.reason}`, link]))
  return links.size === 0 ? undefined : [...links.values()]
}

import type { Decision, Payload } from "../../events/catalogue.js"
import type { Link, Memory } from "../../events/Memory.js"
import { callerDecision, type DecidedEvent, ruleDecision } from "../actor/Command.js"
import { withoutStale } from "../actor/lineage.js"
import { normaliseTags, type Observation } from "../model/input.js"
import { limits } from "../model/limits.js"
import type { JudgedStatement } from "./judge.js"
import { mergeStatements } from "./mergeStatements.js"
import { statementOf, timeOf } from "./Reconciling.js"
import { differingInput } from "./recordedInput.js"

/** A memory before it has an id, a version and times. */
export type Draft = Omit<Memory, "id" | "born" | "createdAt" | "updatedAt" | "lastMentionedAt">

/** The input from which the events of `remember` are made. */
export interface EventInput {
  readonly observation: Observation
  readonly draft: Draft
  readonly id: string
  readonly now: number
  readonly version: number
  readonly countTokens: (text: string) => number
  /** The changes by marks and their reasons, as a suffix of the reason; empty if nothing. */
  readonly marks: string
}

/** Counts an exact duplicate as another mention. */
export const duplicateEvent = (state: EventInput, duplicate: Memory): DecidedEvent =>
  mentioned(
    state,
    duplicate,
    "duplicate",
    ruleDecision("NONE", "exact duplicate", "same title and facts in the same store")
  )

/** The decision for `reconcile: false`. What-if does not weigh it either. */
export const unweighed: Decision = callerDecision("ADD", "unweighed", "asked to store it without weighing it")

export const isUnweighed = ({ by }: Decision): boolean => by.kind === "caller" && by.name === unweighed.by.name

/** Stores a new memory. */
export const addEvent = (
  state: EventInput,
  decision: Decision = callerDecision("ADD", "remember", "no exact duplicate in the store")
): DecidedEvent => {
  const memory = memoryOf(state, state.draft.lineage)
  return {
    type: "ADD",
    payload: { memory, ...differingInput(state.observation, memory), decision: withMarks(state, decision) },
    ...occurrence(memory)
  }
}

/** The event of a reconciler's verdict: another mention, a merge, a replacement or a new memory. */
export const verdictEvent = (
  state: EventInput,
  { decision, verdict }: JudgedStatement,
  targets: ReadonlyArray<Memory>
): DecidedEvent => {
  if (verdict.action === "ADD") return addEvent(state, decision)
  const target = targets[verdict.target]!
  switch (verdict.action) {
    case "NONE":
      return mentioned(state, target, "reconciled", decision)
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
        tags: [...draft.tags, ...target.tags].includes("pii") ? normaliseTags(["pii", ...merged.tags]) : merged.tags,
        files: [...new Set([...target.files, ...draft.files])].slice(0, limits.files),
        importance: Math.max(target.importance, draft.importance),
        tokens: countTokens([merged.title, merged.narrative ?? "", ...merged.facts].join("\n")),
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
          ...differingInput(state.observation, memory),
          decision: withMarks(state, decision)
        },
        ...occurrence(state.draft)
      }
    }
    case "DELETE": {
      const { draft } = state
      const links: ReadonlyArray<Link> = [
        ...(draft.lineage ?? []),
        { kind: "supersedes", to: target.id, reason: "conflict" }
      ]
      // The replacement takes the target's place in the profile.
      const core: Partial<Memory> =
        target.tier === "core" && draft.tier !== "core"
          ? { tier: "core", ...(target.coreFrom === undefined ? {} : { coreFrom: draft.tier }) }
          : {}
      const replacement = { ...memoryOf(state, links), ...core }
      const payload: Payload<"DELETE"> = {
        memory: { ...target, revision: target.revision + 1, status: "superseded", updatedAt: state.now },
        reason: "replaced",
        replacement,
        ...differingInput(state.observation, replacement),
        decision: withMarks(state, decision)
      }
      return { type: "DELETE", payload, ...occurrence(replacement) }
    }
  }
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
    // A repeat without an expiry says nothing about it.
    ...laterExpiry(target, { expiresAt: state.draft.expiresAt ?? expiresAt })
  }
  return {
    type: "UPDATE",
    payload: { memory, reason, ...differingInput(state.observation, memory), decision: withMarks(state, decision) }
  }
}

const withMarks = ({ marks }: EventInput, decision: Decision): Decision =>
  marks === "" ? decision : { ...decision, reason: `${decision.reason}${marks}` }

const memoryOf = ({ draft, id, now, version }: EventInput, lineage: ReadonlyArray<Link> | undefined): Memory => {
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
    ...(lineage === undefined ? {} : { lineage })
  }
}

/** The later expiry of two memories; none if either is permanent. */
const laterExpiry = (a: Pick<Memory, "expiresAt">, b: Pick<Memory, "expiresAt">): Pick<Memory, "expiresAt"> =>
  a.expiresAt === undefined || b.expiresAt === undefined ? {} : { expiresAt: Math.max(a.expiresAt, b.expiresAt) }

const occurrence = ({ occurredAt }: { readonly occurredAt?: number | undefined }) =>
  occurredAt === undefined ? {} : { occurredAt }

/** Links of both, each once, without links of a memory to itself. */
const united = ({ id, lineage = [] }: Memory, newLinks: ReadonlyArray<Link> = []): ReadonlyArray<Link> | undefined => {
  const others = newLinks.filter(({ to }) => to !== id)
  const links = new Map([...lineage, ...others].map((link) => [`${link.kind} ${link.to} ${link.reason}`, link]))
  return links.size === 0 ? undefined : [...links.values()]
}

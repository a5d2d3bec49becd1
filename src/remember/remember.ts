import * as Either from "effect/Either"
import type { DaybookEvent, Decision } from "../../events/catalogue.js"
import { embeddingText, type Link, type Memory } from "../../events/Memory.js"
import { canRead, readable, type TrustLevel } from "../../events/Trust.js"
import { contentOf, findById, findDuplicate } from "../../projections/observations.js"
import { toInstant } from "../../text/when/dates.js"
import { type Command, commandIdOf, given, ruled, versionAt } from "../actor/Command.js"
import { boundBySources, linkOf, staleEvents } from "../actor/lineage.js"
import { CredentialForbidden, type InvalidInput, type SourceNotFound, StoreForbidden } from "../model/errors.js"
import { decodeObservation, normaliseTags, type Observation } from "../model/input.js"
import { limits } from "../model/limits.js"
import type { PolicyValues } from "../ports/Policy.js"
import { notTaken } from "./asAsked.js"
import { findLikely } from "./candidates.js"
import { type Judged, judge } from "./judge.js"
import { marked } from "./marked.js"
import { candidatePolicy, type Reconciling } from "./Reconciling.js"
import { added, counted, type Draft, reconciled, unweighed } from "./rememberEvents.js"

/** What became of something that was to be remembered. */
export interface Remembered {
  /**
   * `added` as a memory of its own; `duplicate`, to the letter, of one that is there: another mention of it. Decided by
   * a reconciler: `mentioned`, as one that is there says it already; `merged` into one that is there; `replaced` one
   * that is no longer true.
   */
  readonly outcome: "added" | "duplicate" | "mentioned" | "merged" | "replaced"
  /** Of the memory that says it now. */
  readonly id: string
  /** The memory that it replaced, which is out of every read now. */
  readonly replaced?: string
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  /** How often it has been mentioned so far. */
  readonly mentions: number
  /**
   * Of a duplicate, the fields that said something else than the memory that is there, or more. It was not changed by
   * them: `update` does that. Absent where all of it is there.
   */
  readonly notTaken?: ReadonlyArray<keyof Observation>
  /** Whether it is kept as type `credential` in store private though another was asked for, since it holds what lets somebody in. */
  readonly confined?: true
  /** Whether this command id had been carried out before: then nothing was written now. */
  readonly repeated: boolean
}

export interface WriteOptions {
  /** Makes the command idempotent: the same id again gets the first answer. */
  readonly commandId?: string | undefined
  /** Names the run that this write is a part of, so that it can be undone as one: an import, a session of work. */
  readonly run?: string | undefined
}

export interface RememberOptions extends WriteOptions {
  /** Whether it is weighed against what is there already; it is unless the policy has no reconciler. An exact duplicate is always found. */
  readonly reconcile?: boolean | undefined
}

export interface Writer {
  readonly level: TrustLevel
  /** Who writes, as the log will name it. */
  readonly actor: string
  readonly countTokens: (text: string) => number
  /** What is done about personal data and credentials. */
  readonly marks: PolicyValues["marks"]
  readonly schedules: PolicyValues["schedules"]
  /** What memories are weighed with; nothing where absent. */
  readonly reconciling?: Reconciling | undefined
}

/**
 * Checks an observation and makes the command that stores it: counts it where it is there already, weighs it against
 * memories like it where it is not. What holds a credential is kept in store private, whatever store was asked for; a
 * level that cannot write there is refused.
 */
export const remember = (
  writer: Writer,
  input: Observation,
  options: RememberOptions = {}
): Either.Either<
  Command<Remembered, InvalidInput | SourceNotFound>,
  InvalidInput | StoreForbidden | CredentialForbidden
> => {
  const decoded = decodeObservation(input)
  if (Either.isLeft(decoded)) return Either.left(decoded.left)
  const named = commandIdOf(writer.level, options.commandId)
  if (Either.isLeft(named)) return Either.left(named.left)
  const [observation, commandId] = [decoded.right, named.right]
  const askedStore = observation.store ?? readable(writer.level)[0]
  if (askedStore === undefined || !canRead(writer.level, askedStore)) {
    return Either.left(new StoreForbidden({ level: writer.level, store: askedStore ?? "social" }))
  }
  const {
    confined,
    credentials,
    memory: draft,
    reason
  } = marked(draftOf(observation, askedStore, writer), writer.marks)
  const { store } = draft
  if (confined && !canRead(writer.level, store)) {
    return Either.left(new CredentialForbidden({ level: writer.level, kinds: credentials }))
  }
  const weigh =
    options.reconcile !== false && (draft.type !== "credential" || writer.reconciling?.reconciler.ask === undefined)
  // What lets somebody in is shown to nobody who has to be asked.
  const reconciling = weigh ? writer.reconciling : undefined
  const weighed = reconciling === undefined ? undefined : draft
  return Either.right({
    actor: writer.actor,
    commandId,
    request: () => requestOf(observation, askedStore),
    text: () => embeddingText(draft),
    ...(weighed === undefined ? {} : { weighs: weighed }),
    decide: ({ again, db, newId, now, told, version }) => {
      const bound = boundBySources(db, writer.level, store, observation.from ?? [])
      if (Either.isLeft(bound)) return Either.left(bound.left)
      const duplicate = findDuplicate(db, store, contentOf(draft.title, draft.facts), now)
      let id = duplicate?.id ?? newId()
      while (duplicate === undefined && findById(db, id) !== undefined) id = newId()
      const state = { observation, draft, id, now, version, countTokens: writer.countTokens, marks: reason }
      if (duplicate !== undefined) return Either.right({ events: [counted(state, duplicate)] })
      if (options.reconcile === false) return Either.right({ events: [added(state, unweighed)] })
      if (weighed === undefined) return Either.right({ events: [added(state)] })
      const { policy } = reconciling!
      const likely = findLikely(db, weighed, told?.vector ?? null, now, candidatePolicy(reconciling!))
      if (likely.length === 0) return Either.right({ events: [added(state, alone(policy.threshold))] })
      const judged = judge(reconciling!, weighed, likely, told, { again, now })
      if (judged === "again") return Either.right({ again: true })
      const targets = likely.map(({ memory }) => memory)
      if (tooMuch(judged, targets, draft)) return Either.right({ events: [added(state, alone(policy.threshold))] })
      const event = reconciled(state, judged, targets)
      const gone = event.type === "DELETE" ? [{ kind: "derived" as const, to: event.payload.memory.id }] : []
      return Either.right({ events: [event, ...staleEvents(db, gone, "replaced", version)] })
    },
    answer: ([event], repeated) => {
      if (event?.type !== "ADD" && event?.type !== "UPDATE" && event?.type !== "DELETE") {
        throw new Error("remember made another event")
      }
      const replacement = event.type === "DELETE" ? event.payload.replacement : undefined
      const memory = replacement ?? event.payload.memory
      const heard = event.type === "UPDATE" && event.payload.decision.action === "NONE"
      const dropped = heard ? notTaken(memory, event.payload.input) : []
      return {
        outcome: outcomeOf(event),
        id: memory.id,
        ...(replacement === undefined ? {} : { replaced: event.payload.memory.id }),
        ...versionAt(writer.level, event.version),
        mentions: memory.mentions,
        ...(dropped.length === 0 ? {} : { notTaken: dropped }),
        ...(confined && (store !== askedStore || observation.type !== "credential") ? { confined } : {}),
        repeated
      }
    }
  })
}

/** What became of what was to be remembered, from the event that it came to. */
export const outcomeOf = ({
  payload,
  type
}: Extract<DaybookEvent, { type: "ADD" | "UPDATE" | "DELETE" }>): Remembered["outcome"] => {
  if (type === "ADD") return "added"
  if (type === "DELETE") return "replaced"
  if (payload.reason === "duplicate") return "duplicate"
  return payload.decision.action === "NONE" ? "mentioned" : "merged"
}

/** Whether a memory would come from more than one may: what it says then stands by itself. */
const tooMuch = ({ verdict }: Judged, targets: ReadonlyArray<Memory>, { lineage = [] }: Draft): boolean =>
  verdict.action === "UPDATE" && (targets[verdict.target]!.lineage ?? []).length + lineage.length > limits.sources

/** The decision where nothing was like enough to be weighed. */
const alone = (threshold: number): Decision => ({
  ...ruled("ADD", "threshold", "nothing in the store is like it"),
  threshold
})

const draftOf = (observation: Observation, store: Memory["store"], writer: Writer): Draft => {
  const { channel, narrative, project, sender, session, topic } = observation
  const facts = observation.facts ?? []
  const source = observation.source ?? { kind: "agent" as const }
  const imported = source.kind === "import" ? source.name : undefined
  const lineage: ReadonlyArray<Link> = [
    ...(imported === undefined ? [] : [{ kind: "file", to: imported, reason: "imported" } as const]),
    ...(observation.from ?? []).map(linkOf)
  ]
  return {
    revision: 1,
    status: "active",
    type: observation.type ?? "discovery",
    title: observation.title,
    ...(narrative === undefined ? {} : { narrative }),
    facts,
    tags: normaliseTags(observation.tags ?? []),
    people: observation.people ?? [],
    files: observation.files ?? [],
    source,
    store,
    tier: observation.tier ?? (source.kind === "auto" || source.kind === "auto_capture" ? "mid" : "long"),
    ...definedOnly({ session, channel, sender, project, topic }),
    importance: observation.importance ?? 0,
    tokens: writer.countTokens([observation.title, narrative ?? "", ...facts].join("\n")),
    mentions: 1,
    ...definedOnly({ occurredAt: toInstant(observation.occurredAt), expiresAt: toInstant(observation.expiresAt) }),
    ...(lineage.length === 0 ? {} : { lineage })
  }
}

/** Where something was seen is no part of what is asked: a line that moved within its file asks for the same. */
const requestOf = (observation: Observation, store: string): string => {
  const { source, ...rest } = observation
  return JSON.stringify(["remember", given({ ...rest, store }), source?.kind, source?.name])
}

const definedOnly = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } => {
  const defined: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name]
  return defined as never
}

import * as Either from "effect/Either"
import type { Decision, Extracted } from "../../events/catalogue.js"
import { embeddingText, type Link, type Memory } from "../../events/Memory.js"
import { canRead, type TrustLevel } from "../../events/Trust.js"
import { findOpenDisputes } from "../../projections/disputeGroups.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { isPartlyIndexed } from "../../text/normalise/indexText.js"
import { toInstant } from "../../text/when/dates.js"
import {
  type Command,
  type CommandDecision,
  commandIdOf,
  definedFields,
  requireUnparked,
  ruleDecision,
  type Situation
} from "../actor/Command.js"
import { checkSources, sourceLink, staleEvents } from "../actor/lineage.js"
import { CredentialForbidden, type InvalidInput, type SourceNotFound, type StoreForbidden } from "../model/errors.js"
import { decodeObservation, normaliseTags, type Observation } from "../model/input.js"
import { limits } from "../model/limits.js"
import { memoryText } from "../model/memoryText.js"
import type { PolicyValues } from "../ports/Policy.js"
import { applyMarks } from "./applyMarks.js"
import { findSimilar } from "./candidates.js"
import { type JudgedStatement, judge, limitToGroup, limitToLevel } from "./judge.js"
import { allowedSource, defaultTier, findRepeat, levelOfStatement, lowerToLevel, storeToWrite } from "./levels.js"
import { candidatePolicy, type ReconcilerSetup } from "./Reconciling.js"
import { addEvent, type Draft, repeatEvent, unweighedDecision, verdictEvent } from "./rememberEvents.js"
import { answerOf, type Remembered } from "./remembered.js"

export interface WriteOptions {
  /** Makes the command idempotent: a repeated id gets the first answer. */
  readonly commandId?: string | undefined
  /** Names the run that this write belongs to, such as an import or a session of work. Undo can revert a whole run. */
  readonly run?: string | undefined
}

export interface RememberOptions extends WriteOptions {
  /**
   * Whether to compare the observation with similar memories. Default: true if the policy has a reconciler. Exact
   * duplicates are always found.
   */
  readonly reconcile?: boolean | undefined
}

export interface Writer {
  readonly level: TrustLevel
  /**
   * For a what-if replay, which decides a recorded statement again: the level that the statement had at first; null if
   * an earlier release decided without levels.
   */
  readonly recordedLevel?: TrustLevel | null
  /** True if the engine itself writes, as an import does. It may then set every kind of source. */
  readonly isEngine?: boolean
  /** How capture found the statement. The decision records this. */
  readonly extracted?: Extracted
  /** The tag that protects a memory from maintenance. */
  readonly pin: string
  /** The writer's name in the log. */
  readonly actor: string
  readonly countTokens: (text: string) => number
  /** Which personal data and credentials are detected. */
  readonly marks: PolicyValues["marks"]
  readonly schedules: PolicyValues["schedules"]
  /** How runs of tools are stored. */
  readonly tools: PolicyValues["tools"]
  /** The reconciler. Without one, memories are not weighed. */
  readonly reconciling?: ReconcilerSetup | undefined
}

/**
 * Decodes an observation into the command that stores it. A duplicate counts as another mention; any other observation
 * is compared with similar memories. A credential goes to store private, whatever store was given. A level that cannot
 * write there is refused.
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
  const keyed = commandIdOf(writer.level, options.commandId)
  if (Either.isLeft(keyed)) return Either.left(keyed.left)
  const [observation, commandId] = [decoded.right, keyed.right]
  const chosen = storeToWrite(writer.level, observation.store)
  if (Either.isLeft(chosen)) return Either.left(chosen.left)
  const askedStore = chosen.right
  const {
    confined,
    credentials,
    memory: draft,
    reason
  } = applyMarks(draftOf(observation, askedStore, writer), writer.marks)
  if (confined && !canRead(writer.level, draft.store)) {
    return Either.left(new CredentialForbidden({ level: writer.level, kinds: credentials }))
  }
  // A reconciler with `ask` may send the statement to a provider, which must not see credentials.
  const isWeighed =
    options.reconcile !== false && (draft.type !== "credential" || writer.reconciling?.reconciler.ask === undefined)
  const request: Request = {
    writer,
    observation,
    draft,
    marksReason: reason,
    reconciling: isWeighed ? writer.reconciling : undefined,
    isUnweighed: options.reconcile === false
  }
  return Either.right({
    actor: writer.actor,
    commandId,
    request: () => requestOf(observation, askedStore),
    text: () => embeddingText(draft),
    ...(request.reconciling === undefined ? {} : { statement: draft }),
    decide: (situation) => Either.map(decide(request, situation), withExtracted(writer.extracted)),
    answer: ([event], repeated, present) => ({
      ...answerOf(writer.level, event, present),
      ...(confined && (draft.store !== askedStore || observation.type !== "credential") ? { confined } : {}),
      ...([draft.narrative ?? "", draft.facts.join("\n")].some(isPartlyIndexed)
        ? { partlyIndexed: true as const }
        : {}),
      repeated
    })
  })
}

/** Records in the decision about a statement how capture found it. The first event is the one about the statement. */
const withExtracted =
  (extracted: Extracted | undefined) =>
  <A>(decided: CommandDecision<A>): CommandDecision<A> => {
    if (extracted === undefined || !("events" in decided)) return decided
    const [first, ...others] = decided.events
    if (first === undefined || !("decision" in first.payload)) return decided
    const decision = { ...first.payload.decision, extracted }
    return { ...decided, events: [{ ...first, payload: { ...first.payload, decision } } as typeof first, ...others] }
  }

interface Request {
  readonly writer: Writer
  readonly observation: Observation
  /** The draft with the writer's level. The levels of its sources are not applied yet. */
  readonly draft: Draft
  readonly marksReason: string
  /** Undefined if the draft is not compared with similar memories. */
  readonly reconciling: ReconcilerSetup | undefined
  /** Whether the caller asked to store it without comparing it. */
  readonly isUnweighed: boolean
}

const decide = (
  { draft: asked, isUnweighed, marksReason, observation, reconciling, writer }: Request,
  { mayRedecide, db, newId, now, advice, version }: Situation
): Either.Either<CommandDecision<Remembered>, InvalidInput | SourceNotFound> => {
  const allowed = checkSources(db, writer.level, asked.store, observation.from ?? [])
  if (Either.isLeft(allowed)) return Either.left(allowed.left)
  const { draft, lowered } = loweredDraft(db, asked, observation, writer)
  const repeat = findRepeat(db, draft, now)
  const copy = repeat?.effect === "replace" ? repeat.memory : undefined
  const isNew = repeat === undefined || copy !== undefined
  let id = isNew ? newId() : repeat.memory.id
  while (isNew && findById(db, id) !== undefined) id = newId()
  const { countTokens, pin } = writer
  const state = { observation, draft, lowered, copy, id, now, version, countTokens, pin, marks: marksReason }
  if (!isNew) return Either.right({ events: [repeatEvent(state, repeat)] })
  if (isUnweighed) return Either.right({ events: [addEvent(state, unweighedDecision)] })
  if (reconciling === undefined) return Either.right({ events: [addEvent(state)] })
  const { threshold } = reconciling.policy
  const candidates = findSimilar(db, draft, { vector: advice?.vector ?? null, now }, candidatePolicy(reconciling))
  if (candidates.length === 0) return Either.right({ events: [addEvent(state, belowThreshold(threshold))] })
  const judged = judge(reconciling, { weighed: draft, candidates, advice, mayRedecide, now })
  if (judged === "redecide") return Either.right({ redecide: true })
  const targets = candidates.map(({ memory }) => memory)
  const disputeOf = (id: string) =>
    Either.isLeft(requireUnparked(db, "disputes")) ? "unknown" : findOpenDisputes(db, "full", [id], now).get(id)
  const allowedVerdict = limitToLevel(judged, targets, draft.level)
  const verdict = limitToGroup(reconciling, allowedVerdict, { weighed: draft, candidates, now }, disputeOf)
  if (exceedsMaxSources(verdict, targets, draft)) {
    return Either.right({ events: [addEvent(state, belowThreshold(threshold))] })
  }
  const event = verdictEvent(state, verdict, targets)
  const lostSources = event.type === "DELETE" ? [{ kind: "derived" as const, to: event.payload.memory.id }] : []
  const origin = { version, level: draft.level ?? "full" }
  return Either.right({ events: [event, ...staleEvents(db, lostSources, "replaced", origin)] })
}

/** Sets the draft's level and lowers the fields that this level may not decide. */
const loweredDraft = (db: Db, asked: Draft, observation: Observation, { pin, recordedLevel }: Writer) => {
  const level = recordedLevel === undefined ? levelOfStatement(db, asked) : (recordedLevel ?? undefined)
  const { draft, lowered } = lowerToLevel(level, asked, pin)
  const isSourceLowered = observation.source !== undefined && observation.source.kind !== asked.source.kind
  return { draft: { ...draft, level }, lowered: isSourceLowered ? [...lowered, "source" as const] : lowered }
}

/** Whether a merged memory would have more sources than allowed. If so, the statement becomes a memory of its own. */
const exceedsMaxSources = (
  { verdict }: JudgedStatement,
  targets: ReadonlyArray<Memory>,
  { lineage = [] }: Draft
): boolean =>
  verdict.action === "UPDATE" && (targets[verdict.target]!.lineage ?? []).length + lineage.length > limits.sources

/** The decision if no memory is above the threshold. */
const belowThreshold = (threshold: number): Decision => ({
  ...ruleDecision("ADD", "threshold", "nothing in the store is like it"),
  threshold
})

const draftOf = (observation: Observation, store: Memory["store"], writer: Writer): Draft => {
  const { channel, narrative, project, sender, session, topic } = observation
  const facts = observation.facts ?? []
  const source = allowedSource(observation.source ?? { kind: "agent" }, writer.isEngine === true)
  const imported = source.kind === "import" ? source.name : undefined
  const lineage: ReadonlyArray<Link> = [
    ...(imported === undefined ? [] : [{ kind: "file", to: imported, reason: "imported" } as const]),
    ...(observation.from ?? []).map(sourceLink)
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
    level: writer.level,
    tier: observation.tier ?? defaultTier(source),
    ...definedOnly({ session, channel, sender, project, topic }),
    importance: observation.importance ?? 0,
    tokens: writer.countTokens(memoryText({ title: observation.title, narrative, facts })),
    mentions: 1,
    ...definedOnly({ occurredAt: toInstant(observation.occurredAt), expiresAt: toInstant(observation.expiresAt) }),
    ...(lineage.length === 0 ? {} : { lineage })
  }
}

/**
 * The request as text, without the line number of its source: a statement that moved within its file is still the same
 * request.
 */
const requestOf = (observation: Observation, store: string): string => {
  const { source, ...rest } = observation
  return JSON.stringify(["remember", definedFields({ ...rest, store }), source?.kind, source?.name])
}

const definedOnly = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } => {
  const defined: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name]
  return defined as never
}

import * as Either from "effect/Either"
import { embeddingText, type Memory } from "../../events/Memory.js"
import { canRead, readable, type TrustLevel } from "../../events/Trust.js"
import { contentOf, findById, findDuplicate } from "../../projections/observations.js"
import { toInstant } from "../dates.js"
import { CredentialForbidden, type InvalidInput, StoreForbidden } from "../errors.js"
import { decodeObservation, normaliseTags, type Observation } from "../input.js"
import type { PolicyValues } from "../Policy.js"
import { inputBeside } from "./asAsked.js"
import { asked, type Command, commandIdOf, type DecidedEvent, given, ruled, versionAt } from "./Command.js"
import { marked } from "./marked.js"

/** What became of something that was to be remembered. */
export interface Remembered {
  readonly outcome: "added" | "duplicate"
  readonly id: string
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  /** How often it has been mentioned so far. */
  readonly mentions: number
  /** Whether this command id had been carried out before: then nothing was written now. */
  readonly repeated: boolean
}

export interface WriteOptions {
  /** Makes the command idempotent: the same id again gets the first answer. */
  readonly commandId?: string | undefined
}

export interface Writer {
  readonly level: TrustLevel
  /** Who writes, as the log will name it. */
  readonly actor: string
  readonly countTokens: (text: string) => number
  /** What is done about personal data and credentials. */
  readonly marks: PolicyValues["marks"]
}

/**
 * Checks an observation and makes the command that stores it, or counts it where
 * it is there already. What holds a credential is kept in store private, whatever
 * store was asked for; a level that cannot write there is refused.
 */
export const remember = (
  writer: Writer,
  input: Observation,
  options: WriteOptions = {}
): Either.Either<Command<Remembered, never>, InvalidInput | StoreForbidden | CredentialForbidden> => {
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
  return Either.right({
    actor: writer.actor,
    commandId,
    request: () => requestOf(observation, askedStore),
    text: () => embeddingText(draft),
    decide: ({ db, newId, now, version }) => {
      const duplicate = findDuplicate(db, store, contentOf(draft.title, draft.facts), now)
      let id = duplicate?.id ?? newId()
      while (duplicate === undefined && findById(db, id) !== undefined) id = newId()
      return Either.right({ events: [decideRemember({ observation, draft, duplicate, id, now, version, reason })] })
    },
    answer: ([event], repeated) => {
      if (event?.type !== "ADD" && event?.type !== "UPDATE") throw new Error("remember made another event")
      const { memory } = event.payload
      return {
        outcome: event.type === "ADD" ? "added" : "duplicate",
        id: memory.id,
        ...versionAt(writer.level, event.version),
        mentions: memory.mentions,
        repeated
      }
    }
  })
}

/** A memory before it has an identity, a place and a time. */
type Draft = Omit<Memory, "id" | "born" | "createdAt" | "updatedAt" | "lastMentionedAt">

/** An exact duplicate counts as another mention; anything else is added. */
export const decideRemember = (state: {
  readonly observation: Observation
  readonly draft: Draft
  readonly duplicate: Memory | undefined
  readonly id: string
  readonly now: number
  readonly version: number
  /** What marks did to the draft, to be told after the reason. */
  readonly reason?: string
}): DecidedEvent => {
  const { draft, duplicate, id, now, observation, reason = "", version } = state
  if (duplicate !== undefined) {
    const memory = {
      ...duplicate,
      revision: duplicate.revision + 1,
      mentions: duplicate.mentions + 1,
      lastMentionedAt: now
    }
    return {
      type: "UPDATE",
      payload: {
        memory,
        reason: "duplicate",
        ...inputBeside(observation, memory),
        decision: ruled("NONE", "exact duplicate", `same title and facts in the same store${reason}`)
      }
    }
  }
  const { lineage, expiresAt, occurredAt, ...rest } = draft
  const memory: Memory = {
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
  return {
    type: "ADD",
    payload: {
      memory,
      ...inputBeside(observation, memory),
      decision: asked("ADD", "remember", `no exact duplicate in the store${reason}`)
    },
    ...(occurredAt === undefined ? {} : { occurredAt })
  }
}

const draftOf = (observation: Observation, store: Memory["store"], writer: Writer): Draft => {
  const { channel, narrative, project, sender, session, topic } = observation
  const facts = observation.facts ?? []
  const source = observation.source ?? { kind: "agent" as const }
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
    ...(source.kind === "import" && source.name !== undefined
      ? { lineage: [{ kind: "file" as const, to: source.name, reason: "imported" as const }] }
      : {})
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

import * as Schema from "effect/Schema"
import { Store, TrustLevel } from "./Trust.js"

/** Where a memory came from: the kind of its writer, its name (a file, a tool) and the place in it (a line). */
export const Source = Schema.Struct({
  kind: Schema.Literal("agent", "manual", "auto", "auto_capture", "tool", "import"),
  name: Schema.optional(Schema.String),
  place: Schema.optional(Schema.String)
})
export type Source = typeof Source.Type

/** One edge of a memory's lineage: what it was derived from or replaced, and why. */
export const Link = Schema.Struct({
  kind: Schema.Literal("file", "turn", "derived", "supersedes"),
  to: Schema.String,
  reason: Schema.Literal("extracted", "conflict", "merged", "compressed", "imported", "replaced")
})
export type Link = typeof Link.Type

/** Why a memory may no longer be true: one of its sources was replaced, forgotten or undone. */
export const Stale = Schema.Struct({
  kind: Schema.Literal("file", "turn", "derived"),
  /** The id of the source: a memory, a turn or a file. */
  of: Schema.String,
  reason: Schema.Literal("replaced", "forgotten", "undone")
})
export type Stale = typeof Stale.Type

/**
 * A contradiction that retired no memory. The newer memory stores it and names the older one. It is no link: a change
 * of one memory does not affect the other.
 */
export const Dispute = Schema.Struct({
  /** The id of the older memory. */
  id: Schema.String,
  /**
   * `unsure`: the contradiction is not certain. `level`: a higher level wrote the older memory. `group`: the older memory
   * is in a dispute that the newer one does not settle.
   */
  ground: Schema.Literal("unsure", "level", "group"),
  /** How likely the contradiction is, 0…1; absent where nobody estimated it. */
  confidence: Schema.optional(Schema.Number),
  /** Present once somebody decided that both memories are true. */
  settled: Schema.optional(Schema.Literal("both"))
})
export type Dispute = typeof Dispute.Type

/** Core (profile), long (kept on purpose), mid (captured), daily (event log). */
export const Tier = Schema.Literal("core", "long", "mid", "daily")
export type Tier = typeof Tier.Type

/** The state of a memory. Reads return only `active` ones. */
export const Status = Schema.Literal("active", "forgotten", "superseded", "expired", "compressed", "archived")
export type Status = typeof Status.Type

/** Types with a meaning for Daybook. Other types are allowed: lower-case words, see `limits.type`. */
export const knownTypes = [
  "person",
  "decision",
  "preference",
  "event",
  "technical",
  "discovery",
  "task",
  "identity",
  "config",
  "credential",
  "solution",
  "conversation",
  "temp",
  "debug"
] as const

/**
 * The after-image of a memory: its complete state after an event. Times are milliseconds since the Unix epoch. `tokens`
 * is the cost of reading it whole. `born` is the stream version of the event that added it (its row number in every
 * view). `revision` counts its own changes from 1.
 */
export const Memory = Schema.Struct({
  id: Schema.String,
  born: Schema.Number,
  revision: Schema.Number,
  status: Status,
  type: Schema.String,
  title: Schema.String,
  narrative: Schema.optional(Schema.String),
  facts: Schema.Array(Schema.String),
  tags: Schema.Array(Schema.String),
  people: Schema.Array(Schema.String),
  files: Schema.Array(Schema.String),
  source: Source,
  store: Store,
  /** The lowest trust level among the writers of its text. Absent in events of earlier releases: see `levelOf`. */
  level: Schema.optional(TrustLevel),
  tier: Tier,
  session: Schema.optional(Schema.String),
  channel: Schema.optional(Schema.String),
  sender: Schema.optional(Schema.String),
  project: Schema.optional(Schema.String),
  topic: Schema.optional(Schema.String),
  importance: Schema.Number,
  tokens: Schema.Number,
  mentions: Schema.Number,
  lastMentionedAt: Schema.Number,
  occurredAt: Schema.optional(Schema.Number),
  createdAt: Schema.Number,
  updatedAt: Schema.Number,
  expiresAt: Schema.optional(Schema.Number),
  lineage: Schema.optional(Schema.Array(Link)),
  /** When the rules promoted it to `long`, milliseconds. Absent while it does not qualify for promotion. */
  promotedAt: Schema.optional(Schema.Number),
  /**
   * When the rules last moved it to another tier, milliseconds; promotion to core does not count. Age rules count from
   * this time. Its recency does not change.
   */
  movedAt: Schema.optional(Schema.Number),
  /** The tier before the rules moved the memory to core; absent if they did not. */
  coreFrom: Schema.optional(Tier),
  /** Present until a write confirms the memory. */
  stale: Schema.optional(Stale),
  /** The older memories that it contradicts without retiring them. */
  disputes: Schema.optional(Schema.Array(Dispute))
})
export type Memory = typeof Memory.Type

/** The ids of notes begin with this; those of other memories do not. */
export const notePrefix = "note-"

/** Whether a memory is a note: a text that its writer keeps as it is, until the writer changes it. */
export const isNoteId = (id: string): boolean => id.startsWith(notePrefix)

/** The ids of cards begin with this; those of other memories do not. */
export const cardPrefix = "person-"

/** Whether a memory is a card: the facts about one person that somebody set by name. */
export const isCardId = (id: string): boolean => id.startsWith(cardPrefix)

/** Whether a memory is a note or a card. No rule compares, merges or shortens it. */
export const isKeptAsWritten = (id: string): boolean => isNoteId(id) || isCardId(id)

/** The type of a memory that records one run of a tool. */
export const toolRunType = "tool"

/** Whether a memory records one run of a tool, and was not compressed. */
export const isRawToolRun = ({ source, type }: Pick<Memory, "source" | "type">): boolean =>
  type === toolRunType && source.kind === "tool"

/** The text of a memory that is embedded: title, narrative and facts, one per line. */
export const embeddingText = (memory: Pick<Memory, "title" | "narrative" | "facts">): string =>
  [memory.title, ...(memory.narrative === undefined ? [] : [memory.narrative]), ...memory.facts].join("\n")

/** The JSON text of an after-image. The newest text is cached, because log and view write it one after the other. */
export const memoryJson = (memory: Memory): string => {
  if (newest.memory !== memory) newest = { memory, json: KnownJson.of(memory) ?? JSON.stringify(memory) }
  return newest.json
}

let newest: { readonly memory?: Memory; readonly json: string } = { json: "" }

/** Keeps the JSON text of an after-image for callers that already have it. */
export const cacheMemoryJson = (memory: Memory, json: string): void => {
  if (KnownJson.of(memory) === undefined) new KnownJson(memory, json)
}

/** A base class whose constructor returns an object that exists, so that a subclass can add a private field to it. */
class Existing {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this is the purpose of the class.
    return object
  }
}

/**
 * The text is a private field of the object: copies and comparisons do not see it. In a `WeakMap`, 100,000 texts would
 * let the garbage collector, and each growth of the map, block the event loop for more than 100 ms.
 */
class KnownJson extends Existing {
  readonly #json: string

  constructor(memory: Memory, json: string) {
    super(memory)
    this.#json = json
  }

  static of(memory: Memory): string | undefined {
    return #json in memory ? (memory as unknown as KnownJson).#json : undefined
  }
}

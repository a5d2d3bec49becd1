import * as Schema from "effect/Schema"
import { Store, TrustLevel } from "./Trust.js"

/**
 * Where a memory came from: the kind of writer, the name of the source (a file, a tool) and the place in the source (a
 * line).
 */
export const Source = Schema.Struct({
  kind: Schema.Literal("agent", "manual", "auto", "auto_capture", "tool", "import"),
  name: Schema.optional(Schema.String),
  place: Schema.optional(Schema.String)
})
export type Source = typeof Source.Type

/** One edge of a memory's lineage: the source that the memory was derived from or replaced, and the reason. */
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
 * A contradiction that did not retire a memory. The newer memory stores the dispute and names the older memory. A
 * dispute is not a link: a change of one memory does not affect the other.
 */
export const Dispute = Schema.Struct({
  /** The id of the older memory. */
  id: Schema.String,
  /**
   * Why the older memory was not retired. `unsure`: the contradiction is not certain. `level`: a higher trust level
   * wrote the older memory. `group`: the older memory is in another dispute, which the newer memory does not settle.
   */
  ground: Schema.Literal("unsure", "level", "group"),
  /** The probability of a contradiction, 0…1; absent if it was not estimated. */
  confidence: Schema.optional(Schema.Number),
  /** Present after a decision that both memories are true. */
  settled: Schema.optional(Schema.Literal("both"))
})
export type Dispute = typeof Dispute.Type

/** Core (profile), long (kept on purpose), mid (captured), daily (event log). */
export const Tier = Schema.Literal("core", "long", "mid", "daily")
export type Tier = typeof Tier.Type

/** The state of a memory. Reads return only `active` memories. */
export const Status = Schema.Literal("active", "forgotten", "superseded", "expired", "compressed", "archived")
export type Status = typeof Status.Type

/** Types that Daybook treats specially. Other types are allowed: lower-case words, see `limits.type`. */
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
 * is the number of tokens in the whole memory. `born` is the stream version of the event that added it (the row number
 * of the memory in every view). `revision` counts the changes of the memory from 1.
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
  /**
   * The lowest trust level among the writers of the memory's text. Absent in events of earlier releases: see `levelOf`.
   */
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
  /**
   * When the rules promoted the memory to `long`, milliseconds. Absent while the memory does not qualify for promotion.
   */
  promotedAt: Schema.optional(Schema.Number),
  /**
   * When the rules last moved the memory to another tier, milliseconds; promotion to core does not count. Age rules
   * count from this time. The move does not change the memory's recency.
   */
  movedAt: Schema.optional(Schema.Number),
  /** The tier before the rules moved the memory to core; absent if the rules did not move it to core. */
  coreFrom: Schema.optional(Tier),
  /** Present until a write confirms the memory. */
  stale: Schema.optional(Stale),
  /** The older memories that it contradicts without retiring them. */
  disputes: Schema.optional(Schema.Array(Dispute))
})
export type Memory = typeof Memory.Type

/** Prefix of the ids of notes. The ids of other memories do not begin with it. */
export const notePrefix = "note-"

/** True if a memory is a note: a text that stays as it is until its writer changes it. */
export const isNoteId = (id: string): boolean => id.startsWith(notePrefix)

/** Prefix of the ids of cards. The ids of other memories do not begin with it. */
export const cardPrefix = "person-"

/** True if a memory is a card: the facts about one person, which a caller set under the person's name. */
export const isCardId = (id: string): boolean => id.startsWith(cardPrefix)

/** True if a memory is a note or a card. No rule compares, merges or shortens it. */
export const isKeptAsWritten = (id: string): boolean => isNoteId(id) || isCardId(id)

/** The type of a memory that records one run of a tool. */
export const toolRunType = "tool"

/** True if a memory records one run of a tool and was not compressed. */
export const isRawToolRun = ({ source, type }: Pick<Memory, "source" | "type">): boolean =>
  type === toolRunType && source.kind === "tool"

/** The text of a memory that is embedded: title, narrative and facts, one per line. */
export const embeddingText = (memory: Pick<Memory, "title" | "narrative" | "facts">): string =>
  [memory.title, ...(memory.narrative === undefined ? [] : [memory.narrative]), ...memory.facts].join("\n")

/**
 * The JSON text of an after-image. The newest text is cached, because the log and the view write the same text one
 * after the other.
 */
export const memoryJson = (memory: Memory): string => {
  if (newest.memory !== memory) newest = { memory, json: KnownJson.of(memory) ?? JSON.stringify(memory) }
  return newest.json
}

let newest: { readonly memory?: Memory; readonly json: string } = { json: "" }

/** Caches the JSON text of an after-image. For callers that already have the text. */
export const cacheMemoryJson = (memory: Memory, json: string): void => {
  if (KnownJson.of(memory) === undefined) new KnownJson(memory, json)
}

/**
 * A base class whose constructor returns an existing object, so that a subclass can add a private field to that object.
 */
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

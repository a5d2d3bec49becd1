import * as Schema from "effect/Schema"
import { Store } from "./Trust.js"

/** Where a memory came from: who or what wrote it, its name (a file, a tool), the place in it (a line). */
export const Source = Schema.Struct({
  kind: Schema.Literal("agent", "manual", "auto", "auto_capture", "tool", "import"),
  name: Schema.optional(Schema.String),
  place: Schema.optional(Schema.String)
})
export type Source = typeof Source.Type

/** One edge of a memory's lineage: what it came from or replaced, and why. */
export const Link = Schema.Struct({
  kind: Schema.Literal("file", "turn", "derived", "supersedes"),
  to: Schema.String,
  reason: Schema.Literal("extracted", "conflict", "merged", "compressed", "imported", "replaced")
})
export type Link = typeof Link.Type

/** Why a memory may no longer be true: something that it came from was replaced, forgotten or taken back. */
export const Stale = Schema.Struct({
  kind: Schema.Literal("file", "turn", "derived"),
  /** The source: a memory, a turn, a file. */
  of: Schema.String,
  reason: Schema.Literal("replaced", "forgotten", "undone")
})
export type Stale = typeof Stale.Type

/** Core (profile), long (kept on purpose), mid (captured), daily (event log). */
export const Tier = Schema.Literal("core", "long", "mid", "daily")
export type Tier = typeof Tier.Type

/** Why a memory is or is not part of what is read. Only `active` ones are. */
export const Status = Schema.Literal("active", "forgotten", "superseded", "expired", "compressed", "archived")
export type Status = typeof Status.Type

/** Types that Daybook knows. Others are allowed: lower-case words, see `limits.type`. */
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
 * The after-image of a memory: all that is known of it once an event has
 * happened. Times are milliseconds since the Unix epoch; `tokens` is the cost
 * of reading it whole; `born` is the stream version of the event that added it
 * (its row number in every view); `revision` counts its own changes from 1.
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
  /** When the rules made it long, as long as it is so by them: milliseconds. */
  promotedAt: Schema.optional(Schema.Number),
  /** When the rules last moved it down or on: milliseconds. It is left alone from then on, and is no newer for it. */
  movedAt: Schema.optional(Schema.Number),
  /** The tier that it comes from, where the rules made it core, as long as it is so by them. */
  coreFrom: Schema.optional(Tier),
  /** Until the next write that confirms it. */
  stale: Schema.optional(Stale)
})
export type Memory = typeof Memory.Type

/** The text of a memory that is embedded: title, narrative and facts, a line each. */
export const embeddingText = (memory: Pick<Memory, "title" | "narrative" | "facts">): string =>
  [memory.title, ...(memory.narrative === undefined ? [] : [memory.narrative]), ...memory.facts].join("\n")

/** The JSON text of an after-image. The newest is remembered: log and view write the same one, one after the other. */
export const memoryJson = (memory: Memory): string => {
  if (newest.memory !== memory) newest = { memory, json: texts.get(memory) ?? JSON.stringify(memory) }
  return newest.json
}

let newest: { readonly memory?: Memory; readonly json: string } = { json: "" }

/** For whoever has it at hand. */
export const rememberJson = (memory: Memory, json: string): void => void texts.set(memory, json)

const texts = new WeakMap<Memory, string>()

import * as Schema from "effect/Schema"
import { Decision } from "./Decision.js"
import { Embed, EmbedderChanged } from "./Embed.js"
import { Extract } from "./Extract.js"
import { moveRuleOutOfReason } from "./extractedReason.js"
import { File } from "./File.js"
import { Memory } from "./Memory.js"
import { RecallBatch } from "./Recall.js"
import { rollFields } from "./RollingSummary.js"
import { Run, ScheduleChange } from "./Schedule.js"
import { ScratchpadWritten } from "./Scratchpad.js"
import { summarizeFields } from "./SessionSummary.js"
import { Store } from "./Trust.js"
import { Turn } from "./Turn.js"

export { Candidate, Decision, Extracted } from "./Decision.js"
export type { Captured } from "./Extract.js"

/**
 * The caller's request. For a change, it has the fields that the caller set. For other events, it is present only if
 * the request differs from the after-image; it then has the fields as the caller gave them, and null for a missing
 * field. `src/remember/recordedInput.ts` restores the request. `level` is the writer's level, present if it differs
 * from the level in the after-image.
 */
const Input = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** The versions of the memory's earlier events that this event undoes. */
const undoes = Schema.optional(Schema.Array(Schema.Number))

/** Fields of the request that the writer's trust level may not set. Other values than requested were stored. */
export const Lowered = Schema.Literal("tier", "importance", "tags", "source")
export type Lowered = typeof Lowered.Type
const lowered = Schema.optional(Schema.Array(Lowered))

export const Add = Schema.Struct({ memory: Memory, input: Schema.optional(Input), lowered, decision: Decision })

export const Update = Schema.Struct({
  memory: Memory,
  reason: Schema.Literal(
    "edited",
    "unchanged",
    "duplicate",
    "reconciled",
    "promoted",
    "demoted",
    "expired",
    "recalled",
    "stale",
    "undone",
    "aged",
    "restored",
    "repeated",
    "vouched",
    "disputed",
    "settled"
  ),
  input: Schema.optional(Input),
  lowered,
  undoes,
  decision: Decision
})

export const Delete = Schema.Struct({
  memory: Memory,
  reason: Schema.Literal("forgotten", "replaced", "undone"),
  replacement: Schema.optional(Memory),
  input: Schema.optional(Input),
  lowered,
  undoes,
  decision: Decision
})

export const Compress = Schema.Struct({ memory: Memory, sources: Schema.Array(Memory), decision: Decision })

export const Archive = Schema.Struct({ memories: Schema.Array(Memory), decision: Decision })

/** `extract` is true if the turn waits for extraction: see EXTRACT. */
export const TurnAdded = Schema.Struct({ turn: Turn, extract: Schema.optional(Schema.Literal(true)) })

/**
 * A file is indexed from this event on. `replaces` is the version of the previous event that indexed the same path.
 * `movedFrom` is present if that previous event had another session: the key of that session, or null for no session.
 */
export const FileAdded = Schema.Struct({
  file: File,
  replaces: Schema.optional(Schema.Number),
  movedFrom: Schema.optional(Schema.NullOr(Schema.String))
})

/**
 * A session or a file is forgotten, in the stores that the caller may read. `turns` and `files` are the versions of the
 * events that added the forgotten turns and files.
 */
export const Forget = Schema.Struct({
  session: Schema.optional(Schema.String),
  path: Schema.optional(Schema.String),
  stores: Schema.Array(Store),
  turns: Schema.Array(Schema.Number),
  files: Schema.Array(Schema.Number),
  /** The versions of the newest events of the session's scratchpads; absent if it has no scratchpad. */
  scratchpads: Schema.optional(Schema.Array(Schema.Number)),
  decision: Decision
})

export const Summarize = Schema.Struct({ ...summarizeFields, undoes, decision: Decision })

export const Roll = Schema.Struct({ ...rollFields, decision: Decision })

export const Import = Schema.Struct({
  files: Schema.Array(Schema.Struct({ path: Schema.String, items: Schema.Number })),
  added: Schema.Number,
  duplicates: Schema.Number,
  unchanged: Schema.Number,
  refused: Schema.Number
})

/**
 * The policy in force from this event until the next CONFIGURE event. `values` has the settings by section, `policy` is
 * the digest that RUN events refer to, and `changed` lists the changed settings (`section.name`).
 */
export const Configure = Schema.Struct({
  policy: Schema.String,
  values: Schema.Record({
    key: Schema.String,
    value: Schema.Record({ key: Schema.String, value: Schema.Unknown })
  }),
  changed: Schema.Array(Schema.String)
})

const EraseReason = Schema.Literal("privacy", "request", "mistake", "secret", "legal")

/**
 * The events of the stream that lost their payload and salt. Their digest and hash stay. An ERASE event is never
 * erased, so it contains no name and no free text.
 */
export const Erase = Schema.Struct({
  versions: Schema.Array(Schema.Number),
  /** Events that lost actor, cause or command id. Absent if there are none. */
  names: Schema.optional(Schema.Array(Schema.Number)),
  reason: EraseReason,
  /** How the events were selected; absent in schema 1. */
  selector: Schema.optional(Schema.Literal("memory", "person", "session", "source", "agent")),
  /** Hash of the ledger's line for this erasure, hexadecimal; absent if the log has no ledger. */
  ledger: Schema.optional(Schema.String)
})

/** In schema 1, the reason could be any text. Reads such a reason as "request". No command ever wrote one. */
const eraseOne = (payload: unknown) => {
  const { reason, versions } = payload as { readonly versions: unknown; readonly reason: unknown }
  return { versions, reason: typeof reason === "string" && !Schema.is(EraseReason)(reason) ? "request" : reason }
}

/**
 * The content that an erased event keeps. Reads return it in place of the erased event, whose version is `of`. A
 * REMAINS event can itself be erased. If an erased event has several REMAINS events, the newest one counts.
 */
export const RemainsKept = Schema.Struct({
  of: Schema.Number,
  type: Schema.String,
  schema: Schema.Number,
  payload: Schema.Unknown
})

/** An operator accepted this damage of the log. The event is stored in the installation's stream. */
export const Accept = Schema.Struct({
  /** The digest of the accepted report. */
  digest: Schema.String,
  places: Schema.Array(
    Schema.Struct({
      /** The damaged stream; absent for damage of the anchor or of cached vectors. */
      stream: Schema.optional(Schema.String),
      version: Schema.optional(Schema.Number),
      what: Schema.String,
      evidence: Schema.optional(Schema.String)
    })
  )
})

/**
 * One type of event. `version` is the newest schema; `upcasts[n]` converts a payload of schema n to schema n + 1. The
 * type name is part of the storage format: never change it.
 */
export interface EventDefinition {
  readonly schema: Schema.Schema.AnyNoContext
  readonly version: number
  readonly upcasts: Readonly<Record<number, (payload: unknown) => unknown>>
}

const versionOne = <S extends Schema.Schema.AnyNoContext>(schema: S) => ({ schema, version: 1, upcasts: {} })

const same = (payload: unknown) => payload

/**
 * An event type whose schema 2 only added optional fields. For files and summaries, it added the trust level of the
 * writer.
 */
const versionTwo = <S extends Schema.Schema.AnyNoContext>(schema: S) => ({ schema, version: 2, upcasts: { 1: same } })

/**
 * The sixth schema of events that contain memories. Schema 2 added stale memories and undo. Schema 3 added promotion,
 * shortening of narratives by age, and restoring from the archive. Schema 4 added the level of the writer. Schema 5
 * added disputes. Schema 6 moved the extraction rule from the text of a decision's reason to a field.
 */
const versionSix = <S extends Schema.Schema.AnyNoContext>(schema: S) => ({
  schema,
  version: 6,
  upcasts: { 1: same, 2: same, 3: same, 4: same, 5: moveRuleOutOfReason }
})

/**
 * The clock jumped. `ahead`: the clock was more than a year ahead of the previous event. Maintenance then waits until
 * an operator confirms the time (`confirmed`). `returned`: the clock went back. Events from version `since` on then
 * count as recorded at the time of this event.
 */
const Clock = Schema.Union(
  Schema.Struct({ change: Schema.Literal("ahead", "confirmed") }),
  Schema.Struct({ change: Schema.Literal("returned"), since: Schema.Number })
)

/** Every event type that Daybook writes. To add a type, define its schema above and add a line here. */
export const catalogue = {
  ADD: versionSix(Add),
  UPDATE: versionSix(Update),
  DELETE: versionSix(Delete),
  COMPRESS: versionSix(Compress),
  ARCHIVE: versionSix(Archive),
  EMBED: versionOne(Embed),
  EMBEDDER: versionOne(EmbedderChanged),
  IMPORT: versionOne(Import),
  // Schema 2 added the trust level of the writer. Schema 3 added `extract`.
  TURN: { schema: TurnAdded, version: 3, upcasts: { 1: same, 2: same } },
  EXTRACT: versionOne(Extract),
  FILE: versionTwo(FileAdded),
  // Schema 1 had no files. A release that only supports schema 1 must reject newer events. Otherwise it would not
  // forget the files.
  FORGET: { schema: Forget, version: 2, upcasts: { 1: (payload) => ({ ...(payload as object), files: [] }) } },
  SUMMARIZE: versionTwo(Summarize),
  ROLL: versionOne(Roll),
  SCRATCHPAD: versionOne(ScratchpadWritten),
  // Schema 2 added the session. Schema 3 added erased recalls.
  RECALL: { schema: RecallBatch, version: 3, upcasts: { 1: same, 2: same } },
  CONFIGURE: versionOne(Configure),
  CLOCK: versionOne(Clock),
  RUN: versionOne(Run),
  SCHEDULE: versionOne(ScheduleChange),
  ERASE: { schema: Erase, version: 2, upcasts: { 1: eraseOne } },
  REMAINS: versionOne(RemainsKept),
  ACCEPT: versionOne(Accept)
} as const satisfies Record<string, EventDefinition>

export type EventType = keyof typeof catalogue
export type Payload<T extends EventType> = Schema.Schema.Type<(typeof catalogue)[T]["schema"]>

/** The after-images in an event, in the order in which views apply them. */
export const afterImages = (event: Body<DaybookEvent>): ReadonlyArray<Memory> => {
  switch (event.type) {
    case "ADD":
    case "UPDATE":
      return [event.payload.memory]
    case "DELETE":
      return event.payload.replacement ? [event.payload.memory, event.payload.replacement] : [event.payload.memory]
    case "COMPRESS":
      return [...event.payload.sources, event.payload.memory]
    case "ARCHIVE":
      return event.payload.memories
    default:
      return []
  }
}

/** The type and payload of an event, stored or not. */
type Body<Event extends DaybookEvent> = Event extends DaybookEvent ? Pick<Event, "type" | "payload"> : never

/** The envelope of every event. Times are milliseconds since the Unix epoch. */
export interface Envelope {
  readonly sequence: number
  readonly stream: string
  readonly version: number
  readonly commandId: string | null
  readonly actor: string
  readonly cause: string | null
  readonly occurredAt: number
  readonly recordedAt: number
  /**
   * When the event was erased; its payload is then the content that the erasure kept. Absent for an event that was not
   * erased.
   */
  readonly erasedAt?: number
}

/** A decoded event, upcast to the newest schema of its type. */
export type DaybookEvent = {
  readonly [T in EventType]: Envelope & { readonly type: T; readonly payload: Payload<T> }
}[EventType]

/** An event whose payload was erased. It keeps its place in the chain. */
export interface ErasedEvent extends Envelope {
  readonly type: EventType
  readonly payload: null
}

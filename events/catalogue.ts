import * as Schema from "effect/Schema"
import { File } from "./File.js"
import { Memory } from "./Memory.js"
import { Figures, Recalled } from "./Recall.js"
import { Scheduled } from "./Schedule.js"
import { summarizeFields } from "./SessionSummary.js"
import { Store } from "./Trust.js"
import { Turn } from "./Turn.js"

/** A memory that was weighed while deciding: its id, the revision it had, its score and the parts of it. No text. */
export const Candidate = Schema.Struct({
  id: Schema.String,
  revision: Schema.Number,
  score: Schema.Number,
  parts: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Number }))
})

/** Why an event says what it says: what was done, who decided, on which grounds. */
export const Decision = Schema.Struct({
  action: Schema.Literal("ADD", "UPDATE", "DELETE", "NONE", "COMPRESS", "ARCHIVE", "FORGET", "SUMMARIZE"),
  by: Schema.Struct({
    kind: Schema.Literal("caller", "rule", "model"),
    name: Schema.String,
    promptDigest: Schema.optional(Schema.String)
  }),
  reason: Schema.String,
  candidates: Schema.Array(Candidate),
  threshold: Schema.optional(Schema.Number),
  fallback: Schema.optional(Schema.String),
  /** Milliseconds spent deciding, where somebody was asked. */
  latency: Schema.optional(Schema.Number)
})
export type Decision = typeof Decision.Type

/**
 * What was asked for. Of a change: the fields that it named. Of anything else,
 * where that differs from the after-image beside it: the
 * fields as given, null for one that was not given. `src/commands/asAsked.ts` restores it.
 */
const Input = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** The versions of the events that this one takes back, as far as they changed its memory. */
const undoes = Schema.optional(Schema.Array(Schema.Number))

export const Add = Schema.Struct({ memory: Memory, input: Schema.optional(Input), decision: Decision })

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
    "restored"
  ),
  input: Schema.optional(Input),
  undoes,
  decision: Decision
})

export const Delete = Schema.Struct({
  memory: Memory,
  reason: Schema.Literal("forgotten", "replaced", "undone"),
  replacement: Schema.optional(Memory),
  input: Schema.optional(Input),
  undoes,
  decision: Decision
})

export const Compress = Schema.Struct({ memory: Memory, sources: Schema.Array(Memory), decision: Decision })

export const Archive = Schema.Struct({ memories: Schema.Array(Memory), decision: Decision })

/** From here on these memories and chunks have a vector of this model; the vectors stand in the embeddings cache. */
export const Embed = Schema.Struct({
  model: Schema.String,
  dimensions: Schema.Number,
  entries: Schema.Array(
    Schema.Struct({
      memory: Schema.String,
      born: Schema.Number,
      store: Store,
      /** SHA-256 of the embedded text, hexadecimal: the key in the embeddings cache. */
      digest: Schema.String
    })
  ),
  /** Pieces of turns and files by their row numbers, and which way of cutting turns these are of: see `projections/chunks.ts`. */
  chunks: Schema.optional(
    Schema.Array(Schema.Struct({ turn: Schema.String, born: Schema.Number, store: Store, digest: Schema.String }))
  ),
  cutting: Schema.optional(Schema.Number),
  /** Of stores that the embedder in force is not to see: this is the one that stands in for it there. */
  apart: Schema.optional(Schema.Boolean)
})

/**
 * Which embedder an agent's reads go by: `preparing` has its vectors made beside those in force, `inForce` switches all
 * reads at once from here on, `dropped` takes its index away. Its figures are those that rank from then on.
 */
export const EmbedderChanged = Schema.Struct({
  state: Schema.Literal("preparing", "inForce", "dropped"),
  model: Schema.String,
  dimensions: Schema.Number,
  weight: Schema.Number,
  floor: Schema.Number,
  /** Of one that is prepared: whether it is to be in force as soon as all has its vector. */
  adopt: Schema.optional(Schema.Boolean),
  /** What stands in for it in stores that it is not to see; absent where it sees all. */
  apart: Schema.optional(Schema.Struct({ ...Figures, stores: Schema.Array(Store) }))
})

export const TurnAdded = Schema.Struct({ turn: Turn })

/**
 * A file is indexed from here on, in place of what the event `replaces` said of its path. `movedFrom` is there where
 * that belonged to another session: which, null where to none.
 */
export const FileAdded = Schema.Struct({
  file: File,
  replaces: Schema.optional(Schema.Number),
  movedFrom: Schema.optional(Schema.NullOr(Schema.String))
})

/** A session or a file is forgotten, as far as whoever asked may read it: the turns and files that these versions added. */
export const Forget = Schema.Struct({
  session: Schema.optional(Schema.String),
  path: Schema.optional(Schema.String),
  stores: Schema.Array(Store),
  turns: Schema.Array(Schema.Number),
  files: Schema.Array(Schema.Number),
  decision: Decision
})

export const Summarize = Schema.Struct({ ...summarizeFields, undoes, decision: Decision })

export const Import = Schema.Struct({
  files: Schema.Array(Schema.Struct({ path: Schema.String, items: Schema.Number })),
  added: Schema.Number,
  duplicates: Schema.Number,
  unchanged: Schema.Number,
  refused: Schema.Number
})

/**
 * The policy under which everything behind it was written, until the next one: its settings by section, the digest by
 * which runs name it, and the settings (`section.name`) that are not as they were.
 */
export const Configure = Schema.Struct({
  policy: Schema.String,
  values: Schema.Record({
    key: Schema.String,
    value: Schema.Record({ key: Schema.String, value: Schema.Unknown })
  }),
  changed: Schema.Array(Schema.String)
})

/** The beginning or the end of a run. What it did are the events whose cause names it. Times are milliseconds. */
export const Run = Schema.Struct({
  run: Schema.String,
  kind: Schema.Literal("maintenance", "schedule"),
  phase: Schema.Literal("started", "finished"),
  /** The stage, or the schedule's id. */
  name: Schema.String,
  /** When it was due. */
  occurrence: Schema.optional(Schema.Number),
  attempt: Schema.optional(Schema.Number),
  /** Until when nobody else may take it. */
  lease: Schema.optional(Schema.Number),
  /** How it ended. */
  status: Schema.optional(Schema.Literal("ok", "failed", "timeout", "abandoned")),
  counts: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Number })),
  summary: Schema.optional(Schema.String),
  output: Schema.optional(Schema.String),
  error: Schema.optional(Schema.String),
  duration: Schema.optional(Schema.Number),
  /** The digest of the policy in force. */
  policy: Schema.optional(Schema.String)
})

/** These events of the same stream lost payload and salt; digest and hash stayed. */
export const Erase = Schema.Struct({ versions: Schema.Array(Schema.Number), reason: Schema.String })

/**
 * One kind of event. `version` is the newest schema; `upcasts[n]` turns a
 * payload of schema n into one of n + 1. The name is storage format: it is
 * never edited.
 */
export interface EventDefinition {
  readonly schema: Schema.Schema.AnyNoContext
  readonly version: number
  readonly upcasts: Readonly<Record<number, (payload: unknown) => unknown>>
}

const first = <S extends Schema.Schema.AnyNoContext>(schema: S) => ({ schema, version: 1, upcasts: {} })

/**
 * The third schema of what carries memories. With the second they may be stale, and an event may take back another; with
 * the third they may have been promoted, lose narrative by age, and come back from the archive.
 */
const third = <S extends Schema.Schema.AnyNoContext>(schema: S) => ({
  schema,
  version: 3,
  upcasts: { 1: (payload: unknown) => payload, 2: (payload: unknown) => payload }
})

/** Every event that Daybook writes. A new one is a schema above and a line here. */
export const catalogue = {
  ADD: third(Add),
  UPDATE: third(Update),
  DELETE: third(Delete),
  COMPRESS: third(Compress),
  ARCHIVE: third(Archive),
  EMBED: first(Embed),
  EMBEDDER: first(EmbedderChanged),
  IMPORT: first(Import),
  TURN: first(TurnAdded),
  FILE: first(FileAdded),
  // The first schema knew no files: whoever reads only that must not take it for all there is to forget.
  FORGET: { schema: Forget, version: 2, upcasts: { 1: (payload) => ({ ...(payload as object), files: [] }) } },
  SUMMARIZE: first(Summarize),
  RECALL: first(Recalled),
  CONFIGURE: first(Configure),
  RUN: first(Run),
  SCHEDULE: first(Scheduled),
  ERASE: first(Erase)
} as const satisfies Record<string, EventDefinition>

export type EventType = keyof typeof catalogue
export type Payload<T extends EventType> = Schema.Schema.Type<(typeof catalogue)[T]["schema"]>

/** The after-images that an event carries, in the order in which views take them. */
export const imagesOf = (event: Body<DaybookEvent>): ReadonlyArray<Memory> => {
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

/** What happened, stored or not. */
type Body<Event extends DaybookEvent> = Event extends DaybookEvent ? Pick<Event, "type" | "payload"> : never

/** What surrounds every payload. Times are milliseconds since the Unix epoch. */
export interface Envelope {
  readonly sequence: number
  readonly stream: string
  readonly version: number
  readonly commandId: string | null
  readonly actor: string
  readonly cause: string | null
  readonly occurredAt: number
  readonly recordedAt: number
}

/** A decoded event, upcast to the newest schema of its type. */
export type DaybookEvent = {
  readonly [T in EventType]: Envelope & { readonly type: T; readonly payload: Payload<T> }
}[EventType]

/** An event whose payload was erased: it keeps its place in the chain and says nothing any more. */
export interface ErasedEvent extends Envelope {
  readonly type: EventType
  readonly payload: null
}

import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Decision } from "../../events/catalogue.js"
import type { Turn } from "../../events/Turn.js"

/** A turn as an extractor sees it: without ids, session and store. */
export interface ExtractTurn extends Pick<Turn, "role" | "speaker" | "channel" | "text" | "toolCalls"> {
  /** When the turn was said, milliseconds since the epoch. */
  readonly at: number
}

/** The input of an extractor. */
export interface ExtractRequest {
  /** The preceding turns, oldest first; at most `contextTurns`. They are already extracted. */
  readonly context: ReadonlyArray<ExtractTurn>
  /** The turns to extract from, oldest first. */
  readonly turns: ReadonlyArray<ExtractTurn>
  /** Titles and facts of the memories that were shown in this session. They are never captured again. */
  readonly recalled: ReadonlyArray<string>
}

/** Maximum turns in `ExtractRequest.context`. */
export const contextTurns = 6

const index = Schema.Int
const texts = Schema.Array(Schema.String)

/** A statement to store, and the turns that support it. Times are milliseconds since the epoch. */
export const ExtractedFact = Schema.Struct({
  /**
   * One self-contained sentence: it names its subject, and its dates are absolute if the turn's time determines them.
   */
  title: Schema.NonEmptyString,
  type: Schema.String,
  narrative: Schema.optional(Schema.String),
  facts: Schema.optional(texts),
  project: Schema.optional(Schema.String),
  topic: Schema.optional(Schema.String),
  /** 0…1. */
  importance: Schema.optional(Schema.Number),
  expiresAt: Schema.optional(Schema.Number),
  /** When the stated event happened or will happen, resolved against the turn's time. */
  occurredAt: Schema.optional(Schema.Number),
  people: texts,
  tags: texts,
  /**
   * At least one source. `turn` is an index into the request's `turns`. A negative index counts from the end of the
   * request's `context`: −1 is the last turn of the context.
   */
  sources: Schema.NonEmptyArray(Schema.Struct({ turn: index, reason: Schema.String })),
  /** The id of the rule that extracted the statement, or `model`. */
  rule: Schema.String,
  statedBy: Schema.Literal("user", "assistant", "tool", "other")
})
export type ExtractedFact = typeof ExtractedFact.Type

/** A statement that the turns declare no longer true, without a new statement that replaces it. */
export const ExtractedEnd = Schema.Struct({
  title: Schema.NonEmptyString,
  reason: Schema.String,
  /** The turns that support this, as in `ExtractedFact`. Default: the last turn of the request. */
  sources: Schema.optional(ExtractedFact.fields.sources)
})
export type ExtractedEnd = typeof ExtractedEnd.Type

/** An extractor's answer. */
export interface Extraction {
  readonly facts: ReadonlyArray<ExtractedFact>
  /** Memories to archive. */
  readonly archive?: ReadonlyArray<ExtractedEnd>
  /** A line for the daily log. */
  readonly summary?: string
  readonly by: Decision["by"]
  /** Set by rules: true if no second opinion from a model is needed. */
  readonly sure?: boolean
  /** Why the rules answered although a model was asked. Absent if no model was asked, or if the model answered. */
  readonly fallback?: string
  /** Milliseconds that the model took; absent if no model was asked. */
  readonly latency?: number
}

/** An extractor's answer cannot be used. Names the kind of failure, never a text or a key. */
export class ExtractorError extends Schema.TaggedError<ExtractorError>()("ExtractorError", {
  name: Schema.String,
  reason: Schema.Literal("failed", "timeout", "refused", "unreadable", "source", "size", "credential", "invented"),
  detail: Schema.optional(Schema.String)
}) {
  override get message() {
    return `extractor ${this.name}: ${reasons[this.reason]}${this.detail === undefined ? "" : ` (${this.detail})`}`
  }
}

const reasons = {
  failed: "failed",
  timeout: "timeout",
  refused: "refused",
  unreadable: "unreadable answer",
  source: "named an unknown turn",
  size: "wrote a statement that is too long",
  credential: "wrote a credential",
  invented: "made a statement that no turn supports"
} as const

/** The functions of an `Extractor`. */
export interface ExtractorService {
  /** Name and version, as events record it. */
  readonly name: string
  readonly extract: (request: ExtractRequest) => Extraction
  readonly ask?: (request: ExtractRequest) => Effect.Effect<Extraction, ExtractorError>
}

/**
 * Finds statements that are worth keeping in the turns of a conversation. `extract` is synchronous and a pure function
 * of the request: no clock, no network, no randomness. `ask` is optional and runs first, outside of any transaction. If
 * `ask` fails, hangs or returns an invalid answer, `extract` decides and the event records that.
 */
export class Extractor extends Context.Tag("daybook/Extractor")<Extractor, ExtractorService | null>() {
  /** No extractor: nothing is captured from turns. */
  static readonly layerNone: Layer.Layer<Extractor> = Layer.succeed(this, null)
}

import * as Schema from "effect/Schema"
import { levelOf, Store, TrustLevel } from "./Trust.js"

/** The role of the speaker of a turn. */
export const Role = Schema.Literal("user", "assistant", "system", "tool")
export type Role = typeof Role.Type

/** A tool call of a turn: its arguments as the model wrote them (usually JSON text), and its result. */
export const ToolCall = Schema.Struct({
  id: Schema.optional(Schema.String),
  name: Schema.String,
  arguments: Schema.optional(Schema.String),
  result: Schema.optional(Schema.String)
})
export type ToolCall = typeof ToolCall.Type

/**
 * The exact text of one turn of a conversation. `sequence` grows within a session and store; `tokens` is the number of
 * tokens in the text; times are milliseconds since the Unix epoch.
 */
export const Turn = Schema.Struct({
  id: Schema.String,
  session: Schema.String,
  sequence: Schema.Number,
  role: Role,
  speaker: Schema.optional(Schema.String),
  channel: Schema.optional(Schema.String),
  text: Schema.String,
  toolCalls: Schema.optional(Schema.Array(ToolCall)),
  store: Store,
  /**
   * The trust level of the writer; `familiar` for the role `tool`. Absent in events of earlier releases: see
   * `turnLevelOf`.
   */
  level: Schema.optional(TrustLevel),
  tokens: Schema.Number,
  occurredAt: Schema.Number
})
export type Turn = typeof Turn.Type

/** The trust level of a turn. The output of a tool counts as `familiar`, whatever the level of its writer. */
export const turnLevelOf = (turn: Pick<Turn, "level" | "role" | "store">): TrustLevel =>
  turn.role === "tool" ? "familiar" : levelOf(turn)

import type { TrustLevel } from "./Trust.js"

/**
 * The names of the events in traces and logs. docs/telemetry.md says when each event occurs, and with which attributes.
 */
export type TraceEventName =
  | "start.initializing"
  | "start.embedding_configured"
  | "maintenance.loop_started"
  | "maintenance.run_started"
  | "maintenance.run_finished"
  | "maintenance.stage"
  | "prompt_index.built"
  | "prompt_index.skipped"
  | "prompt_index.injected"
  | "capture.extracted"
  | "capture.failed"
  | "session_summary.written"
  | "session_summary.skipped"
  | "session_summary.failed"
  | "search.vector_fallback"
  | "reconciliation.requested"
  | "reconciliation.decided"
  | "reconciliation.applied"
  | "embedding.request"

/**
 * The attributes of spans and events: ids that the engine generated, names from the policy, words from a fixed list,
 * and counts. They contain no text from a caller, so no query, session, person or key. A sink drops every attribute
 * that is not listed here.
 */
export interface TraceAttributes {
  /** The agent's name: the id of its stream. */
  readonly agent?: string
  readonly level?: TrustLevel
  /** The called method, for example `Memory.search`. */
  readonly "daybook.method"?: string
  readonly "error.type"?: string
  readonly "gen_ai.operation.name"?: string
  readonly "gen_ai.memory.record.count"?: number
  readonly "gen_ai.memory.record.id"?: string
  /** The name of a model, as in the policy or the embedder. */
  readonly model?: string
  readonly dimensions?: number
  readonly local?: boolean
  readonly purpose?: "document" | "query"
  readonly outcome?: string
  /** Why something was skipped or failed: one word, or the tag of an error. */
  readonly reason?: string
  /** The kind of the decider: `rule`, `model` or `caller`. */
  readonly by?: string
  /** The type of an event of the log. */
  readonly action?: string
  readonly stage?: string
  readonly loop?: string
  readonly part?: string
  readonly task?: string
  readonly "http.request.method"?: string
  readonly "http.response.status_code"?: number
  readonly "http.route"?: string
  readonly "mcp.method.name"?: string
  readonly "gen_ai.tool.name"?: string
  readonly agents?: number
  readonly attempts?: number
  readonly candidates?: number
  readonly characters?: number
  readonly commands?: number
  readonly events?: number
  readonly extracted_count?: number
  readonly fallback?: boolean
  readonly left?: boolean
  readonly memories?: number
  readonly millis?: number
  readonly parts?: number
  readonly stages?: number
  readonly statements?: number
  readonly texts?: number
  readonly tokens?: number
  readonly turns?: number
  readonly version?: number
  readonly written_count?: number
}

/**
 * The span name of each method of a handle.
 *
 * The names follow OpenTelemetry's conventions for memory, which are in development:
 * https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-spans.md#memory, at commit
 * 002c8a6ea1c8a42b14a4527db83b3cabcded610a. The conventions define `search_memory`, `create_memory`, `update_memory`,
 * `upsert_memory` and `delete_memory`. A write that may count a repeat or replace a memory is an `upsert_memory`,
 * because the caller does not choose which. The conventions permit further names. Ours are `read_memory` for reads
 * without a query, `manage_schedule`, and `maintain_memory` for maintenance and undo.
 */
export const spanNames = {
  "Memory.search": "search_memory",
  "Memory.explain": "search_memory",
  "Memory.context": "search_memory",
  "Memory.sessions.search": "search_memory",
  "Memory.sessions.explain": "search_memory",
  "Memory.notes.search": "search_memory",

  "Memory.remember": "upsert_memory",
  "Memory.rememberAll": "upsert_memory",
  "Memory.importMarkdown": "upsert_memory",
  "Memory.sessions.append": "upsert_memory",
  "Memory.sessions.extract": "upsert_memory",
  "Memory.sessions.end": "upsert_memory",
  "Memory.sessions.refresh": "upsert_memory",
  "Memory.sessions.summarize": "upsert_memory",
  "Memory.sessions.rolling.roll": "upsert_memory",
  "Memory.sessions.rolling.write": "upsert_memory",
  "Memory.updatePerson": "upsert_memory",
  "Memory.scratchpad.write": "upsert_memory",
  "Memory.files.add": "upsert_memory",

  "Memory.sessions.appendAll": "create_memory",
  "Memory.observeTool": "create_memory",
  "Memory.notes.save": "create_memory",

  "Memory.update": "update_memory",
  "Memory.vouch": "update_memory",
  "Memory.decide": "update_memory",
  "Memory.notes.update": "update_memory",
  "Memory.archive.add": "update_memory",
  "Memory.archive.restore": "update_memory",

  "Memory.forget": "delete_memory",
  "Memory.notes.delete": "delete_memory",
  "Memory.files.forget": "delete_memory",
  "Memory.sessions.forget": "delete_memory",
  "Memory.scratchpad.clear": "delete_memory",

  "Memory.get": "read_memory",
  "Memory.list": "read_memory",
  "Memory.timeline": "read_memory",
  "Memory.decisions": "read_memory",
  "Memory.people": "read_memory",
  "Memory.history": "read_memory",
  "Memory.why": "read_memory",
  "Memory.profile": "read_memory",
  "Memory.archive.list": "read_memory",
  "Memory.files.get": "read_memory",
  "Memory.files.list": "read_memory",
  "Memory.notes.get": "read_memory",
  "Memory.notes.list": "read_memory",
  "Memory.scratchpad.read": "read_memory",
  "Memory.scratchpad.history": "read_memory",
  "Memory.sessions.get": "read_memory",
  "Memory.sessions.list": "read_memory",
  "Memory.sessions.restore": "read_memory",
  "Memory.sessions.summaries": "read_memory",
  "Memory.sessions.rolling.read": "read_memory",
  "Memory.recalls.get": "read_memory",
  "Memory.recalls.list": "read_memory",
  "Memory.recalls.rerun": "read_memory",
  "Memory.maintenance.tiers": "read_memory",
  "Memory.maintenance.list": "read_memory",
  "Memory.maintenance.get": "read_memory",

  "Memory.schedules.add": "manage_schedule",
  "Memory.schedules.update": "manage_schedule",
  "Memory.schedules.delete": "manage_schedule",
  "Memory.schedules.get": "manage_schedule",
  "Memory.schedules.list": "manage_schedule",
  "Memory.schedules.count": "manage_schedule",
  "Memory.schedules.run": "manage_schedule",
  "Memory.schedules.runs": "manage_schedule",

  "Memory.maintenance.run": "maintain_memory",
  "Memory.undo": "maintain_memory"
} as const

/** The name of a method of a handle: `Memory.search`. */
export type Method = keyof typeof spanNames

/** Long-term memory for agents: hold a `Daybook`, ask it for an agent's `Memory`, use that. */
export type { CommandError } from "./Actor.js"
export type { AddedFile } from "./commands/addFile.js"
export type { Scheduled } from "./commands/addSchedule.js"
export type { Forgotten } from "./commands/forget.js"
export type { ForgottenFile } from "./commands/forgetFile.js"
export type { Remembered, WriteOptions } from "./commands/remember.js"
export type { Updated } from "./commands/update.js"
export {
  type AgentInfo,
  type AgentOptions,
  type AsOfInput,
  Daybook,
  type Digests,
  layer
} from "./Daybook.js"
export { Embedder, EmbedderError } from "./Embedder.js"
export type { Backfilled } from "./Embedding.js"
export * from "./errors.js"
export type { Explained, Explanation } from "./explain.js"
export type { FileInput } from "./fileInput.js"
export { type Gated, gate } from "./gate.js"
export type { Changes, InstantInput, Observation } from "./input.js"
export { limits } from "./limits.js"
export type * from "./Memory.js"
export { decode as decodePolicy, defaults as defaultPolicy, Policy, PolicySchema, type PolicyValues } from "./Policy.js"
export { Reconciler, ReconcilerError } from "./Reconciler.js"
export { Reranker, RerankerError } from "./Reranker.js"
export type { ScoreParts } from "./rank.js"
export { nextAfter } from "./schedules/cadence.js"
export type { CadenceInput, ScheduleChanges, ScheduleInput } from "./schedules/input.js"
export type { Claimed, Finished, Outcome, Runner, RunOf } from "./schedules/Runner.js"
export type * from "./schedules/Schedule.js"
export type { Filter, Hit, Query } from "./search.js"
export type { AgentStats } from "./stats.js"
export { TokenCounter } from "./TokenCounter.js"
export type { Undoable } from "./undo/choose.js"
export type { UndoError, Undone, UndoneEvent, UndoOptions } from "./undo/undo.js"
export type { DecisionDiff, PolicyChange, WhatIf, WhatIfOptions } from "./whatIf/WhatIf.js"
export type { Why, WhyOptions, WhyVersion } from "./why.js"

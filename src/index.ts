/** Long-term memory for agents. Get a `Daybook`, and from it the `Memory` of an agent. */

export { type Gated, gate } from "../text/normalise/gate.js"
export type { CommandError } from "./actor/Actor.js"
export type { AddedFile } from "./conversation/addFile.js"
export type { FileInput } from "./conversation/fileInput.js"
export type { ForgottenFile } from "./conversation/forgetFile.js"
export { Daybook, layer } from "./Daybook.js"
export type { AgentInfo, AgentOptions, AsOfInput, DaybookService, Digests } from "./DaybookService.js"
export type { Calibrated, CalibrateOptions } from "./embedding/admin/calibrate.js"
export type * from "./embedding/admin/EmbedderOperations.js"
export { type Labelled, readLabelled } from "./embedding/admin/labelledQuestions.js"
export type { Backfilled, Preparation } from "./embedding/Embedding.js"
export type * from "./Memory.js"
export type * from "./maintenance/contract.js"
export type { MaintainError, MaintainOptions, StageRun } from "./maintenance/maintain.js"
export type { Profile } from "./maintenance/profile.js"
export type { Tiers } from "./maintenance/tiers.js"
export * from "./model/errors.js"
export type { Changes, InstantInput, Observation } from "./model/input.js"
export { limits } from "./model/limits.js"
export { type StageName, stageNames } from "./model/stages.js"
export { Embedder, EmbedderError, type EmbedderService } from "./ports/Embedder.js"
export { type EmbedderLookupError, Embedders, EmbedderUnavailable, UnknownEmbedder } from "./ports/Embedders.js"
export {
  decode as decodePolicy,
  defaults as defaultPolicy,
  Policy,
  PolicySchema,
  type PolicyValues
} from "./ports/Policy.js"
export { Reconciler, ReconcilerError } from "./ports/Reconciler.js"
export { Reranker, RerankerError } from "./ports/Reranker.js"
export { type Evidence, type Settlement, Settler, type SettlerService } from "./ports/Settler.js"
export { type Statement, StatementReader, type StatementReaderService } from "./ports/StatementReader.js"
export {
  Summarizer,
  SummarizerError,
  type SummaryKind,
  type SummaryRequest,
  type SummarySource
} from "./ports/Summarizer.js"
export { TokenCounter } from "./ports/TokenCounter.js"
export type * from "./recalls/RecallReader.js"
export type { Forgotten } from "./remember/forget.js"
export type { Remembered, WriteOptions } from "./remember/remember.js"
export type { Restored } from "./remember/restore.js"
export type { Updated } from "./remember/update.js"
export type { Scheduled } from "./schedules/addSchedule.js"
export { nextAfter } from "./schedules/cadence.js"
export type { CadenceInput, ScheduleChanges, ScheduleInput } from "./schedules/input.js"
export type { Claimed, Finished, Outcome, RunAttempt, Runner } from "./schedules/Runner.js"
export type * from "./schedules/Schedule.js"
export type { ScheduleReader, ScheduleWriter } from "./schedules/Schedules.js"
export type { Explained, Explanation } from "./search/explain.js"
export type { ScoreParts } from "./search/rank.js"
export type { LifeScore } from "./search/score.js"
export type { Filter, Hit, Query } from "./search/search.js"
export type { AgentStats } from "./stats.js"
export type { Undoable } from "./undo/choose.js"
export type { UndoError, Undone, UndoneEvent, UndoOptions } from "./undo/undo.js"
export type { DecisionDiff, PolicyChange, WhatIf, WhatIfOptions } from "./whatIf/WhatIf.js"
export type { Why, WhyOptions, WhyVersion } from "./why.js"

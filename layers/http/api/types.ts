import type { DaybookEvent, ErasedEvent } from "../../../events/catalogue.js"
import type { Turn } from "../../../events/Turn.js"
import type { Verification } from "../../../events/verify.js"
import type { ModelName } from "../../../projections/embedders.js"
import type { IndexedFile } from "../../../projections/files.js"
import type { IndexRow } from "../../../projections/observationSearch.js"
import type { Person } from "../../../projections/people.js"
import type { RunRow } from "../../../projections/runs.js"
import type { Session } from "../../../projections/sessionReads.js"
import type { ViewComparison } from "../../../projections/view/compareView.js"
import type { ExtractedTurns } from "../../../src/capture/CaptureWriter.js"
import type { ContextMemory, PromptContext, PromptTurn } from "../../../src/context/ContextReader.js"
import type { AddTurnOptions } from "../../../src/conversation/addTurn.js"
import type { AddedFile, FileInput, ForgottenFile } from "../../../src/conversation/Files.js"
import type {
  AddedTurn,
  ConversationHit,
  ForgottenSession,
  RestoredSession,
  TurnInput
} from "../../../src/conversation/Sessions.js"
import type { AgentInfo, Digests } from "../../../src/DaybookService.js"
import type { Calibrated, CalibrateOptions } from "../../../src/embedding/admin/calibrate.js"
import type {
  Compared,
  CompareOptions,
  EmbedderStatus,
  Switched
} from "../../../src/embedding/admin/EmbedderOperations.js"
import type { Backfilled } from "../../../src/embedding/Embedding.js"
import type { Erasure, RecordedErasure } from "../../../src/erasure/Erasure.js"
import type { HistoryEntry } from "../../../src/history.js"
import type { Archived, ArchivedMemory, Restored } from "../../../src/maintenance/Archive.js"
import type { StageRun } from "../../../src/maintenance/maintain.js"
import type { Profile } from "../../../src/maintenance/ProfileReader.js"
import type { Rolled, RollingInput, SessionRolling, WrittenRolling } from "../../../src/maintenance/rolling/Rolling.js"
import type { EndedSession, SessionSummary, SummarizedSession } from "../../../src/maintenance/SessionSummaries.js"
import type { Tiers } from "../../../src/maintenance/tiers.js"
import type { Changes, Observation } from "../../../src/model/input.js"
import type { Note, NoteChanges, NoteHit, NoteInput, SavedNote } from "../../../src/notes/Notes.js"
import type { Scratchpad, ScratchpadEntry, WrittenScratchpad } from "../../../src/notes/Scratchpads.js"
import type { ObservedTool, ToolObservation } from "../../../src/notes/ToolWriter.js"
import type { Recall, RecallRow, Rerun } from "../../../src/recalls/RecallReader.js"
import type {
  Choice,
  Forgotten,
  PersonFacts,
  Remembered,
  RememberOptions,
  Settled,
  Updated,
  UpdatedPerson,
  Vouched
} from "../../../src/remember/MemoryWrites.js"
import type {
  Schedule,
  ScheduleChanges,
  Scheduled,
  ScheduleInput,
  ScheduleRun,
  WholeScheduleRun
} from "../../../src/schedules/Schedules.js"
import type { DisputeDecision, Explained, LifeScore, WholeMemory } from "../../../src/search/MemoryReads.js"
import type { Hit } from "../../../src/search/search.js"
import type { AgentStats } from "../../../src/stats.js"
import type { Undoable, Undone } from "../../../src/undo/UndoWriter.js"
import type { WhatIf } from "../../../src/whatIf/WhatIf.js"
import type { Why } from "../../../src/why.js"
import type {
  ContextRequest,
  ConversationSearch,
  EmbedderSwitch,
  ErasureRequest,
  SearchQuery,
  WhatIfRequest
} from "./requests.js"

/** One page of an answer. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  /** Pass it as `cursor` to get the next page; null on the last page. */
  readonly next: string | null
}

/** A memory to store: `title`, or `content` in its place, and the optional fields. */
export interface MemoryInput extends Omit<Observation, "title"> {
  readonly title?: string | undefined
  /** The first line becomes the title. A longer text also becomes the narrative. */
  readonly content?: string | undefined
}

/** The fields of a memory to change, or its new status. A status cannot be combined with other fields. */
export interface MemoryChanges extends Changes {
  /** Replaces the title and the narrative. */
  readonly content?: string | undefined
  /** `archived` moves the memory to the archive, `active` restores it, `deleted` hides it from every read. */
  readonly status?: "active" | "archived" | "deleted" | undefined
}

/** The text of a memory: its title and its narrative, or only one of them if that is the whole text. */
export interface WithContent {
  readonly content: string
}

/** A turn of a conversation. `session_id` and `auto_extract` are aliases of `session` and `extract`. */
export interface NewTurn extends Omit<TurnInput, "session"> {
  readonly session?: string | undefined
  readonly session_id?: string | undefined
  /** True: the turn is extracted, now or later. Default: true if the policy captures. */
  readonly extract?: boolean | undefined
  readonly auto_extract?: boolean | undefined
}

/** The result for one statement of a turn. */
export interface ExtractedMemory {
  readonly id?: string
  readonly content: string
  readonly action: string
}

/** A stored turn, and what was captured with it. */
export interface StoredTurn {
  readonly turn_id: string
  readonly extracted_memories: ReadonlyArray<ExtractedMemory>
  readonly turn: AddedTurn
  /** Number of turns of the session in this store that wait for extraction. */
  readonly pending: number
}

/** A context for a prompt. The fields in snake case contain the same content by tier. */
export interface ContextAnswer extends PromptContext {
  readonly short_term: ReadonlyArray<PromptTurn>
  readonly mid_term: ReadonlyArray<ContextMemory>
  readonly long_term_hint: ReadonlyArray<ContextMemory>
}

/** The outcome of one entry of a batch: exactly one of the fields. */
export interface BatchEntry<Answer> {
  readonly answer?: Answer
  readonly problem?: ProblemDetails
}

/** An error in the format of RFC 9457. It never contains the text of a memory or a key. */
export interface ProblemDetails {
  /** `urn:daybook:` and the tag of the error. */
  readonly type: string
  readonly title: string
  readonly status: number
  /** States the problem, its place and the remedy. */
  readonly detail: string
  /** The error itself: its tag and its fields, such as the path of the wrong field. */
  readonly error: { readonly _tag: string; readonly [field: string]: unknown }
}

/** The result of a garbage collection, and statistics of the agent. */
export interface Collected {
  readonly runs: ReadonlyArray<StageRun>
  /** Numbers of memories that were created, promoted, archived and deleted so far. */
  readonly changes: AgentStats["changes"]
  /** Counts, mean score and mean age in days of all active memories, and by tier. */
  readonly scores: Pick<Tiers, "all" | "byTier">
  /** How often each extractor was tried, how often it succeeded, and how long it took. */
  readonly capture: AgentStats["capture"]
}

/** An agent that the token may use. */
export type ListedAgent = AgentInfo

/** The JSON values of the interface, by name. `scripts/schemas.mjs` describes them for the OpenAPI document. */
export interface Types {
  readonly AddedFile: AddedFile
  readonly AgentStats: AgentStats
  readonly Agents: Page<ListedAgent>
  readonly ArchivePage: Page<ArchivedMemory>
  readonly Archived: Archived
  readonly Backfilled: Backfilled
  readonly Calibrated: Calibrated
  readonly CalibrateOptions: CalibrateOptions
  readonly Choice: { readonly choice: Choice }
  readonly Collected: Collected
  readonly Compared: Compared
  readonly CompareOptions: CompareOptions
  readonly Context: ContextAnswer
  readonly ContextRequest: ContextRequest
  readonly ConversationHits: ReadonlyArray<ConversationHit>
  readonly ConversationSearch: ConversationSearch
  readonly Count: { readonly count: number }
  readonly Damage: { readonly digest: string }
  readonly Digests: Digests
  readonly Disputes: Page<DisputeDecision>
  readonly Done: { readonly done: boolean }
  readonly DroppedModels: ReadonlyArray<ModelName>
  readonly EmbedderBack: Omit<EmbedderSwitch, "name" | "dimensions" | "weight">
  readonly EmbedderDrop: { readonly name?: string | undefined; readonly dimensions?: number | undefined }
  readonly EmbedderStatus: EmbedderStatus
  readonly EmbedderSwitch: EmbedderSwitch
  readonly EndedSession: EndedSession
  readonly Erasure: Erasure
  readonly ErasurePage: Page<RecordedErasure>
  readonly ErasureRequest: ErasureRequest
  readonly ExplainedConversation: Explained<ConversationHit>
  readonly ExplainedMemories: Explained<Hit & { readonly life?: LifeScore }>
  readonly ExtractedTurns: ExtractedTurns
  readonly FileInput: FileInput
  readonly FilePage: Page<IndexedFile>
  readonly Files: ReadonlyArray<IndexedFile>
  readonly Forgotten: Forgotten
  readonly ForgottenFile: ForgottenFile
  readonly ForgottenSession: ForgottenSession
  readonly History: ReadonlyArray<HistoryEntry>
  readonly Hits: ReadonlyArray<Hit>
  readonly Ids: { readonly ids: ReadonlyArray<string> }
  readonly LogPage: Page<DaybookEvent | ErasedEvent>
  readonly Memories: ReadonlyArray<WholeMemory & WithContent>
  readonly Memory: WholeMemory & WithContent
  readonly MemoryBatch: ReadonlyArray<Observation | readonly [Observation, RememberOptions]>
  readonly MemoryBatchAnswer: ReadonlyArray<BatchEntry<Remembered>>
  readonly MemoryChanges: MemoryChanges
  readonly MemoryChanged: Updated | Archived | Restored | Forgotten
  readonly MemoryInput: MemoryInput
  readonly MemoryPage: Page<(IndexRow | Hit) & WithContent>
  readonly NoteOrNull: Note | null
  readonly NoteChanges: NoteChanges
  readonly NoteHits: ReadonlyArray<NoteHit>
  readonly NoteInput: NoteInput
  readonly NotePage: Page<Note>
  readonly ObservedTool: ObservedTool
  readonly PeoplePage: Page<Person>
  readonly PersonFacts: PersonFacts
  readonly ProblemDetails: ProblemDetails
  readonly Profile: Profile
  readonly Recall: Recall
  readonly RecallPage: Page<RecallRow>
  readonly Remembered: Remembered
  readonly Rerun: Rerun
  readonly Restored: Restored
  readonly RestoredSession: RestoredSession
  readonly Rolled: Rolled
  readonly RollingInput: RollingInput
  readonly Run: RunRow
  readonly RunPage: Page<RunRow>
  readonly SavedNote: SavedNote
  readonly Schedule: Schedule
  readonly ScheduleChanges: ScheduleChanges
  readonly Scheduled: Scheduled
  readonly ScheduleInput: ScheduleInput
  readonly SchedulePage: Page<Schedule>
  readonly WholeScheduleRun: WholeScheduleRun
  readonly ScheduleRunPage: Page<ScheduleRun>
  readonly ScratchpadOrNull: Scratchpad | null
  readonly ScratchpadHistory: ReadonlyArray<ScratchpadEntry>
  readonly ScratchpadItems: { readonly items: ReadonlyArray<string> }
  readonly SessionPage: Page<Session>
  readonly SessionRollingOrNull: SessionRolling | null
  readonly SearchQuery: SearchQuery
  readonly Settled: Settled
  readonly StageRuns: ReadonlyArray<StageRun>
  readonly StoredTurn: StoredTurn
  readonly SummarizedSessions: ReadonlyArray<SummarizedSession>
  readonly SummaryPage: Page<SessionSummary>
  readonly Switched: Switched
  readonly Tiers: Tiers
  readonly Timeline: ReadonlyArray<IndexRow>
  readonly ToolObservation: ToolObservation
  readonly TurnBatch: ReadonlyArray<TurnInput | readonly [TurnInput, AddTurnOptions]>
  readonly TurnBatchAnswer: ReadonlyArray<BatchEntry<AddedTurn>>
  readonly NewTurn: NewTurn
  readonly Turns: ReadonlyArray<Turn>
  readonly Undoable: Undoable
  readonly Undone: Undone
  readonly Updated: Updated
  readonly UpdatedPerson: UpdatedPerson
  readonly Verification: Verification
  readonly ViewComparison: ViewComparison
  readonly Vouched: Vouched
  readonly WhatIf: WhatIf
  readonly WhatIfRequest: WhatIfRequest
  readonly Why: Why
  readonly WrittenRolling: WrittenRolling
  readonly WrittenScratchpad: WrittenScratchpad
}

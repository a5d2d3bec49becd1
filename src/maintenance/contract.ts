import type * as Effect from "effect/Effect"
import type { Store } from "../../events/Trust.js"
import type { RunRow } from "../../projections/runs.js"
import type { CommandError } from "../actor/Actor.js"
import type { InvalidInput, MemoryNotFound, ProjectionParked, RunNotFound, TrustRequired } from "../model/errors.js"
import type { PageQuery, ReadError } from "../model/filters.js"
import type { WholeMemory } from "../model/wholeMemory.js"
import type { WriteOptions } from "../remember/remember.js"
import type { Restored } from "../remember/restore.js"
import type { MaintainError, MaintainOptions, StageRun } from "./maintain.js"
import type { Profile } from "./profile.js"
import type { Tiers } from "./tiers.js"

/** A page of the archive. */
export interface ArchiveQuery extends PageQuery {
  readonly text?: string | undefined
}

/** An archived memory, with its archiving time (milliseconds since the epoch) and reason. */
export interface ArchivedMemory extends WholeMemory {
  readonly archivedAt: number
  readonly reason: string
}

export interface SessionSummariesQuery extends PageQuery {
  /** Only this session: one row for each store that has content of it. */
  readonly session?: string | undefined
}

/**
 * The summary of a session in one store: the summary of its turns, plus the decisions and tasks that were remembered in
 * it. Times are milliseconds since the epoch.
 */
export interface SessionSummary {
  readonly session: string
  readonly store: Store
  /** The user's request and its outcome; null when no summary was written. */
  readonly request: string | null
  readonly outcome: string | null
  readonly decisions: ReadonlyArray<string>
  /** Open tasks and questions. */
  readonly open: ReadonlyArray<string>
  /** Number of memories that were created in the session. */
  readonly observations: number
  /** Number of turns that the summary covers; 0 when no summary was written. */
  readonly turns: number
  /** True when the session has newer turns than the summary. */
  readonly behind: boolean
  /** Time of the last turn or memory of the session. */
  readonly lastAt: number
  /** When the summary was written, and by which rule or model. */
  readonly writtenAt: number | null
  readonly by: { readonly kind: string; readonly name: string } | null
}

/** Reads of the summaries of sessions: part of `memory.sessions`. */
export interface SessionSummaryReader {
  /**
   * Session summaries, the most recently active sessions first. Stage `sessions` writes the summaries. A memory of a
   * session appears as soon as it is stored.
   */
  readonly summaries: (query?: SessionSummariesQuery) => Effect.Effect<ReadonlyArray<SessionSummary>, ReadError>
}

/** Reads about maintenance: `memory.maintenance`. Full trust only. */
export interface MaintenanceReader {
  /** Memory counts and scores by tier, and the memories with the highest scores (10 by default). */
  readonly tiers: (query?: { readonly limit?: number | undefined }) => Effect.Effect<Tiers, ReadError | TrustRequired>
  /** Maintenance runs, newest first: what each did, its duration and its policy. */
  readonly list: (query?: PageQuery) => Effect.Effect<ReadonlyArray<RunRow>, ReadError | TrustRequired>
  /** One maintenance run by its id. */
  readonly get: (run: string) => Effect.Effect<RunRow, ReadError | TrustRequired | RunNotFound>
}

/** Runs of maintenance: `memory.maintenance`. */
export interface MaintenanceWriter {
  /**
   * Runs maintenance stages: promotes used memories, archives unused ones, shortens old narratives. Each stage is a run
   * of its own. It has a limit and can be undone like any other run. Full trust only.
   */
  readonly run: (options?: MaintainOptions) => Effect.Effect<ReadonlyArray<StageRun>, MaintainError>
}

/** Reads of the archive: `memory.archive`. */
export interface ArchiveReader {
  /** The archive, newest first. `text` selects memories with all of its words; case and accents are ignored. */
  readonly list: (query?: ArchiveQuery) => Effect.Effect<ReadonlyArray<ArchivedMemory>, ReadError>
}

/** Writes of the archive: `memory.archive`. */
export interface ArchiveWriter {
  /** Restores a memory from the archive; its tier becomes long. */
  readonly restore: (
    id: string,
    options?: WriteOptions
  ) => Effect.Effect<Restored, CommandError | InvalidInput | MemoryNotFound | ProjectionParked>
}

/** Reads the core block of a system prompt. */
export interface ProfileReader {
  /**
   * The core block of a system prompt, within a token budget (default: the policy's). Core memories come first, then
   * identities, preferences and decisions by score.
   */
  readonly profile: (query?: { readonly tokens?: number | undefined }) => Effect.Effect<Profile, ReadError>
}

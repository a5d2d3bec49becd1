import type * as Effect from "effect/Effect"
import type { Store } from "../../events/Trust.js"
import type { RunRow } from "../../projections/runs.js"
import type { CommandError } from "../actor/Actor.js"
import type { InvalidInput, MemoryNotFound, ProjectionParked, TrustRequired } from "../model/errors.js"
import type { PageQuery, ReadError } from "../model/filters.js"
import type { WholeMemory } from "../model/wholeMemory.js"
import type { WriteOptions } from "../remember/remember.js"
import type { Restored } from "../remember/restore.js"
import type { MaintainError, MaintainOptions, StageRun } from "./maintain.js"
import type { Profile } from "./profile.js"
import type { Tiers } from "./tiers.js"

/** The archive, a page at a time. */
export interface ArchiveQuery extends PageQuery {
  readonly text?: string | undefined
}

/** A memory in the archive: since when, in milliseconds since the epoch, and why. */
export interface ArchivedMemory extends WholeMemory {
  readonly archivedAt: number
  readonly reason: string
}

export interface SessionSummariesQuery extends PageQuery {
  /** Of this session alone, a row for each store that has something of it. */
  readonly session?: string | undefined
}

/**
 * What a session came to, as far as one store has it: what was written down of its turns, with the decisions and tasks
 * that were remembered in it. Times are milliseconds since the epoch.
 */
export interface SessionSummary {
  readonly session: string
  readonly store: Store
  /** What was asked for, and what came of it; null where nothing was written down. */
  readonly request: string | null
  readonly outcome: string | null
  readonly decisions: ReadonlyArray<string>
  /** What is still to be done or answered. */
  readonly open: ReadonlyArray<string>
  /** Memories that were made in it. */
  readonly observations: number
  /** The turns that it knows; 0 where nothing was written down. */
  readonly turns: number
  /** Whether there are newer ones. */
  readonly behind: boolean
  /** When something was last said or remembered in it. */
  readonly lastAt: number
  /** When it was written, and by whom: a rule or a model. */
  readonly writtenAt: number | null
  readonly by: { readonly kind: string; readonly name: string } | null
}

/** What may be read of the life of memories. */
export interface LifeReader {
  /** How many memories the tiers hold, with their scores, and which have the highest (10). Full trust only. */
  readonly tiers: (query?: { readonly limit?: number | undefined }) => Effect.Effect<Tiers, ReadError | TrustRequired>
  /**
   * The core block of a system prompt within a budget of tokens, by default the policy's: core memories, then
   * identities, preferences and decisions by score.
   */
  readonly profile: (query?: { readonly tokens?: number | undefined }) => Effect.Effect<Profile, ReadError>
  /**
   * What sessions came to, those in which something was last said or remembered first. Stage `sessions` writes them;
   * memories that were made in a session count from the moment on in which they are there.
   */
  readonly sessionSummaries: (query?: SessionSummariesQuery) => Effect.Effect<ReadonlyArray<SessionSummary>, ReadError>
  /** The runs of maintenance, the newest first: what each did, how long it took, under which policy. Full trust only. */
  readonly runs: (query?: PageQuery) => Effect.Effect<ReadonlyArray<RunRow>, ReadError | TrustRequired>
  /** What is in the archive, the last archived first; with text what holds all of its words, whatever their case and accents. */
  readonly archived: (query?: ArchiveQuery) => Effect.Effect<ReadonlyArray<ArchivedMemory>, ReadError>
}

/** What brings memories through their life. */
export interface LifeWriter {
  /** Takes a memory out of the archive: it is long from then on. */
  readonly restore: (
    id: string,
    options?: WriteOptions
  ) => Effect.Effect<Restored, CommandError | InvalidInput | MemoryNotFound | ProjectionParked>
  /**
   * Runs stages of maintenance: what is in use is promoted, what is not goes to the archive, narratives become shorter
   * by age. Each stage is a run of its own, with a bound, to be undone like any other. Full trust only.
   */
  readonly maintain: (options?: MaintainOptions) => Effect.Effect<ReadonlyArray<StageRun>, MaintainError>
}

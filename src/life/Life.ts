import type * as Effect from "effect/Effect"
import type { RunRow } from "../../projections/runs.js"
import type { CommandError } from "../Actor.js"
import type { WriteOptions } from "../commands/remember.js"
import type { Restored } from "../commands/restore.js"
import type { InvalidInput, MemoryNotFound, ProjectionParked, TrustRequired } from "../errors.js"
import type { PageQuery, ReadError } from "../filters.js"
import type { WholeMemory } from "../wholeMemory.js"
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

/** What may be read of the life of memories. */
export interface LifeReader {
  /** How many memories the tiers hold, with their scores, and which have the highest (10). Full trust only. */
  readonly tiers: (query?: { readonly limit?: number | undefined }) => Effect.Effect<Tiers, ReadError | TrustRequired>
  /**
   * The core block of a system prompt within a budget of tokens, by default the policy's: core memories, then
   * identities, preferences and decisions by score.
   */
  readonly profile: (query?: { readonly tokens?: number | undefined }) => Effect.Effect<Profile, ReadError>
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

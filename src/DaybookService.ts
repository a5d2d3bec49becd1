import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { DaybookEvent, ErasedEvent } from "../events/catalogue.js"
import type { AppendError } from "../events/EventLog.js"
import type { NotAccepted, StorageError } from "../events/errors.js"
import type { TrustLevel } from "../events/Trust.js"
import type { Verification } from "../events/verify.js"
import type { Progress, ViewError } from "../projections/view/buildViewFile.js"
import type { ViewComparison } from "../projections/view/compareView.js"
import type { CommandError } from "./actor/Actor.js"
import type { EmbedderOperations } from "./embedding/admin/EmbedderOperations.js"
import type { Backfilled } from "./embedding/Embedding.js"
import type { ErasureOperations } from "./erasure/Erasure.js"
import type { EngineHealth } from "./health.js"
import type { Memory, MemoryReader } from "./Memory.js"
import type { InvalidInput, TrustRequired, VersionNotFound } from "./model/errors.js"
import type { InstantInput } from "./model/input.js"
import type { Runner } from "./schedules/Runner.js"
import type { AgentStats } from "./stats.js"
import type { WhatIf as Difference, WhatIfOptions } from "./whatIf/WhatIf.js"

/** The trust level and identity of a caller. */
export interface AgentOptions {
  readonly trust: TrustLevel
  /** The writer's name in the history. Default: `program`. */
  readonly actor?: string | undefined
  /**
   * True records the results of searches and `get`. Default: the policy's setting. Reads of the past are never
   * recorded.
   */
  readonly record?: boolean | undefined
  /**
   * The key of the session that these reads serve. Each recall records this key. Capture then skips statements of the
   * session that only repeat what a read showed.
   */
  readonly session?: string | undefined
}

/** A past moment of one agent: after a version of its stream (needs full trust), or at an instant. */
export type AsOfInput = { readonly version: number } | { readonly at: InstantInput }

export interface VerifyOptions {
  /**
   * The `anchor` of an earlier verification. With it, the check also detects a log replaced together with its anchor.
   */
  readonly expect?: string | undefined
  /** True also compares each view with a view built from the log, which takes as long as a rebuild. */
  readonly views?: boolean | undefined
}

/** An agent that has events. */
export interface AgentInfo {
  readonly name: string
  /** The version of the agent's newest event, which equals the number of its events. */
  readonly version: number
  /** When the newest event was recorded, milliseconds since the epoch. */
  readonly recordedAt: number
}

/** The digests of a view, in total and by projection. */
export interface Digests {
  /** A digest of every row, vector and posting. */
  readonly digest: string
  /** A digest of active memories, their indexes and lineage, without history, versions and times. */
  readonly stateDigest: string
  readonly projections: Readonly<Record<string, string>>
}

/** The operations of `Daybook`. */
export interface DaybookService extends ErasureOperations {
  /**
   * An agent's memory at one trust level, for reading and writing; with `asOf`, for reading the past. Agents need not
   * be created.
   */
  readonly agent: {
    (name: string, options: AgentOptions): Effect.Effect<Memory, InvalidInput>
    (
      name: string,
      options: AgentOptions & { readonly asOf: AsOfInput }
    ): Effect.Effect<MemoryReader, InvalidInput | TrustRequired | VersionNotFound | StorageError>
  }
  /** All agents that have events, by name. */
  readonly agents: Effect.Effect<ReadonlyArray<AgentInfo>, StorageError>
  /** The decoded events of an agent after a version, up to a past moment or to the newest, oldest first. */
  readonly log: (
    agent: string,
    after?: number,
    asOf?: AsOfInput
  ) => Stream.Stream<DaybookEvent | ErasedEvent, ViewError | InvalidInput | TrustRequired | VersionNotFound>
  /** Replays the log into a new view, for all or the named projections. Reads and writes continue during the replay. */
  readonly rebuild: (
    agent: string,
    projections?: ReadonlyArray<string>,
    onProgress?: (progress: Progress) => void
  ) => Effect.Effect<void, ViewError | InvalidInput>
  /** Compares an agent's view, or the named projections, with a temporary view built from the log. */
  readonly compareView: (
    agent: string,
    projections?: ReadonlyArray<string>,
    onProgress?: (progress: Progress) => void
  ) => Effect.Effect<ViewComparison, ViewError | InvalidInput>
  /** Checks the log of one agent or of all agents. Damage is in the result. The effect fails only for invalid options. */
  readonly verify: (agent?: string, options?: VerifyOptions) => Effect.Effect<Verification, InvalidInput>
  /** Accepts the damage that the verification with this `digest` reported, so that writing can continue. */
  readonly accept: (digest: string) => Effect.Effect<void, NotAccepted | AppendError>
  /**
   * Accepts that the ledger of erasures is lost or was changed, so that writing can continue. Content that only the
   * lost lines named is not erased again from older copies of the log.
   */
  readonly acceptWithoutLedger: Effect.Effect<void, NotAccepted | AppendError>
  /** Embeds memories that have no vector yet, oldest first. */
  readonly backfill: (agent: string) => Effect.Effect<Backfilled, CommandError | InvalidInput>
  /** Shows and changes the embedding model. */
  readonly embedders: EmbedderOperations
  /** Replays past decisions under another policy in a temporary branch and reports what changes. Writes no events. */
  readonly whatIf: (agent: string, options?: WhatIfOptions) => Effect.Effect<Difference, ViewError | InvalidInput>
  readonly stats: (agent: string) => Effect.Effect<AgentStats, ViewError | InvalidInput>
  readonly digests: (agent: string) => Effect.Effect<Digests, ViewError | InvalidInput>
  /**
   * Records pending recalls now and returns their number. Without this call, the engine records them within a minute.
   */
  readonly flush: (agent: string) => Effect.Effect<number, CommandError | InvalidInput>
  /**
   * Continues the capture of an earlier process: extracts the turns that are due now, and each other waiting turn when
   * it becomes due while this process runs. Does nothing in mode "turn", because the next turn then extracts all.
   */
  readonly resume: (agent: string) => Effect.Effect<void, CommandError | InvalidInput>
  /** Operations for a scheduler that runs the schedules of all agents. See `layers/Scheduler.ts`. */
  readonly runner: Runner
  /** The number of agents that are awake in this process. */
  readonly awake: Effect.Effect<number>
  /** Checks that the log can be read and that the views and actors of awake agents make progress. */
  readonly health: Effect.Effect<EngineHealth, StorageError>
}

import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { DaybookEvent, ErasedEvent } from "../events/catalogue.js"
import type { StorageError } from "../events/errors.js"
import type { TrustLevel } from "../events/Trust.js"
import type { Verified } from "../events/verify.js"
import type { Progress, ViewError } from "../projections/view/build.js"
import type { CommandError } from "./actor/Actor.js"
import type { EmbedderOperations } from "./embedding/admin/EmbedderOperations.js"
import type { Backfilled } from "./embedding/Embedding.js"
import type { Memory, MemoryReader } from "./Memory.js"
import type { InvalidInput, TrustRequired, VersionNotFound } from "./model/errors.js"
import type { InstantInput } from "./model/input.js"
import type { Runner } from "./schedules/Runner.js"
import type { AgentStats } from "./stats.js"
import type { WhatIf as Difference, WhatIfOptions } from "./whatIf/WhatIf.js"

/** Who asks. */
export interface AgentOptions {
  readonly trust: TrustLevel
  /** Who writes, as history names it; `program` where absent. */
  readonly actor?: string | undefined
  /** Whether what searches and `get` show is recorded; as the policy says where absent. Reads of the past never are. */
  readonly record?: boolean | undefined
}

/** A past moment of one agent: after a version of its stream (full trust only), or at an instant. */
export type AsOfInput = { readonly version: number } | { readonly at: InstantInput }

/** An agent that has events. */
export interface AgentInfo {
  readonly name: string
  /** The version of its newest event, which is also how many it has. */
  readonly version: number
  /** When that was recorded, milliseconds since the epoch. */
  readonly recordedAt: number
}

/** The digests of a view, whole and by projection. */
export interface Digests {
  /** Over every row, vector and posting. */
  readonly digest: string
  /** Over active memories, their indexes and lineage, without history, versions and times. */
  readonly stateDigest: string
  readonly projections: Readonly<Record<string, string>>
}

/** What `Daybook` offers. */
export interface DaybookService {
  /** An agent's memory as a reader (and writer) at one trust level. Agents need no creating. */
  readonly agent: {
    (name: string, options: AgentOptions): Effect.Effect<Memory, InvalidInput>
    (
      name: string,
      options: AgentOptions & { readonly asOf: AsOfInput }
    ): Effect.Effect<MemoryReader, InvalidInput | TrustRequired | VersionNotFound | StorageError>
  }
  /** Every agent that has events, by name. */
  readonly agents: Effect.Effect<ReadonlyArray<AgentInfo>, StorageError>
  /** The decoded events of an agent after a version, oldest first. */
  readonly log: (agent: string, after?: number) => Stream.Stream<DaybookEvent | ErasedEvent, ViewError>
  /** Replays the log into a new view, all projections or the named ones, while reads and writes go on. */
  readonly rebuild: (
    agent: string,
    which?: ReadonlyArray<string>,
    onProgress?: (progress: Progress) => void
  ) => Effect.Effect<void, ViewError | InvalidInput>
  /** Checks the log of an agent, or all of it. Damage is in the answer, not in the error channel. */
  readonly verify: (agent?: string) => Effect.Effect<Verified>
  /** Takes the log as it stands for whole where its anchor says otherwise: after a backup was put back. Verify before and after. */
  readonly reanchor: Effect.Effect<void, StorageError>
  /** Embeds what has no vector yet, in the order in which it was stored. */
  readonly backfill: (agent: string) => Effect.Effect<Backfilled, CommandError | InvalidInput>
  /** Which embedder is in force, and changing it. */
  readonly embedders: EmbedderOperations
  /** Decides a stretch of history again under another policy, in a branch that is gone afterwards. Changes nothing. */
  readonly whatIf: (agent: string, options?: WhatIfOptions) => Effect.Effect<Difference, ViewError | InvalidInput>
  readonly stats: (agent: string) => Effect.Effect<AgentStats, ViewError | InvalidInput>
  readonly digests: (agent: string) => Effect.Effect<Digests, ViewError | InvalidInput>
  /** Records what was shown until now, which happens by itself a minute later; answers how many recalls. */
  readonly flush: (agent: string) => Effect.Effect<number, CommandError | InvalidInput>
  /** What carries out schedules, of all agents, stands on: see `layers/Scheduler.ts`. */
  readonly runner: Runner
  /** How many agents are awake in this process. */
  readonly awake: Effect.Effect<number>
}

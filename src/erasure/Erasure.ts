import type * as Effect from "effect/Effect"
import type { EraseReason, EraseSelector } from "../../events/EventLog.js"
import type { StorageError, VersionConflict } from "../../events/errors.js"
import type { InvalidInput, NothingToErase } from "../model/errors.js"
import type { PlanError } from "./planAgent.js"
import type { AgentErasure } from "./report.js"
import type { Erasable } from "./selection.js"

export type { EraseReason } from "../../events/EventLog.js"
export type { AgentErasure, Kind, NamedMemory } from "./report.js"
export type { Erasable } from "./selection.js"

export interface EraseOptions {
  /** Why. It is recorded for ever, so it is one word of a list. Default: `request`. */
  readonly reason?: EraseReason | undefined
  /** Reports what would go, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined
  /**
   * Makes memories active again that an erased memory had replaced or merged, unless another memory replaced them too.
   * Default: false, they stay retired. It happens after the erasure, as a run of its own that can be undone.
   */
  readonly revive?: boolean | undefined
  /** The name of the person or program that erases, recorded for ever. Default: `program`. */
  readonly actor?: string | undefined
}

/** The result of an erasure, or of a dry run. It quotes what goes: store it nowhere. */
export interface Erasure {
  /** One entry for each agent that is concerned. */
  readonly agents: ReadonlyArray<AgentErasure>
  /** Agents that go as a whole. */
  readonly whole: ReadonlyArray<string>
  /** Cached vectors that go because no remaining text of any agent uses them. */
  readonly vectors: number
  /**
   * `none` for a dry run. `waits`: the erasure is recorded and no read shows it, but another process still reads old
   * pages of the log, so the files may contain erased text until the next start.
   */
  readonly cleaning: "none" | "done" | "waits"
}

/** One erasure on record. It never says what was erased. Times are milliseconds since the epoch. */
export interface RecordedErasure {
  readonly agent: string
  readonly version: number
  readonly at: number
  readonly actor: string
  readonly reason: EraseReason
  /** Absent in records of earlier releases. */
  readonly selector?: EraseSelector | undefined
  /** Events that lost their payload. */
  readonly events: number
}

export type EraseError = PlanError | InvalidInput | NothingToErase | VersionConflict | StorageError

/** Removes content from the log for ever: `daybook.erase`. For operators. */
export interface ErasureOperations {
  /**
   * Erases what is selected and what was derived from it, in all its versions. Memories that only gained something from
   * it are made again from what remains. It cannot be undone. It covers every trust level.
   */
  readonly erase: (selection: Erasable, options?: EraseOptions) => Effect.Effect<Erasure, EraseError>
  /** The erasures of one agent or of all, oldest first. */
  readonly erasures: (agent?: string) => Effect.Effect<ReadonlyArray<RecordedErasure>, PlanError | InvalidInput>
}

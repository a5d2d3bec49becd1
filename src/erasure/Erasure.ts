import type * as Effect from "effect/Effect"
import type { EraseReason, EraseSelector, LedgerErasureResult } from "../../events/EventLog.js"
import type { StorageError, VersionConflict } from "../../events/errors.js"
import type { InvalidInput, NothingToErase } from "../model/errors.js"
import type { Leftover } from "./plan/namedColumns.js"
import type { PlanError } from "./plan/planAgent.js"
import type { AgentErasure } from "./plan/report.js"
import type { Erasable } from "./plan/selection.js"

export type { EraseReason } from "../../events/EventLog.js"
export type { Leftover } from "./plan/namedColumns.js"
export type { AgentErasure, ContentKind, HeldItem, NamedMemory } from "./plan/report.js"
export type { Erasable } from "./plan/selection.js"

export interface EraseOptions {
  /** The reason. It is recorded forever, so it must be a word from a fixed list. Default: `request`. */
  readonly reason?: EraseReason | undefined
  /** Reports what would be erased, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined
  /**
   * Makes memories active again that an erased memory had replaced or merged, unless another memory replaced them too.
   * Default: false; these memories stay retired. They are revived after the erasure, in a separate run that can be
   * undone.
   */
  readonly revive?: boolean | undefined
  /** The name of the person or program that erases. It is recorded forever. Default: `program`. */
  readonly actor?: string | undefined
}

/** The result of an erasure, or of a dry run. It quotes the erased text, so do not store it. */
export interface Erasure {
  /** One entry for each affected agent. */
  readonly agents: ReadonlyArray<AgentErasure>
  /** Agents that are erased completely. A dry run describes them in `agents` too. */
  readonly whole: ReadonlyArray<string>
  /**
   * Columns that keep the name of a selected person or session. Only an erasure of the whole agent removes these names.
   * They are counted before the erasure, in all agents of its scope.
   */
  readonly leftovers: ReadonlyArray<Leftover>
  /** Number of cached vectors that are removed, because no remaining text of any agent uses them. */
  readonly vectors: number
  /**
   * `none` for a dry run. `waits`: the erasure is recorded and no read returns the erased text, but another process
   * still reads old pages of the log. So the files may contain erased text until the next start.
   */
  readonly cleaning: "none" | "done" | "waits"
}

/** A recorded erasure. It never contains what was erased. Times are milliseconds since the epoch. */
export interface RecordedErasure {
  /**
   * Null if this erasure or a later one erased the whole agent, because the agent's name is not kept. `version` and
   * `actor` are then null too.
   */
  readonly agent: string | null
  readonly version: number | null
  readonly at: number
  /** `ledger` if the ledger applied the erasure again to an older copy of the log. */
  readonly actor: string | null
  /** When the ledger applied the erasure again. */
  readonly repeatedAt?: number
  readonly reason: EraseReason
  /** Absent in records of earlier releases. */
  readonly selector?: EraseSelector | undefined
  /**
   * Number of events that lost their payload, or were deleted with their agent; null in records of earlier releases.
   */
  readonly events: number | null
}

export type EraseError = PlanError | InvalidInput | NothingToErase | VersionConflict | StorageError

/** The result of an erasure by another ledger. */
export interface ErasedByLedger extends LedgerErasureResult {
  /** As in `Erasure`. */
  readonly cleaning: Erasure["cleaning"]
}

/** Removes content from the log forever: `daybook.erase`. For operators. */
export interface ErasureOperations {
  /**
   * Erases the selected content and everything derived from it, in all versions and at every trust level. A memory that
   * only gained some text from erased content is made again from the remaining content. An erasure cannot be undone.
   */
  readonly erase: (selection: Erasable, options?: EraseOptions) => Effect.Effect<Erasure, EraseError>
  /**
   * Applies the erasures in another ledger of this log to the log; `file` is the path of its `erasures.log`. Use it if
   * a copy of the log was used separately, so that neither ledger continues the other. Erases each named event that
   * this log has. An agent that was erased as a whole loses all its events. The lines of the ledger are added to the
   * log's own ledger. Fails with `InvalidInput` if the ledger is damaged or belongs to another log.
   */
  readonly eraseByLedger: (file: string) => Effect.Effect<ErasedByLedger, InvalidInput | StorageError>
  /**
   * The erasures of one agent or of all agents, oldest first. The erasures of an agent that was erased as a whole do
   * not name it.
   */
  readonly erasures: (agent?: string) => Effect.Effect<ReadonlyArray<RecordedErasure>, PlanError | InvalidInput>
}

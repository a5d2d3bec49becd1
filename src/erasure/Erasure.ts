import type * as Effect from "effect/Effect"
import type { ErasedAgain, EraseReason, EraseSelector } from "../../events/EventLog.js"
import type { StorageError, VersionConflict } from "../../events/errors.js"
import type { InvalidInput, NothingToErase } from "../model/errors.js"
import type { Leftover } from "./plan/namedColumns.js"
import type { PlanError } from "./plan/planAgent.js"
import type { AgentErasure } from "./plan/report.js"
import type { Erasable } from "./plan/selection.js"

export type { EraseReason } from "../../events/EventLog.js"
export type { Leftover } from "./plan/namedColumns.js"
export type { AgentErasure, HeldItem, Kind, NamedMemory } from "./plan/report.js"
export type { Erasable } from "./plan/selection.js"

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
  /** Agents that go as a whole. A dry run describes them in `agents` too. */
  readonly whole: ReadonlyArray<string>
  /**
   * Columns that keep a selected person's or session's name: only an erasure of the whole agent removes it. Counted before
   * the erasure, in all agents of its scope.
   */
  readonly leftovers: ReadonlyArray<Leftover>
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
  /** Null if the whole agent was erased, now or later: its name is not kept. So are version and actor then. */
  readonly agent: string | null
  readonly version: number | null
  readonly at: number
  /** `ledger` where the ledger applied an erasure again to an older copy of the log. */
  readonly actor: string | null
  /** When the ledger applied it again. */
  readonly repeatedAt?: number
  readonly reason: EraseReason
  /** Absent in records of earlier releases. */
  readonly selector?: EraseSelector | undefined
  /** Events that lost their payload, or were deleted with their agent; null in records of earlier releases. */
  readonly events: number | null
}

export type EraseError = PlanError | InvalidInput | NothingToErase | VersionConflict | StorageError

/** The result of an erasure by another ledger. */
export interface ErasedByLedger extends ErasedAgain {
  /** As in `Erasure`. */
  readonly cleaning: Erasure["cleaning"]
}

/** Removes content from the log for ever: `daybook.erase`. For operators. */
export interface ErasureOperations {
  /**
   * Erases what is selected and what was derived from it, in all its versions. Memories that only gained something from
   * it are made again from what remains. It cannot be undone. It covers every trust level.
   */
  readonly erase: (selection: Erasable, options?: EraseOptions) => Effect.Effect<Erasure, EraseError>
  /**
   * Erases what another ledger of erasures of this log names: the path of its `erasures.log`. For a copy of the log that
   * went on for itself, so that neither ledger continues the other. What it names and this log has is erased, an agent
   * that it erased as a whole with all its events, and its lines are added to the log's own ledger. Fails with
   * `InvalidInput` if the ledger is damaged, or belongs to another log.
   */
  readonly eraseByLedger: (file: string) => Effect.Effect<ErasedByLedger, InvalidInput | StorageError>
  /** The erasures of one agent or of all, oldest first. Those of erased agents have no name. */
  readonly erasures: (agent?: string) => Effect.Effect<ReadonlyArray<RecordedErasure>, PlanError | InvalidInput>
}

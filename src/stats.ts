import type { Store } from "../events/Trust.js"
import { countArchived } from "../projections/archive.js"
import { chunkVectorIndex } from "../projections/chunkVectors.js"
import { findPreparingEmbedder, type ModelName } from "../projections/embedders.js"
import { countExtracts } from "../projections/extracts.js"
import { countMemories } from "../projections/observationReads.js"
import type { Db } from "../projections/Projection.js"
import { countRecalls } from "../projections/recalls.js"
import { countRuns } from "../projections/runs.js"
import { countSchedulesByStatus } from "../projections/scheduleReads.js"
import { countConversation } from "../projections/sessionReads.js"
import { countTallies } from "../projections/tallies.js"
import { memoryVectorIndex } from "../projections/vectors.js"
import * as ViewFile from "../projections/view/ViewFile.js"
import { sameModel } from "./actor/activeEmbedders.js"
import type { EmbedderService } from "./ports/Embedder.js"

/** Counts of one agent's memory, and the state of its view. */
export interface AgentStats {
  readonly agent: string
  readonly version: number
  readonly memories: ReturnType<typeof countMemories>
  /** Total numbers of memories promoted, archived, deleted and so on. Later changes never reduce them. */
  readonly changes: ReturnType<typeof countTallies>
  /** Archived memories. */
  readonly archive: number
  /** Schedules by status, when the next is due (milliseconds since the epoch), and how their recorded runs ended. */
  readonly schedules: ReturnType<typeof countSchedulesByStatus>
  /** Maintenance runs by stage. */
  readonly maintenance: ReturnType<typeof countRuns>
  /** Conversations and files. `embedded` counts the chunks that have a vector. */
  readonly conversation: ReturnType<typeof countConversation> & { readonly embedded: number }
  /** Turns that wait for extraction, and how each extractor did: attempts, successes, latency. */
  readonly capture: ReturnType<typeof countExtracts>
  readonly vectors: {
    /** Whether sqlite-vec could be loaded. Without it, searches use full text only. */
    readonly available: boolean
    readonly model: string
    readonly dimensions: number
    readonly embedded: number
    /** The configured embedder, if another one is active. */
    readonly configured?: ModelName
    /** The embedder in preparation, which becomes active next. */
    readonly preparing?: ModelName & { readonly embedded: number }
    /** The local substitute for stores that are withheld from the active embedder. */
    readonly apart?: ModelName & { readonly stores: ReadonlyArray<Store>; readonly embedded: number }
    /** Requests of this process to the provider so far. */
    readonly usage?: ReturnType<NonNullable<EmbedderService["usage"]>>
    /** Why the newest batch failed; absent if it succeeded. */
    readonly failure?: string
  }
  /**
   * Recalls that the log contains, recalls of this process that still wait, and recalls dropped because too many
   * waited.
   */
  readonly recalls: { readonly recorded: number; readonly waiting: number; readonly dropped: number }
  readonly view: { readonly bytes: number; readonly parked: ReadonlyArray<ViewFile.Parked> }
}

/** Combines counts of the view with values that only this process knows. `bytes` is the size of the view's file. */
export const statsOf = (
  db: Db,
  agent: string,
  { substitute, dimensions, model, usage }: EmbedderService,
  runtime: {
    readonly configured: ModelName
    readonly hasVectors: boolean
    readonly failure: { readonly message: string } | undefined
    readonly recalls: { readonly waiting: number; readonly dropped: number }
    readonly bytes: number
  }
): AgentStats => {
  const preparing = findPreparingEmbedder(db)
  const { configured } = runtime
  return {
    agent,
    version: ViewFile.checkpointOf(db).position,
    memories: countMemories(db),
    changes: countTallies(db),
    archive: countArchived(db),
    schedules: countSchedulesByStatus(db),
    maintenance: countRuns(db),
    conversation: { ...countConversation(db), embedded: chunkVectorIndex.count(db, model, dimensions) },
    capture: countExtracts(db),
    vectors: {
      available: runtime.hasVectors,
      model,
      dimensions,
      embedded: memoryVectorIndex.count(db, model, dimensions),
      ...(sameModel(configured, { model, dimensions })
        ? {}
        : { configured: { model: configured.model, dimensions: configured.dimensions } }),
      ...(preparing === undefined ? {} : { preparing: counted(db, preparing) }),
      ...(substitute === undefined
        ? {}
        : { apart: { ...counted(db, substitute.embedder), stores: substitute.stores } }),
      ...(usage === undefined ? {} : { usage: usage() }),
      ...(runtime.failure === undefined ? {} : { failure: runtime.failure.message })
    },
    recalls: { recorded: countRecalls(db), ...runtime.recalls },
    view: { bytes: runtime.bytes, parked: ViewFile.parkedOf(db) }
  }
}

const counted = (db: Db, { dimensions, model }: ModelName) => ({
  model,
  dimensions,
  embedded: memoryVectorIndex.count(db, model, dimensions)
})

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
  /** How many memories were ever promoted, archived, deleted and so on. Later changes never reduce these counts. */
  readonly changes: ReturnType<typeof countTallies>
  /** Archived memories. */
  readonly archive: number
  /** Schedules by status, the next due time (milliseconds since the epoch), and the outcomes of the recorded runs. */
  readonly schedules: ReturnType<typeof countSchedulesByStatus>
  /** Maintenance runs by stage. */
  readonly maintenance: ReturnType<typeof countRuns>
  /** Conversations and files. `embedded` counts the chunks that have a vector. */
  readonly conversation: ReturnType<typeof countConversation> & { readonly embedded: number }
  /** Turns that wait for extraction, and the attempts, successes and latency of each extractor. */
  readonly capture: ReturnType<typeof countExtracts>
  readonly vectors: {
    /** True if sqlite-vec was loaded. Without sqlite-vec, searches use full text only. */
    readonly available: boolean
    readonly model: string
    readonly dimensions: number
    readonly embedded: number
    /** The configured embedder, if another one is active. */
    readonly configured?: ModelName
    /** The embedder in preparation for the next switch. */
    readonly preparing?: ModelName & { readonly embedded: number }
    /** The local substitute for stores that are withheld from the active embedder. */
    readonly apart?: ModelName & { readonly stores: ReadonlyArray<Store>; readonly embedded: number }
    /** Requests of this process to the provider so far. */
    readonly usage?: ReturnType<NonNullable<EmbedderService["usage"]>>
    /** Why the newest embedding batch failed; absent if that batch succeeded. */
    readonly failure?: string
  }
  /**
   * `recorded`: recalls in the log. `waiting`: recalls of this process that are not yet recorded. `dropped`: recalls
   * lost because too many were waiting.
   */
  readonly recalls: { readonly recorded: number; readonly waiting: number; readonly dropped: number }
  readonly view: { readonly bytes: number; readonly parked: ReadonlyArray<ViewFile.ParkedProjection> }
}

/** Combines counts from the view with values of this process. `bytes` is the size of the view's file. */
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
    view: { bytes: runtime.bytes, parked: ViewFile.findParkedProjections(db) }
  }
}

const counted = (db: Db, { dimensions, model }: ModelName) => ({
  model,
  dimensions,
  embedded: memoryVectorIndex.count(db, model, dimensions)
})

import type { Store } from "../events/Trust.js"
import { countArchived } from "../projections/archive.js"
import { chunkVectorIndex } from "../projections/chunkVectors.js"
import { findPreparing, type ModelName } from "../projections/embedders.js"
import type { Db } from "../projections/Projection.js"
import { countMemories } from "../projections/reads.js"
import { countRecalls } from "../projections/recalls.js"
import { countRuns } from "../projections/runs.js"
import { countByStatus } from "../projections/scheduleReads.js"
import { countConversation } from "../projections/sessionReads.js"
import { countTallies } from "../projections/tallies.js"
import { memoryVectors } from "../projections/vectors.js"
import * as ViewFile from "../projections/view/ViewFile.js"
import { sameModel } from "./actor/activeEmbedders.js"
import type { EmbedderService } from "./ports/Embedder.js"

/** What one agent's memory holds and what state its view is in. */
export interface AgentStats {
  readonly agent: string
  readonly version: number
  readonly memories: ReturnType<typeof countMemories>
  /** What became of memories so far, each time counted, whatever became of them since. */
  readonly changes: ReturnType<typeof countTallies>
  /** What the archive holds. */
  readonly archive: number
  /** Schedules by status, when the next is due (milliseconds since the epoch), and how runs in their histories ended. */
  readonly schedules: ReturnType<typeof countByStatus>
  /** The runs of maintenance by stage. */
  readonly maintenance: ReturnType<typeof countRuns>
  /** What was said; `embedded` counts the chunks that have a vector. */
  readonly conversation: ReturnType<typeof countConversation> & { readonly embedded: number }
  readonly vectors: {
    /** Whether sqlite-vec could be loaded; full text answers alone where it could not. */
    readonly available: boolean
    readonly model: string
    readonly dimensions: number
    readonly embedded: number
    /** The one that the policy names, where another one is in force. */
    readonly configured?: ModelName
    /** The one whose vectors are being made to take its place. */
    readonly preparing?: ModelName & { readonly embedded: number }
    /** The local one of the stores that the one in force is not to see. */
    readonly apart?: ModelName & { readonly stores: ReadonlyArray<Store>; readonly embedded: number }
    /** What this process asked of the provider so far. */
    readonly usage?: ReturnType<NonNullable<EmbedderService["usage"]>>
    /** Why the newest batch failed; absent while all is well. */
    readonly failure?: string
  }
  /** Reads on record, those that wait for it in this process, and those that were lost because too many waited. */
  readonly recalls: { readonly recorded: number; readonly waiting: number; readonly dropped: number }
  readonly view: { readonly bytes: number; readonly parked: ReadonlyArray<ViewFile.Parked> }
}

/** What the view says, and beside it what only this process knows. `bytes` is what the view takes on disk. */
export const statsOf = (
  db: Db,
  agent: string,
  { apart, dimensions, model, usage }: EmbedderService,
  known: {
    readonly configured: ModelName
    readonly hasVectors: boolean
    readonly failure: { readonly message: string } | undefined
    readonly recalls: { readonly waiting: number; readonly dropped: number }
    readonly bytes: number
  }
): AgentStats => {
  const preparing = findPreparing(db)
  const { configured } = known
  return {
    agent,
    version: ViewFile.checkpointOf(db).position,
    memories: countMemories(db),
    changes: countTallies(db),
    archive: countArchived(db),
    schedules: countByStatus(db),
    maintenance: countRuns(db),
    conversation: { ...countConversation(db), embedded: chunkVectorIndex.count(db, model, dimensions) },
    vectors: {
      available: known.hasVectors,
      model,
      dimensions,
      embedded: memoryVectors.count(db, model, dimensions),
      ...(sameModel(configured, { model, dimensions })
        ? {}
        : { configured: { model: configured.model, dimensions: configured.dimensions } }),
      ...(preparing === undefined ? {} : { preparing: counted(db, preparing) }),
      ...(apart === undefined ? {} : { apart: { ...counted(db, apart.embedder), stores: apart.stores } }),
      ...(usage === undefined ? {} : { usage: usage() }),
      ...(known.failure === undefined ? {} : { failure: known.failure.message })
    },
    recalls: { recorded: countRecalls(db), ...known.recalls },
    view: { bytes: known.bytes, parked: ViewFile.parkedOf(db) }
  }
}

const counted = (db: Db, { dimensions, model }: ModelName) => ({
  model,
  dimensions,
  embedded: memoryVectors.count(db, model, dimensions)
})

import type { Decision } from "../../events/catalogue.js"
import { type Store, stores } from "../../events/Trust.js"
import type { PageKind } from "../../projections/maintenancePages.js"
import type { Db } from "../../projections/Projection.js"
import type { DecidedEvent } from "../actor/Command.js"
import { splitArray } from "../model/chunksOf.js"
import { nextRevision } from "../model/nextRevision.js"
import type { StageName } from "../model/stages.js"
import type { MaintenancePolicy } from "../ports/policy/maintenance.js"
import type { Judge } from "../ports/Reconciler.js"
import type { SettlerService } from "../ports/Settler.js"
import type { StatementReaderService } from "../ports/StatementReader.js"
import { lifeScoreOf, scoreFactsOf } from "../search/score.js"
import type { Draft } from "./applySummarizer.js"
import { hideAccessesFromRules, type Row } from "./stageRow.js"

/** Services that a stage uses besides its rows, policy and time. */
export interface StageTools {
  readonly newId: () => string
  readonly countTokens: (text: string) => number
  /** Compares two memories; undefined when no reconciler is configured. */
  readonly judge?: Judge | undefined
  /** Finds memories that later memories supersede; absent without a settler. */
  readonly settler?: SettlerService | undefined
  /** The ids of memories in open disputes, which are not merged into other memories. */
  readonly sides?: ReadonlySet<string> | undefined
  /** Finds decisions and open items in sentences; absent without a statement reader. */
  readonly statements?: StatementReaderService | undefined
}

/** The plan of a stage. */
export interface StagePlan {
  /** Events, in the order in which they will be written. A new memory gets its `born` when its event is written. */
  readonly events: ReadonlyArray<DecidedEvent>
  /** Number of memories by action: promoted, archived … */
  readonly counts: Readonly<Record<string, number>>
  /** True if the stage reached its limit, so that work remains for the next run. */
  readonly left: boolean
  /**
   * Events with texts that a summarizer may improve. The caller asks the summarizer after planning and before writing.
   */
  readonly drafts?: ReadonlyArray<Draft>
}

export const emptyPlan: StagePlan = { events: [], counts: {}, left: false }

/**
 * A step of maintenance. A stage plans each store separately, with a limit per store. The result for one store
 * therefore does not depend on rows of another store, which has other readers. The plan is a pure function of rows,
 * policy and time: a `StagePlanner` receives all rows of the stage's kind in a store page by page, keeps the relevant
 * rows, and plans events.
 */
export interface Stage {
  readonly name: StageName
  readonly kind: PageKind
  /** The stage ignores memories created after this time. Milliseconds since the epoch. */
  readonly before: (policy: MaintenancePolicy, now: number) => number
  readonly gather: (policy: MaintenancePolicy, now: number, tools: StageTools, store: Store) => StagePlanner
  /**
   * Replaces the paged read of active memories, for a stage that needs other rows. It must read a bounded number of
   * rows.
   */
  readonly read?: (db: Db, policy: MaintenancePolicy, now: number, store: Store) => ReadonlyArray<Row>
  /**
   * True if `readMore` reads turns. `readMore` does not run while the projection of turns is parked. Default: false.
   */
  readonly readsTurns?: true
}

export interface StagePlanner {
  readonly addRows: (rows: ReadonlyArray<Row>) => void
  /** Returns true if the run's limit is reached. More rows would not change the plan. */
  readonly isFull?: () => boolean
  /** Reads one portion of additional data; returns true while there is more. */
  readonly readMore?: (db: Db) => boolean
  /** Row numbers of the memories to read in full before planning. */
  readonly neededRows?: () => ReadonlyArray<number>
  /** Does one portion of the planning; returns true while there is more. The caller pauses between portions. */
  readonly planStep?: (tools: StageTools, neededRows: ReadonlyArray<Row>) => boolean
  readonly plan: (tools: StageTools, neededRows: ReadonlyArray<Row>) => StagePlan
}

/** The rows gathered from one store. */
export interface StorePart {
  readonly store: Store
  readonly gathering: StagePlanner
}

export const storePartsOf = (
  stage: Stage,
  policy: MaintenancePolicy,
  now: number,
  tools: StageTools
): ReadonlyArray<StorePart> => stores.map((store) => ({ store, gathering: stage.gather(policy, now, tools, store) }))

/** Selects the rows of one store and removes data that rules must not read. */
export const rowsOfStore = (store: Store, rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.filter(({ memory }) => memory.store === store).map(hideAccessesFromRules)

/** Concatenates plans, in order. */
export const mergePlans = (plans: ReadonlyArray<StagePlan>): StagePlan => {
  const events: Array<DecidedEvent> = []
  const drafts: Array<Draft> = []
  const counts: Record<string, number> = {}
  for (const plan of plans) {
    for (const draft of plan.drafts ?? []) drafts.push({ ...draft, eventIndex: draft.eventIndex + events.length })
    events.push(...plan.events)
    for (const [action, count] of Object.entries(plan.counts)) counts[action] = (counts[action] ?? 0) + count
  }
  return { events, drafts, counts, left: plans.some(({ left }) => left) }
}

/** Plans a whole stage over rows in memory. */
export const planStage = (
  stage: Stage,
  rows: ReadonlyArray<Row>,
  policy: MaintenancePolicy,
  now: number,
  tools: StageTools
): StagePlan =>
  mergePlans(
    storePartsOf(stage, policy, now, tools).map(({ gathering, store }) => {
      const storeRows = rowsOfStore(store, rows)
      gathering.addRows(storeRows)
      const neededRows = new Set(gathering.neededRows?.() ?? [])
      return gathering.plan(
        tools,
        storeRows.filter(({ memory }) => neededRows.has(memory.born))
      )
    })
  )

/** Makes a rule's decision about memories, with the score of each memory. */
export const ruleDecision = (
  action: Decision["action"],
  name: string,
  reason: string,
  rows: ReadonlyArray<Row>,
  policy: MaintenancePolicy,
  now: number
): Decision => ({
  action,
  by: { kind: "rule", name },
  reason,
  candidates: rows.map((row) => {
    const { frequency, importance, recency, score } = lifeScoreOf(scoreFactsOf(row), policy.tiers, now)
    const { id, revision } = row.memory
    return { id, revision, score, parts: { frequency, recency, importance } }
  })
})

/** Makes events that archive memories. Each event has one reason and at most `maxArchivedPerEvent` memories. */
export const archiveEvents = (
  name: string,
  byReason: ReadonlyMap<string, ReadonlyArray<Row>>,
  policy: MaintenancePolicy,
  now: number
): ReadonlyArray<DecidedEvent> =>
  [...byReason].flatMap(([reason, rows]) =>
    splitArray(rows, maxArchivedPerEvent).map(
      (chunk): DecidedEvent => ({
        type: "ARCHIVE",
        payload: {
          memories: chunk.map(({ memory }) => nextRevision(memory, { status: "archived", updatedAt: now })),
          decision: ruleDecision("ARCHIVE", name, reason, chunk, policy, now)
        }
      })
    )
  )

/** Maximum memories per archive event. Small, so that writing one event causes no noticeable pause. */
const maxArchivedPerEvent = 10

/** Groups rows by reason. */
export const groupByReason = (
  rows: ReadonlyArray<Row>,
  reasonOf: (row: Row) => string
): ReadonlyMap<string, ReadonlyArray<Row>> => {
  const groups = new Map<string, Array<Row>>()
  for (const row of rows) {
    const reason = reasonOf(row)
    const group = groups.get(reason)
    if (group === undefined) groups.set(reason, [row])
    else group.push(row)
  }
  return groups
}

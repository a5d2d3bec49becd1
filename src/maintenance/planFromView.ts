import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { yieldToEventLoop } from "../../events/turns.js"
import { findSideIds } from "../../projections/disputeGroups.js"
import { findMaintenancePage, withAccesses } from "../../projections/maintenancePages.js"
import { readMemories } from "../../projections/observationSearch.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import { requireUnparked } from "../actor/Command.js"
import type { ReaderSource } from "../actor/ReaderSource.js"
import { splitArray } from "../model/chunksOf.js"
import { randomId } from "../model/ids.js"
import type { MaintenancePolicy } from "../ports/policy/maintenance.js"
import type { Judge } from "../ports/Reconciler.js"
import type { SettlerService } from "../ports/Settler.js"
import type { StatementReaderService } from "../ports/StatementReader.js"
import type { Writer } from "../remember/remember.js"
import { applyOverlay, type Overlay } from "./overlay.js"
import type { Portion } from "./portionCommand.js"
import { mergePlans, rowsOfStore, type Stage, type StagePlan, type StorePart, storePartsOf } from "./Stage.js"
import type { Row } from "./stageRow.js"

/** Maximum memories to read without a pause. */
const pageSize = 500

interface PlanSource {
  readonly policy: MaintenancePolicy
  readonly judge?: Judge | undefined
  readonly settler?: SettlerService | undefined
  readonly statements?: StatementReaderService | undefined
  readonly read: ReaderSource["read"]
}

/**
 * Reads the rows of a stage page by page, and plans the stage. `planned` contains the memories that earlier stages of a
 * dry run changed, by row number. These memories replace the stored ones, even if their status or tier changed.
 */
export const planFromView = Effect.fnUntraced(function* (
  { judge, policy, read, settler, statements }: PlanSource,
  { countTokens }: Writer,
  stage: Stage,
  planned: Overlay
): Effect.fn.Return<StagePlan & Pick<Portion, "shown" | "generation">, ViewError> {
  const { generation, hasConversation, now, sides } = yield* read(({ db, now }) => ({
    generation: db.name,
    // A parked projection has no rows for later events, and nothing compares its rows with the log.
    hasConversation: Either.isRight(requireUnparked(db, "conversation")),
    now,
    sides: findSideIds(db)
  }))
  const tools = { newId: randomId, countTokens, judge, settler, sides, statements }
  const parts = storePartsOf(stage, policy, now, tools)
  let accesses: Portion["shown"]
  if (stage.read === undefined) {
    accesses = yield* takePages(read, { stage, parts, before: stage.before(policy, now), now, planned })
  } else {
    // A stage with `read` receives no active memories, so access counts do not matter.
    for (const { gathering, store } of parts) {
      const rows = yield* read(({ db }) => stage.read!(db, policy, now, store))
      gathering.addRows(rows.filter(({ memory }) => !planned.has(memory.born)))
    }
  }
  const mayRead = hasConversation || stage.readsTurns !== true
  const plans: Array<StagePlan> = []
  for (const { gathering, store } of parts) {
    while (mayRead && gathering.readMore !== undefined && (yield* read(({ db }) => gathering.readMore!(db))))
      yield* yieldToEventLoop
    const rows = rowsOfStore(store, yield* readNeededRows(read, gathering.neededRows?.() ?? [], planned))
    while (gathering.planStep?.(tools, rows) === true) yield* yieldToEventLoop
    plans.push(gathering.plan(tools, rows))
    yield* yieldToEventLoop
  }
  return { ...mergePlans(plans), shown: accesses, generation }
})

interface PagedRead {
  readonly stage: Stage
  readonly parts: ReadonlyArray<StorePart>
  /** Memories created after this time are ignored: see `Stage.before`. */
  readonly before: number
  readonly now: number
  readonly planned: Overlay
}

/** Passes all pages of active memories to the parts; returns the access counts of private memories, by id. */
const takePages = Effect.fnUntraced(function* (
  read: PlanSource["read"],
  { before, now, parts, planned, stage }: PagedRead
) {
  const accessCounts = new Map<string, number>()
  let after: number | undefined = 0
  while (after !== undefined) {
    const from: number = after
    const page = yield* read(({ db }) => {
      const stored = findMaintenancePage(db, stage.kind, { after: from, before, now, size: pageSize })
      return { ...stored, rows: applyOverlay(db, stored, from, planned) }
    })
    for (const { accesses, memory } of page.rows) {
      if (accesses !== undefined && memory.store === "private") accessCounts.set(memory.id, accesses.accesses)
    }
    for (const { gathering, store } of parts) gathering.addRows(rowsOfStore(store, page.rows))
    after = parts.every(({ gathering }) => gathering.isFull?.() === true) ? undefined : page.next
    yield* yieldToEventLoop
  }
  return accessCounts
})

/** Reads memories in full, by row number. */
const readNeededRows = Effect.fnUntraced(function* (
  read: PlanSource["read"],
  rowNumbers: ReadonlyArray<number>,
  planned: Overlay
) {
  const rows: Array<Row> = []
  for (const chunk of splitArray(rowNumbers, pageSize)) {
    rows.push(
      ...(yield* read(({ db }) => {
        const stored = readMemories(db, chunk)
        return withAccesses(
          db,
          chunk.flatMap((born) => planned.get(born) ?? stored.get(born) ?? [])
        )
      }))
    )
    yield* yieldToEventLoop
  }
  return rows
})

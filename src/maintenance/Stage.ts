import type { Decision } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { type Store, stores } from "../../events/Trust.js"
import type { PageKind } from "../../projections/lifePages.js"
import type { Db } from "../../projections/Projection.js"
import type { DecidedEvent } from "../actor/Command.js"
import type { StageName } from "../model/stages.js"
import type { LifePolicy } from "../ports/policy/life.js"
import type { Judge } from "../ports/Reconciler.js"
import type { SettlerService } from "../ports/Settler.js"
import { scoreOf } from "../search/score.js"
import { factsOf, type Row, ruled } from "./facts.js"
import type { Draft } from "./summarize.js"

/** What a stage may use that is no part of what it decides. */
export interface Tools {
  readonly newId: () => string
  readonly countTokens: (text: string) => number
  /** How two memories stand to each other; absent where nothing is weighed. */
  readonly judge?: Judge | undefined
  /** Tells which memories later ones supersede; absent where no settler is provided. */
  readonly settler?: SettlerService | undefined
}

/** What a stage comes to. */
export interface Planned {
  /** In the order in which they are written. What they add is `born` when they are written. */
  readonly events: ReadonlyArray<DecidedEvent>
  /** How many memories were promoted, archived …, by what was done. */
  readonly counts: Readonly<Record<string, number>>
  /** Whether its bound left something to the next run. */
  readonly left: boolean
  /** Which of the events a summarizer may write better; whoever runs the stage asks between planning and writing. */
  readonly drafts?: ReadonlyArray<Draft>
}

export const nothingPlanned: Planned = { events: [], counts: {}, left: false }

/**
 * A step of maintenance, taken for each store by itself: its bound is each store's own, so that what is made of the
 * rows of one does not depend on those of another, which may be for other eyes. What it decides is a pure function of
 * rows, policy and time: `gather` is given all rows of its kind in a store, page by page, keeps what may matter, and
 * makes events of that.
 */
export interface Stage {
  readonly name: StageName
  readonly kind: PageKind
  /** Nothing that was created after this, milliseconds, is of interest. */
  readonly before: (policy: LifePolicy, now: number) => number
  readonly gather: (policy: LifePolicy, now: number, tools: Tools, store: Store) => Gathering
  /** Where it reads something else than active memories: all of it at once, bounded. */
  readonly read?: (db: Db, policy: LifePolicy, now: number, store: Store) => ReadonlyArray<Row>
}

export interface Gathering {
  readonly take: (rows: ReadonlyArray<Row>) => void
  /** Whether more rows would change nothing: the run has all that it may touch. */
  readonly full?: () => boolean
  /** Reads what else it needs, a portion at a time; whether there is more. */
  readonly look?: (db: Db) => boolean
  /** Memories, by row number, that are to be read again whole before anything is planned. */
  readonly wanted?: () => ReadonlyArray<number>
  /** Does some of what `plan` would have to do otherwise; whether there is more. */
  readonly weigh?: (tools: Tools, wanted: ReadonlyArray<Row>) => boolean
  readonly plan: (tools: Tools, wanted: ReadonlyArray<Row>) => Planned
}

/** What a stage has gathered of one store. */
export interface Part {
  readonly store: Store
  readonly gathering: Gathering
}

export const partsOf = (stage: Stage, policy: LifePolicy, now: number, tools: Tools): ReadonlyArray<Part> =>
  stores.map((store) => ({ store, gathering: stage.gather(policy, now, tools, store) }))

/** Of rows those of one store, as rules may look at them. */
export const rowsIn = (store: Store, rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.filter(({ memory }) => memory.store === store).map(ruled)

/** What several come to, one after the other. */
export const together = (all: ReadonlyArray<Planned>): Planned => {
  const events: Array<DecidedEvent> = []
  const drafts: Array<Draft> = []
  const counts: Record<string, number> = {}
  for (const one of all) {
    for (const draft of one.drafts ?? []) drafts.push({ ...draft, at: draft.at + events.length })
    events.push(...one.events)
    for (const [what, number] of Object.entries(one.counts)) counts[what] = (counts[what] ?? 0) + number
  }
  return { events, drafts, counts, left: all.some(({ left }) => left) }
}

/** The whole of a stage over rows that are at hand. */
export const planOf = (
  stage: Stage,
  rows: ReadonlyArray<Row>,
  policy: LifePolicy,
  now: number,
  tools: Tools
): Planned =>
  together(
    partsOf(stage, policy, now, tools).map(({ gathering, store }) => {
      const own = rowsIn(store, rows)
      gathering.take(own)
      const wanted = new Set(gathering.wanted?.() ?? [])
      return gathering.plan(
        tools,
        own.filter(({ memory }) => wanted.has(memory.born))
      )
    })
  )

/** The after-image of a change. */
export const changed = (memory: Memory, fields: Partial<Memory>): Memory => ({
  ...memory,
  ...fields,
  revision: memory.revision + 1
})

/** A rule's decision on memories, each with the score that it had. */
export const decided = (
  action: Decision["action"],
  name: string,
  reason: string,
  rows: ReadonlyArray<Row>,
  policy: LifePolicy,
  now: number
): Decision => ({
  action,
  by: { kind: "rule", name },
  reason,
  candidates: rows.map((row) => {
    const { frequency, importance, recency, score } = scoreOf(factsOf(row), policy.tiers, now)
    const { id, revision } = row.memory
    return { id, revision, score, parts: { frequency, recency, importance } }
  })
})

/** Events that archive memories, a reason at a time, so many in one event that a page of them is no pause. */
export const archiving = (
  name: string,
  byReason: ReadonlyMap<string, ReadonlyArray<Row>>,
  policy: LifePolicy,
  now: number
): ReadonlyArray<DecidedEvent> =>
  [...byReason].flatMap(([reason, rows]) =>
    chunksOf(rows, archivedAtOnce).map(
      (some): DecidedEvent => ({
        type: "ARCHIVE",
        payload: {
          memories: some.map(({ memory }) => changed(memory, { status: "archived", updatedAt: now })),
          decision: decided("ARCHIVE", name, reason, some, policy, now)
        }
      })
    )
  )

const archivedAtOnce = 10

export const chunksOf = <A>(values: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, at) => values.slice(at * size, (at + 1) * size))

/** Rows by a reason. */
export const grouped = (
  rows: ReadonlyArray<Row>,
  of: (row: Row) => string
): ReadonlyMap<string, ReadonlyArray<Row>> => {
  const groups = new Map<string, Array<Row>>()
  for (const row of rows) {
    const group = groups.get(of(row))
    if (group === undefined) groups.set(of(row), [row])
    else group.push(row)
  }
  return groups
}

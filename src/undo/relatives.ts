import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent } from "../../events/catalogue.js"
import { type EventLog, readAll } from "../../events/EventLog.js"
import type { Memory } from "../../events/Memory.js"
import { opennessOf, type Store } from "../../events/Trust.js"
import { isYieldDue, yieldIfDue, yieldToEventLoop } from "../../events/turns.js"
import { findChanges } from "../../projections/history.js"
import { findSourceStore } from "../../projections/lineage.js"
import { findById } from "../../projections/observations.js"
import { dependsOnCopies, descendants, makeLineageGraph, type Source } from "../actor/lineage.js"
import type { ReaderSource } from "../actor/ReaderSource.js"
import { splitArray } from "../model/chunksOf.js"
import { type Link, makeLife } from "./links.js"
import type { Plan } from "./plan.js"

/** When and why a source was lost. */
export interface SourceLoss {
  readonly version: number
  readonly reason: "replaced" | "forgotten" | "undone"
  /** The source's position among the sources that were lost with the same event. */
  readonly position: number
  /** Returns true if a memory depends on the lost source. */
  readonly affects: (memory: Memory) => boolean
}

/** A source that is a turn or a file. */
export interface OutsideSource {
  readonly kind: "turn" | "file"
  readonly to: string
  /** The source's store; undefined if the source is lost or never was in a store. */
  readonly store: Store | undefined
  /** The version that last changed the source's store; 0 for none. */
  readonly since: number
  /** Oldest first. */
  readonly losses: ReadonlyArray<SourceLoss>
}

/** The memories and sources that the plans of an undo depend on, as of a version. */
export interface UndoDependencies {
  /**
   * By memory id: the lives of the planned memories, of memories derived from them, and of the sources of both. The
   * events of a life are oldest first.
   */
  readonly livesById: ReadonlyMap<string, ReadonlyArray<Link>>
  readonly outsideByKey: ReadonlyMap<string, OutsideSource>
  /** The planned memories that do not change and on which no other memory depends. */
  readonly unchanged: ReadonlySet<string>
}

export const outsideKey = (kind: string, to: string): string => `${kind} ${to}`

interface HistorySource extends Pick<ReaderSource, "agent" | "read"> {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
}

/** Maximum plans per read of derived memories from the view. */
const plansPerRead = 500

/** The memories, turns and files that plans depend on. */
interface Sources {
  /** Ids of source memories, and of memories derived from memories that the undo removes or restores. */
  readonly ids: Set<string>
  /** Turns and files. */
  readonly outside: Map<string, Source>
}

const addSources = ({ ids, outside }: Sources, { lineage = [] }: Pick<Memory, "lineage">) => {
  for (const link of lineage) {
    if (link.kind === "derived") ids.add(link.to)
    else if (link.kind !== "supersedes") outside.set(outsideKey(link.kind, link.to), link)
  }
}

/**
 * Finds the memories that plans change, and their sources. If a plan removes or restores a memory, the memories derived
 * from it are included.
 */
const sourcesOfPlans = Effect.fnUntraced(function* (source: HistorySource, plans: ReadonlyArray<Plan>) {
  const sources: Sources = { ids: new Set(), outside: new Map() }
  const changing = new Set<string>()
  const goOrReturn: Array<string> = []
  for (const { current, image } of plans) {
    if (isYieldDue()) yield* yieldToEventLoop
    if (image === undefined) continue
    changing.add(current.id)
    if ((current.status === "active") !== (image.status === "active")) goOrReturn.push(current.id)
    addSources(sources, image)
  }
  for (const page of splitArray(goOrReturn, plansPerRead)) {
    const derived = yield* source.read(({ db }) => {
      const graph = makeLineageGraph(db)
      return page.flatMap((id) => descendants(graph, { kind: "derived", to: id }))
    })
    for (const memory of derived) {
      sources.ids.add(memory.id)
      addSources(sources, memory)
    }
    yield* yieldIfDue
  }
  return { changing, sources }
})

/** Reads the memories and sources that plans depend on, as of a version. */
export const readUndoDependencies = Effect.fnUntraced(function* (
  source: HistorySource,
  plans: ReadonlyArray<Plan>,
  planned: ReadonlyMap<string, ReadonlyArray<Link>>,
  to: number
) {
  const { changing, sources } = yield* sourcesOfPlans(source, plans)
  const livesById = new Map(planned)
  // Repeats until all sources are read, because sources have sources themselves.
  const visited = new Set<string>()
  for (let ids = [...sources.ids]; ids.length > 0; ids = [...sources.ids].filter((id) => !visited.has(id))) {
    const unread = ids.filter((id) => !livesById.has(id))
    for (const [id, life] of yield* livesAt(source, unread, to)) livesById.set(id, life)
    for (const id of ids) {
      if (isYieldDue()) yield* yieldToEventLoop
      visited.add(id)
      addSources(sources, livesById.get(id)?.at(-1)?.after ?? {})
    }
  }
  const outsideByKey =
    sources.outside.size === 0
      ? new Map<string, OutsideSource>()
      : yield* outsideAt(source, [...sources.outside.values()], to)
  const unchanged = new Set<string>()
  for (const id of planned.keys()) {
    if (isYieldDue()) yield* yieldToEventLoop
    if (!changing.has(id) && !visited.has(id)) unchanged.add(id)
  }
  return { livesById, outsideByKey, unchanged } satisfies UndoDependencies
})

/**
 * Reads lives up to a version, by memory id. If a memory's newest event was erased, its life is a single event with the
 * present memory.
 */
const livesAt = Effect.fnUntraced(function* (
  { agent, codec, log, read }: HistorySource,
  ids: ReadonlyArray<string>,
  to: number
) {
  const existing = yield* read(({ db }) =>
    ids.flatMap((id) => {
      const memory = findById(db, id)
      if (memory === undefined) return []
      const changes = findChanges(db, "full", memory.born).filter(({ version }) => version <= to)
      return changes.length === 0 ? [] : [{ memory, changes }]
    })
  )
  const versions = [...new Set(existing.flatMap(({ changes }) => changes.map(({ version }) => version)))]
  const decoded = new Map<number, DaybookEvent>()
  for (const row of yield* log.at(agent, versions)) {
    const event = yield* codec.decode(row)
    if (event.payload !== null) decoded.set(event.version, event)
  }
  return existing.map(({ changes, memory }): readonly [string, ReadonlyArray<Link>] => {
    const events = changes.map(({ version }) => {
      const event = decoded.get(version)
      return event === undefined ? null : { event, chosen: false }
    })
    const life = makeLife(memory.born, events)
    const { type, version } = changes.at(-1)!
    return [memory.id, life.length > 0 ? life : [{ ...unknownChange, version, type, after: memory }]]
  })
})

const unknownChange = {
  before: undefined,
  chosen: false,
  undoes: [],
  write: false,
  wholeFields: new Set<string>(),
  merged: undefined
}

type MutableOutside = {
  -readonly [K in keyof OutsideSource]: K extends "losses" ? Array<SourceLoss> : OutsideSource[K]
}

/**
 * Reads turns and files as of a version. Present turns are read from the view; files and forgotten turns are read from
 * the log.
 */
const outsideAt = Effect.fnUntraced(function* (
  { agent, codec, log, read }: HistorySource,
  links: ReadonlyArray<Pick<Source, "kind" | "to">>,
  to: number
) {
  const paths = new Set(links.flatMap(({ kind, to: path }) => (kind === "file" ? [path] : [])))
  const turns = new Set(links.flatMap(({ kind, to: id }) => (kind === "turn" ? [id] : [])))
  const sources = new Map<string, MutableOutside>()
  for (const { kind, to } of links) {
    sources.set(outsideKey(kind, to), {
      kind: kind as MutableOutside["kind"],
      to,
      store: undefined,
      since: 0,
      losses: []
    })
  }
  yield* read(({ db }) => {
    for (const id of turns) sources.get(outsideKey("turn", id))!.store = findSourceStore(db, "full", "turn", id)
  })
  const copies = new Map<number, { readonly path: string; readonly store: Store; readonly digest: string }>()
  const storesOf = (path: string) => [...copies.values()].flatMap((copy) => (copy.path === path ? [copy.store] : []))
  const updateFile = (path: string, version: number, loss?: Omit<SourceLoss, "version">) => {
    const file = sources.get(outsideKey("file", path))!
    const [store] = storesOf(path).sort((a, b) => opennessOf(b) - opennessOf(a))
    file.store = store
    file.since = version
    if (loss !== undefined) file.losses.push({ ...loss, version })
  }
  const forgotten = new Map<number, { readonly version: number; readonly position: number }>()
  const scan = (event: DaybookEvent) => {
    if (event.payload === null) return
    if (event.type === "FORGET") {
      for (const [position, version] of event.payload.turns.entries()) {
        forgotten.set(version, { version: event.version, position })
      }
    }
    if (event.version > to) return
    if (event.type === "FILE") {
      const { file, replaces } = event.payload
      if (!paths.has(file.path)) return
      const before = copies.get(replaces ?? 0)
      copies.delete(replaces ?? 0)
      const others = storesOf(file.path).filter((store) => store !== file.store)
      copies.set(event.version, file)
      const changed = before !== undefined && before.digest !== file.digest
      const affects = dependsOnCopies([file.store], others)
      updateFile(file.path, event.version, changed ? { reason: "replaced", position: 0, affects } : undefined)
    }
    if (event.type === "FORGET") {
      const { files, path, turns } = event.payload
      const lostCopies = files.flatMap((version) => copies.get(version) ?? [])
      for (const version of files) copies.delete(version)
      for (const [position, lostPath] of [...new Set(lostCopies.map((copy) => copy.path))].entries()) {
        const affects = path === undefined ? () => true : dependsOnCopies(event.payload.stores, storesOf(lostPath))
        updateFile(lostPath, event.version, { reason: "forgotten", position: turns.length + position, affects })
      }
    }
  }
  // Also reads events after `to`, because a turn that was forgotten later still existed as of `to`.
  yield* Stream.runForEach(readAll(log, agent), (row) =>
    row.type === "FORGET" || (row.type === "FILE" && paths.size > 0)
      ? Either.map(codec.decode(row), (event) => scan(event as DaybookEvent))
      : Effect.void
  )
  // The store of a forgotten turn is read from the event that added the turn.
  const hasForgotten = [...turns].some((id) => sources.get(outsideKey("turn", id))!.store === undefined)
  for (const row of hasForgotten ? yield* log.at(agent, [...forgotten.keys()]) : []) {
    if (row.type !== "TURN" || row.payload === null) continue
    const event = (yield* codec.decode(row)) as Extract<DaybookEvent, { type: "TURN" }>
    const turn = sources.get(outsideKey("turn", event.payload.turn.id))
    if (turn === undefined) continue
    const { position, version } = forgotten.get(row.version)!
    if (version <= to) turn.losses.push({ version, position, reason: "forgotten", affects: () => true })
    else turn.store = event.payload.turn.store
    turn.since = version <= to ? version : row.version
  }
  return sources
})

import * as Either from "effect/Either"
import type { Link, Memory, Stale } from "../../events/Memory.js"
import { isAtLeast, levelOf, opennessOf, type Store, type TrustLevel } from "../../events/Trust.js"
import { findMemoriesBySource, findSourceStore } from "../../projections/lineage.js"
import type { Db } from "../../projections/Projection.js"
import { InvalidInput, SourceNotFound } from "../model/errors.js"
import type { SourceInput } from "../model/input.js"
import { nextRevision } from "../model/nextRevision.js"
import { type DecidedEvent, eventCause, ruleDecision } from "./Command.js"

/** Lineage as a graph. Rules that change derived memories read nothing else. */
export interface Graph {
  /** The memories whose lineage names this source, active or not. */
  readonly derivedFrom: (kind: Link["kind"], source: string) => ReadonlyArray<Memory>
}

export const makeLineageGraph = (db: Db): Graph => ({
  derivedFrom: (kind, source) => findMemoriesBySource(db, kind, source)
})

/** A source of a memory. Kind `derived` means that the source is a memory too. */
export type Source = Pick<Link, "kind" | "to">

/** All memories derived from a source, directly or through other memories, each once, nearer ones first. */
export const descendants = (graph: Graph, source: Source): ReadonlyArray<Memory> => {
  const byId = new Map<string, Memory>()
  let sources: ReadonlyArray<Source> = [source]
  while (sources.length > 0) {
    const derived = sources.flatMap(({ kind, to }) => graph.derivedFrom(kind, to))
    const unseen = derived.filter(
      ({ id }, index) => !byId.has(id) && derived.findIndex((memory) => memory.id === id) === index
    )
    for (const memory of unseen) byId.set(memory.id, memory)
    sources = unseen.map(({ id }) => ({ kind: "derived", to: id }))
  }
  if (source.kind === "derived") byId.delete(source.to)
  return [...byId.values()]
}

/**
 * The after-images of memories derived from lost sources. Each is flagged as stale with its source and the reason. An
 * existing flag stays.
 */
export const flagStale = (
  graph: Graph,
  lost: ReadonlyArray<Source>,
  reason: Stale["reason"]
): ReadonlyArray<Memory> => {
  const flagged = new Map<string, Memory>()
  const lostIds = new Set(lost.map(({ to }) => to))
  for (const { kind, to } of lost) {
    if (kind === "supersedes") continue
    for (const memory of descendants(graph, { kind, to })) {
      // Archived memories are flagged too, because they may be restored.
      if (
        (memory.status !== "active" && memory.status !== "archived") ||
        memory.stale !== undefined ||
        flagged.has(memory.id)
      )
        continue
      if (lostIds.has(memory.id)) continue
      flagged.set(memory.id, nextRevision(memory, { stale: { kind, of: to, reason } }))
    }
  }
  return [...flagged.values()]
}

/**
 * Moves memories derived from a source to the source's new store, if their own store is less restrictive. Returns the
 * after-images.
 */
export const demoteDescendants = (graph: Graph, { id, store }: Pick<Memory, "id" | "store">): ReadonlyArray<Memory> =>
  descendants(graph, { kind: "derived", to: id })
    .filter((memory) => opennessOf(memory.store) > opennessOf(store))
    .map((memory) => nextRevision(memory, { store }))

/** Removes the stale flag of a memory, because a write confirms the memory. */
export const withoutStale = ({ stale: _, ...memory }: Memory): Memory => memory

/**
 * Makes the events that flag memories derived from lost sources. The event with number `version` removed the sources. A
 * source that another event removed has its own `version`. Memories that a level above `level` confirmed are not
 * flagged.
 */
export const staleEvents = (
  db: Db,
  lost: ReadonlyArray<Source & { readonly version?: number }>,
  reason: Stale["reason"],
  { level, version }: { readonly version: number; readonly level: TrustLevel },
  affects: (memory: Memory) => boolean = () => true
): ReadonlyArray<DecidedEvent> =>
  flagStale(makeLineageGraph(db), lost, reason)
    .filter((memory) => isAtLeast(level, levelOf(memory)) && affects(memory))
    .map((memory) => {
      const removed = lost.find(({ to }) => to === memory.stale!.of)?.version ?? version
      return makeDerivedUpdate(memory, "stale", `what it came from was ${reason}`, removed)
    })

/**
 * Tests whether a memory depends on removed copies of a file. A memory can only come from a copy that is at least as
 * open as the memory's own store. While such a copy remains, the memory does not depend on the removed copies.
 */
export const dependsOnCopies =
  (lost: ReadonlyArray<Store>, remaining: ReadonlyArray<Store>) =>
  ({ store }: Memory): boolean =>
    lost.some((copy) => opennessOf(copy) >= opennessOf(store)) &&
    !remaining.some((copy) => opennessOf(copy) >= opennessOf(store))

/**
 * Makes events that move derived memories to the store of their source, if their own store is less restrictive. The
 * cause is the event with number `version`.
 */
export const demotedEvents = (db: Db, memory: Memory, version: number): ReadonlyArray<DecidedEvent> =>
  demoteDescendants(makeLineageGraph(db), memory).map((derived) =>
    makeDerivedUpdate(derived, "demoted", `what it came from is ${memory.store} now`, version)
  )

/** Makes the event that changes a derived memory after a change of its source. */
export const makeDerivedUpdate = (
  memory: Memory,
  reason: "stale" | "demoted",
  explanation: string,
  version: number
): Extract<DecidedEvent, { type: "UPDATE" }> => ({
  type: "UPDATE",
  payload: { memory, reason, decision: ruleDecision("UPDATE", "lineage", explanation) },
  cause: eventCause(version)
})

/** The link to a source named in an observation. */
export const sourceLink = ({ id, kind }: SourceInput): Link => ({
  kind: kind === "memory" ? "derived" : kind,
  to: id,
  reason: "extracted"
})

/** Refuses a store that is less restrictive than the store of a source, and sources that the level cannot read. */
export const checkSources = (
  db: Db,
  level: TrustLevel,
  store: Store,
  from: ReadonlyArray<SourceInput>
): Either.Either<void, InvalidInput | SourceNotFound> => {
  for (const source of from) {
    const { kind, to } = sourceLink(source)
    const sourceStore = findSourceStore(db, level, kind, to)
    if (sourceStore === undefined) return Either.left(new SourceNotFound(source))
    if (opennessOf(store) > opennessOf(sourceStore)) {
      return Either.left(
        new InvalidInput({
          field: "store",
          problem: `is less restrictive than the store of ${source.kind} ${source.id}: use \`${sourceStore}\``
        })
      )
    }
  }
  return Either.void
}

/**
 * Refuses a store that is less restrictive than the store of a known source of the memory. `planned` maps ids of
 * memories to their stores after this change.
 */
export const checkLineage = (
  db: Db,
  level: TrustLevel,
  memory: Memory,
  store: Store,
  planned: ReadonlyMap<string, Store> = new Map()
): Either.Either<void, InvalidInput> => {
  if (opennessOf(store) <= opennessOf(memory.store)) return Either.void
  for (const { kind, to } of memory.lineage ?? []) {
    if (kind === "supersedes") continue
    const sourceStore = planned.get(to) ?? findSourceStore(db, kind === "file" ? level : "full", kind, to)
    // The store of a lost source is unknown, so the change is refused. A file that was only imported never had a
    // store.
    const isUnknown = sourceStore === undefined && kind !== "file"
    if (isUnknown || (sourceStore !== undefined && opennessOf(store) > opennessOf(sourceStore))) {
      return Either.left(
        new InvalidInput({
          field: "store",
          // The error names no source, because the level may not read it.
          problem:
            "is less restrictive than the store of a source of this memory: use a store that is at least as restrictive as the stores of all sources"
        })
      )
    }
  }
  return Either.void
}

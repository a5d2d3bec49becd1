import * as Either from "effect/Either"
import type { Link, Memory, Stale } from "../../events/Memory.js"
import { opennessOf, type Store, type TrustLevel } from "../../events/Trust.js"
import { findMadeOf, findSourceStore } from "../../projections/lineage.js"
import type { Db } from "../../projections/Projection.js"
import { InvalidInput, SourceNotFound } from "../model/errors.js"
import type { SourceInput } from "../model/input.js"
import { type DecidedEvent, eventCause, ruled } from "./Command.js"

/** Who was made of what: all that carrying something along lineage needs to know. */
export interface Graph {
  /** The memories, active or not, that name this source. */
  readonly madeOf: (kind: Link["kind"], source: string) => ReadonlyArray<Memory>
}

export const graphIn = (db: Db): Graph => ({ madeOf: (kind, source) => findMadeOf(db, kind, source) })

/** A source: a memory is `derived`. */
export type Source = Pick<Link, "kind" | "to">

/** All that was made of a source, directly or by way of others; each once, the nearer ones first. */
export const descendants = (graph: Graph, source: Source): ReadonlyArray<Memory> => {
  const found = new Map<string, Memory>()
  let next: ReadonlyArray<Source> = [source]
  while (next.length > 0) {
    const made = next.flatMap(({ kind, to }) => graph.madeOf(kind, to))
    const fresh = made.filter(({ id }, at) => !found.has(id) && made.findIndex((one) => one.id === id) === at)
    for (const memory of fresh) found.set(memory.id, memory)
    next = fresh.map(({ id }) => ({ kind: "derived", to: id }))
  }
  if (source.kind === "derived") found.delete(source.to)
  return [...found.values()]
}

/**
 * The after-images of what was made of sources that are gone: flagged, with the
 * source and what became of it. What is flagged already keeps its first reason.
 */
export const madeStale = (
  graph: Graph,
  gone: ReadonlyArray<Source>,
  reason: Stale["reason"]
): ReadonlyArray<Memory> => {
  const flagged = new Map<string, Memory>()
  const without = new Set(gone.map(({ to }) => to))
  for (const { kind, to } of gone) {
    if (kind === "supersedes") continue
    for (const memory of descendants(graph, { kind, to })) {
      // What is archived may be restored, and is to say so then.
      if (
        (memory.status !== "active" && memory.status !== "archived") ||
        memory.stale !== undefined ||
        flagged.has(memory.id)
      )
        continue
      if (without.has(memory.id)) continue
      flagged.set(memory.id, { ...memory, revision: memory.revision + 1, stale: { kind, of: to, reason } })
    }
  }
  return [...flagged.values()]
}

/** The after-images of what was made of a memory and is more open than that is now. */
export const demotedWith = (graph: Graph, { id, store }: Pick<Memory, "id" | "store">): ReadonlyArray<Memory> =>
  descendants(graph, { kind: "derived", to: id })
    .filter((memory) => opennessOf(memory.store) > opennessOf(store))
    .map((memory) => ({ ...memory, revision: memory.revision + 1, store }))

/** A memory that was confirmed: it is not stale any more. */
export const confirmed = ({ stale: _, ...memory }: Memory): Memory => memory

/** The events that flag what was made of sources which the event of this version takes away. */
export const staleEvents = (
  db: Db,
  gone: ReadonlyArray<Source>,
  reason: Stale["reason"],
  version: number,
  rests: (memory: Memory) => boolean = () => true
): ReadonlyArray<DecidedEvent> =>
  madeStale(graphIn(db), gone, reason)
    .filter(rests)
    .map((memory) => carried(memory, "stale", `what it came from was ${reason}`, version))

/**
 * Whether a memory rests on a copy of a file that goes: a copy that is more open
 * than that, or another one that it may come from, tells nothing of it.
 */
export const restsOnCopies =
  (gone: ReadonlyArray<Store>, remaining: ReadonlyArray<Store>) =>
  ({ store }: Memory): boolean =>
    gone.some((copy) => opennessOf(copy) >= opennessOf(store)) &&
    !remaining.some((copy) => opennessOf(copy) >= opennessOf(store))

/** The events that make what was made of a memory no more open than that is from the event of this version on. */
export const demotedEvents = (db: Db, memory: Memory, version: number): ReadonlyArray<DecidedEvent> =>
  demotedWith(graphIn(db), memory).map((one) =>
    carried(one, "demoted", `what it came from is ${memory.store} now`, version)
  )

/** The event of a memory that follows another one along lineage. */
export const carried = (
  memory: Memory,
  reason: "stale" | "demoted",
  why: string,
  version: number
): Extract<DecidedEvent, { type: "UPDATE" }> => ({
  type: "UPDATE",
  payload: { memory, reason, decision: ruled("UPDATE", "lineage", why) },
  cause: eventCause(version)
})

/** The link to a source that an observation names. */
export const linkOf = ({ id, kind }: SourceInput): Link => ({
  kind: kind === "memory" ? "derived" : kind,
  to: id,
  reason: "extracted"
})

/** Refuses a store that is more open than one of the sources, and sources that the level cannot read. */
export const boundBySources = (
  db: Db,
  level: TrustLevel,
  store: Store,
  from: ReadonlyArray<SourceInput>
): Either.Either<void, InvalidInput | SourceNotFound> => {
  for (const source of from) {
    const { kind, to } = linkOf(source)
    const found = findSourceStore(db, level, kind, to)
    if (found === undefined) return Either.left(new SourceNotFound(source))
    if (opennessOf(store) > opennessOf(found)) {
      return Either.left(new InvalidInput({ field: "store", problem: "is more open than what it comes from" }))
    }
  }
  return Either.void
}

/** Refuses to make a memory more open than what it came from, as far as that is known; `planned` has stores by id that are about to be. */
export const boundByLineage = (
  db: Db,
  level: TrustLevel,
  memory: Memory,
  store: Store,
  planned: ReadonlyMap<string, Store> = new Map()
): Either.Either<void, InvalidInput> => {
  if (opennessOf(store) <= opennessOf(memory.store)) return Either.void
  for (const { kind, to } of memory.lineage ?? []) {
    if (kind === "supersedes") continue
    const found = planned.get(to) ?? findSourceStore(db, kind === "file" ? level : "full", kind, to)
    // A source that is gone cannot say how open it was; a file that was only imported never was in a store.
    const unknown = found === undefined && kind !== "file"
    if (unknown || (found !== undefined && opennessOf(store) > opennessOf(found))) {
      return Either.left(new InvalidInput({ field: "store", problem: "is more open than what it comes from" }))
    }
  }
  return Either.void
}

import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent } from "../../events/catalogue.js"
import { type EventLog, readAll } from "../../events/EventLog.js"
import type { Memory } from "../../events/Memory.js"
import { opennessOf, type Store } from "../../events/Trust.js"
import { findChanges } from "../../projections/history.js"
import { findSourceStore } from "../../projections/lineage.js"
import { findById } from "../../projections/observations.js"
import { descendants, graphIn, restsOnCopies, type Source } from "../actor/lineage.js"
import type { ReaderSource } from "../actor/ReaderSource.js"
import { type Link, linksOf } from "./links.js"
import type { Plan } from "./plan.js"

/** When a source went, and what became of it. */
export interface Gone {
  readonly version: number
  readonly reason: "replaced" | "forgotten" | "undone"
  /** Its place among those that went with the same event. */
  readonly place: number
  /** Whether a memory rests on what went. */
  readonly rests: (memory: Memory) => boolean
}

/** A turn or a file. */
export interface Outside {
  readonly kind: "turn" | "file"
  readonly to: string
  /** As open as it is; undefined where it is gone or never was in a store. */
  readonly store: Store | undefined
  /** The event that made it so; 0 where it never was in a store. */
  readonly since: number
  /** Oldest first. */
  readonly gone: ReadonlyArray<Gone>
}

/** What the plans of an undoing rest on, as it is at a version. */
export interface Relatives {
  /** By id, oldest first: of the planned memories, of what was made of them and of all that these came from. */
  readonly lives: ReadonlyMap<string, ReadonlyArray<Link>>
  readonly outside: ReadonlyMap<string, Outside>
  /** The planned memories that stay as they are and that none of the others rests on. */
  readonly unchanged: ReadonlySet<string>
}

export const outsideKey = (kind: string, to: string): string => `${kind} ${to}`

interface From extends Pick<ReaderSource, "agent" | "read"> {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
}

/** Reads from the log what plans rest on, as it is at a version. */
export const relativesOf = (
  from: From,
  plans: ReadonlyArray<Plan>,
  planned: ReadonlyMap<string, ReadonlyArray<Link>>,
  to: number
) =>
  Effect.gen(function* () {
    const changing = plans.filter(({ image }) => image !== undefined)
    const made = yield* from.read(({ db }) => {
      const graph = graphIn(db)
      return changing
        .filter(({ current, image }) => (current.status === "active") !== (image!.status === "active"))
        .flatMap(({ current }) => descendants(graph, { kind: "derived", to: current.id }))
    })
    const lives = new Map(planned)
    const links = [...changing.map(({ image }) => image!), ...made].flatMap(({ lineage = [] }) => lineage)
    const others = new Map<string, Source>()
    let next = new Set(made.map(({ id }) => id))
    const follow = (more: ReadonlyArray<Source>) => {
      for (const link of more) {
        if (link.kind === "derived") next.add(link.to)
        else if (link.kind !== "supersedes") others.set(outsideKey(link.kind, link.to), link)
      }
    }
    follow(links)
    // What a memory came from has sources of its own, and so on.
    const seen = new Set<string>()
    while (next.size > 0) {
      const ids = [...next].filter((id) => !seen.has(id))
      next = new Set()
      const unread = ids.filter((id) => !lives.has(id))
      for (const [id, life] of yield* livesAt(from, unread, to)) lives.set(id, life)
      for (const id of ids) {
        seen.add(id)
        follow(lives.get(id)?.at(-1)?.after.lineage ?? [])
      }
    }
    const outside = others.size === 0 ? new Map<string, Outside>() : yield* outsideAt(from, [...others.values()], to)
    const rested = new Set([...seen, ...changing.map(({ current }) => current.id)])
    const unchanged = new Set([...planned.keys()].filter((id) => !rested.has(id)))
    return { lives, outside, unchanged } satisfies Relatives
  })

/** Whole lives by id up to a version; of one whose newest event was erased all that is left is how it stands. */
const livesAt = ({ agent, codec, log, read }: From, ids: ReadonlyArray<string>, to: number) =>
  Effect.gen(function* () {
    const found = yield* read(({ db }) =>
      ids.flatMap((id) => {
        const memory = findById(db, id)
        if (memory === undefined) return []
        const changes = findChanges(db, "full", memory.born).filter(({ version }) => version <= to)
        return changes.length === 0 ? [] : [{ memory, changes }]
      })
    )
    const versions = [...new Set(found.flatMap(({ changes }) => changes.map(({ version }) => version)))]
    const decoded = new Map<number, DaybookEvent>()
    for (const row of yield* log.at(agent, versions)) {
      const event = yield* codec.decode(row)
      if (event.payload !== null) decoded.set(event.version, event)
    }
    return found.map(({ changes, memory }): readonly [string, ReadonlyArray<Link>] => {
      const events = changes.map(({ version }) => {
        const event = decoded.get(version)
        return event === undefined ? null : { event, chosen: false }
      })
      const life = linksOf(memory.born, events)
      const { type, version } = changes.at(-1)!
      return [memory.id, life.length > 0 ? life : [{ ...bare, version, type, after: memory }]]
    })
  })

const bare = { before: undefined, chosen: false, undoes: [], write: false, whole: new Set<string>(), merged: undefined }

type Found = { -readonly [K in keyof Outside]: K extends "gone" ? Array<Gone> : Outside[K] }

/** Turns and files as they are at a version. Only what was forgotten or replaced is looked for in the log. */
const outsideAt = ({ agent, codec, log, read }: From, links: ReadonlyArray<Pick<Source, "kind" | "to">>, to: number) =>
  Effect.gen(function* () {
    const paths = new Set(links.flatMap(({ kind, to: path }) => (kind === "file" ? [path] : [])))
    const turns = new Set(links.flatMap(({ kind, to: id }) => (kind === "turn" ? [id] : [])))
    const found = new Map<string, Found>()
    for (const { kind, to } of links) {
      found.set(outsideKey(kind, to), { kind: kind as Found["kind"], to, store: undefined, since: 0, gone: [] })
    }
    yield* read(({ db }) => {
      for (const id of turns) found.get(outsideKey("turn", id))!.store = findSourceStore(db, "full", "turn", id)
    })
    const copies = new Map<number, { readonly path: string; readonly store: Store; readonly digest: string }>()
    const storesOf = (path: string) => [...copies.values()].flatMap((copy) => (copy.path === path ? [copy.store] : []))
    const settle = (path: string, version: number, gone?: Omit<Gone, "version">) => {
      const file = found.get(outsideKey("file", path))!
      const [store] = storesOf(path).sort((a, b) => opennessOf(b) - opennessOf(a))
      file.store = store
      file.since = version
      if (gone !== undefined) file.gone.push({ ...gone, version })
    }
    const forgotten = new Map<number, { readonly version: number; readonly place: number }>()
    const scan = (event: DaybookEvent) => {
      if (event.payload === null) return
      if (event.type === "FORGET") {
        for (const [place, version] of event.payload.turns.entries()) {
          forgotten.set(version, { version: event.version, place })
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
        const rests = restsOnCopies([file.store], others)
        settle(file.path, event.version, changed ? { reason: "replaced", place: 0, rests } : undefined)
      }
      if (event.type === "FORGET") {
        const { files, path, turns } = event.payload
        const lost = files.flatMap((version) => copies.get(version) ?? [])
        for (const version of files) copies.delete(version)
        for (const [place, one] of [...new Set(lost.map((copy) => copy.path))].entries()) {
          const rests = path === undefined ? () => true : restsOnCopies(event.payload.stores, storesOf(one))
          settle(one, event.version, { reason: "forgotten", place: turns.length + place, rests })
        }
      }
    }
    // Also what went later: of that it is to be known how it was.
    yield* Stream.runForEach(readAll(log, agent), (row) =>
      row.type === "FORGET" || (row.type === "FILE" && paths.size > 0)
        ? Either.map(codec.decode(row), (event) => scan(event as DaybookEvent))
        : Effect.void
    )
    // Turns that are not there any more are known by the events that added them.
    const missing = [...turns].some((id) => found.get(outsideKey("turn", id))!.store === undefined)
    for (const row of missing ? yield* log.at(agent, [...forgotten.keys()]) : []) {
      if (row.type !== "TURN" || row.payload === null) continue
      const event = (yield* codec.decode(row)) as Extract<DaybookEvent, { type: "TURN" }>
      const turn = found.get(outsideKey("turn", event.payload.turn.id))
      if (turn === undefined) continue
      const { place, version } = forgotten.get(row.version)!
      if (version <= to) turn.gone.push({ version, place, reason: "forgotten", rests: () => true })
      else turn.store = event.payload.turn.store
      turn.since = version <= to ? version : row.version
    }
    return found
  })

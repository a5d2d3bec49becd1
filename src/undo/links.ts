import { isDeepStrictEqual } from "node:util"
import { type DaybookEvent, type EventType, imagesOf } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import type { Observation } from "../model/input.js"
import { asAsked } from "../remember/asAsked.js"

/** One event in the life of a memory: how it found it and how it left it. */
export interface Link {
  readonly version: number
  readonly type: EventType
  /** Undefined where it made the memory. */
  readonly before: Memory | undefined
  readonly after: Memory
  readonly chosen: boolean
  readonly undoes: ReadonlyArray<number>
  /** Whether somebody wrote to the memory on purpose: changed it, added to it, said it again. */
  readonly write: boolean
  /** Lists that it set as a whole. */
  readonly whole: ReadonlySet<string>
  /** What it merged into the memory, as it was asked for. */
  readonly merged: Observation | undefined
}

/**
 * The life of one memory, from the events that changed it, oldest first; null
 * stands for one that was erased. What stands right behind that is left out, as
 * nobody knows what it changed; nothing is left where the newest one was erased.
 */
export const linksOf = (
  born: number,
  events: ReadonlyArray<{ readonly event: DaybookEvent; readonly chosen: boolean } | null>
): ReadonlyArray<Link> => {
  const links: Array<Link> = []
  let before: Memory | undefined
  let known = true
  for (const one of events) {
    const after = one === null ? undefined : imagesOf(one.event).find((image) => image.born === born)
    if (one === null || after === undefined) {
      known = false
      continue
    }
    if (known) links.push(linkOf(one.event, one.chosen, before, after))
    before = after
    known = true
  }
  return known ? links : []
}

const linkOf = (event: DaybookEvent, chosen: boolean, before: Memory | undefined, after: Memory): Link => {
  const plain = { version: event.version, type: event.type, before, after, chosen, undoes: noVersions }
  const rest = { write: false, whole: noFields, merged: undefined }
  if (event.type === "DELETE") return { ...plain, ...rest, undoes: event.payload.undoes ?? noVersions }
  if (event.type !== "UPDATE") return { ...plain, ...rest }
  const { decision, input, reason, undoes } = event.payload
  return {
    ...plain,
    undoes: undoes ?? noVersions,
    write: written.has(reason),
    whole: reason === "edited" || reason === "unchanged" ? new Set(Object.keys(input ?? {})) : noFields,
    merged: reason === "reconciled" && decision.action === "UPDATE" ? asAsked(after, input) : undefined
  }
}

const written: ReadonlySet<string> = new Set(["edited", "unchanged", "duplicate", "reconciled", "restored"])
const noVersions: ReadonlyArray<number> = []
const noFields: ReadonlySet<string> = new Set()

/** Where an observation that became an event came from; undefined for an event that is none. */
export const sourceOf = (event: DaybookEvent): Memory["source"] | undefined => {
  const asked = askedOf(event)
  return asked === undefined ? undefined : (asked.source ?? { kind: "agent" })
}

const askedOf = (event: DaybookEvent): Observation | undefined => {
  switch (event.type) {
    case "ADD":
      return asAsked(event.payload.memory, event.payload.input)
    case "UPDATE": {
      const { input, memory, reason } = event.payload
      return reason === "duplicate" || reason === "reconciled" ? asAsked(memory, input) : undefined
    }
    case "DELETE": {
      const { input, replacement } = event.payload
      return replacement === undefined ? undefined : asAsked(replacement, input)
    }
    default:
      return undefined
  }
}

/** The lists of a memory, which are compared entry by entry. */
export const lists = ["facts", "tags", "people", "files", "lineage"] as const
export type ListField = (typeof lists)[number]

/** Entries of a list, each told from the others that say the same. */
export const entriesOf = (list: ReadonlyArray<unknown> = nothing): ReadonlyMap<string, unknown> => {
  const known = entriesKnown.get(list)
  if (known !== undefined) return known
  const entries = new Map<string, unknown>()
  for (const value of list) {
    const text = JSON.stringify(value)
    let times = 0
    while (entries.has(`${times} ${text}`)) times++
    entries.set(`${times} ${text}`, value)
  }
  entriesKnown.set(list, entries)
  return entries
}

/** What an entry says. */
export const entryValue = (entry: string): unknown => JSON.parse(entry.slice(entry.indexOf(" ") + 1))

const nothing: ReadonlyArray<unknown> = []
/** Each list of a life is asked for every entry that is in question. */
const entriesKnown = new WeakMap<ReadonlyArray<unknown>, ReadonlyMap<string, unknown>>()

/** Whether an event left a field otherwise than it found it. */
export const changedField = ({ after, before }: Link, field: keyof Memory): boolean =>
  before !== undefined && !isDeepStrictEqual(before[field], after[field])

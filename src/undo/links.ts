import { isDeepStrictEqual } from "node:util"
import { afterImages, type DaybookEvent, type EventType } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { levelOf, opennessOf, type Store } from "../../events/Trust.js"
import type { Observation } from "../model/input.js"
import { observationFrom } from "../remember/recordedInput.js"

/** One event that changed a memory, with the memory before and after it. */
export interface Link {
  readonly version: number
  readonly type: EventType
  /** Undefined for the event that created the memory. */
  readonly before: Memory | undefined
  readonly after: Memory
  readonly chosen: boolean
  readonly undoes: ReadonlyArray<number>
  /** True if the event is a deliberate write: an edit, a merge, another mention or a restore. */
  readonly write: boolean
  /** Fields that the event set as a whole. */
  readonly wholeFields: ReadonlySet<string>
  /** The observation that the event merged into the memory. */
  readonly merged: Observation | undefined
}

/**
 * Makes the life of one memory: a link for each event that changed the memory, oldest first. In `events`, null stands
 * for an erased event. The event after an erased event is left out too, because its change is unknown. If the newest
 * event was erased, the result is empty.
 */
export const makeLife = (
  born: number,
  events: ReadonlyArray<{ readonly event: DaybookEvent; readonly chosen: boolean } | null>
): ReadonlyArray<Link> => {
  const links: Array<Link> = []
  let before: Memory | undefined
  let widest: Store | undefined
  let isBeforeKnown = true
  for (const entry of events) {
    const image = entry === null ? undefined : afterImages(entry.event).find((image) => image.born === born)
    if (entry === null || image === undefined) {
      isBeforeKnown = false
      continue
    }
    if (widest === undefined || opennessOf(image.store) > opennessOf(widest)) widest = image.store
    // Earlier releases recorded no level. The view infers the same level from the store.
    const after = { ...image, level: levelOf({ level: image.level, store: widest }) }
    if (isBeforeKnown) links.push(linkOf(entry.event, entry.chosen, before, after))
    before = after
    isBeforeKnown = true
  }
  return isBeforeKnown ? links : []
}

const linkOf = (event: DaybookEvent, chosen: boolean, before: Memory | undefined, after: Memory): Link => {
  const common = { version: event.version, type: event.type, before, after, chosen, undoes: noVersions }
  const noWrite = { write: false, wholeFields: noFields, merged: undefined }
  if (event.type === "DELETE") return { ...common, ...noWrite, undoes: event.payload.undoes ?? noVersions }
  if (event.type !== "UPDATE") return { ...common, ...noWrite }
  const { decision, input, reason, undoes } = event.payload
  return {
    ...common,
    undoes: undoes ?? noVersions,
    write: callerReasons.has(reason),
    wholeFields: reason === "edited" || reason === "unchanged" ? new Set(Object.keys(input ?? {})) : noFields,
    merged: reason === "reconciled" && decision.action === "UPDATE" ? observationFrom(after, input) : undefined
  }
}

/** Reasons of updates that a caller requested. */
const callerReasons: ReadonlySet<string> = new Set([
  "edited",
  "unchanged",
  "duplicate",
  "reconciled",
  "restored",
  "vouched",
  "settled"
])
const noVersions: ReadonlyArray<number> = []
const noFields: ReadonlySet<string> = new Set()

/** The source of the observation that an event records; undefined for an event that records none. */
export const sourceOf = (event: DaybookEvent): Memory["source"] | undefined => {
  const observation = observationIn(event)
  return observation === undefined ? undefined : (observation.source ?? { kind: "agent" })
}

const observationIn = (event: DaybookEvent): Observation | undefined => {
  switch (event.type) {
    case "ADD":
      return observationFrom(event.payload.memory, event.payload.input)
    case "UPDATE": {
      const { input, memory, reason } = event.payload
      return reason === "duplicate" || reason === "reconciled" ? observationFrom(memory, input) : undefined
    }
    case "DELETE": {
      const { input, replacement } = event.payload
      return replacement === undefined ? undefined : observationFrom(replacement, input)
    }
    default:
      return undefined
  }
}

/** The list fields of a memory, which are compared entry by entry. */
export const listFields = ["facts", "tags", "people", "files", "lineage", "disputes"] as const
export type ListField = (typeof listFields)[number]

/** The entries of a list by key. A key combines a counter and the value, so that equal entries have different keys. */
export const entriesOf = (list: ReadonlyArray<unknown> = emptyList): ReadonlyMap<string, unknown> => {
  const cached = entriesCache.get(list)
  if (cached !== undefined) return cached
  const entries = new Map<string, unknown>()
  for (const value of list) {
    const text = JSON.stringify(value)
    let count = 0
    while (entries.has(`${count} ${text}`)) count++
    entries.set(`${count} ${text}`, value)
  }
  entriesCache.set(list, entries)
  return entries
}

/** Extracts the value of an entry from its key. */
export const entryValue = (entry: string): unknown => JSON.parse(entry.slice(entry.indexOf(" ") + 1))

const emptyList: ReadonlyArray<unknown> = []

/** Planning reads the entries of each list once per candidate entry, so they are cached by list. */
const entriesCache = new Map<ReadonlyArray<unknown>, ReadonlyMap<string, unknown>>()

/** Clears the cache. Called at the end of a memory's plan, so that its lists do not stay in memory. */
export const forgetEntries = (): void => entriesCache.clear()

/** Returns true if an event changed a field. */
export const hasChangedField = ({ after, before }: Link, field: keyof Memory): boolean =>
  before !== undefined && !isDeepStrictEqual(before[field], after[field])

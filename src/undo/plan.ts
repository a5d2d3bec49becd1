import { isDeepStrictEqual } from "node:util"
import type { EventType } from "../../events/catalogue.js"
import { isCardId, type Memory } from "../../events/Memory.js"
import { latestCardFacts } from "../../projections/cardFacts.js"
import { memoryText } from "../model/memoryText.js"
import {
  entriesOf,
  entryValue,
  forgetEntries,
  hasChangedField,
  type Link,
  type ListField,
  listFields
} from "./links.js"
import { type AspectChange, type ResolvedChanges, resolveAspectChanges, undoneVersionsOf } from "./touches.js"

/** Fields of a memory that an undo leaves unchanged, because later events changed them deliberately. */
export interface Conflict {
  /** The selected event that changed these fields. */
  readonly version: number
  readonly memory: string
  readonly fields: ReadonlyArray<string>
  /** The later events that changed these fields deliberately. */
  readonly by: ReadonlyArray<number>
}

/** The result of an undo for one memory. */
export interface Plan {
  readonly current: Memory
  /** The after-image without the time of the change; undefined if nothing changes. */
  readonly image: Memory | undefined
  /** The versions that the plan undoes fully or partly, oldest first. */
  readonly undone: ReadonlyArray<{ readonly version: number; readonly type: EventType; readonly what: UndoEffect }>
  /** The fields that the plan undoes, by version. */
  readonly fieldsByVersion: ReadonlyMap<number, ReadonlySet<string>>
  readonly conflicts: ReadonlyArray<Conflict>
}

export type UndoEffect = "restored" | "removed" | "partly"

export interface PlanOptions {
  /** True if later deliberate changes are undone as well. */
  readonly force: boolean
  readonly countTokens: (text: string) => number
}

/**
 * Plans a memory as if the chosen events had not happened. Each field returns to its value before these events, and
 * later changes are applied to that value. Lists are undone entry by entry, and mentions are subtracted. A field that a
 * later event set deliberately stays, and is reported as a conflict.
 */
export const planMemoryUndo = (life: ReadonlyArray<Link>, { countTokens, force }: PlanOptions): Plan => {
  const current = life.at(-1)!.after
  const cancelled = undoneVersionsOf(life)
  const ledger = makeLedger(force)
  const changes = life.filter(({ before, chosen }) => chosen && before !== undefined)

  const status = ledger.decide("status", current.status, resolveAspectChanges(statusTouches(life, cancelled)))
  if (status === "forgotten" && life[0]!.chosen && life[0]!.before === undefined) {
    if (current.status === "forgotten")
      return { current, image: undefined, undone: [], fieldsByVersion: new Map(), conflicts: [] }
    const removed = life.filter(({ chosen, version }) => chosen && !cancelled.has(version))
    return {
      current,
      image: { ...current, revision: current.revision + 1, status },
      undone: removed.map(({ type, version }) => ({ version, type, what: "removed" })),
      fieldsByVersion: new Map(removed.map(({ version }) => [version, new Set(["status"])])),
      conflicts: []
    }
  }

  const values: Record<string, unknown> = { ...current, status }
  for (const field of new Set(changes.flatMap(({ after, before }) => Object.keys({ ...before, ...after })))) {
    if (separateFields.has(field) || !changes.some((link) => hasChangedField(link, field as keyof Memory))) continue
    const touches = fieldTouches(life, cancelled, field as keyof Memory)
    values[field] = ledger.decide(field, values[field], resolveAspectChanges(touches))
  }
  for (const field of listFields) {
    const first = changes.find((link) => hasChangedField(link, field))
    if (first === undefined) continue
    const entries = entriesIn(changes, field)
    const currentEntries = new Map(entriesOf(current[field]))
    for (const entry of entries) {
      const resolved = resolveAspectChanges(entryTouches(life, cancelled, field, entry))
      if (ledger.decide(field, currentEntries.has(entry), resolved) === true)
        currentEntries.set(entry, entryValue(entry))
      else currentEntries.delete(entry)
    }
    const ordered = inOrder(life, field, currentEntries, force)
    const isCard = field === "facts" && isCardId(current.id)
    const list = isCard ? latestCardFacts(ordered as ReadonlyArray<string>) : ordered
    if (isDeepStrictEqual(list, current[field] ?? [])) continue
    // Only the order changed.
    if (entries.size === 0) ledger.take(first.version, field)
    values[field] = optionalLists.has(field) && list.length === 0 ? undefined : list
  }
  forgetEntries()
  for (const { after, before, version } of changes) {
    if (cancelled.has(version) || after.mentions === before!.mentions) continue
    values.mentions = Number(values.mentions) - (after.mentions - before!.mentions)
    ledger.take(version, "mentions")
  }

  const defined = Object.entries(values).filter(([, value]) => value !== undefined)
  const image = Object.fromEntries(defined) as unknown as Memory
  const { conflicts, taken: fieldsByVersion } = ledger
  if (isDeepStrictEqual(image, current)) {
    return { current, image: undefined, undone: [], fieldsByVersion: new Map(), conflicts: conflicts(current.id) }
  }
  const conflictingVersions = new Set(conflicts(current.id).map(({ version }) => version))
  return {
    current,
    image: { ...image, tokens: tokensOf(image, life, countTokens), revision: current.revision + 1 },
    undone: life
      .filter(({ version }) => fieldsByVersion.has(version))
      .map(({ type, version }) => ({ version, type, what: conflictingVersions.has(version) ? "partly" : "restored" })),
    fieldsByVersion,
    conflicts: conflicts(current.id)
  }
}

/** Fields that are handled separately, or that depend on other fields. */
const separateFields = new Set<string>([
  ...listFields,
  "mentions",
  "status",
  "tokens",
  "born",
  "revision",
  "createdAt",
  "updatedAt"
])

/** Lists that a memory omits when they are empty. */
const optionalLists: ReadonlySet<string> = new Set(["lineage", "disputes"])

/** Fields that are derived from other writes. Nobody sets them deliberately, so they cause no conflicts. */
const followingFields = new Set(["stale", "lastMentionedAt"])

/** Collects the undone versions and the conflicting versions, while each aspect is decided. */
const makeLedger = (force: boolean) => {
  const fieldsByVersion = new Map<number, Set<string>>()
  const markTaken = (version: number, field: string) => {
    fieldsByVersion.set(version, (fieldsByVersion.get(version) ?? new Set()).add(field))
  }
  const conflicting = new Map<number, { readonly fields: Set<string>; readonly by: Set<number> }>()
  return {
    taken: fieldsByVersion,
    take: markTaken,
    /** Decides the planned value of an aspect of a field. */
    decide: (field: string, current: unknown, resolved: ResolvedChanges | undefined): unknown => {
      if (resolved === undefined) return current
      const { changed, forced, result } = resolved
      const by = force || followingFields.has(field) ? [] : resolved.by
      const value = force && !followingFields.has(field) ? forced : result
      for (const version of changed) {
        if (version < (by.at(-1) ?? 0)) {
          const conflict = conflicting.get(version) ?? { fields: new Set(), by: new Set() }
          conflicting.set(version, conflict)
          conflict.fields.add(field)
          for (const later of by) if (later > version) conflict.by.add(later)
        } else if (!isDeepStrictEqual(value, current)) markTaken(version, field)
      }
      return value
    },
    conflicts: (memory: string): ReadonlyArray<Conflict> =>
      [...conflicting]
        .sort(([a], [b]) => a - b)
        .map(([version, { by, fields }]) => ({
          version,
          memory,
          fields: [...fields],
          by: [...by].sort((a, b) => a - b)
        }))
  }
}

/**
 * Lists the touches of a memory's status. Before its creation, a memory counts as forgotten. A deliberate write touches
 * the status, because its writer wants the memory to exist. Retiring a forgotten memory has no effect.
 */
const statusTouches = (life: ReadonlyArray<Link>, cancelled: ReadonlySet<number>): ReadonlyArray<AspectChange> =>
  life.flatMap(({ after, before, chosen, undoes, version, write }): ReadonlyArray<AspectChange> => {
    const previousStatus = before?.status ?? "forgotten"
    if (after.status === previousStatus && (!write || cancelled.has(version))) return []
    const applyTo = (value: unknown) => (value === "forgotten" && after.status !== "active" ? value : after.status)
    return [{ version, before: previousStatus, after: after.status, chosen, undoes, applyTo }]
  })

const fieldTouches = (
  life: ReadonlyArray<Link>,
  cancelled: ReadonlySet<number>,
  field: keyof Memory
): ReadonlyArray<AspectChange> =>
  life.flatMap((link): ReadonlyArray<AspectChange> => {
    const { after, before, chosen, merged, undoes, version } = link
    if (before === undefined) return []
    const touch = { version, before: before[field], after: after[field], chosen, undoes }
    const changed = hasChangedField(link, field)
    if (!changed && cancelled.has(version)) return []
    if (field === "importance" && merged !== undefined) {
      return [{ ...touch, applyTo: (value) => Math.max(Number(value), merged.importance ?? 0) }]
    }
    return changed || link.wholeFields.has(field) ? [touch] : []
  })

/** The entries of a list that any of these events added or removed. */
const entriesIn = (changes: ReadonlyArray<Link>, field: ListField): ReadonlySet<string> => {
  const changed = new Set<string>()
  for (const { after, before } of changes) {
    const [then, now] = [entriesOf(before?.[field]), entriesOf(after[field])]
    for (const entry of then.keys()) if (!now.has(entry)) changed.add(entry)
    for (const entry of now.keys()) if (!then.has(entry)) changed.add(entry)
  }
  return changed
}

const entryTouches = (
  life: ReadonlyArray<Link>,
  cancelled: ReadonlySet<number>,
  field: ListField,
  entry: string
): ReadonlyArray<AspectChange> =>
  life.flatMap((link): ReadonlyArray<AspectChange> => {
    const { chosen, undoes, version } = link
    if (link.before === undefined) return []
    const [before, after] = [entriesOf(link.before[field]).has(entry), entriesOf(link.after[field]).has(entry)]
    // An event confirms an entry if it sets the whole list, or if it merges a statement that has the entry.
    const merged = field === "lineage" || field === "disputes" ? undefined : link.merged?.[field]
    const confirms = !cancelled.has(version) && (link.wholeFields.has(field) || (after && entriesOf(merged).has(entry)))
    return before === after && !confirms ? [] : [{ version, before, after, chosen, undoes }]
  })

/**
 * Orders entries as they were before the first chosen event, or after the last event that set the whole list. Entries
 * from later events follow in the order of these events.
 */
const inOrder = (
  life: ReadonlyArray<Link>,
  field: ListField,
  currentEntries: ReadonlyMap<string, unknown>,
  force: boolean
): ReadonlyArray<unknown> => {
  const first = life.findIndex((link) => link.chosen && hasChangedField(link, field))
  const last = force
    ? -1
    : life.findLastIndex((link, index) => index >= first && !link.chosen && link.wholeFields.has(field))
  const ordered = last === -1 ? life[first]!.before![field] : life[last]!.after[field]
  const entries = new Map([...entriesOf(ordered)].filter(([entry]) => currentEntries.has(entry)))
  const since = life.slice(last === -1 ? first : last + 1).filter(({ chosen }) => !chosen)
  for (const { after, before, merged } of since) {
    const mergedList = field === "lineage" || field === "disputes" ? undefined : merged?.[field]
    const earlier = entriesOf(before?.[field])
    for (const entry of entriesOf(mergedList).keys())
      if (currentEntries.has(entry)) entries.set(entry, currentEntries.get(entry))
    for (const entry of entriesOf(after[field]).keys())
      if (!earlier.has(entry) && currentEntries.has(entry)) entries.set(entry, currentEntries.get(entry))
  }
  for (const [entry, value] of currentEntries) entries.set(entry, value)
  return [...entries.values()]
}

/** Counts the tokens of a text. Reuses a count from the memory's life if the text was the same. */
const tokensOf = (image: Memory, life: ReadonlyArray<Link>, countTokens: (text: string) => number): number => {
  const text = memoryText(image)
  const same = life.findLast(({ after }) => memoryText(after) === text)
  return same === undefined ? countTokens(text) : same.after.tokens
}

import { isDeepStrictEqual } from "node:util"
import type { EventType } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { changedField, entriesOf, entryValue, type Link, type ListField, lists } from "./links.js"
import { type Settled, settle, type Touch, takenBack } from "./touches.js"

/** Fields of a memory that stay as they are for others' sake. */
export interface Conflict {
  /** The event that changed them and was to be taken back. */
  readonly version: number
  readonly memory: string
  readonly fields: ReadonlyArray<string>
  /** The later events that changed them on purpose. */
  readonly by: ReadonlyArray<number>
}

/** What taking events back makes of one memory. */
export interface Plan {
  readonly current: Memory
  /** The after-image, but for the time of the change; undefined where nothing changes. */
  readonly image: Memory | undefined
  /** The versions that it takes back, oldest first, each with whether all of it goes. */
  readonly undone: ReadonlyArray<{ readonly version: number; readonly type: EventType; readonly what: Undoing }>
  /** The fields that go back, by these versions. */
  readonly taken: ReadonlyMap<number, ReadonlySet<string>>
  readonly conflicts: ReadonlyArray<Conflict>
}

export type Undoing = "restored" | "removed" | "partly"

export interface PlanOptions {
  /** Whether what others changed later goes back as well. */
  readonly force: boolean
  readonly countTokens: (text: string) => number
}

/**
 * What a memory would be without the chosen events of its life. Each field goes
 * back to what it was before them, and what came later is done to that; lists
 * likewise, entry by entry; mentions are counted without theirs. Where a later
 * event set a field on purpose, that stays, and is a conflict.
 */
export const planOf = (life: ReadonlyArray<Link>, { countTokens, force }: PlanOptions): Plan => {
  const current = life.at(-1)!.after
  const gone = takenBack(life)
  const notes = takingNotes(force)
  const changes = life.filter(({ before, chosen }) => chosen && before !== undefined)

  const status = notes.decide("status", current.status, settle(existence(life, gone)))
  if (status === "forgotten" && life[0]!.chosen && life[0]!.before === undefined) {
    if (current.status === "forgotten")
      return { current, image: undefined, undone: [], taken: new Map(), conflicts: [] }
    const removed = life.filter(({ chosen, version }) => chosen && !gone.has(version))
    return {
      current,
      image: { ...current, revision: current.revision + 1, status },
      undone: removed.map(({ type, version }) => ({ version, type, what: "removed" })),
      taken: new Map(removed.map(({ version }) => [version, new Set(["status"])])),
      conflicts: []
    }
  }

  const values: Record<string, unknown> = { ...current, status }
  for (const field of new Set(changes.flatMap(({ after, before }) => Object.keys({ ...before, ...after })))) {
    if (apart.has(field) || !changes.some((link) => changedField(link, field as keyof Memory))) continue
    const touches = fieldTouches(life, gone, field as keyof Memory)
    values[field] = notes.decide(field, values[field], settle(touches))
  }
  for (const field of lists) {
    const first = changes.find((link) => changedField(link, field))
    if (first === undefined) continue
    const entries = entriesIn(changes, field)
    const present = new Map(entriesOf(current[field]))
    for (const entry of entries) {
      const settled = settle(entryTouches(life, gone, field, entry))
      if (notes.decide(field, present.has(entry), settled) === true) present.set(entry, entryValue(entry))
      else present.delete(entry)
    }
    const list = inOrder(life, field, present, force)
    if (isDeepStrictEqual(list, current[field] ?? [])) continue
    // Nothing but the order was changed.
    if (entries.size === 0) notes.take(first.version, field)
    values[field] = field === "lineage" && list.length === 0 ? undefined : list
  }
  for (const { after, before, version } of changes) {
    if (gone.has(version) || after.mentions === before!.mentions) continue
    values.mentions = Number(values.mentions) - (after.mentions - before!.mentions)
    notes.take(version, "mentions")
  }

  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  const image = Object.fromEntries(given) as unknown as Memory
  const { conflicts, taken } = notes
  if (isDeepStrictEqual(image, current)) {
    return { current, image: undefined, undone: [], taken: new Map(), conflicts: conflicts(current.id) }
  }
  const partly = new Set(conflicts(current.id).map(({ version }) => version))
  return {
    current,
    image: { ...image, tokens: tokensOf(image, life, countTokens), revision: current.revision + 1 },
    undone: life
      .filter(({ version }) => taken.has(version))
      .map(({ type, version }) => ({ version, type, what: partly.has(version) ? "partly" : "restored" })),
    taken,
    conflicts: conflicts(current.id)
  }
}

/** Fields that are seen to apart, or that go with others. */
const apart = new Set<string>([...lists, "mentions", "status", "tokens", "born", "revision", "createdAt", "updatedAt"])

/** What follows from other writes: nobody sets it on purpose. */
const following = new Set(["stale", "lastMentionedAt"])

/** Notes down which versions are taken back and which are not for others' sake, as one aspect after the other is decided. */
const takingNotes = (force: boolean) => {
  const taken = new Map<number, Set<string>>()
  const take = (version: number, field: string) => {
    taken.set(version, (taken.get(version) ?? new Set()).add(field))
  }
  const left = new Map<number, { readonly fields: Set<string>; readonly by: Set<number> }>()
  return {
    taken,
    take,
    /** The value of an aspect of a field from now on. */
    decide: (field: string, is: unknown, settled: Settled | undefined): unknown => {
      if (settled === undefined) return is
      const { changed, forced, kept } = settled
      const by = force || following.has(field) ? [] : settled.by
      const value = force && !following.has(field) ? forced : kept
      for (const version of changed) {
        if (version < (by.at(-1) ?? 0)) {
          const conflict = left.get(version) ?? { fields: new Set(), by: new Set() }
          left.set(version, conflict)
          conflict.fields.add(field)
          for (const later of by) if (later > version) conflict.by.add(later)
        } else if (!isDeepStrictEqual(value, is)) take(version, field)
      }
      return value
    },
    conflicts: (memory: string): ReadonlyArray<Conflict> =>
      [...left]
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
 * Whether the memory is there, and how. Before it was made it was as if
 * forgotten; whoever writes to it wants it there; and what retires it leaves
 * alone what is not there.
 */
const existence = (life: ReadonlyArray<Link>, gone: ReadonlySet<number>): ReadonlyArray<Touch> =>
  life.flatMap(({ after, before, chosen, undoes, version, write }): ReadonlyArray<Touch> => {
    const was = before?.status ?? "forgotten"
    if (after.status === was && (!write || gone.has(version))) return []
    const onto = (value: unknown) => (value === "forgotten" && after.status !== "active" ? value : after.status)
    return [{ version, before: was, after: after.status, chosen, undoes, onto }]
  })

const fieldTouches = (
  life: ReadonlyArray<Link>,
  gone: ReadonlySet<number>,
  field: keyof Memory
): ReadonlyArray<Touch> =>
  life.flatMap((link): ReadonlyArray<Touch> => {
    const { after, before, chosen, merged, undoes, version } = link
    if (before === undefined) return []
    const touch = { version, before: before[field], after: after[field], chosen, undoes }
    const changed = changedField(link, field)
    if (!changed && gone.has(version)) return []
    if (field === "importance" && merged !== undefined) {
      return [{ ...touch, onto: (value) => Math.max(Number(value), merged.importance ?? 0) }]
    }
    return changed || link.whole.has(field) ? [touch] : []
  })

/** The entries of a list that any of these events added or took out. */
const entriesIn = (changes: ReadonlyArray<Link>, field: ListField): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const { after, before } of changes) {
    const [then, now] = [entriesOf(before?.[field]), entriesOf(after[field])]
    for (const entry of then.keys()) if (!now.has(entry)) found.add(entry)
    for (const entry of now.keys()) if (!then.has(entry)) found.add(entry)
  }
  return found
}

const entryTouches = (
  life: ReadonlyArray<Link>,
  gone: ReadonlySet<number>,
  field: ListField,
  entry: string
): ReadonlyArray<Touch> =>
  life.flatMap((link): ReadonlyArray<Touch> => {
    const { chosen, undoes, version } = link
    if (link.before === undefined) return []
    const [before, after] = [entriesOf(link.before[field]).has(entry), entriesOf(link.after[field]).has(entry)]
    // Whoever sets the list as a whole, or merges what names the entry, wants it as it is then.
    const merged = field === "lineage" ? undefined : link.merged?.[field]
    const says = !gone.has(version) && (link.whole.has(field) || (after && entriesOf(merged).has(entry)))
    return before === after && !says ? [] : [{ version, before, after, chosen, undoes }]
  })

/**
 * The entries in the order in which they stood before the first chosen event, or
 * as they were set later; behind them what others said since, as they said it.
 */
const inOrder = (
  life: ReadonlyArray<Link>,
  field: ListField,
  present: ReadonlyMap<string, unknown>,
  force: boolean
): ReadonlyArray<unknown> => {
  const first = life.findIndex((link) => link.chosen && changedField(link, field))
  const last = force ? -1 : life.findLastIndex((link, at) => at >= first && !link.chosen && link.whole.has(field))
  const ordered = last === -1 ? life[first]!.before![field] : life[last]!.after[field]
  const entries = new Map([...entriesOf(ordered)].filter(([entry]) => present.has(entry)))
  const since = life.slice(last === -1 ? first : last + 1).filter(({ chosen }) => !chosen)
  for (const { after, before, merged } of since) {
    const said = field === "lineage" ? undefined : merged?.[field]
    const known = entriesOf(before?.[field])
    for (const entry of entriesOf(said).keys()) if (present.has(entry)) entries.set(entry, present.get(entry))
    for (const entry of entriesOf(after[field]).keys())
      if (!known.has(entry) && present.has(entry)) entries.set(entry, present.get(entry))
  }
  for (const [entry, value] of present) entries.set(entry, value)
  return [...entries.values()]
}

/** As they were counted when the memory said the same before. */
const tokensOf = (image: Memory, life: ReadonlyArray<Link>, countTokens: (text: string) => number): number => {
  const text = textOf(image)
  const same = life.findLast(({ after }) => textOf(after) === text)
  return same === undefined ? countTokens(text) : same.after.tokens
}

const textOf = ({ facts, narrative, title }: Memory): string => [title, narrative ?? "", ...facts].join("\n")

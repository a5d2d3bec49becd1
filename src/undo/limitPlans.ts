import { isDeepStrictEqual } from "node:util"
import type { Memory, Stale } from "../../events/Memory.js"
import { opennessOf, type Store } from "../../events/Trust.js"
import { isTurnDue, type Steps } from "../../events/turns.js"
import { applyMarks } from "../remember/applyMarks.js"
import type { Writer } from "../remember/remember.js"
import type { Link } from "./links.js"
import type { Conflict, Plan } from "./plan.js"
import { type Loss, outsideKey, type Relatives } from "./relatives.js"
import { undoneVersionsOf } from "./touches.js"

/** A plan that changes its memory. */
export type ChangingPlan = Plan & { readonly image: Memory }

export interface LimitedPlans {
  /** All plans. A plan has no image if the limits leave no change. */
  readonly plans: ReadonlyArray<Plan>
  readonly changing: ReadonlyArray<ChangingPlan>
  /** The assumed version of the first event. */
  readonly first: number
  /** The stale flag that a memory gets when all plans are carried out. */
  readonly staleOf: (memory: Memory) => Stale | undefined
}

/**
 * Limits plans to changes that lineage and marks allow. No memory becomes less restrictive than its sources, no
 * credential leaves store private, and stale flags match the sources. A field that may not change is a conflict.
 */
export const limitPlans = function* (
  plans: ReadonlyArray<Plan>,
  relatives: Relatives,
  marks: Writer["marks"],
  first: number
): Steps<LimitedPlans> {
  const images = new Map<string, Memory>()
  const allowed = new Map<string, Memory>()
  const byId = new Map<string, Plan>()
  /** The assumed versions of the events, if each plan with an image changes its memory. */
  const order = new Map<string, number>()
  for (const plan of plans) {
    const { current, image } = plan
    byId.set(current.id, plan)
    if (image !== undefined) {
      const { memory } = applyMarks(image, { ...marks, pii: false })
      order.set(current.id, first + images.size)
      images.set(current.id, memory)
      allowed.set(current.id, memory)
    }
    if (isTurnDue()) yield
  }
  for (let isStable = false; !isStable; ) {
    isStable = true
    for (const [id, image] of images) {
      if (isTurnDue()) yield
      const { store } = byId.get(id)!.current
      if (
        allowed.get(id)!.store === store ||
        bindingOn(image, store, { images: allowed, versions: noVersions }, relatives).length === 0
      )
        continue
      allowed.set(id, { ...image, store })
      isStable = false
    }
  }
  const flagOf = flagsOf(byId, order, images, relatives)
  const staleOf = (memory: Memory): Stale | undefined => flagOf(memory)?.stale

  let nextVersion = first
  // Conflicts name versions of later plans, so each plan is finished once all versions are known.
  const unfinished: Array<(versions: ReadonlyMap<string, number>) => Plan> = []
  const versions = new Map<string, number>()
  for (const plan of plans) {
    if (isTurnDue()) yield
    const { current } = plan
    const image = allowed.get(current.id)
    if (image === undefined) {
      unfinished.push(() => plan)
      continue
    }
    const flag = image.status === "active" ? flagOf(image) : undefined
    const next = image.status === "active" ? withStale(image, flag?.stale) : image
    const isUnchanged = isDeepStrictEqual({ ...next, revision: current.revision }, current)
    const blockers = new Map<string, (later: ReadonlyMap<string, number>) => ReadonlyArray<number>>()
    if (next.store !== plan.image!.store) {
      blockers.set("store", (versions) =>
        bindingOn(images.get(current.id)!, current.store, { images: allowed, versions }, relatives)
      )
    }
    if (isDeepStrictEqual(next.stale, current.stale)) blockers.set("stale", () => bindingFlag(flag, plan, relatives))
    const blockedFields = blockedFieldsOf(plan, isUnchanged ? undefined : blockers)
    const undone = plan.undone.flatMap((change): Plan["undone"] => {
      const fields = blockedFields.get(change.version)
      if (fields === undefined) return [change]
      return fields.size === plan.fieldsByVersion.get(change.version)!.size ? [] : [{ ...change, what: "partly" }]
    })
    const changed =
      !isUnchanged &&
      !(
        undone.length === 0 &&
        isDeepStrictEqual(withStale(next, current.stale), { ...current, revision: next.revision })
      )
    if (changed) versions.set(current.id, nextVersion++)
    unfinished.push((later) => ({
      ...plan,
      image: changed ? next : undefined,
      undone: changed ? undone : [],
      conflicts: mergedConflicts(plan, blockedFields, (field) => blockers.get(field)?.(later) ?? [])
    }))
  }
  const bounded: Array<Plan> = []
  for (const finish of unfinished) {
    if (isTurnDue()) yield
    bounded.push(finish(versions))
  }
  const changing = bounded.filter((plan): plan is ChangingPlan => plan.image !== undefined)
  return { plans: bounded, changing, first, staleOf }
}

/**
 * For each event version, the fields that the undo cannot restore. If the plan writes nothing, these are all fields of
 * the event. A version is left out if only its stale flag is blocked.
 */
const blockedFieldsOf = (
  plan: Plan,
  blockers: ReadonlyMap<string, unknown> | undefined
): ReadonlyMap<number, ReadonlySet<string>> => {
  const blockedFields = new Map<number, ReadonlySet<string>>()
  for (const [version, fields] of plan.fieldsByVersion) {
    const keptFields = [...fields].filter((field) => blockers === undefined || blockers.has(field))
    const isOnlyFlag = keptFields.every((field) => field === "stale") && keptFields.length < fields.size
    if (keptFields.length > 0 && !isOnlyFlag) blockedFields.set(version, new Set(keptFields))
  }
  return blockedFields
}

/** Merges the conflicts of a plan with its blocked fields, into one conflict per version. */
const mergedConflicts = (
  { conflicts, current }: Plan,
  blockedFields: ReadonlyMap<number, ReadonlySet<string>>,
  byOf: (field: string) => ReadonlyArray<number>
): ReadonlyArray<Conflict> => {
  const byVersion = new Map(conflicts.map((conflict) => [conflict.version, conflict]))
  for (const [version, fields] of blockedFields) {
    const before = byVersion.get(version)
    const versions = new Set([...(before?.by ?? []), ...[...fields].flatMap(byOf)])
    byVersion.set(version, {
      version,
      memory: current.id,
      fields: [...new Set([...(before?.fields ?? []), ...fields])],
      by: [...versions].sort((a, b) => a - b)
    })
  }
  return [...byVersion.values()].sort((a, b) => a.version - b.version)
}

/** The planned after-images by id, and the known versions of their events. */
interface PlannedImages {
  readonly images: ReadonlyMap<string, Memory>
  readonly versions: ReadonlyMap<string, number>
}

/**
 * The versions of the events that forbid this store for an image. Such an event moved a source to a stricter store, or
 * removed it. Empty if the store is allowed, or is at least as restrictive as before.
 */
const bindingOn = (
  image: Memory,
  before: Store,
  { images, versions }: PlannedImages,
  { livesById, outsideByKey }: Relatives
): ReadonlyArray<number> => {
  if (opennessOf(image.store) <= opennessOf(before)) return []
  return (image.lineage ?? []).flatMap(({ kind, to }) => {
    if (kind === "supersedes") return []
    const life = livesById.get(to)
    const planned = images.get(to)
    const source =
      kind === "derived"
        ? planned !== undefined
          ? { store: planned.store, since: inStoreSince(life!, planned.store) ?? versions.get(to) ?? 0 }
          : life === undefined
            ? undefined
            : life.at(-1)!.after.status === "active"
              ? { store: life.at(-1)!.after.store, since: inStoreSince(life, life.at(-1)!.after.store) ?? 0 }
              : { store: undefined, since: lossIn(life)?.version ?? 0 }
        : outsideByKey.get(outsideKey(kind, to))
    // The store of a lost source is unknown. A file that was only imported never had a store.
    if (source?.store === undefined) return kind === "file" ? [] : [source?.since ?? 0]
    return opennessOf(image.store) > opennessOf(source.store) ? [source.since] : []
  })
}

/** The version since which a memory is in a store; undefined if it is in another one. */
const inStoreSince = (life: ReadonlyArray<Link>, store: Store): number | undefined => {
  if (life.at(-1)!.after.store !== store) return undefined
  const index = life.findLastIndex(({ before }) => before?.store !== store)
  return life[Math.max(index, 0)]!.version
}

interface Flag extends Loss {
  readonly stale: Stale
}

/**
 * Returns a function that finds the stale flag of a memory. The flag names the first lost source. A source does not
 * count if a later write confirmed the memory.
 */
const flagsOf = (
  plans: ReadonlyMap<string, Plan>,
  order: ReadonlyMap<string, number>,
  images: ReadonlyMap<string, Memory>,
  { livesById, outsideByKey }: Relatives
) => {
  const undoesOf = (id: string) => plans.get(id)?.undone.map(({ version }) => version) ?? []
  const lossOf = (id: string): Pick<Loss, "version" | "reason"> | undefined => {
    const life = livesById.get(id)
    if (life === undefined) return undefined
    const image = images.get(id)
    if (image === undefined) return lossIn(life)
    const last = life.at(-1)!
    const next = { ...last, version: order.get(id)!, before: last.after, after: image, undoes: undoesOf(id) }
    return lossIn([...life, next])
  }
  return (memory: Memory): Flag | undefined => {
    const life = livesById.get(memory.id)
    if (life === undefined) return undefined
    const writes = writesIn(life, images.has(memory.id) ? undoesOf(memory.id) : [])
    const isConfirmed = (
      { version }: Pick<Loss, "version">,
      wasInactiveAt: (version: number) => boolean = () => true
    ) => writes.some((write) => write >= version && wasInactiveAt(write))
    const flags: Array<Flag> = []
    const seen = new Set([memory.id])
    const visit = ({ lineage = [] }: Pick<Memory, "lineage">) => {
      for (const { kind, to } of lineage) {
        const key = kind === "derived" ? to : outsideKey(kind, to)
        if (kind === "supersedes" || seen.has(key)) continue
        seen.add(key)
        if (kind === "derived") {
          const loss = lossOf(to)
          // A write confirms the memory only if the source was lost at that time.
          if (loss !== undefined && !isConfirmed(loss, (version) => wasInactive(livesById.get(to)!, version))) {
            flags.push({ ...loss, position: 0, affects: () => true, stale: { kind, of: to, reason: loss.reason } })
          }
          visit(images.get(to) ?? livesById.get(to)?.at(-1)?.after ?? {})
          continue
        }
        for (const loss of outsideByKey.get(key)?.losses ?? []) {
          if (loss.affects(memory) && !isConfirmed(loss))
            flags.push({ ...loss, stale: { kind, of: to, reason: loss.reason } })
        }
      }
    }
    visit(memory)
    return flags.sort((a, b) => a.version - b.version || a.position - b.position)[0]
  }
}

/**
 * The versions of deliberate writes that remain when the versions in `undoes` are taken back. The creation counts too.
 */
const writesIn = (life: ReadonlyArray<Link>, undoes: ReadonlyArray<number>): ReadonlyArray<number> => {
  const cancelled = undoneVersionsOf([
    ...life.map((link) => ({ ...link, chosen: false })),
    { version: 0, chosen: false, undoes }
  ])
  return life.flatMap(({ version, write }, index) =>
    index === 0 || (write && !cancelled.has(version)) ? [version] : []
  )
}

const noVersions: ReadonlyMap<string, number> = new Map()

const wasInactive = (life: ReadonlyArray<Link>, asOf: number): boolean => {
  const linkAtVersion = life.findLast(({ version }) => version <= asOf)
  return linkAtVersion !== undefined && linkAtVersion.after.status !== "active"
}

/**
 * When and why a memory was lost; undefined if it is active at the end of its life. If an undo that restored it was
 * undone itself, the earlier loss counts.
 */
const lossIn = (life: ReadonlyArray<Link>): Pick<Loss, "version" | "reason"> | undefined => {
  if (life.at(-1)?.after.status === "active") return undefined
  const link = life.findLast(({ before }) => before === undefined || before.status === "active")
  if (link === undefined) return undefined
  const back = life.findIndex(
    ({ after, before, version }) =>
      link.undoes.includes(version) && before !== undefined && before.status !== "active" && after.status === "active"
  )
  const earlier = back > 0 ? lossIn(life.slice(0, back)) : undefined
  if (earlier !== undefined) return earlier
  const reason = link.after.status === "superseded" ? "replaced" : link.undoes.length > 0 ? "undone" : "forgotten"
  return { version: link.version, reason }
}

/** The version that caused a memory's stale flag; without a flag, the version that restored its source. */
const bindingFlag = (flag: Flag | undefined, { image }: Plan, { livesById }: Relatives): ReadonlyArray<number> => {
  if (flag !== undefined) return [flag.version]
  const back = livesById
    .get(image?.stale?.of ?? "")
    ?.findLast(({ after, before }) => after.status === "active" && before?.status !== "active")
  return back === undefined ? [] : [back.version]
}

/** Sets or removes the stale flag of a memory. */
export const withStale = ({ stale: _, ...memory }: Memory, stale: Stale | undefined): Memory =>
  stale === undefined ? memory : { ...memory, stale }

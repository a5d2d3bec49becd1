import { isDeepStrictEqual } from "node:util"
import type { Memory, Stale } from "../../events/Memory.js"
import { opennessOf, type Store } from "../../events/Trust.js"
import { isYieldDue, type Steps } from "../../events/turns.js"
import { applyMarks } from "../remember/applyMarks.js"
import type { Writer } from "../remember/remember.js"
import type { Link } from "./links.js"
import type { Conflict, Plan } from "./plan.js"
import { outsideKey, type UndoDependencies } from "./relatives.js"
import { findFlagVersion, findLoss, makeStaleFlagFinder, withStale } from "./staleFlags.js"

/** A plan that changes its memory. */
export type ChangingPlan = Plan & { readonly image: Memory }

export interface LimitedPlans {
  /** All plans. A plan has no image if no change remains within the limits. */
  readonly plans: ReadonlyArray<Plan>
  readonly changing: ReadonlyArray<ChangingPlan>
  /** The version that the first event of the undo is expected to get. */
  readonly first: number
  /** Returns the stale flag that a memory gets when all plans are executed. */
  readonly staleOf: (memory: Memory) => Stale | undefined
}

/**
 * Limits plans to changes that lineage and marks allow. No memory becomes less restrictive than its sources, no
 * credential leaves store private, and stale flags match the sources. A field that must not change becomes a conflict.
 * The function is long, because its steps share the plans.
 */
export const limitPlans = function* (
  plans: ReadonlyArray<Plan>,
  relatives: UndoDependencies,
  marks: Writer["marks"],
  first: number
): Steps<LimitedPlans> {
  const images = new Map<string, Memory>()
  const allowed = new Map<string, Memory>()
  const byId = new Map<string, Plan>()
  /** The versions that the events get if every plan with an image changes its memory. */
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
    if (isYieldDue()) yield
  }
  for (let isStable = false; !isStable; ) {
    isStable = true
    for (const [id, image] of images) {
      if (isYieldDue()) yield
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
  const flagOf = makeStaleFlagFinder(byId, order, images, relatives)
  const staleOf = (memory: Memory): Stale | undefined => flagOf(memory)?.stale

  let nextVersion = first
  // Conflicts name versions of later plans, so the plans are completed after all versions are known.
  const unfinished: Array<(versions: ReadonlyMap<string, number>) => Plan> = []
  const versions = new Map<string, number>()
  for (const plan of plans) {
    if (isYieldDue()) yield
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
    if (isDeepStrictEqual(next.stale, current.stale))
      blockers.set("stale", () => findFlagVersion(flag, plan, relatives))
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
    if (isYieldDue()) yield
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
 * Returns the versions of the events that forbid this store for an image. Such an event moved a source to a stricter
 * store, or removed the source. Empty if the store is allowed, or is at least as restrictive as before.
 */
const bindingOn = (
  image: Memory,
  before: Store,
  { images, versions }: PlannedImages,
  { livesById, outsideByKey }: UndoDependencies
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
              : { store: undefined, since: findLoss(life)?.version ?? 0 }
        : outsideByKey.get(outsideKey(kind, to))
    // The store of a lost source is unknown. A file that was only imported never had a store.
    if (source?.store === undefined) return kind === "file" ? [] : [source?.since ?? 0]
    return opennessOf(image.store) > opennessOf(source.store) ? [source.since] : []
  })
}

/** Returns the version that moved a memory into a store; undefined if the memory is in another store now. */
const inStoreSince = (life: ReadonlyArray<Link>, store: Store): number | undefined => {
  if (life.at(-1)!.after.store !== store) return undefined
  const index = life.findLastIndex(({ before }) => before?.store !== store)
  return life[Math.max(index, 0)]!.version
}

const noVersions: ReadonlyMap<string, number> = new Map()

import { isDeepStrictEqual } from "node:util"
import type { Memory, Stale } from "../../events/Memory.js"
import { opennessOf, type Store } from "../../events/Trust.js"
import { marked } from "../remember/marked.js"
import type { Writer } from "../remember/remember.js"
import type { Link } from "./links.js"
import type { Conflict, Plan } from "./plan.js"
import { type Gone, outsideKey, type Relatives } from "./relatives.js"
import { takenBack } from "./touches.js"

/** A plan that changes a memory. */
export type Changing = Plan & { readonly image: Memory }

export interface Bounded {
  /** All plans; one that lineage left nothing of has no image. */
  readonly plans: ReadonlyArray<Plan>
  readonly changing: ReadonlyArray<Changing>
  /** The version that the first event was taken to get. */
  readonly first: number
  /** Why a memory may no longer be true once all is carried out, its image among it. */
  readonly staleOf: (memory: Memory) => Stale | undefined
}

/**
 * Plans within what lineage and marks allow: no memory becomes more open than
 * what it was made of, none lets a credential out, and whether one may no
 * longer be true is told by what it was made of. What that holds back is a conflict.
 */
export const boundPlans = (
  plans: ReadonlyArray<Plan>,
  relatives: Relatives,
  marks: Writer["marks"],
  first: number
): Bounded => {
  const images = new Map<string, Memory>()
  const byId = new Map(plans.map((plan) => [plan.current.id, plan]))
  for (const { current, image } of plans) {
    if (image !== undefined) images.set(current.id, marked(image, { ...marks, pii: false }).memory)
  }
  const allowed = new Map(images)
  for (let settled = false; !settled; ) {
    settled = true
    for (const [id, image] of images) {
      const { store } = byId.get(id)!.current
      if (allowed.get(id)!.store === store || bindingOn(image, store, allowed, relatives).length === 0) continue
      allowed.set(id, { ...image, store })
      settled = false
    }
  }
  const order = new Map([...images.keys()].map((id, at) => [id, first + at]))
  const found = flagsOf(plans, order, images, relatives)
  const staleOf = (memory: Memory): Stale | undefined => found(memory)?.stale

  let by = first
  const waiting: Array<(versions: ReadonlyMap<string, number>) => Plan> = []
  const versions = new Map<string, number>()
  for (const plan of plans) {
    const { current } = plan
    const image = allowed.get(current.id)
    if (image === undefined) {
      waiting.push(() => plan)
      continue
    }
    const flag = image.status === "active" ? found(image) : undefined
    const next = image.status === "active" ? withStale(image, flag?.stale) : image
    const same = isDeepStrictEqual({ ...next, revision: current.revision }, current)
    const held = new Map<string, (later: ReadonlyMap<string, number>) => ReadonlyArray<number>>()
    if (next.store !== plan.image!.store) {
      held.set("store", (later) => bindingOn(images.get(current.id)!, current.store, allowed, relatives, later))
    }
    if (isDeepStrictEqual(next.stale, current.stale)) held.set("stale", () => bindingFlag(flag, plan, relatives))
    const left = leftOf(plan, same ? undefined : held)
    const undone = plan.undone.flatMap((one): Plan["undone"] => {
      const fields = left.get(one.version)
      if (fields === undefined) return [one]
      return fields.size === plan.taken.get(one.version)!.size ? [] : [{ ...one, what: "partly" }]
    })
    const changed =
      !same &&
      !(
        undone.length === 0 &&
        isDeepStrictEqual(withStale(next, current.stale), { ...current, revision: next.revision })
      )
    if (changed) versions.set(current.id, by++)
    waiting.push((later) => ({
      ...plan,
      image: changed ? next : undefined,
      undone: changed ? undone : [],
      conflicts: together(plan, left, (field) => held.get(field)?.(later) ?? [])
    }))
  }
  const bounded = waiting.map((finish) => finish(versions))
  const changing = bounded.filter((plan): plan is Changing => plan.image !== undefined)
  return { plans: bounded, changing, first, staleOf }
}

/** The fields of versions that are held back: all where nothing is left to write. A flag that nobody needs is none. */
const leftOf = (
  plan: Plan,
  held: ReadonlyMap<string, unknown> | undefined
): ReadonlyMap<number, ReadonlySet<string>> => {
  const left = new Map<number, ReadonlySet<string>>()
  for (const [version, fields] of plan.taken) {
    const kept = [...fields].filter((field) => held === undefined || held.has(field))
    const quiet = kept.every((field) => field === "stale") && kept.length < fields.size
    if (kept.length > 0 && !quiet) left.set(version, new Set(kept))
  }
  return left
}

/** The conflicts of a plan with what is held back beside them, one for each version. */
const together = (
  { conflicts, current }: Plan,
  left: ReadonlyMap<number, ReadonlySet<string>>,
  byOf: (field: string) => ReadonlyArray<number>
): ReadonlyArray<Conflict> => {
  const all = new Map(conflicts.map((one) => [one.version, one]))
  for (const [version, fields] of left) {
    const before = all.get(version)
    const by = new Set([...(before?.by ?? []), ...[...fields].flatMap(byOf)])
    all.set(version, {
      version,
      memory: current.id,
      fields: [...new Set([...(before?.fields ?? []), ...fields])],
      by: [...by].sort((a, b) => a - b)
    })
  }
  return [...all.values()].sort((a, b) => a.version - b.version)
}

/**
 * The events for which a memory may not be as open as it is in an image: they
 * made what it came from less open, or took it away. Empty where it may, or is
 * no more open than before.
 */
const bindingOn = (
  image: Memory,
  before: Store,
  images: ReadonlyMap<string, Memory>,
  { lives, outside }: Relatives,
  later: ReadonlyMap<string, number> = new Map()
): ReadonlyArray<number> => {
  if (opennessOf(image.store) <= opennessOf(before)) return []
  return (image.lineage ?? []).flatMap(({ kind, to }) => {
    if (kind === "supersedes") return []
    const life = lives.get(to)
    const planned = images.get(to)
    const source =
      kind === "derived"
        ? planned !== undefined
          ? { store: planned.store, since: sinceStore(life!, planned.store) ?? later.get(to) ?? 0 }
          : life === undefined
            ? undefined
            : life.at(-1)!.after.status === "active"
              ? { store: life.at(-1)!.after.store, since: sinceStore(life, life.at(-1)!.after.store) ?? 0 }
              : { store: undefined, since: goneAt(life)?.version ?? 0 }
        : outside.get(outsideKey(kind, to))
    // A source that is gone cannot say how open it was; a file that was only imported never was in a store.
    if (source?.store === undefined) return kind === "file" ? [] : [source?.since ?? 0]
    return opennessOf(image.store) > opennessOf(source.store) ? [source.since] : []
  })
}

/** The event since which a memory is in this store; undefined where it is in another. */
const sinceStore = (life: ReadonlyArray<Link>, store: Store): number | undefined => {
  if (life.at(-1)!.after.store !== store) return undefined
  const at = life.findLastIndex(({ before }) => before?.store !== store)
  return life[Math.max(at, 0)]!.version
}

interface Flag extends Gone {
  readonly stale: Stale
}

/** What to flag a memory with: the first that went of all that it rests on and has not been confirmed without. */
const flagsOf = (
  plans: ReadonlyArray<Plan>,
  order: ReadonlyMap<string, number>,
  images: ReadonlyMap<string, Memory>,
  { lives, outside }: Relatives
) => {
  const undoes = new Map(plans.map(({ current, undone }) => [current.id, undone.map(({ version }) => version)]))
  const lostOf = (id: string): Pick<Gone, "version" | "reason"> | undefined => {
    const life = lives.get(id)
    if (life === undefined) return undefined
    const image = images.get(id)
    if (image === undefined) return goneAt(life)
    const last = life.at(-1)!
    const next = { ...last, version: order.get(id)!, before: last.after, after: image, undoes: undoes.get(id) ?? [] }
    return goneAt([...life, next])
  }
  return (memory: Memory): Flag | undefined => {
    const life = lives.get(memory.id)
    if (life === undefined) return undefined
    const writes = writesIn(life, images.has(memory.id) ? undoes.get(memory.id)! : [])
    const confirmed = ({ version }: Pick<Gone, "version">, gone: (at: number) => boolean = () => true) =>
      writes.some((at) => at >= version && gone(at))
    const found: Array<Flag> = []
    const seen = new Set([memory.id])
    const look = (one: Pick<Memory, "lineage">) => {
      for (const { kind, to } of one.lineage ?? []) {
        const key = kind === "derived" ? to : outsideKey(kind, to)
        if (kind === "supersedes" || seen.has(key)) continue
        seen.add(key)
        if (kind === "derived") {
          const lost = lostOf(to)
          // Who wrote while it was there again did not confirm that it can be done without.
          if (lost !== undefined && !confirmed(lost, (at) => wasGone(lives.get(to)!, at))) {
            found.push({ ...lost, place: 0, rests: () => true, stale: { kind, of: to, reason: lost.reason } })
          }
          look(images.get(to) ?? lives.get(to)?.at(-1)?.after ?? {})
          continue
        }
        for (const lost of outside.get(key)?.gone ?? []) {
          if (lost.rests(memory) && !confirmed(lost))
            found.push({ ...lost, stale: { kind, of: to, reason: lost.reason } })
        }
      }
    }
    look(memory)
    return found.sort((a, b) => a.version - b.version || a.place - b.place)[0]
  }
}

/** The writes to a memory that are in force once these versions are taken back; that it was made is one. */
const writesIn = (life: ReadonlyArray<Link>, undoes: ReadonlyArray<number>): ReadonlyArray<number> => {
  const gone = takenBack([...life.map((link) => ({ ...link, chosen: false })), { version: 0, chosen: false, undoes }])
  return life.flatMap(({ version, write }, at) => (at === 0 || (write && !gone.has(version)) ? [version] : []))
}

const wasGone = (life: ReadonlyArray<Link>, at: number): boolean => {
  const then = life.findLast(({ version }) => version <= at)
  return then !== undefined && then.after.status !== "active"
}

/**
 * When a memory that is gone at the end of its life went. Where an undoing was
 * undone it is gone as it was before: since then, and for the reason of then.
 */
const goneAt = (life: ReadonlyArray<Link>): Pick<Gone, "version" | "reason"> | undefined => {
  if (life.at(-1)?.after.status === "active") return undefined
  const at = life.findLastIndex(({ before }) => before === undefined || before.status === "active")
  const link = life[at]
  if (link === undefined) return undefined
  const back = life.findIndex(
    ({ after, before, version }) =>
      link.undoes.includes(version) && before !== undefined && before.status !== "active" && after.status === "active"
  )
  const earlier = back > 0 ? goneAt(life.slice(0, back)) : undefined
  if (earlier !== undefined) return earlier
  const reason = link.after.status === "superseded" ? "replaced" : link.undoes.length > 0 ? "undone" : "forgotten"
  return { version: link.version, reason }
}

/** The event that a flag stays for; where it stays away, the one that brought its source back. */
const bindingFlag = (flag: Flag | undefined, { image }: Plan, { lives }: Relatives): ReadonlyArray<number> => {
  if (flag !== undefined) return [flag.version]
  const back = lives
    .get(image?.stale?.of ?? "")
    ?.findLast(({ after, before }) => after.status === "active" && before?.status !== "active")
  return back === undefined ? [] : [back.version]
}

/** A memory with this flag, or with none. */
export const withStale = ({ stale: _, ...memory }: Memory, stale: Stale | undefined): Memory =>
  stale === undefined ? memory : { ...memory, stale }

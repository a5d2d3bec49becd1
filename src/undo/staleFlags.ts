import type { Memory, Stale } from "../../events/Memory.js"
import type { Link } from "./links.js"
import type { Plan } from "./plan.js"
import { outsideKey, type SourceLoss, type UndoDependencies } from "./relatives.js"
import { undoneVersionsOf } from "./touches.js"

interface Flag extends SourceLoss {
  readonly stale: Stale
}

/**
 * Returns a function that finds the stale flag of a memory. The flag names the source that was lost first. A loss is
 * ignored if a later write confirmed the memory. `order` contains the expected versions of the planned images.
 */
export const makeStaleFlagFinder = (
  plans: ReadonlyMap<string, Plan>,
  order: ReadonlyMap<string, number>,
  images: ReadonlyMap<string, Memory>,
  { livesById, outsideByKey }: UndoDependencies
) => {
  const undoesOf = (id: string) => plans.get(id)?.undone.map(({ version }) => version) ?? []
  const lossOf = (id: string): Pick<SourceLoss, "version" | "reason"> | undefined => {
    const life = livesById.get(id)
    if (life === undefined) return undefined
    const image = images.get(id)
    if (image === undefined) return findLoss(life)
    const last = life.at(-1)!
    const next = { ...last, version: order.get(id)!, before: last.after, after: image, undoes: undoesOf(id) }
    return findLoss([...life, next])
  }
  return (memory: Memory): Flag | undefined => {
    const life = livesById.get(memory.id)
    if (life === undefined) return undefined
    const writes = writesIn(life, images.has(memory.id) ? undoesOf(memory.id) : [])
    const isConfirmed = (
      { version }: Pick<SourceLoss, "version">,
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
 * Returns the versions of deliberate writes that remain after the versions in `undoes` are undone. The creation of the
 * memory is one of these writes.
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

const wasInactive = (life: ReadonlyArray<Link>, asOf: number): boolean => {
  const linkAtVersion = life.findLast(({ version }) => version <= asOf)
  return linkAtVersion !== undefined && linkAtVersion.after.status !== "active"
}

/**
 * Returns when and why a memory was lost; undefined if the memory is active at the end of its life. If an undo restored
 * the memory and was undone later, the earlier loss counts.
 */
export const findLoss = (life: ReadonlyArray<Link>): Pick<SourceLoss, "version" | "reason"> | undefined => {
  if (life.at(-1)?.after.status === "active") return undefined
  const link = life.findLast(({ before }) => before === undefined || before.status === "active")
  if (link === undefined) return undefined
  const back = life.findIndex(
    ({ after, before, version }) =>
      link.undoes.includes(version) && before !== undefined && before.status !== "active" && after.status === "active"
  )
  const earlier = back > 0 ? findLoss(life.slice(0, back)) : undefined
  if (earlier !== undefined) return earlier
  const reason = link.after.status === "superseded" ? "replaced" : link.undoes.length > 0 ? "undone" : "forgotten"
  return { version: link.version, reason }
}

/**
 * Returns the version that caused a memory's stale flag; without a flag, the version that restored the memory's source.
 */
export const findFlagVersion = (
  flag: Flag | undefined,
  { image }: Plan,
  { livesById }: UndoDependencies
): ReadonlyArray<number> => {
  if (flag !== undefined) return [flag.version]
  const back = livesById
    .get(image?.stale?.of ?? "")
    ?.findLast(({ after, before }) => after.status === "active" && before?.status !== "active")
  return back === undefined ? [] : [back.version]
}

/** Sets or removes the stale flag of a memory. */
export const withStale = ({ stale: _, ...memory }: Memory, stale: Stale | undefined): Memory =>
  stale === undefined ? memory : { ...memory, stale }

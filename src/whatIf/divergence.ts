import { embeddingText, type Memory } from "../../events/Memory.js"
import { differing, type Sides } from "./diff.js"

/**
 * Which memories of a branch are not what they are in the log. All others are
 * the same on both sides, so that what the log says of them need not be kept.
 */
export interface Divergence {
  /** What a memory is in the log, as far as the branch has come. */
  readonly liveNow: (id: string) => Memory | undefined
  /** The version at which a memory went another way, where what it says or is worth weighing differs. */
  readonly since: (id: string) => number | undefined
  /** Applies the images of the branch, and notes which of the memories are what an event of the log made of them. */
  readonly during: (version: number, live: Images, branch: Images, apply: () => void) => void
  readonly sides: () => ReadonlyArray<Sides>
  /** Memories whose text no event of the log will embed. */
  readonly unembedded: Set<string>
  /** Another index is looked at from now on: what ever said something else may have no vector there. */
  readonly indexChanged: () => void
}

/** After-images by id. */
export type Images = ReadonlyMap<string, Memory>

interface Apart {
  readonly live: Memory | undefined
  readonly since: number
  readonly saysOtherwise: boolean
}

export const make = (find: (id: string) => Memory | undefined): Divergence => {
  const apart = new Map<string, Apart>()
  const unembedded = new Set<string>()
  const ever = new Set<string>()
  const liveNow = (id: string) => {
    const known = apart.get(id)
    return known === undefined ? find(id) : known.live
  }

  const settle = (id: string, version: number, live: Memory | undefined, branch: Memory | undefined) => {
    const before = apart.get(id)
    if (live === branch || (live !== undefined && branch !== undefined && differing(live, branch).length === 0)) {
      if (before?.saysOtherwise === true && branch?.status === "active") unembedded.add(id)
      apart.delete(id)
      return
    }
    const saysOtherwise = !saysTheSame(live, branch)
    if (branch?.status === "active" && (saysOtherwise || before?.saysOtherwise === true)) unembedded.add(id)
    if (saysOtherwise) ever.add(id)
    const since = before?.saysOtherwise === saysOtherwise ? before.since : version
    apart.set(id, { live, since, saysOtherwise })
  }

  return {
    liveNow,
    since: (id) => {
      const known = apart.get(id)
      return known?.saysOtherwise === true ? known.since : undefined
    },
    during: (version, live, branch, apply) => {
      // What the event says nothing of is in the log what it was; nothing keeps that but the branch, which is about to change.
      const were = new Map<string, Memory | undefined>()
      for (const id of branch.keys()) if (!live.has(id)) were.set(id, liveNow(id))
      apply()
      for (const [id, image] of branch) settle(id, version, live.get(id) ?? were.get(id), image)
      for (const [id, image] of live) if (!branch.has(id)) settle(id, version, image, find(id))
    },
    sides: () => [...apart].map(([id, { live }]) => ({ live, branch: find(id) })),
    unembedded,
    indexChanged: () => {
      for (const id of ever) unembedded.add(id)
    }
  }
}

/** Whether a decision could not tell them apart. */
const saysTheSame = (a: Memory | undefined, b: Memory | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.status === b.status &&
  a.store === b.store &&
  a.expiresAt === b.expiresAt &&
  a.type === b.type &&
  embeddingText(a) === embeddingText(b) &&
  a.tags.join("\n") === b.tags.join("\n") &&
  a.people.join("\n") === b.people.join("\n")

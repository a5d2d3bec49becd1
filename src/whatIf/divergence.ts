import { isDeepStrictEqual } from "node:util"
import { embeddingText, type Memory } from "../../events/Memory.js"
import { isYieldDue, type Steps } from "../../events/turns.js"
import { differingFields, type MemorySides } from "./diff.js"

/**
 * Tracks which memories of a branch differ from the log. All other memories are the same in both, so their state in the
 * log is not stored.
 */
export interface Divergence {
  /** A memory in the log, at the branch's current version. */
  readonly liveNow: (id: string) => Memory | undefined
  /** The first version at which a memory differs in a field that decisions read; undefined if it does not differ. */
  readonly since: (id: string) => number | undefined
  /** Applies an event to the branch, then records which memories differ from their images in the log. */
  readonly during: (version: number, live: Images, branch: Images, apply: () => void) => void
  readonly sides: () => Steps<ReadonlyArray<MemorySides>>
  /** Memories that the branch must embed, because no EMBED event of the log has their text. */
  readonly unembedded: Set<string>
  /** Reports that decisions now search another index. Memories that ever differed may have no vector there. */
  readonly indexChanged: () => void
}

/** After-images by id. */
export type Images = ReadonlyMap<string, Memory>

interface Difference {
  readonly live: Memory | undefined
  readonly since: number
  /** True if a decision can read this difference. */
  readonly isVisible: boolean
}

export const make = (find: (id: string) => Memory | undefined): Divergence => {
  const differences = new Map<string, Difference>()
  const unembedded = new Set<string>()
  const everDiffered = new Set<string>()
  const liveNow = (id: string) => {
    const difference = differences.get(id)
    return difference === undefined ? find(id) : difference.live
  }

  const compareImages = (id: string, version: number, live: Memory | undefined, branch: Memory | undefined) => {
    const before = differences.get(id)
    if (live === branch || (live !== undefined && branch !== undefined && differingFields(live, branch).length === 0)) {
      if (before?.isVisible === true && branch?.status === "active") unembedded.add(id)
      differences.delete(id)
      return
    }
    const isVisible = !looksTheSame(live, branch)
    if (branch?.status === "active" && (isVisible || before?.isVisible === true)) unembedded.add(id)
    if (isVisible) everDiffered.add(id)
    const since = before?.isVisible === isVisible ? before.since : version
    differences.set(id, { live, since, isVisible })
  }

  return {
    liveNow,
    since: (id) => {
      const difference = differences.get(id)
      return difference?.isVisible === true ? difference.since : undefined
    },
    during: (version, live, branch, apply) => {
      // Memories that only the branch changes keep their state in the log. Save this state before the branch changes
      // them.
      const unchangedInLog = new Map<string, Memory | undefined>()
      for (const id of branch.keys()) if (!live.has(id)) unchangedInLog.set(id, liveNow(id))
      apply()
      for (const [id, image] of branch) compareImages(id, version, live.get(id) ?? unchangedInLog.get(id), image)
      for (const [id, image] of live) if (!branch.has(id)) compareImages(id, version, image, find(id))
    },
    sides: function* () {
      const sides: Array<MemorySides> = []
      for (const [id, { live }] of differences) {
        sides.push({ live, branch: find(id) })
        if (isYieldDue()) yield
      }
      return sides
    },
    unembedded,
    indexChanged: () => {
      for (const id of everDiffered) unembedded.add(id)
    }
  }
}

/** Returns true if two memories are equal in all fields that decisions read. */
const looksTheSame = (a: Memory | undefined, b: Memory | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.status === b.status &&
  a.store === b.store &&
  a.expiresAt === b.expiresAt &&
  a.type === b.type &&
  (a.level === undefined || b.level === undefined || a.level === b.level) &&
  embeddingText(a) === embeddingText(b) &&
  isDeepStrictEqual(a.disputes, b.disputes) &&
  a.tags.join("\n") === b.tags.join("\n") &&
  a.people.join("\n") === b.people.join("\n")

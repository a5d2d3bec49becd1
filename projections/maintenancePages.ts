import type { Memory } from "../events/Memory.js"
import { memoryOf } from "./observations.js"
import { type Db, sql } from "./Projection.js"
import { type AccessCounts, findAccesses } from "./recalls.js"

/**
 * The kinds of active memories that maintenance stages read. Each stage then checks the ages of the memories itself.
 */
export type PageKind = "working" | "narrative" | "aged" | "unchanged" | "daily" | "weekly" | "profile"

const conditions: Readonly<Record<PageKind, string>> = {
  // Unexpired memories of tier mid or daily, and of tier long if they were promoted.
  working: `(tier IN ('mid', 'daily') OR (tier = 'long'
    AND json_extract(memory, '$.promotedAt') IS NOT NULL))
    AND (expires_at IS NULL OR expires_at > :now)`,
  // Memories with a narrative.
  narrative: `(tier <> 'core' OR json_extract(memory, '$.coreFrom') IS NOT NULL) AND type <> 'person'
    AND created_at <= :before
    AND json_extract(memory, '$.narrative') IS NOT NULL AND (expires_at IS NULL OR expires_at > :now)`,
  // Old memories of tier mid or daily, and all expired memories.
  aged: "((tier IN ('mid', 'daily') AND created_at <= :before) OR expires_at <= :now)",
  // Memories that are no longer new.
  unchanged: `tier <> 'core' AND type <> 'person' AND created_at <= :before
    AND (expires_at IS NULL OR expires_at > :now)`,
  // Memories of tier daily whose day is over.
  daily: `tier = 'daily' AND created_at <= :before AND (expires_at IS NULL OR expires_at > :now)`,
  // Candidates for the profile.
  profile: `type IN ('identity', 'preference', 'decision') AND tier <> 'daily'
    AND (expires_at IS NULL OR expires_at > :now)`,
  // Candidates for the profile, temporary types, and memories of tier mid from past weeks that have a project or a
  // topic.
  weekly: `(tier = 'core' OR type IN ('identity', 'preference', 'decision', 'temp', 'debug') OR (tier = 'mid'
    AND created_at <= :before AND (project IS NOT NULL OR json_extract(memory, '$.topic') IS NOT NULL)))
    AND (expires_at IS NULL OR expires_at > :now)`
}

export interface MaintenancePage {
  readonly rows: ReadonlyArray<{ readonly memory: Memory; readonly accesses: AccessCounts | undefined }>
  /** The last row number of this page; pass it to get the next page. Undefined after the last page. */
  readonly next: number | undefined
}

/**
 * Examines the next `size` active memories by row number and returns those of the kind. This bounds the work per page,
 * even if few memories match.
 */
export const findMaintenancePage = (
  db: Db,
  kind: PageKind,
  {
    after,
    before,
    now,
    size
  }: { readonly after: number; readonly size: number; readonly before: number; readonly now: number }
): MaintenancePage => {
  // Uses the index of active memories, because the number of inactive ones grows without limit.
  const last = sql(
    db,
    `SELECT max(born) AS born FROM (SELECT born FROM observations INDEXED BY observations_shown
      WHERE active = 1 AND born > ? ORDER BY born LIMIT ?)`
  ).get(after, size).born as number | null
  if (last === null) return { rows: [], next: undefined }
  const memories = sql(
    db,
    `SELECT born, memory FROM observations INDEXED BY observations_shown
      WHERE born > :after AND born <= :last AND active = 1 AND ${conditions[kind]} AND :before = :before AND :now = :now ORDER BY born`
  )
    .all({ after, last, before, now })
    .map(memoryOf)
  return { rows: withAccesses(db, memories), next: last }
}

/** Adds to each memory how often and when it was shown. */
export const withAccesses = (db: Db, memories: ReadonlyArray<Memory>): MaintenancePage["rows"] => {
  if (memories.length === 0) return []
  const accesses = findAccesses(
    db,
    memories.map(({ id }) => id)
  )
  return memories.map((memory) => ({ memory, accesses: accesses.get(memory.id) }))
}

import type { Memory } from "../events/Memory.js"
import { type Db, sql } from "./Projection.js"
import { type Accesses, findAccesses } from "./recalls.js"

/** Which memories a stage of maintenance looks at; all of them active. Ages are checked again by whoever asks. */
export type PageKind = "working" | "narrative" | "aged" | "unchanged" | "daily" | "weekly" | "profile"

const conditions: Readonly<Record<PageKind, string>> = {
  // Mid and daily ones, and long ones that were promoted, not expired.
  working: `(tier IN ('mid', 'daily') OR (tier = 'long'
    AND json_extract(memory, '$.promotedAt') IS NOT NULL))
    AND (expires_at IS NULL OR expires_at > :now)`,
  // What has a narrative.
  narrative: `(tier <> 'core' OR json_extract(memory, '$.coreFrom') IS NOT NULL) AND type <> 'person'
    AND created_at <= :before
    AND json_extract(memory, '$.narrative') IS NOT NULL AND (expires_at IS NULL OR expires_at > :now)`,
  // Old mid and daily ones, and what has expired.
  aged: "((tier IN ('mid', 'daily') AND created_at <= :before) OR expires_at <= :now)",
  // What is no longer new.
  unchanged: `tier <> 'core' AND type <> 'person' AND created_at <= :before
    AND (expires_at IS NULL OR expires_at > :now)`,
  // The log of the days that are over.
  daily: `tier = 'daily' AND created_at <= :before AND (expires_at IS NULL OR expires_at > :now)`,
  // What the profile is chosen from.
  profile: `type IN ('identity', 'preference', 'decision') AND tier <> 'daily'
    AND (expires_at IS NULL OR expires_at > :now)`,
  // What the profile is chosen from, what passes, and mid ones of the weeks that are over that belong to something.
  weekly: `(tier = 'core' OR type IN ('identity', 'preference', 'decision', 'temp', 'debug') OR (tier = 'mid'
    AND created_at <= :before AND (project IS NOT NULL OR json_extract(memory, '$.topic') IS NOT NULL)))
    AND (expires_at IS NULL OR expires_at > :now)`
}

export interface LifePage {
  readonly rows: ReadonlyArray<{ readonly memory: Memory; readonly accesses: Accesses | undefined }>
  /** Where the next page begins; undefined after the last one. */
  readonly next: number | undefined
}

/** Of the `size` active memories behind one (by row number) those that a stage looks at: the work of a page has a bound, however few they are. */
export const findLifePage = (
  db: Db,
  kind: PageKind,
  {
    after,
    before,
    now,
    size
  }: { readonly after: number; readonly size: number; readonly before: number; readonly now: number }
): LifePage => {
  // By the index of what is active: what is over grows for ever, and is not read here.
  const last = sql(
    db,
    `SELECT max(born) AS born FROM (SELECT born FROM observations INDEXED BY observations_shown
      WHERE active = 1 AND born > ? ORDER BY born LIMIT ?)`
  ).get(after, size).born as number | null
  if (last === null) return { rows: [], next: undefined }
  const memories = sql(
    db,
    `SELECT memory FROM observations INDEXED BY observations_shown
      WHERE born > :after AND born <= :last AND active = 1 AND ${conditions[kind]} AND :before = :before AND :now = :now ORDER BY born`
  )
    .pluck()
    .all({ after, last, before, now })
    .map((text) => JSON.parse(text as string) as Memory)
  return { rows: withAccesses(db, memories), next: last }
}

/** Memories with how often each was shown. */
export const withAccesses = (db: Db, memories: ReadonlyArray<Memory>): LifePage["rows"] => {
  if (memories.length === 0) return []
  const accesses = findAccesses(
    db,
    memories.map(({ id }) => id)
  )
  return memories.map((memory) => ({ memory, accesses: accesses.get(memory.id) }))
}

import type { Memory } from "../events/Memory.js"
import { minOpennessOf, type TrustLevel } from "../events/Trust.js"
import { type MaintenancePage, withAccesses } from "./maintenancePages.js"
import { readMemories } from "./observationSearch.js"
import { type Db, readableRowsSql, sql } from "./Projection.js"
import { findMemoriesByScore, type ScoreFormula, type ScoreQuery } from "./scoreReads.js"

/**
 * The maximum number of candidates: of each profile kind the newest, of other types those with the highest scores, and
 * of people the newest.
 */
const maxPerKind = 500
const maxOthers = 100
const maxPeople = 50

/**
 * Core memories, then the newest identities, preferences and decisions, without stale memories. Accesses are counted at
 * full trust only, and only if `countsAccesses` is not false. `side` selects the writers: `from` for level `writers`
 * and above, `below` for lower levels.
 */
export const findProfile = (db: Db, level: TrustLevel, now: number, query: ProfileQuery): MaintenancePage["rows"] =>
  findKinds(db, level, now, query, [
    ["tier = 'core'", maxPerKind],
    ...profileTypes.map((type) => [`tier <> 'core' AND type = '${type}'`, maxPerKind] as const)
  ])

/** The newest memories of type `person`, except those in `known`. */
export const findProfilePeople = (
  db: Db,
  level: TrustLevel,
  now: number,
  { known, ...query }: Omit<ProfileQuery, "side"> & { readonly known: MaintenancePage["rows"] }
): MaintenancePage["rows"] => {
  const ids = new Set(known.map(({ memory }) => memory.id))
  const kind = ["tier <> 'core' AND type = 'person'", maxPeople + ids.size] as const
  return findKinds(db, level, now, { ...query, side: "from" }, [kind])
    .filter(({ memory }) => !ids.has(memory.id))
    .slice(0, maxPeople)
}

interface ProfileQuery {
  readonly writers: TrustLevel
  readonly side: "from" | "below"
  readonly countsAccesses?: boolean | undefined
}

const findKinds = (
  db: Db,
  level: TrustLevel,
  now: number,
  { countsAccesses = true, side, writers }: ProfileQuery,
  kinds: ReadonlyArray<readonly [condition: string, maxRows: number]>
): MaintenancePage["rows"] => {
  const memories = kinds.flatMap(([kind, maxRows]) =>
    sql(
      db,
      `SELECT memory FROM observations ${side === "from" ? "" : "INDEXED BY observations_low"}
      WHERE active = 1 AND ${kind} AND ${readableRowsSql(level)} AND ${side === "from" ? "level <=" : "level > 0 AND level >"} ?
      AND (expires_at IS NULL OR expires_at > ?) AND json_extract(memory, '$.stale') IS NULL
      ORDER BY mentioned_at DESC, born DESC LIMIT ?`
    )
      .pluck()
      .all(minOpennessOf(writers), now, maxRows)
      .map((text) => JSON.parse(text as string) as Memory)
  )
  return level === "full" && countsAccesses
    ? withAccesses(db, memories)
    : memories.map((memory) => ({ memory, accesses: undefined }))
}

/** Types of memories in a profile, besides core memories. */
export const profileTypes = ["identity", "preference", "decision"] as const

/**
 * Types that `findOftenMentioned` leaves out: types that matter only for a short time, that have a section of their own
 * in the profile, or that must not be shown.
 */
const otherTypes: ReadonlySet<string> = new Set([
  ...profileTypes,
  ...["conversation", "credential", "debug", "event", "task", "temp"]
])

/**
 * Memories that were mentioned at least `mentions` times, highest score first, except those of the types that are left
 * out.
 */
export const findOftenMentioned = (
  db: Db,
  level: TrustLevel,
  formula: ScoreFormula,
  {
    countsAccesses = true,
    mentions,
    now,
    writers
  }: Pick<ScoreQuery, "countsAccesses" | "now"> & { readonly mentions: number; readonly writers: TrustLevel }
): MaintenancePage["rows"] => {
  const best = findMemoriesByScore(db, level, formula, { now, limit: maxOthers, mentions, writers, countsAccesses })
  const memories = [
    ...readMemories(
      db,
      best.map(({ born }) => born)
    ).values()
  ].filter(
    (memory) =>
      !otherTypes.has(memory.type) && (memory.tier === "mid" || memory.tier === "long") && memory.stale === undefined
  )
  return level === "full" && countsAccesses
    ? withAccesses(db, memories)
    : memories.map((memory) => ({ memory, accesses: undefined }))
}

import type { Memory } from "../events/Memory.js"
import { floorOf, type TrustLevel } from "../events/Trust.js"
import { type LifePage, withAccesses } from "./lifePages.js"
import { type Db, sql } from "./Projection.js"

/** Memories that a profile is chosen from, the newest of each kind, no more than this. */
const most = 500

/** What is core, and of identities, preferences and decisions what was mentioned last; nothing stale. Accesses at full trust alone. */
export const findProfile = (db: Db, level: TrustLevel, now: number): LifePage["rows"] => {
  const memories = ["tier = 'core'", ...profileTypes.map((type) => `tier <> 'core' AND type = '${type}'`)].flatMap(
    (kind) =>
      sql(
        db,
        `SELECT memory FROM observations WHERE active = 1 AND ${kind} AND openness >= ?
        AND (expires_at IS NULL OR expires_at > ?) AND json_extract(memory, '$.stale') IS NULL
        ORDER BY mentioned_at DESC, born DESC LIMIT ?`
      )
        .pluck()
        .all(floorOf(level), now, most)
        .map((text) => JSON.parse(text as string) as Memory)
  )
  return level === "full" ? withAccesses(db, memories) : memories.map((memory) => ({ memory, accesses: undefined }))
}

/** What a profile is made of, beside what is core. */
export const profileTypes = ["identity", "preference", "decision"] as const

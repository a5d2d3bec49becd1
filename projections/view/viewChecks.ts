import type { Steps } from "../../events/turns.js"
import { type Db, makeDigest, type Projection } from "../Projection.js"
import { findParkedProjections } from "./ViewFile.js"

/** The digests of a view. `digest` covers every row, vector and posting; `stateDigest` only active memories. */
export const computeDigests = function* (
  db: Db,
  projections: ReadonlyArray<Projection>,
  kind: "digest" | "stateDigest"
): Steps<{ readonly whole: string; readonly each: Readonly<Record<string, string>> }> {
  const parked = new Set(findParkedProjections(db).map(({ projection }) => projection))
  const byProjection: Record<string, string> = {}
  const allDigest = makeDigest()
  for (const projection of projections) {
    if (parked.has(projection.name)) continue
    const digest = makeDigest()
    projection[kind](db, digest)
    byProjection[projection.name] = yield* digest.hex()
    allDigest.row(projection.name, byProjection[projection.name])
  }
  return { whole: yield* allDigest.hex(), each: byProjection }
}

/** Problems that SQLite's and FTS5's own checks report; empty if there are none. */
export const checkIntegrity = (db: Db, textTables: ReadonlyArray<string>): ReadonlyArray<string> => {
  const problems = (db.pragma("integrity_check(20)") as Array<{ integrity_check: string }>)
    .map((row) => row.integrity_check)
    .filter((problem) => problem !== "ok")
  for (const table of textTables) {
    try {
      // Without rank 1, FTS5 does not compare the index with the texts, and an emptied index would pass.
      db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`).run()
    } catch (cause) {
      problems.push(`${table}: ${cause instanceof Error && "code" in cause ? cause.code : "failed"}`)
    }
  }
  return problems
}

import type { DaybookEvent } from "../events/catalogue.js"
import { type Db, type Projection, sql } from "./Projection.js"

/**
 * Counts all promotions, archivings, deletions and other outcomes. A later change of the memory does not reduce a
 * count. Additions need no counter, because `observations` has one row for each addition. So most writes change no
 * counter.
 */
export const tallies: Projection = {
  name: "tallies",
  version: 1,
  handles: ["UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: "CREATE TABLE tallies (what TEXT PRIMARY KEY, memories INTEGER NOT NULL) WITHOUT ROWID;",
  indexes: "",
  drop: () => "DROP TABLE tallies",
  apply: (db, event) => {
    const [outcome, memories] = outcomeOf(event)
    if (outcome === undefined) return
    if (sql(db, "UPDATE tallies SET memories = memories + ? WHERE what = ?").run(memories, outcome).changes > 0) return
    sql(db, "INSERT INTO tallies (what, memories) VALUES (?, ?)").run(outcome, memories)
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM tallies ORDER BY what"),
  stateDigest: () => {}
}

/** The counted outcomes, in the order of output. */
export const outcomes = [
  "promoted",
  "demoted",
  "compressed",
  "shortened",
  "archived",
  "restored",
  "expired",
  "replaced",
  "deleted",
  "undone"
] as const
export type Outcome = (typeof outcomes)[number]

const outcomeOf = (event: DaybookEvent): readonly [what: Outcome | undefined, memories: number] => {
  switch (event.type) {
    case "COMPRESS":
      return ["compressed", event.payload.sources.length]
    case "ARCHIVE":
      return ["archived", event.payload.memories.length]
    case "DELETE":
      return [deletions[event.payload.reason], 1]
    case "UPDATE":
      return [updates[event.payload.reason], 1]
    default:
      return [undefined, 0]
  }
}

const deletions = { forgotten: "deleted", replaced: "replaced", undone: "undone" } as const
const updates: Readonly<Record<string, Outcome>> = {
  promoted: "promoted",
  demoted: "demoted",
  aged: "shortened",
  restored: "restored",
  expired: "expired",
  undone: "undone"
}

/** The number of memories with each outcome. The caller must have full trust. */
export const countTallies = (db: Db): Readonly<Record<Outcome, number>> => {
  const counts = new Map<string, number>(
    sql(db, "SELECT what, memories FROM tallies")
      .all()
      .map((row) => [row.what, row.memories])
  )
  return Object.fromEntries(outcomes.map((outcome) => [outcome, counts.get(outcome) ?? 0])) as Record<Outcome, number>
}

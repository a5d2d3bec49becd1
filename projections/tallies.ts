import type { DaybookEvent } from "../events/catalogue.js"
import { type Db, type Projection, sql } from "./Projection.js"

/**
 * How many memories were promoted, archived, deleted … so far, whatever became of them since. Neither additions, which
 * are the rows that there are, nor what is written all the time: there is nothing to count on the way of most writes.
 */
export const tallies: Projection = {
  name: "tallies",
  version: 1,
  handles: ["UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: "CREATE TABLE tallies (what TEXT PRIMARY KEY, memories INTEGER NOT NULL) WITHOUT ROWID;",
  indexes: "",
  drop: (db) => db.exec("DROP TABLE tallies"),
  apply: (db, event) => {
    const [what, memories] = talliedOf(event)
    if (what === undefined) return
    if (sql(db, "UPDATE tallies SET memories = memories + ? WHERE what = ?").run(memories, what).changes > 0) return
    sql(db, "INSERT INTO tallies (what, memories) VALUES (?, ?)").run(what, memories)
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM tallies ORDER BY what"),
  stateDigest: () => {}
}

/** What became of memories, in the order in which it is told. */
export const tallied = [
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
export type Tallied = (typeof tallied)[number]

const talliedOf = (event: DaybookEvent): readonly [what: Tallied | undefined, memories: number] => {
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
const updates: Readonly<Record<string, Tallied>> = {
  promoted: "promoted",
  demoted: "demoted",
  aged: "shortened",
  restored: "restored",
  expired: "expired",
  undone: "undone"
}

/** How many there were of each. For full trust. */
export const countTallies = (db: Db): Readonly<Record<Tallied, number>> => {
  const found = new Map<string, number>(
    sql(db, "SELECT what, memories FROM tallies")
      .all()
      .map((row) => [row.what, row.memories])
  )
  return Object.fromEntries(tallied.map((what) => [what, found.get(what) ?? 0])) as Record<Tallied, number>
}

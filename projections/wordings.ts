import type { DaybookEvent } from "../events/catalogue.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** How something that a memory says was said once more. */
export interface Wording {
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * In which other words it was said what a memory says: nothing new to the memory, and a proof of what it is that is said.
 * It is no part of the state. What is taken back was never said, as long as it is taken back.
 */
export const wordings: Projection = {
  name: "wordings",
  version: 1,
  handles: ["UPDATE", "DELETE"],
  tables: `CREATE TABLE wordings (version INTEGER PRIMARY KEY, born INTEGER NOT NULL, said_at INTEGER NOT NULL,
    undone INTEGER, text TEXT NOT NULL);`,
  indexes: "CREATE INDEX wordings_born ON wordings (born);",
  drop: (db) => db.exec("DROP TABLE wordings"),
  apply: (db, event) => {
    if (event.type !== "UPDATE" && event.type !== "DELETE") return
    const { memory, undoes = [] } = event.payload
    for (const version of undoes) {
      sql(db, "UPDATE wordings SET undone = ? WHERE version = ? AND born = ?").run(event.version, version, memory.born)
      sql(db, "UPDATE wordings SET undone = NULL WHERE undone = ? AND born = ?").run(version, memory.born)
    }
    // Its words go with it.
    if (memory.status === "forgotten") sql(db, "DELETE FROM wordings WHERE born = ?").run(memory.born)
    const text = textOf(event)
    if (text === undefined) return
    sql(db, "INSERT INTO wordings (version, born, said_at, text) VALUES (?, ?, ?, ?)").run(
      event.version,
      memory.born,
      memory.lastMentionedAt,
      text
    )
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM wordings ORDER BY version"),
  stateDigest: () => {}
}

/** What was asked for, where it came to nothing new: its title and facts in other words. */
const textOf = (event: DaybookEvent): string | undefined => {
  if (event.type !== "UPDATE" || event.payload.reason !== "reconciled") return undefined
  const { input = {}, memory } = event.payload
  if (typeof input.title !== "string" && !Array.isArray(input.facts)) return undefined
  const title = typeof input.title === "string" ? input.title : memory.title
  const facts = Array.isArray(input.facts) ? input.facts.filter((one) => typeof one === "string") : []
  const known = [memory.title, ...memory.facts]
  const news = [title, ...facts].filter((line) => !known.includes(line))
  return news.length === 0 ? undefined : news.join("\n")
}

/** In which other words it was said last what a memory says, at most so many; the last first. For whoever may read it. */
export const findWordings = (db: Db, born: number, most: number): ReadonlyArray<Wording> =>
  sql(
    db,
    `SELECT text, max(said_at) AS at FROM wordings WHERE born = ? AND undone IS NULL
      GROUP BY text ORDER BY at DESC, text LIMIT ?`
  ).all(born, most) as unknown as ReadonlyArray<Wording>

import type { DaybookEvent } from "../events/catalogue.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** A repeat of a memory in other words. */
export interface Wording {
  readonly text: string
  /** When it was said, milliseconds since the epoch. */
  readonly at: number
}

/**
 * Stores the other words in which memories were repeated. A repeat confirms a memory but does not change it. Not part
 * of the state digest. If a repeat is undone, its row is hidden until the undo itself is undone.
 */
export const wordings: Projection = {
  name: "wordings",
  version: 1,
  handles: ["UPDATE", "DELETE"],
  tables: `CREATE TABLE wordings (version INTEGER PRIMARY KEY, born INTEGER NOT NULL, said_at INTEGER NOT NULL,
    undone INTEGER, text TEXT NOT NULL);`,
  indexes: "CREATE INDEX wordings_born ON wordings (born);",
  drop: () => "DROP TABLE wordings",
  apply: (db, event) => {
    if (event.type !== "UPDATE" && event.type !== "DELETE") return
    const { memory, undoes = [] } = event.payload
    for (const version of undoes) {
      sql(db, "UPDATE wordings SET undone = ? WHERE version = ? AND born = ?").run(event.version, version, memory.born)
      sql(db, "UPDATE wordings SET undone = NULL WHERE undone = ? AND born = ?").run(version, memory.born)
    }
    // A forgotten memory loses its wordings.
    if (memory.status === "forgotten") sql(db, "DELETE FROM wordings WHERE born = ?").run(memory.born)
    const text = newWordsOf(event)
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

/**
 * The title and facts of a reconciled request that the memory does not contain; undefined if it contains all of them.
 */
const newWordsOf = (event: DaybookEvent): string | undefined => {
  if (event.type !== "UPDATE" || event.payload.reason !== "reconciled") return undefined
  const { input = {}, memory } = event.payload
  if (typeof input.title !== "string" && !Array.isArray(input.facts)) return undefined
  const title = typeof input.title === "string" ? input.title : memory.title
  const facts = Array.isArray(input.facts) ? input.facts.filter((fact) => typeof fact === "string") : []
  const stored = [memory.title, ...memory.facts]
  const newLines = [title, ...facts].filter((line) => !stored.includes(line))
  return newLines.length === 0 ? undefined : newLines.join("\n")
}

/** The wordings of a memory, newest first. The caller has checked that the reader may read the memory. */
export const findWordings = (db: Db, born: number, limit: number): ReadonlyArray<Wording> =>
  sql(
    db,
    `SELECT text, max(said_at) AS at FROM wordings WHERE born = ? AND undone IS NULL
      GROUP BY text ORDER BY at DESC, text LIMIT ?`
  ).all(born, limit) as unknown as ReadonlyArray<Wording>

import type { Payload } from "../events/catalogue.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** A model with the length of its vectors: what an index is made of, and never mixed with another. */
export interface ModelName {
  readonly model: string
  readonly dimensions: number
}

/** What the log says of an embedder. `first` is the model of the first vectors that an agent ever had. */
export interface EmbedderFact extends ModelName {
  readonly state: Payload<"EMBEDDER">["state"] | "first"
  /** The version of the event that says so. */
  readonly version: number
  /** The figures that ranking goes by; null where the event tells none. */
  readonly weight: number | null
  readonly floor: number | null
  readonly adopt: boolean
}

/**
 * Which embedder was in force from which version on, which is being prepared, and which is gone. It is no part of the
 * state: the same memories are the same under another one.
 */
export const embedders: Projection = {
  name: "embedders",
  version: 1,
  handles: ["EMBED", "EMBEDDER"],
  tables: `CREATE TABLE embedders (version INTEGER PRIMARY KEY, state TEXT NOT NULL, model TEXT NOT NULL,
    dimensions INTEGER NOT NULL, weight REAL, floor REAL, adopt INTEGER NOT NULL);`,
  indexes: "",
  drop: (db) => db.exec("DROP TABLE embedders"),
  apply: (db, event) => {
    if (event.type === "EMBED") {
      const { apart, dimensions, model } = event.payload
      if (apart === true) return
      if (sql(db, "SELECT 1 FROM embedders LIMIT 1").get() !== undefined) return
      sql(db, insert).run(event.version, "first", model, dimensions, null, null, 0)
    }
    if (event.type === "EMBEDDER") {
      const { adopt, dimensions, floor, model, state, weight } = event.payload
      sql(db, insert).run(event.version, state, model, dimensions, weight, floor, adopt === true ? 1 : 0)
    }
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM embedders ORDER BY version"),
  stateDigest: () => {}
}

const insert =
  "INSERT INTO embedders (version, state, model, dimensions, weight, floor, adopt) VALUES (?, ?, ?, ?, ?, ?, ?)"

const factOf = (row: Omit<EmbedderFact, "adopt"> & { readonly adopt: number }): EmbedderFact => ({
  ...row,
  adopt: row.adopt === 1
})

/** What reads go by: what was put in force last, else what made the first vectors; undefined where there are none. */
export const findInForce = (db: Db): EmbedderFact | undefined => {
  const row = sql(
    db,
    `SELECT * FROM embedders WHERE state IN ('inForce', 'first') ORDER BY state = 'inForce' DESC, version DESC LIMIT 1`
  ).get()
  return row === undefined ? undefined : factOf(row)
}

/** What is being prepared: the newest that was begun, unless it is in force or dropped since. */
export const findPreparing = (db: Db): EmbedderFact | undefined => {
  const row = sql(
    db,
    `SELECT * FROM embedders p WHERE state = 'preparing' AND NOT EXISTS (
      SELECT 1 FROM embedders l WHERE l.version > p.version
        AND (l.state = 'preparing' OR (l.model = p.model AND l.dimensions = p.dimensions)))
      ORDER BY version DESC LIMIT 1`
  ).get()
  return row === undefined ? undefined : factOf(row)
}

/**
 * Whether vectors of a model are still to be kept: those of what is in force or being prepared. Where nobody put any in
 * force the program may bring its own, unless that one was dropped, or prepared and left for another.
 */
export const isWanted = (db: Db, { dimensions, model }: ModelName): boolean => {
  const is = (fact: EmbedderFact | undefined) => fact?.model === model && fact.dimensions === dimensions
  const now = findInForce(db)
  if (is(now) || is(findPreparing(db))) return true
  return now?.state !== "inForce" && !findEmbedders(db).some((fact) => is(fact) && fact.state !== "first")
}

/** All that was said, oldest first. */
export const findEmbedders = (db: Db): ReadonlyArray<EmbedderFact> =>
  sql(db, "SELECT * FROM embedders ORDER BY version").all().map(factOf)

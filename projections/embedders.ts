import type { Payload } from "../events/catalogue.js"
import type { Store } from "../events/Trust.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** A model with the length of its vectors: what an index is made of, and never mixed with another. */
export interface ModelName {
  readonly model: string
  readonly dimensions: number
}

export const sameModel = (a: ModelName, b: ModelName): boolean => a.model === b.model && a.dimensions === b.dimensions

/** What the log says of an embedder. `first` are those that made the first vectors of each store. */
export interface EmbedderFact extends ModelName {
  readonly state: Payload<"EMBEDDER">["state"] | "first"
  /** The version of the event that says so. */
  readonly version: number
  /** The figures that ranking goes by; null where the event tells none. */
  readonly weight: number | null
  readonly floor: number | null
  readonly adopt: boolean
  /** What stands in for it in stores that it is not to see; null where nothing does. */
  readonly apart: Payload<"EMBEDDER">["apart"] | null
  /** Of `first`: what made the first vectors of each store that has some. */
  readonly stores?: Readonly<Partial<Record<Store, ModelName>>>
}

/**
 * Which embedder was in force from which version on, which is being prepared, and which is gone. It is no part of the
 * state: the same memories are the same under another one.
 *
 * Until one is put in force, each store keeps to the model of its first vectors: what was embedded in a stricter one
 * tells a lower level nothing. What stands in for another from some time on takes its place in the store.
 */
export const embedders: Projection = {
  name: "embedders",
  version: 2,
  handles: ["EMBED", "EMBEDDER"],
  tables: `CREATE TABLE embedders (version INTEGER NOT NULL, store TEXT NOT NULL, state TEXT NOT NULL,
    model TEXT NOT NULL, dimensions INTEGER NOT NULL, weight REAL, floor REAL, adopt INTEGER NOT NULL, apart TEXT,
    PRIMARY KEY (version, store)) WITHOUT ROWID;`,
  indexes: "",
  drop: (db) => db.exec("DROP TABLE embedders"),
  apply: (db, event) => {
    if (event.type === "EMBED") noteFirst(db, event.version, event.payload)
    if (event.type === "EMBEDDER") {
      const { adopt, apart, dimensions, floor, model, state, weight } = event.payload
      const beside = apart === undefined ? null : JSON.stringify(apart)
      sql(db, insert).run(event.version, "", state, model, dimensions, weight, floor, adopt === true ? 1 : 0, beside)
    }
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM embedders ORDER BY version, store"),
  stateDigest: () => {}
}

const insert = `INSERT INTO embedders (version, store, state, model, dimensions, weight, floor, adopt, apart)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Vectors that are made for a switch are nobody's first. */
const noteFirst = (
  db: Db,
  version: number,
  { apart, chunks = [], dimensions, entries, model }: Payload<"EMBED">
): void => {
  if (sql(db, "SELECT 1 FROM embedders WHERE state = 'inForce' LIMIT 1").get() !== undefined) return
  const preparing = findPreparing(db)
  const isOurs = (one: ModelName | null | undefined) => one != null && sameModel(one, { model, dimensions })
  if (isOurs(preparing) || isOurs(preparing?.apart)) return
  const known = firstsOf(db)
  for (const store of new Set([...entries, ...chunks].map((one) => one.store))) {
    const before = known[store]
    if (before !== undefined && (apart !== true || isOurs(before))) continue
    sql(db, insert).run(version, store, "first", model, dimensions, null, null, 0, null)
  }
}

type Row = Omit<EmbedderFact, "adopt" | "apart" | "stores"> & {
  readonly store: Store | ""
  readonly adopt: number
  readonly apart: string | null
}

const factOf = ({ adopt, apart, store: _, ...row }: Row): EmbedderFact => ({
  ...row,
  adopt: adopt === 1,
  apart: apart === null ? null : JSON.parse(apart)
})

/** By store, the row that counts. */
const firstsOf = (db: Db): Partial<Record<Store, Row>> =>
  Object.fromEntries(
    (sql(db, "SELECT * FROM embedders WHERE state = 'first' ORDER BY version").all() as Array<Row>).map((row) => [
      row.store,
      row
    ])
  )

/** Of each view's connection what reads went by last, and the rows that said so. */
const known = new WeakMap<Db, { readonly rows: string; readonly fact: EmbedderFact | undefined }>()

/**
 * What reads go by: what was put in force last, else what made the first vectors; undefined where there are none. Every
 * search asks: as long as the rows that say so are the same, so is the fact.
 */
export const findInForce = (db: Db): EmbedderFact | undefined => {
  const rows = sql(db, inForceRows).pluck().get() as string
  const last = known.get(db)
  if (last?.rows === rows) return last.fact
  const fact = readInForce(db)
  known.set(db, { rows, fact })
  return fact
}

const inForceRows = `SELECT coalesce(group_concat(version || store || state || model || dimensions), '')
  FROM embedders WHERE state IN ('inForce', 'first')`

const readInForce = (db: Db): EmbedderFact | undefined => {
  const row = sql(db, "SELECT * FROM embedders WHERE state = 'inForce' ORDER BY version DESC LIMIT 1").get()
  if (row !== undefined) return factOf(row)
  const firsts = firstsOf(db)
  const main = firsts.social ?? firsts.shared ?? firsts.private
  if (main === undefined) return undefined
  const named = Object.entries(firsts).map(([store, { dimensions, model }]) => [store, { model, dimensions }])
  return { ...factOf(main), stores: Object.fromEntries(named) }
}

/** The models whose vectors are searched by now; undefined where nothing says so. */
export const modelsInUse = (db: Db): ReadonlyArray<ModelName> | undefined => {
  // A view need not have every projection.
  if (sql(db, "SELECT 1 FROM sqlite_master WHERE name = 'embedders'").get() === undefined) return undefined
  const now = findInForce(db)
  if (now === undefined) return undefined
  return [now, ...(now.apart ? [now.apart] : []), ...Object.values(now.stores ?? {})]
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
  sql(db, "SELECT * FROM embedders ORDER BY version, store").all().map(factOf)

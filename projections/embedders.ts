import type { Payload } from "../events/catalogue.js"
import type { Store } from "../events/Trust.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** A model and the length of its vectors. Vectors of different models are never mixed in one index. */
export interface ModelName {
  readonly model: string
  readonly dimensions: number
}

export const sameModel = (a: ModelName, b: ModelName): boolean => a.model === b.model && a.dimensions === b.dimensions

/** An embedder as the log describes it. State `first` means that it made the first vectors of a store. */
export interface EmbedderRecord extends ModelName {
  readonly state: Payload<"EMBEDDER">["state"] | "first"
  /** The version of the event that recorded this state. */
  readonly version: number
  /** The weight of its vectors in ranking; null if the event contains no weight. */
  readonly weight: number | null
  readonly floor: number | null
  readonly adopt: boolean
  /** The substitute embedder for stores that are withheld from this embedder; null if there is no substitute. */
  readonly apart: Payload<"EMBEDDER">["apart"] | null
  /** For state `first`: the model of the first vectors of each store that has vectors. */
  readonly stores?: Readonly<Partial<Record<Store, ModelName>>>
}

/**
 * The active embedder, the embedder in preparation and the dropped embedders, by version. Not part of the state digest,
 * because the embedder changes no memory.
 *
 * Until an embedder is activated, each store uses the model of its own first vectors. So the embeddings of a stricter
 * store reveal nothing to a lower level. If a substitute later embeds texts of a store, the substitute's model replaces
 * the store's model.
 */
export const embedders: Projection = {
  name: "embedders",
  version: 2,
  handles: ["EMBED", "EMBEDDER"],
  tables: `CREATE TABLE embedders (version INTEGER NOT NULL, store TEXT NOT NULL, state TEXT NOT NULL,
    model TEXT NOT NULL, dimensions INTEGER NOT NULL, weight REAL, floor REAL, adopt INTEGER NOT NULL, apart TEXT,
    PRIMARY KEY (version, store)) WITHOUT ROWID;`,
  indexes: "",
  drop: () => "DROP TABLE embedders",
  apply: (db, event) => {
    if (event.type === "EMBED") recordFirst(db, event.version, event.payload)
    if (event.type === "EMBEDDER") {
      const { adopt, apart, dimensions, floor, model, state, weight } = event.payload
      const substitute = apart === undefined ? null : JSON.stringify(apart)
      sql(db, insert).run(
        event.version,
        "",
        state,
        model,
        dimensions,
        weight,
        floor,
        adopt === true ? 1 : 0,
        substitute
      )
    }
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM embedders ORDER BY version, store"),
  stateDigest: () => {}
}

const insert = `INSERT INTO embedders (version, store, state, model, dimensions, weight, floor, adopt, apart)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Records which model made a store's first vectors. Vectors of an embedder in preparation do not count. */
const recordFirst = (
  db: Db,
  version: number,
  { apart, chunks = [], dimensions, entries, model }: Payload<"EMBED">
): void => {
  if (sql(db, "SELECT 1 FROM embedders WHERE state = 'inForce' LIMIT 1").get() !== undefined) return
  const preparing = findPreparingEmbedder(db)
  const isThisModel = (name: ModelName | null | undefined) => name != null && sameModel(name, { model, dimensions })
  if (isThisModel(preparing) || isThisModel(preparing?.apart)) return
  const firsts = firstsByStore(db)
  for (const store of new Set([...entries, ...chunks].map((entry) => entry.store))) {
    const previous = firsts[store]
    if (previous !== undefined && (apart !== true || isThisModel(previous))) continue
    sql(db, insert).run(version, store, "first", model, dimensions, null, null, 0, null)
  }
}

type Row = Omit<EmbedderRecord, "adopt" | "apart" | "stores"> & {
  readonly store: Store | ""
  readonly adopt: number
  readonly apart: string | null
}

const factOf = ({ adopt, apart, store: _, ...row }: Row): EmbedderRecord => ({
  ...row,
  adopt: adopt === 1,
  apart: apart === null ? null : JSON.parse(apart)
})

/** The newest `first` row for each store. */
const firstsByStore = (db: Db): Partial<Record<Store, Row>> =>
  Object.fromEntries(
    (sql(db, "SELECT * FROM embedders WHERE state = 'first' ORDER BY version").all() as Array<Row>).map((row) => [
      row.store,
      row
    ])
  )

/** The last answer of `findActiveEmbedder` for each connection, with the rows that it was computed from. */
const cache = new WeakMap<Db, { readonly rows: string; readonly fact: EmbedderRecord | undefined }>()

/**
 * The active embedder: the one activated last, or else the model of the first vectors. Undefined if there are no
 * vectors. Every search needs it, so the answer is cached until its rows change.
 */
export const findActiveEmbedder = (db: Db): EmbedderRecord | undefined => {
  const rows = sql(db, inForceRows).pluck().get() as string
  const cached = cache.get(db)
  if (cached?.rows === rows) return cached.fact
  const fact = readInForce(db)
  cache.set(db, { rows, fact })
  return fact
}

const inForceRows = `SELECT coalesce(group_concat(version || store || state || model || dimensions), '')
  FROM embedders WHERE state IN ('inForce', 'first')`

const readInForce = (db: Db): EmbedderRecord | undefined => {
  const row = sql(db, "SELECT * FROM embedders WHERE state = 'inForce' ORDER BY version DESC LIMIT 1").get()
  if (row !== undefined) return factOf(row)
  const firsts = firstsByStore(db)
  const main = firsts.social ?? firsts.shared ?? firsts.private
  if (main === undefined) return undefined
  const stores = Object.entries(firsts).map(([store, { dimensions, model }]) => [store, { model, dimensions }])
  return { ...factOf(main), stores: Object.fromEntries(stores) }
}

/** The models whose vectors searches use; undefined if no model is active. */
export const activeModels = (db: Db): ReadonlyArray<ModelName> | undefined => {
  // A view may have no table of this projection.
  if (sql(db, "SELECT 1 FROM sqlite_master WHERE name = 'embedders'").get() === undefined) return undefined
  const active = findActiveEmbedder(db)
  if (active === undefined) return undefined
  return [active, ...(active.apart ? [active.apart] : []), ...Object.values(active.stores ?? {})]
}

/**
 * The embedder in preparation: the last embedder whose preparation started, if it was not activated or dropped since.
 */
export const findPreparingEmbedder = (db: Db): EmbedderRecord | undefined => {
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
 * True if vectors of this model are needed, because the model is active or in preparation. Before the first activation,
 * the program's own model is also needed, unless that model was dropped, or was prepared and then replaced by another
 * model.
 */
export const isModelNeeded = (db: Db, { dimensions, model }: ModelName): boolean => {
  const isThisModel = (fact: EmbedderRecord | undefined) => fact?.model === model && fact.dimensions === dimensions
  const active = findActiveEmbedder(db)
  if (isThisModel(active) || isThisModel(findPreparingEmbedder(db))) return true
  return (
    active?.state !== "inForce" && !findEmbedderRecords(db).some((fact) => isThisModel(fact) && fact.state !== "first")
  )
}

/** All records of embedders, oldest first. */
export const findEmbedderRecords = (db: Db): ReadonlyArray<EmbedderRecord> =>
  sql(db, "SELECT * FROM embedders ORDER BY version, store").all().map(factOf)

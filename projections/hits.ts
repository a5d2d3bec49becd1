import { floorOf, type ReadingLevel, type TrustLevel } from "../events/Trust.js"
import { type Db, sql } from "./Projection.js"
import type { TextIndex } from "./textIndex.js"
import type { VectorIndex } from "./vectorIndex.js"

/** Rows that are searched: a table with a column `born`, and the two indexes over it. */
export interface Corpus {
  readonly table: string
  readonly text: TextIndex
  readonly vectors: VectorIndex
}

/** A condition over the table of a corpus, named `o`. */
export interface Condition {
  readonly sql: string
  readonly params: ReadonlyArray<unknown>
  /** Whether it lets every indexed row of the level pass. */
  readonly open: boolean
}

/** A query's vector, and below which cosine similarity a row has nothing to do with it. */
export interface QueryVector {
  readonly model: string
  readonly values: Float32Array
  readonly floor: number
}

export interface HitsQuery {
  readonly level: TrustLevel
  /** An FTS5 expression; null for no full text. */
  readonly match: string | null
  /** Rows outside of this FTS5 expression are no hits, however similar. */
  readonly within: string | null
  /** Nor are rows inside of this one. */
  readonly without: string | null
  readonly vector: QueryVector | null
  /** Hits of each side. */
  readonly pool: number
}

/** What full text and vectors found of a row, each null where it did not find it. */
export interface HitScores {
  readonly born: number
  /** −bm25: higher is better. */
  readonly text: number | null
  /** Cosine similarity, −1…1. */
  readonly similarity: number | null
}

/** The union of what full text and vectors find: a hit of either side alone can win. */
export const findHits = (db: Db, corpus: Corpus, condition: Condition, query: HitsQuery): ReadonlyArray<HitScores> => {
  const { level, match, pool, vector } = query
  if (level === "public") return []
  const text = new Map(match === null ? [] : textHits(db, corpus, level, match, condition, pool))
  const similar = vector === null ? [] : vectorHits(db, corpus, level, query, vector, condition)
  const similarity = new Map(similar.filter(([, value]) => value >= vector!.floor))
  return [...new Set([...text.keys(), ...similarity.keys()])].map((born) => ({
    born,
    text: text.get(born) ?? null,
    similarity: similarity.get(born) ?? null
  }))
}

/** How many rows of the level contain a word, counted no further than `most` + 1: to count common words costs much. */
export const countRows = (db: Db, { text }: Corpus, level: ReadingLevel, expression: string, most: number): number =>
  sql(
    db,
    `SELECT count(*) AS n FROM (SELECT 1 FROM ${text.table(level)} WHERE ${text.table(level)} MATCH ? LIMIT ?)`
  ).get(expression, most + 1).n

/** The LIKE pattern, with `\\` to escape, of texts that contain a needle. */
export const containing = (needle: string): string => `%${needle.replace(/[\\%_]/g, "\\$&")}%`

const textHits = (
  db: Db,
  corpus: Corpus,
  level: ReadingLevel,
  match: string,
  condition: Condition,
  limit: number
): ReadonlyArray<readonly [number, number]> => {
  const table = corpus.text.table(level)
  const score = `bm25(${table}, ${corpus.text.weights}) AS score`
  const rows = condition.open
    ? sql(
        db,
        `SELECT rowid AS born, ${score} FROM ${table} WHERE ${table} MATCH ? ORDER BY score, born DESC LIMIT ?`
      ).all(match, limit)
    : sql(
        db,
        `SELECT t.rowid AS born, ${score} FROM ${table} t JOIN ${corpus.table} o ON o.born = t.rowid
          WHERE ${table} MATCH ? AND ${condition.sql} ORDER BY score, t.rowid DESC LIMIT ?`
      ).all(match, ...condition.params, limit)
  return rows.map((row) => [row.born, -row.score] as const)
}

/** vec0 answers no more than this many. */
const mostNeighbours = 4_096

const vectorHits = (
  db: Db,
  corpus: Corpus,
  level: ReadingLevel,
  { pool, within, without }: HitsQuery,
  { model, values }: QueryVector,
  condition: Condition
): ReadonlyArray<readonly [number, number]> => {
  const vectors = corpus.vectors.table(db, model, values.length)
  if (vectors === undefined) return []
  const clauses = ["embedding MATCH ?", "k = ?"]
  const params: Array<unknown> = [
    Buffer.from(values.buffer, values.byteOffset, values.byteLength),
    BigInt(Math.min(pool + 1, mostNeighbours))
  ]
  if (floorOf(level) > 0) {
    clauses.push("openness >= ?")
    params.push(BigInt(floorOf(level)))
  }
  // vec0 takes one list of rows: all that narrows the search goes into it.
  const table = corpus.text.table(level)
  const matching = `(SELECT rowid FROM ${table} WHERE ${table} MATCH ?)`
  const inside = within === null ? "" : ` AND o.born IN ${matching}`
  const outside = without === null ? "" : ` AND o.born NOT IN ${matching}`
  if (!condition.open || within !== null || without !== null) {
    clauses.push(`rowid IN (SELECT o.born FROM ${corpus.table} o WHERE ${condition.sql}${inside}${outside})`)
    params.push(...condition.params, ...[within, without].filter((one) => one !== null))
  }
  const rows = sql(
    db,
    `SELECT rowid AS born, distance FROM ${vectors} WHERE ${clauses.join(" AND ")} ORDER BY distance`
  ).all(...params)
  // Of several that are equally far at the edge of the pool vec0 takes any: none of them is taken, so that the
  // answer does not depend on how the rows lie.
  const edge = rows.length > pool ? rows[pool].distance : Number.POSITIVE_INFINITY
  // Vectors have unit length: cosine = 1 − distance² / 2.
  return rows
    .filter(({ distance }) => distance < edge)
    .map((row) => [row.born, 1 - (row.distance * row.distance) / 2] as const)
}

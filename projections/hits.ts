import { floorOf, type ReadingLevel, type TrustLevel } from "../events/Trust.js"
import { type Db, sql } from "./Projection.js"
import type { TextIndex } from "./textIndex.js"
import type { VectorIndex } from "./vectorIndex.js"

/** Rows that are searched: a table with a column `born`, and the two indexes over it. */
export interface Corpus {
  readonly table: string
  readonly text: TextIndex
  readonly vectors: VectorIndex
  /**
   * How many row numbers one thing has, where things are cut into rows: the
   * best row of a thing stands for it, so that one of hundreds of rows does not
   * crowd out all others. 1 where absent.
   */
  readonly rowsOfOne?: number
}

/** A condition over the table of a corpus, named `o`. */
export interface Condition {
  readonly sql: string
  readonly params: ReadonlyArray<unknown>
  /** Whether it lets every indexed row of the level pass. */
  readonly open: boolean
  /** Where it lets every indexed row of one openness pass and no other: which. */
  readonly openness?: number
}

/** A query's vector, and below which cosine similarity a row has nothing to do with it. */
export interface QueryVector {
  readonly model: string
  readonly values: Float32Array
  readonly floor: number
  /** How open the rows are that it is compared with; all where absent. */
  readonly among?: ReadonlyArray<number>
  /** The vector of another model, for the rows that this one is not compared with. */
  readonly apart?: QueryVector
}

/** Words that rows must and must not have, as FTS5 expressions; null for none. */
export interface Required {
  /** Rows outside of this are no hits, however similar or new. */
  readonly within: string | null
  /** Nor are rows inside of this. */
  readonly without: string | null
}

export const nothingRequired: Required = { within: null, without: null }

export interface HitsQuery extends Required {
  readonly level: TrustLevel
  /** An FTS5 expression; null for no full text. */
  readonly match: string | null
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

/**
 * The union of what full text and vectors find: a hit of either side alone can
 * win. Of a thing of several rows each side has its own best; the row that full
 * text prefers is the one to show.
 */
export const findHits = (db: Db, corpus: Corpus, condition: Condition, query: HitsQuery): ReadonlyArray<HitScores> => {
  const { level, match, vector } = query
  if (level === "public") return []
  const oneOf = (born: number) => Math.floor(born / (corpus.rowsOfOne ?? 1))
  const found = new Map<number, { readonly born: number; readonly text: number | null; similarity: number | null }>()
  if (match !== null) {
    for (const [born, text] of textHits(db, corpus, level, match, condition, query.pool)) {
      found.set(oneOf(born), { born, text, similarity: null })
    }
  }
  for (const one of vector === null ? [] : [vector, ...(vector.apart === undefined ? [] : [vector.apart])]) {
    for (const [born, similarity] of vectorHits(db, corpus, level, query, one, condition)) {
      if (similarity < one.floor) continue
      const known = found.get(oneOf(born))
      if (known === undefined) found.set(oneOf(born), { born, text: null, similarity })
      else known.similarity = similarity
    }
  }
  return [...found.values()]
}

/** What is required of the words of a row, as a further condition over the table of a corpus, named `o`. */
export const requiring = (
  corpus: Corpus,
  level: TrustLevel,
  { within, without }: Required
): { readonly sql: string; readonly params: ReadonlyArray<string> } => {
  if (level === "public") return { sql: "", params: [] }
  const table = corpus.text.table(level)
  const matching = `(SELECT rowid FROM ${table} WHERE ${table} MATCH ?)`
  const inside = within === null ? "" : ` AND o.born IN ${matching}`
  const outside = without === null ? "" : ` AND o.born NOT IN ${matching}`
  return { sql: `${inside}${outside}`, params: [within, without].filter((one) => one !== null) }
}

/** How many rows of the level contain a word, counted no further than `most` + 1: to count common words costs much. */
export const countRows = (db: Db, { text }: Corpus, level: ReadingLevel, expression: string, most: number): number =>
  sql(
    db,
    `SELECT count(*) AS n FROM (SELECT 1 FROM ${text.table(level)} WHERE ${text.table(level)} MATCH ? LIMIT ?)`
  ).get(expression, most + 1).n

/** Parts of texts, as a substring search looks for them. */
export interface Needles {
  /** Each of them must be there; none where absent. */
  readonly all?: ReadonlyArray<string>
  /** One of them must. */
  readonly any: ReadonlyArray<string>
  /** None of them may. */
  readonly none?: ReadonlyArray<string>
  /** What full text has to say of it as well. */
  readonly required?: Required
}

/** The condition of all of them, given that of one; its parameters are those of `all`, of `any`, of `none`. */
export const holding = (one: string, { all = [], any, none = [] }: Needles): string =>
  [
    ...all.map(() => one),
    ...(any.length === 0 ? [] : [`(${any.map(() => one).join(" OR ")})`]),
    ...none.map(() => `NOT ${one}`)
  ].join(" AND ")

/** The LIKE pattern, with `\\` to escape, of texts that contain a needle. */
export const containing = (needle: string): string => `%${needle.replace(/[\\%_]/g, "\\$&")}%`

const textHits = (
  db: Db,
  corpus: Corpus,
  level: ReadingLevel,
  match: string,
  condition: Condition,
  pool: number
): ReadonlyArray<readonly [number, number]> => {
  const table = corpus.text.table(level)
  const score = `bm25(${table}, ${corpus.text.weights}) AS score`
  const found = condition.open
    ? `SELECT rowid AS born, ${score} FROM ${table} WHERE ${table} MATCH ?`
    : `SELECT t.rowid AS born, ${score} FROM ${table} t JOIN ${corpus.table} o ON o.born = t.rowid
        WHERE ${table} MATCH ? AND ${condition.sql}`
  const params = [match, ...(condition.open ? [] : condition.params)]
  const best = (text: string, limit: number): Array<{ readonly born: number; readonly score: number }> =>
    sql(db, `${text} ORDER BY score, born DESC LIMIT ?`).all(...params, limit)
  const one = corpus.rowsOfOne
  let rows = best(found, one === undefined ? pool : spare * pool)
  if (one !== undefined) {
    const saturated = rows.length === spare * pool
    rows = bestOfEach(rows, one).slice(0, pool)
    // A few things have nearly all of these rows: sought by thing, at twice the cost.
    if (saturated && rows.length < pool) {
      rows = best(`SELECT born, min(score) AS score FROM (${found} LIMIT -1) GROUP BY born / ${one}`, pool)
    }
  }
  return rows.map((row) => [row.born, -row.score] as const)
}

/** Rows that are asked for each thing that is wanted, where things have several. */
const spare = 2

/** vec0 answers no more than this many. */
const mostNeighbours = 4_096

/** Of rows in order of merit the first of each thing. */
const bestOfEach = <A extends { readonly born: number }>(rows: ReadonlyArray<A>, rowsOfOne: number): Array<A> => {
  const seen = new Set<number>()
  return rows.filter(({ born }) => {
    const one = Math.floor(born / rowsOfOne)
    return !seen.has(one) && seen.add(one)
  })
}

const vectorHits = (
  db: Db,
  corpus: Corpus,
  level: ReadingLevel,
  { pool, within, without }: HitsQuery,
  { among, model, values }: QueryVector,
  condition: Condition
): ReadonlyArray<readonly [number, number]> => {
  const vectors = corpus.vectors.table(db, model, values.length)
  if (vectors === undefined) return []
  const clauses = ["embedding MATCH ?", "k = ?"]
  const params: Array<unknown> = []
  const one = condition.openness
  if (one !== undefined || floorOf(level) > 0) {
    clauses.push(one === undefined ? "openness >= ?" : "openness = ?")
    params.push(BigInt(one ?? floorOf(level)))
  }
  if (among !== undefined) {
    clauses.push(`openness IN (${among.map(() => "?").join(", ")})`)
    params.push(...among.map(BigInt))
  }
  // vec0 takes one list of rows: all else that narrows the search goes into it.
  const required = requiring(corpus, level, { within, without })
  if ((!condition.open && one === undefined) || required.sql !== "") {
    clauses.push(`rowid IN (SELECT o.born FROM ${corpus.table} o WHERE ${condition.sql}${required.sql})`)
    params.push(...condition.params, ...required.params)
  }
  const nearest = (k: number): ReadonlyArray<{ readonly born: number; readonly distance: number }> => {
    const rows: Array<{ readonly born: number; readonly distance: number }> = sql(
      db,
      `SELECT rowid AS born, distance FROM ${vectors} WHERE ${clauses.join(" AND ")} ORDER BY distance`
    ).all(Buffer.from(values.buffer, values.byteOffset, values.byteLength), BigInt(k), ...params)
    // Of several that are equally far at the edge vec0 takes any: none of them is taken, so that the answer does not
    // depend on how the rows lie.
    const edge = rows.length === k ? rows[k - 1]!.distance : Number.POSITIVE_INFINITY
    const inside = rows.filter(({ distance }) => distance < edge)
    if (corpus.rowsOfOne === undefined) return inside
    inside.sort((a, b) => a.distance - b.distance || a.born - b.born)
    const best = bestOfEach(inside, corpus.rowsOfOne)
    if (best.length <= pool && rows.length === k && k < mostNeighbours) return nearest(mostNeighbours)
    const last = best[pool]?.distance ?? Number.POSITIVE_INFINITY
    return best.filter(({ distance }) => distance < last)
  }
  // Vectors have unit length: cosine = 1 − distance² / 2.
  return nearest(Math.min((corpus.rowsOfOne === undefined ? 1 : spare) * pool + 1, mostNeighbours)).map(
    (row) => [row.born, 1 - (row.distance * row.distance) / 2] as const
  )
}

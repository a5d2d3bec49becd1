import { minOpennessOf, type ReadingLevel, type TrustLevel } from "../events/Trust.js"
import { type Db, sql } from "./Projection.js"
import type { TextIndex } from "./textIndex.js"
import type { VectorIndex } from "./vectorIndex.js"

/** A searchable table with a column `born`, and its two indexes. */
export interface Corpus {
  readonly table: string
  readonly text: TextIndex
  readonly vectors: VectorIndex
  /**
   * Row numbers reserved per item, for items that are cut into several rows. Only the best row of an item is a hit;
   * otherwise an item of hundreds of rows would displace all others. Default 1.
   */
  readonly rowNumbersPerItem?: number
  /** Returns the words that resemble a misspelt word and that the level may read, the most similar first. */
  readonly similarWords?: (db: Db, level: ReadingLevel, word: string) => ReadonlyArray<SimilarWord>
}

/** A word, and its distance from another word: 1 for each edit, less for common errors. */
export interface SimilarWord {
  readonly word: string
  readonly cost: number
}

/** A condition on the table of a corpus, whose alias is `o`. */
export interface Condition {
  readonly sql: string
  readonly params: ReadonlyArray<unknown>
  /** True if every indexed row of the level meets the condition. */
  readonly matchesAll: boolean
  /** Set only if the condition selects exactly the indexed rows of one openness. */
  readonly openness?: number
}

/** The vector of a query. Rows whose cosine similarity is below `floor` are not hits. */
export interface QueryVector {
  readonly model: string
  readonly values: Float32Array
  readonly floor: number
  /** Compares only rows of these openness values; all rows if absent. */
  readonly opennesses?: ReadonlyArray<number>
  /** The query's vector from a second model, for rows that the first model has not embedded. */
  readonly substitute?: QueryVector
}

/**
 * FTS5 expressions for words that rows must contain and for words that rows must not contain; null for no such words.
 */
export interface RequiredWords {
  /**
   * Only rows that match this expression are hits. This also applies to hits by vector and to lists of the newest rows.
   */
  readonly within: string | null
  /** Rows that match this expression are not hits. */
  readonly without: string | null
}

export const noRequiredWords: RequiredWords = { within: null, without: null }

export interface HitsQuery extends RequiredWords {
  readonly level: TrustLevel
  /** An FTS5 expression; null to skip the full-text search. */
  readonly match: string | null
  readonly vector: QueryVector | null
  /** The maximum number of hits from the full-text search, and also from the vector search. */
  readonly pool: number
  /**
   * How to treat rows that have the same distance as the last row of the pool. True: order them by row number.
   * Otherwise they are left out, which costs less and matters little in a large pool.
   */
  readonly ordersTies?: boolean
}

/** The scores of a row. A score is null if that index did not find the row. */
export interface HitScores {
  readonly born: number
  /** −bm25: higher is better. */
  readonly text: number | null
  /** Cosine similarity, −1…1. */
  readonly similarity: number | null
}

/**
 * The hits of the full-text search and of the vector search together. A hit that only one index found can rank first.
 * If an item has several rows, each index contributes its best row of the item. If both indexes found the item, the
 * result contains the row from the full-text index.
 */
export const findHits = (db: Db, corpus: Corpus, condition: Condition, query: HitsQuery): ReadonlyArray<HitScores> => {
  const { level, match, vector } = query
  if (level === "public") return []
  const itemOf = (born: number) => Math.floor(born / (corpus.rowNumbersPerItem ?? 1))
  const hits = new Map<number, { readonly born: number; readonly text: number | null; similarity: number | null }>()
  if (match !== null) {
    for (const [born, text] of textHits({ db, corpus, level, condition, match, pool: query.pool })) {
      hits.set(itemOf(born), { born, text, similarity: null })
    }
  }
  for (const queryVector of vector === null
    ? []
    : [vector, ...(vector.substitute === undefined ? [] : [vector.substitute])]) {
    for (const [born, similarity] of vectorHits({ db, corpus, level, condition, query, queryVector })) {
      if (similarity < queryVector.floor) continue
      const hit = hits.get(itemOf(born))
      if (hit === undefined) hits.set(itemOf(born), { born, text: null, similarity })
      else hit.similarity = similarity
    }
  }
  return [...hits.values()]
}

/** The SQL that adds required words to a condition on a corpus table, whose alias is `o`. */
export const requiredCondition = (
  corpus: Corpus,
  level: TrustLevel,
  { within, without }: RequiredWords
): { readonly sql: string; readonly params: ReadonlyArray<string> } => {
  if (level === "public") return { sql: "", params: [] }
  const table = corpus.text.table(level)
  const matching = `(SELECT rowid FROM ${table} WHERE ${table} MATCH ?)`
  const included = within === null ? "" : ` AND o.born IN ${matching}`
  const excluded = without === null ? "" : ` AND o.born NOT IN ${matching}`
  return { sql: `${included}${excluded}`, params: [within, without].filter((expression) => expression !== null) }
}

/** The number of rows of the level that match. Stops at `limit` + 1, because counting common words is slow. */
export const countRows = (db: Db, { text }: Corpus, level: ReadingLevel, expression: string, limit: number): number =>
  sql(
    db,
    `SELECT count(*) AS n FROM (SELECT 1 FROM ${text.table(level)} WHERE ${text.table(level)} MATCH ? LIMIT ? + 0)`
  ).get(expression, limit + 1).n

/**
 * The number of rows that match, at most `maxListedRows` + 1, and the rows among `borns` that match. If more than
 * `maxListedRows` rows match, each row of `borns` is checked separately.
 */
export const countAndMatchRows = (
  db: Db,
  { text }: Corpus,
  level: ReadingLevel,
  expression: string,
  borns: ReadonlyArray<number>
): { readonly rows: number; readonly among: ReadonlySet<number> } => {
  const table = text.table(level)
  const matching: ReadonlyArray<number> = sql(db, `SELECT rowid FROM ${table} WHERE ${table} MATCH ? LIMIT ? + 0`)
    .pluck()
    .all(expression, maxListedRows + 1)
  if (matching.length <= maxListedRows) return { rows: matching.length, among: new Set(matching) }
  const isMatch = sql(db, `SELECT 1 FROM ${table} WHERE ${table} MATCH ? AND rowid = ?`)
  return {
    rows: matching.length,
    among: new Set(borns.filter((born) => isMatch.get(expression, born) !== undefined))
  }
}

/** Maximum number of matching rows that `countAndMatchRows` lists. */
const maxListedRows = 256

/** The texts that a substring search looks for. */
export interface SubstringQuery {
  /** All of these must be in the row. Default none. */
  readonly allOf?: ReadonlyArray<string>
  /** At least one of these must be in the row. */
  readonly anyOf: ReadonlyArray<string>
  /** None of these may be in the row. */
  readonly noneOf?: ReadonlyArray<string>
  /** Words that the row must also contain, or must not contain, according to the full-text index. */
  readonly required?: RequiredWords
}

/**
 * Repeats the SQL condition of one needle for all needles. The parameters of the result are those of `allOf`, then
 * `anyOf`, then `noneOf`.
 */
export const substringCondition = (condition: string, { allOf = [], anyOf, noneOf = [] }: SubstringQuery): string =>
  [
    ...allOf.map(() => condition),
    ...(anyOf.length === 0 ? [] : [`(${anyOf.map(() => condition).join(" OR ")})`]),
    ...noneOf.map(() => `NOT ${condition}`)
  ].join(" AND ")

/** The LIKE pattern for texts that contain a needle, with `\\` as the escape character. */
export const likePattern = (needle: string): string => `%${needle.replace(/[\\%_]/g, "\\$&")}%`

interface CorpusSearch {
  readonly db: Db
  readonly corpus: Corpus
  readonly level: ReadingLevel
  readonly condition: Condition
}

/** Row numbers with their scores. */
type ScoredRows = ReadonlyArray<readonly [born: number, score: number]>

const textHits = ({
  condition,
  corpus,
  db,
  level,
  match,
  pool
}: CorpusSearch & { readonly match: string; readonly pool: number }): ScoredRows => {
  const table = corpus.text.table(level)
  const score = `bm25(${table}, ${corpus.text.weights}) AS score`
  const matching = condition.matchesAll
    ? `SELECT rowid AS born, ${score} FROM ${table} WHERE ${table} MATCH ?`
    : `SELECT t.rowid AS born, ${score} FROM ${table} t JOIN ${corpus.table} o ON o.born = t.rowid
        WHERE ${table} MATCH ? AND ${condition.sql}`
  const params = [match, ...(condition.matchesAll ? [] : condition.params)]
  // SQLite plans the statement again for each value of `LIMIT ?`, but not for `LIMIT ? + 0`.
  const best = (text: string, limit: number): Array<{ readonly born: number; readonly score: number }> =>
    sql(db, `${text} ORDER BY score, born DESC LIMIT ? + 0`).all(...params, limit)
  const { rowNumbersPerItem } = corpus
  let rows = best(matching, rowNumbersPerItem === undefined ? pool : rowsPerItem * pool)
  if (rowNumbersPerItem !== undefined) {
    const saturated = rows.length === rowsPerItem * pool
    rows = bestOfEach(rows, rowNumbersPerItem).slice(0, pool)
    // A few items have nearly all of these rows. So group by item instead, at twice the cost.
    if (saturated && rows.length < pool) {
      rows = best(
        `SELECT born, min(score) AS score FROM (${matching} LIMIT -1) GROUP BY born / ${rowNumbersPerItem}`,
        pool
      )
    }
  }
  return rows.map((row) => [row.born, -row.score] as const)
}

/** The number of rows to fetch for each requested item, if an item can have several rows. */
const rowsPerItem = 2

/** The maximum k of vec0. */
const maxNeighbours = 4_096

/** The first row of each item, from rows sorted best first. */
const bestOfEach = <A extends { readonly born: number }>(
  rows: ReadonlyArray<A>,
  rowNumbersPerItem: number
): Array<A> => {
  const seen = new Set<number>()
  return rows.filter(({ born }) => {
    const item = Math.floor(born / rowNumbersPerItem)
    return !seen.has(item) && seen.add(item)
  })
}

const vectorHits = ({
  condition,
  corpus,
  db,
  level,
  query,
  queryVector
}: CorpusSearch & { readonly query: HitsQuery; readonly queryVector: QueryVector }): ScoredRows => {
  const { ordersTies = false, pool, within, without } = query
  const { opennesses, model, values } = queryVector
  const vectors = corpus.vectors.table(db, model, values.length)
  if (vectors === undefined) return []
  const clauses = ["embedding MATCH ?", "k = ?"]
  const params: Array<unknown> = []
  const { openness } = condition
  if (openness !== undefined || minOpennessOf(level) > 0) {
    clauses.push(openness === undefined ? "openness >= ?" : "openness = ?")
    params.push(BigInt(openness ?? minOpennessOf(level)))
  }
  if (opennesses !== undefined) {
    clauses.push(`openness IN (${opennesses.map(() => "?").join(", ")})`)
    params.push(...opennesses.map(BigInt))
  }
  // vec0 accepts one list of row numbers, so all other conditions are combined into that list.
  const required = requiredCondition(corpus, level, { within, without })
  if ((!condition.matchesAll && openness === undefined) || required.sql !== "") {
    clauses.push(`rowid IN (SELECT o.born FROM ${corpus.table} o WHERE ${condition.sql}${required.sql})`)
    params.push(...condition.params, ...required.params)
  }
  const nearest = (k: number): ReadonlyArray<{ readonly born: number; readonly distance: number }> => {
    // vec0 returns up to k rows for each openness in a list.
    const rows: Array<{ readonly born: number; readonly distance: number }> = sql(
      db,
      `SELECT rowid AS born, distance FROM ${vectors} WHERE ${clauses.join(" AND ")} ORDER BY distance`
    )
      .all(Buffer.from(values.buffer, values.byteOffset, values.byteLength), BigInt(k), ...params)
      .slice(0, k)
    // If several rows have the same distance as the last result, vec0 returns an arbitrary one. Drop all of them, so
    // that the result does not depend on the order of rows in the file.
    const edge = rows.length === k ? rows[k - 1]!.distance : Number.POSITIVE_INFINITY
    const inside = rows.filter(({ distance }) => distance < edge)
    if (corpus.rowNumbersPerItem === undefined && !ordersTies) return inside
    inside.sort((a, b) => a.distance - b.distance || a.born - b.born)
    const best = bestOfEach(inside, corpus.rowNumbersPerItem ?? 1)
    if (best.length <= pool && rows.length === k && k < maxNeighbours) return nearest(maxNeighbours)
    if (ordersTies) return best.slice(0, pool)
    const last = best[pool]?.distance ?? Number.POSITIVE_INFINITY
    return best.filter(({ distance }) => distance < last)
  }
  // Vectors have unit length: cosine = 1 − distance² / 2.
  return nearest(Math.min((corpus.rowNumbersPerItem === undefined ? 1 : rowsPerItem) * pool + 1, maxNeighbours)).map(
    (row) => [row.born, 1 - (row.distance * row.distance) / 2] as const
  )
}

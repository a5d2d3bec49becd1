import type { Tier } from "../events/Memory.js"
import { minOpennessOf, type TrustLevel } from "../events/Trust.js"
import { type Db, sql } from "./Projection.js"

/** The parameters of a score. `scoreOf` in src/search/score.ts computes the same score for one memory. */
export interface ScoreFormula {
  readonly frequencyWeight: number
  readonly recencyWeight: number
  readonly importanceWeight: number
  /** The decay rate λ of a type, per day. */
  readonly decayOf: (type: string) => number
}

export interface ScoredRow {
  readonly born: number
  readonly score: number
}

const dayMillis = 86_400_000

/** Selects the memories to rank. `now` is the time at which they are scored, in milliseconds. */
export interface ScoreQuery {
  readonly now: number
  readonly limit: number
  readonly tier?: Tier | undefined
  /** Only memories of writers at this level and above. */
  readonly writers?: TrustLevel | undefined
  /** Only memories that were mentioned at least this many times. */
  readonly mentions?: number | undefined
  /** Whether the score counts how often a memory was shown. Default true. */
  readonly countsAccesses?: boolean | undefined
}

/**
 * The memories with the highest scores, best first. If scores are equal, the memory that was stored later is first. Two
 * passes read only covering indexes; they read memories only to filter by writer. How often a memory was shown counts
 * at full trust only, because lower levels must not learn it. It can only raise a score.
 */
export const findMemoriesByScore = (
  db: Db,
  level: TrustLevel,
  formula: ScoreFormula,
  { countsAccesses = true, limit, mentions, now, tier, writers }: ScoreQuery
): ReadonlyArray<ScoredRow> => {
  const filters = [
    ...(tier === undefined ? [] : [["tier = :tier", { tier }] as const]),
    ...(mentions === undefined ? [] : [["mentions >= :mentions", { mentions }] as const]),
    ...(writers === undefined ? [] : [["level <= :writers", { writers: minOpennessOf(writers) }] as const])
  ]
  const filter = filters.map(([condition]) => ` AND ${condition}`).join("")
  const filterValues = Object.assign({}, ...filters.map(([, values]) => values))
  const best = new Map<number, number>()
  let minScore = Number.NEGATIVE_INFINITY
  const addRows = (rows: ReadonlyArray<ScoredRow>) => {
    if (rows.length === 0) return
    for (const { born, score } of rows) best.set(born, Math.max(score, best.get(born) ?? score))
    // Later queries can skip scores below the last of the best scores so far.
    if (best.size >= limit) minScore = [...best.values()].sort((a, b) => b - a)[limit - 1]!
  }
  const types = typesIn(db)
  for (const type of types) {
    addRows(
      sql(db, highestSeen(filter)).all({
        ...parametersOf(formula, now),
        ...filterValues,
        type,
        decay: formula.decayOf(type),
        floor: minOpennessOf(level),
        least: minScore,
        limit
      })
    )
  }
  if (level === "full" && countsAccesses) {
    const decays = decaysOf(formula, types)
    addRows(
      sql(db, highestShown(filter)).all({
        ...parametersOf(formula, now),
        ...filterValues,
        decays,
        least: minScore,
        limit
      })
    )
  }
  return [...best]
    .map(([born, score]) => ({ born, score }))
    .sort((a, b) => b.score - a.score || b.born - a.born)
    .slice(0, limit)
}

/** The number of memories, their mean score, and the mean number of whole days since each was last seen. */
export interface ScoreSummary {
  readonly memories: number
  readonly score: number
  readonly days: number
}

export interface ScoreStatistics {
  readonly all: ScoreSummary
  readonly byTier: Readonly<Record<string, ScoreSummary>>
  readonly byType: Readonly<Record<string, ScoreSummary>>
  /** The number of memories with a score below each bound. */
  readonly below: ReadonlyArray<number>
}

/**
 * Counts the active, unexpired memories by tier, by type, and by score bound. Works in portions, so that other fibers
 * can run in between. A portion is all memories of one type, or `shownAtOnce` of the memories that were ever shown. The
 * caller must have full trust.
 */
export const countScores = (
  formula: ScoreFormula,
  now: number,
  bounds: ReadonlyArray<number>,
  shownAtOnce = 10_000
) => {
  const sums = new Map<string, { memories: number; score: number; days: number }>()
  const countsBelow = bounds.map(() => 0)
  const parameters = {
    ...parametersOf(formula, now),
    ...Object.fromEntries(bounds.map((bound, index) => [`bound${index}`, bound]))
  }
  const add = (type: string, tier: string, [memories, score, days, ...belowBounds]: Sum) => {
    for (const name of ["", `tier ${tier}`, `type ${type}`]) {
      const sum = sums.get(name) ?? { memories: 0, score: 0, days: 0 }
      sums.set(name, { memories: sum.memories + memories, score: sum.score + score, days: sum.days + days })
    }
    for (const [bound, count] of belowBounds.entries()) countsBelow[bound]! += count
  }
  let kinds: Array<Kind> | undefined
  let decays = "{}"
  let after = ""
  const meansOf = (prefix: string): Readonly<Record<string, ScoreSummary>> =>
    Object.fromEntries(
      [...sums]
        .filter(([name, { memories }]) => name.startsWith(prefix) && name !== "" && memories > 0)
        .map(([name, sum]): [string, ScoreSummary] => [name.slice(prefix.length), meanOf(sum)])
        .sort(([, a], [, b]) => b.memories - a.memories)
    )
  return {
    /** Counts the memories of the next portion. Returns false at the end. */
    next: (db: Db): boolean => {
      if (kinds === undefined) {
        kinds = [...kindsIn(db)]
        decays = decaysOf(
          formula,
          kinds.map(({ type }) => type)
        )
        return true
      }
      const type = kinds[0]?.type
      if (type !== undefined) {
        const unshownRows = sql(db, sumOf(bounds.length)).raw()
        while (kinds[0]?.type === type) {
          const kind = kinds.shift()!
          add(type, kind.tier, unshownRows.get({ ...parameters, ...kind, decay: formula.decayOf(type) }))
        }
        return true
      }
      // Corrects the sums for memories that were shown: their score is higher, and they were seen later.
      const last = sql(db, lastShown).pluck().get(after, shownAtOnce) as string | null
      if (last === null) return false
      const rows = sql(db, sumOfShown(bounds.length))
        .raw()
        .all({ ...parameters, decays, after, last })
      for (const [shownType, tier, ...sum] of rows as unknown as Array<[string, string, ...Sum]>) {
        add(shownType, tier, sum)
      }
      after = last
      return true
    },
    result: (): ScoreStatistics => ({
      all: meanOf(sums.get("") ?? { memories: 0, score: 0, days: 0 }),
      byTier: meansOf("tier "),
      byType: meansOf("type "),
      below: countsBelow.map((count) => Math.max(0, count))
    })
  }
}

const meanOf = ({
  days,
  memories,
  score
}: {
  readonly memories: number
  readonly score: number
  readonly days: number
}) => (memories === 0 ? { memories, score: 0, days: 0 } : { memories, score: score / memories, days: days / memories })

/** Amounts to add: memories, score, days, and memories below each bound. */
type Sum = [memories: number, score: number, days: number, ...below: Array<number>]

const parametersOf = ({ frequencyWeight, importanceWeight, recencyWeight }: ScoreFormula, now: number) => ({
  frequencyWeight,
  recencyWeight,
  importanceWeight,
  now,
  today: Math.floor(now / dayMillis)
})

/** The decay rate λ of each type, as JSON. */
const decaysOf = ({ decayOf }: ScoreFormula, types: ReadonlyArray<string>): string =>
  JSON.stringify(Object.fromEntries(types.map((type) => [type, decayOf(type)])))

const typesIn = (db: Db): ReadonlyArray<string> =>
  sql(
    db,
    `WITH RECURSIVE types (type) AS (
      SELECT min(type) FROM observations WHERE active = 1
      UNION ALL
      SELECT (SELECT min(type) FROM observations WHERE active = 1 AND type > types.type) FROM types
        WHERE types.type IS NOT NULL)
    SELECT type FROM types WHERE type IS NOT NULL`
  )
    .pluck()
    .all() as ReadonlyArray<string>

interface Kind {
  readonly type: string
  readonly openness: number
  readonly tier: string
}

const kindsIn = (db: Db): ReadonlyArray<Kind> =>
  sql(db, "SELECT DISTINCT type, openness, tier FROM observations WHERE active = 1 ORDER BY 1, 2, 3").all()

/** The terms have the same order as in `scoreOf`, so that both calculations round in the same way. */
const formulaSql = (hits: string, recency: string) =>
  `:frequencyWeight * ln(${hits}) + :recencyWeight * ${recency} + :importanceWeight * importance`
const daysSql = (lastSeen: string) => `max(0, :today - ${lastSeen} / ${dayMillis})`
const scoreSql = (hits: string, decay: string, lastSeen: string) =>
  formulaSql(hits, `exp(-${decay} * ${daysSql(lastSeen)})`)

const unexpired = "(expires_at IS NULL OR expires_at > :now)"

// LIMIT -1 keeps SQLite from computing the score again for each use.
const highestSeen = (
  filter: string
) => `SELECT born, score FROM (SELECT born, ${scoreSql("mentions", ":decay", "mentioned_at")} AS score
    FROM observations INDEXED BY observations_score
    WHERE active = 1 AND type = :type AND openness >= :floor AND ${unexpired}${filter} LIMIT -1)
  WHERE score >= :least ORDER BY score DESC, born DESC LIMIT :limit`

const belowSql = (bounds: number, conditionOf: (bound: string) => string) =>
  Array.from({ length: bounds }, (_, index) => `, coalesce(sum(${conditionOf(`:bound${index}`)}), 0)`).join("")

// LIMIT -1 as above.
const sumOf = (
  bounds: number
) => `SELECT count(*), total(score), total(days)${belowSql(bounds, (bound) => `score < ${bound}`)}
  FROM (SELECT ${scoreSql("mentions", ":decay", "mentioned_at")} AS score, ${daysSql("mentioned_at")} AS days
    FROM observations INDEXED BY observations_score
    WHERE active = 1 AND type = :type AND openness = :openness AND tier = :tier AND ${unexpired} LIMIT -1)`

// One index maps an id to a row number; the other covers all columns of the formula. CROSS JOIN makes SQLite use the
// tables in this order.
const shown = `accesses CROSS JOIN (SELECT id AS shown, born AS place FROM observations INDEXED BY observations_id)
    ON shown = accesses.id
  CROSS JOIN observations AS o INDEXED BY observations_shown ON o.born = place AND active = 1
  CROSS JOIN decays ON decays.type = o.type`
const decays = "WITH decays (type, decay) AS MATERIALIZED (SELECT key, value FROM json_each(:decays))"
const shownHits = "(mentions + accesses)"
const shownAt = "max(mentioned_at, accessed_at)"

// Skips memories whose score would be too low even if they had been seen today. Computes the exact score only for the
// other memories.
const highestShown = (filter: string) => `${decays}
  SELECT born, ${scoreSql(shownHits, "decay", shownAt)} AS score FROM ${shown}
  WHERE ${unexpired}${filter} AND ${formulaSql(shownHits, "1.0")} >= :least AND score >= :least
  ORDER BY score DESC, born DESC LIMIT :limit`

const lastShown = "SELECT max(id) FROM (SELECT id FROM accesses WHERE id > ? ORDER BY id LIMIT ?)"

const sumOfShown = (bounds: number) => `${decays}
  SELECT type, tier, 0, total(score - was), total(days)${belowSql(bounds, (bound) => `(score < ${bound}) - (was < ${bound})`)}
  FROM (SELECT o.type, tier, ${scoreSql(shownHits, "decay", shownAt)} AS score,
      ${scoreSql("mentions", "decay", "mentioned_at")} AS was, ${daysSql(shownAt)} - ${daysSql("mentioned_at")} AS days
    FROM ${shown} WHERE accesses.id > :after AND accesses.id <= :last AND ${unexpired} LIMIT -1)
  GROUP BY type, tier`

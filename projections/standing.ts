import { floorOf, type TrustLevel } from "../events/Trust.js"
import { type Db, sql } from "./Projection.js"

/** How a score is made: see `scoreOf` in src/life/score.ts, which says the same of one memory. */
export interface Formula {
  readonly frequencyWeight: number
  readonly recencyWeight: number
  readonly importanceWeight: number
  /** λ of a type, a day. */
  readonly decayOf: (type: string) => number
}

export interface Ranked {
  readonly born: number
  readonly score: number
}

const day = 86_400_000

/**
 * The memories with the highest scores, best first; ties go to the later stored. Each of two passes reads an index that
 * holds all that the formula asks: no memory is read. Times that a memory was shown count for `full` alone, which may
 * know of them; they can only raise a score.
 */
export const findByScore = (
  db: Db,
  level: TrustLevel,
  formula: Formula,
  now: number,
  limit: number
): ReadonlyArray<Ranked> => {
  const best = new Map<number, number>()
  let least = Number.NEGATIVE_INFINITY
  const take = (rows: ReadonlyArray<Ranked>) => {
    if (rows.length === 0) return
    for (const { born, score } of rows) best.set(born, Math.max(score, best.get(born) ?? score))
    // What is below the last place so far need not be sorted.
    if (best.size >= limit) least = [...best.values()].sort((a, b) => b - a)[limit - 1]!
  }
  const types = typesIn(db)
  for (const type of types) {
    take(
      sql(db, highest).all({
        ...parametersOf(formula, now),
        type,
        decay: formula.decayOf(type),
        floor: floorOf(level),
        least,
        limit
      })
    )
  }
  if (level === "full") {
    take(sql(db, highestShown).all({ ...parametersOf(formula, now), decays: decaysOf(formula, types), least, limit }))
  }
  return [...best]
    .map(([born, score]) => ({ born, score }))
    .sort((a, b) => b.score - a.score || b.born - a.born)
    .slice(0, limit)
}

/** How many memories there are of a kind, and their mean score and mean age, in whole days since they were last seen. */
export interface Standing {
  readonly memories: number
  readonly score: number
  readonly days: number
}

export interface Standings {
  readonly all: Standing
  readonly byTier: Readonly<Record<string, Standing>>
  readonly byType: Readonly<Record<string, Standing>>
  /** How many have a score below each bound. */
  readonly below: ReadonlyArray<number>
}

/**
 * Counts what is active and not expired: by tier, by type, and how many have a score below each of these bounds. A
 * portion at a time, so that others have their turns: a type, or `shownAtOnce` of what was shown.
 * For full trust.
 */
export const countStandings = (formula: Formula, now: number, bounds: ReadonlyArray<number>, shownAtOnce = 10_000) => {
  const sums = new Map<string, { memories: number; score: number; days: number }>()
  const below = bounds.map(() => 0)
  const parameters = {
    ...parametersOf(formula, now),
    ...Object.fromEntries(bounds.map((bound, at) => [`bound${at}`, bound]))
  }
  const add = (type: string, tier: string, [memories, score, days, ...some]: Sum) => {
    for (const name of ["", `tier ${tier}`, `type ${type}`]) {
      const sum = sums.get(name) ?? { memories: 0, score: 0, days: 0 }
      sums.set(name, { memories: sum.memories + memories, score: sum.score + score, days: sum.days + days })
    }
    for (const [at, number] of some.entries()) below[at]! += number
  }
  let kinds: Array<Kind> | undefined
  let decays = "{}"
  let after = ""
  const meansOf = (prefix: string): Readonly<Record<string, Standing>> =>
    Object.fromEntries(
      [...sums]
        .filter(([name, { memories }]) => name.startsWith(prefix) && name !== "" && memories > 0)
        .map(([name, sum]): [string, Standing] => [name.slice(prefix.length), meanOf(sum)])
        .sort(([, a], [, b]) => b.memories - a.memories)
    )
  return {
    /** Counts the next portion; whether there is more. */
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
        const unshown = sql(db, sumOf(bounds.length)).raw()
        while (kinds[0]?.type === type) {
          const kind = kinds.shift()!
          add(type, kind.tier, unshown.get({ ...parameters, ...kind, decay: formula.decayOf(type) }))
        }
        return true
      }
      // What was shown has a higher score, and was seen later.
      const last = sql(db, lastShown).pluck().get(after, shownAtOnce) as string | null
      if (last === null) return false
      const rows = sql(db, sumOfShown(bounds.length))
        .raw()
        .all({ ...parameters, decays, after, last })
      for (const [of, tier, ...sum] of rows as unknown as Array<[string, string, ...Sum]>) add(of, tier, sum)
      after = last
      return true
    },
    result: (): Standings => ({
      all: meanOf(sums.get("") ?? { memories: 0, score: 0, days: 0 }),
      byTier: meansOf("tier "),
      byType: meansOf("type "),
      below: below.map((number) => Math.max(0, number))
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

/** How many more memories, how much more of score and days, and how many more below each bound. */
type Sum = [memories: number, score: number, days: number, ...below: Array<number>]

const parametersOf = ({ frequencyWeight, importanceWeight, recencyWeight }: Formula, now: number) => ({
  frequencyWeight,
  recencyWeight,
  importanceWeight,
  now,
  today: Math.floor(now / day)
})

/** λ by type. */
const decaysOf = ({ decayOf }: Formula, types: ReadonlyArray<string>): string =>
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

/** The parts in the order of `scoreOf`, so that they round alike. */
const formulaSql = (hits: string, recency: string) =>
  `:frequencyWeight * ln(${hits}) + :recencyWeight * ${recency} + :importanceWeight * importance`
const daysSql = (seen: string) => `max(0, :today - ${seen} / ${day})`
const scoreSql = (hits: string, decay: string, seen: string) => formulaSql(hits, `exp(-${decay} * ${daysSql(seen)})`)

const unexpired = "(expires_at IS NULL OR expires_at > :now)"

const highest = `SELECT born, ${scoreSql("mentions", ":decay", "mentioned_at")} AS score
  FROM observations INDEXED BY observations_score
  WHERE active = 1 AND type = :type AND openness >= :floor AND ${unexpired} AND score >= :least
  ORDER BY score DESC, born DESC LIMIT :limit`

const belowSql = (bounds: number, of: (bound: string) => string) =>
  Array.from({ length: bounds }, (_, at) => `, coalesce(sum(${of(`:bound${at}`)}), 0)`).join("")

// A limit, though without end, keeps the score from being made again for each use of it.
const sumOf = (
  bounds: number
) => `SELECT count(*), total(score), total(days)${belowSql(bounds, (bound) => `score < ${bound}`)}
  FROM (SELECT ${scoreSql("mentions", ":decay", "mentioned_at")} AS score, ${daysSql("mentioned_at")} AS days
    FROM observations INDEXED BY observations_score
    WHERE active = 1 AND type = :type AND openness = :openness AND tier = :tier AND ${unexpired} LIMIT -1)`

// An id leads to a row number by the one index, the number to all that the formula asks by the other. The joins stand
// in the order in which they are read.
const shown = `accesses CROSS JOIN (SELECT id AS shown, born AS place FROM observations INDEXED BY observations_id)
    ON shown = accesses.id
  CROSS JOIN observations AS o INDEXED BY observations_shown ON o.born = place AND active = 1
  CROSS JOIN decays ON decays.type = o.type`
const decays = "WITH decays (type, decay) AS MATERIALIZED (SELECT key, value FROM json_each(:decays))"
const shownHits = "(mentions + accesses)"
const shownAt = "max(mentioned_at, accessed_at)"

// What would not come into its place if it had been seen today is not scored.
const highestShown = `${decays}
  SELECT born, ${scoreSql(shownHits, "decay", shownAt)} AS score FROM ${shown}
  WHERE ${unexpired} AND ${formulaSql(shownHits, "1.0")} >= :least AND score >= :least
  ORDER BY score DESC, born DESC LIMIT :limit`

const lastShown = "SELECT max(id) FROM (SELECT id FROM accesses WHERE id > ? ORDER BY id LIMIT ?)"

const sumOfShown = (bounds: number) => `${decays}
  SELECT type, tier, 0, total(score - was), total(days)${belowSql(bounds, (bound) => `(score < ${bound}) - (was < ${bound})`)}
  FROM (SELECT o.type, tier, ${scoreSql(shownHits, "decay", shownAt)} AS score,
      ${scoreSql("mentions", "decay", "mentioned_at")} AS was, ${daysSql(shownAt)} - ${daysSql("mentioned_at")} AS days
    FROM ${shown} WHERE accesses.id > :after AND accesses.id <= :last AND ${unexpired} LIMIT -1)
  GROUP BY type, tier`

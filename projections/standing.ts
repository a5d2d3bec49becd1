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
 * The memories with the highest scores, best first; ties go to the later stored. For each type one pass over an index
 * that holds all that the formula asks, so that no memory is read. Times that a memory was shown count for `full`
 * alone, which may know of them; they can only raise a score.
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
  const { decayOf, frequencyWeight, importanceWeight, recencyWeight } = formula
  const today = Math.floor(now / day)
  for (const { type } of typesIn(db)) {
    const weights = [frequencyWeight, recencyWeight, decayOf(type), today, importanceWeight]
    take(sql(db, highest).all(...weights, type, floorOf(level), now, least, limit))
  }
  if (level === "full") {
    // What was shown so seldom that it cannot come into its place is not looked at: no score is above this bound.
    const { importance, mentions } = sql(db, highestParts).get()
    const rest = recencyWeight + importanceWeight * (importance ?? 0)
    const seldom = frequencyWeight > 0 ? Math.exp((least - rest) / frequencyWeight) - (mentions ?? 0) : 0
    const rows: Array<Ranked> = []
    for (const row of sql(db, `${shown} AND a.accesses >= ?`)
      .raw()
      .iterate(now, Math.max(0, Math.floor(seldom)))) {
      const [born, type, importance, hits, seen] = row as [number, string, number, number, number]
      const days = Math.max(0, today - Math.floor(seen / day))
      const score =
        frequencyWeight * Math.log(1 + hits) +
        recencyWeight * Math.exp(-decayOf(type) * days) +
        importanceWeight * importance
      rows.push({ born, score })
    }
    take(rows)
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

/** The scores of what is active and not expired: by tier, by type, and how many lie below each of these bounds. For full trust. */
export const standings = (db: Db, formula: Formula, now: number, bounds: ReadonlyArray<number>) => {
  const { decayOf, frequencyWeight, importanceWeight, recencyWeight } = formula
  const today = Math.floor(now / day)
  const sums = new Map<string, { memories: number; score: number; days: number }>()
  const below = bounds.map(() => 0)
  const add = (names: ReadonlyArray<string>, memories: number, score: number, days: number) => {
    for (const name of names) {
      const sum = sums.get(name) ?? { memories: 0, score: 0, days: 0 }
      sums.set(name, { memories: sum.memories + memories, score: sum.score + score, days: sum.days + days })
    }
  }
  const counts = bounds.map(() => "coalesce(sum(score < ?), 0)").join(", ")
  for (const { type } of typesIn(db)) {
    const weights = [frequencyWeight, recencyWeight, decayOf(type), today, importanceWeight]
    const rows = sql(
      db,
      `SELECT tier, count(*), sum(score), sum(days), ${counts} FROM (
        SELECT tier, ${formulaSql} AS score, max(0, ? - mentioned_at / ${day}) AS days
        FROM observations INDEXED BY observations_score
        WHERE active = 1 AND type = ? AND (expires_at IS NULL OR expires_at > ?)) GROUP BY tier`
    ).raw()
    for (const row of rows.all(...bounds, ...weights, today, type, now)) {
      const [tier, memories, score, days, ...some] = row as [string, number, number, number, ...Array<number>]
      add(["", `tier ${tier}`, `type ${type}`], memories, score, days)
      for (const [at, number] of some.entries()) below[at]! += number
    }
  }
  // What was shown has a higher score, and was seen later.
  for (const one of sql(db, shown).raw().iterate(now)) {
    const [, type, importance, hits, seen, mentions, mentionedAt, tier] = one as [
      number,
      string,
      number,
      number,
      number,
      number,
      number,
      string
    ]
    const daysTo = (at: number) => Math.max(0, today - Math.floor(at / day))
    const scoreAt = (hits: number, at: number) =>
      frequencyWeight * Math.log(1 + hits) +
      recencyWeight * Math.exp(-decayOf(type) * daysTo(at)) +
      importanceWeight * importance
    const [was, is] = [scoreAt(mentions - 1, mentionedAt), scoreAt(hits, seen)]
    add(["", `tier ${tier}`, `type ${type}`], 0, is - was, daysTo(seen) - daysTo(mentionedAt))
    for (const [at, bound] of bounds.entries()) if (was < bound && is >= bound) below[at]!--
  }
  const meansOf = (prefix: string): Readonly<Record<string, Standing>> =>
    Object.fromEntries(
      [...sums]
        .filter(([name]) => name.startsWith(prefix) && name !== "")
        .map(([name, { days, memories, score }]): [string, Standing] => [
          name.slice(prefix.length),
          { memories, score: score / memories, days: days / memories }
        ])
        .sort(([, a], [, b]) => b.memories - a.memories)
    )
  const all = sums.get("") ?? { memories: 0, score: 0, days: 0 }
  const { memories } = all
  return {
    all: { memories, score: memories === 0 ? 0 : all.score / memories, days: memories === 0 ? 0 : all.days / memories },
    byTier: meansOf("tier "),
    byType: meansOf("type "),
    /** How many lie below each bound. */
    below
  }
}

const typesIn = (db: Db): ReadonlyArray<{ readonly type: string }> =>
  sql(
    db,
    `WITH RECURSIVE types (type) AS (
      SELECT min(type) FROM observations WHERE active = 1
      UNION ALL
      SELECT (SELECT min(type) FROM observations WHERE active = 1 AND type > types.type) FROM types
        WHERE types.type IS NOT NULL)
    SELECT type FROM types WHERE type IS NOT NULL`
  ).all()

const formulaSql = `? * ln(mentions) + ? * exp(-? * max(0, ? - mentioned_at / ${day})) + ? * importance`

const highest = `SELECT born, ${formulaSql} AS score
  FROM observations INDEXED BY observations_score
  WHERE active = 1 AND type = ? AND openness >= ? AND (expires_at IS NULL OR expires_at > ?) AND score >= ?
  ORDER BY score DESC, born DESC LIMIT ?`

const highestParts = `SELECT max(importance) AS importance, max(mentions) AS mentions
  FROM observations INDEXED BY observations_score WHERE active = 1`

const shown = `SELECT o.born, o.type, o.importance, o.mentions - 1 + a.accesses, max(o.mentioned_at, a.accessed_at),
    o.mentions, o.mentioned_at, o.tier
  FROM accesses a CROSS JOIN observations o ON o.id = a.id
  WHERE o.active = 1 AND (o.expires_at IS NULL OR o.expires_at > ?)`

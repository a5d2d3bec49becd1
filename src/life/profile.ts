import type { Memory } from "../../events/Memory.js"
import { canRead, type TrustLevel } from "../../events/Trust.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { findProfile } from "../../projections/profile.js"
import type { LifePolicy } from "../policy/life.js"
import { type WholeMemory, wholeOf } from "../wholeMemory.js"
import { changeOf, type Former, formerOf, repeats, saysFormer, sharesWords } from "./changes.js"
import { factsOf, type Row } from "./facts.js"
import { isKin, type Judge, saidAt, wordsOf } from "./pairs.js"
import { type ScoreFacts, scoreOf } from "./score.js"
import { type Subject, subjectsOf } from "./subjects.js"

/** The core block of a system prompt. */
export interface Profile {
  /** What is core first, then what the score says; each a line. */
  readonly entries: ReadonlyArray<WholeMemory>
  /** Their titles and facts as a block of lines. */
  readonly text: string
  /** What the text costs. */
  readonly tokens: number
  /** How many more there were that its budget has no room for. */
  readonly left: number
}

/**
 * What an agent knows by heart: core memories, then who people are, what they prefer and what was decided, by score,
 * until the budget is spent. Each subject once, as it was said last, with the score of all that was said of it; nothing
 * that another one says is over. Below full trust without the times that each was shown.
 */
export const profileOf = (
  db: Db,
  level: TrustLevel,
  { maintenance, tiers }: Pick<LifePolicy, "maintenance" | "tiers">,
  now: number,
  countTokens: (text: string) => number,
  {
    budget = maintenance.profileTokens,
    judge
  }: { readonly budget?: number | undefined; readonly judge?: Judge | undefined } = {}
): Profile => {
  const known = new Map<string, ReadonlyArray<Row>>()
  /** What a memory took the place of, as far as the level may know of it. */
  const former = ({ memory }: Row): ReadonlyArray<Row> => {
    let found = known.get(memory.id)
    if (found === undefined) {
      found = formerOf(memory, (id) => {
        const before = findById(db, id)
        return before !== undefined && canRead(level, before.store) ? before : undefined
      })
      known.set(memory.id, found)
    }
    return found
  }
  const ranked = rankedBy(findProfile(db, level, now), judge, former, tiers, now)
  const chosen = within(ranked, ({ memory }) => countTokens(lineOf(memory)), budget)
  const lines = chosen.map(({ memory }) => lineOf(memory))
  return {
    entries: chosen.map(({ memory }) => wholeOf(memory)),
    text: lines.join("\n"),
    tokens: lines.reduce((sum, line) => sum + countTokens(line), 0),
    left: ranked.length - chosen.length
  }
}

/**
 * What a budget has room for, in its order. What says once more, in other words, what stands there already comes after
 * all that does not, but for what somebody made core.
 */
export const within = (
  ranked: ReadonlyArray<Row>,
  costOf: (row: Row) => number,
  budget: number
): ReadonlyArray<Row> => {
  const chosen = new Set<Row>()
  let left = budget
  const take = (row: Row): void => {
    const cost = costOf(row)
    // A shorter one further down may still fit.
    if (cost > left) return
    left -= cost
    chosen.add(row)
  }
  const again = ranked.filter((row) => {
    if (!isGiven(row) && [...chosen].some((other) => repeats(row, other))) return true
    take(row)
    return false
  })
  again.forEach(take)
  return ranked.filter((row) => chosen.has(row))
}

/** What may stand in a profile, what is core first, then by score. */
export const rankedBy = (
  rows: ReadonlyArray<Row>,
  judge: Judge | undefined,
  former: Former,
  tiers: LifePolicy["tiers"],
  now: number
): ReadonlyArray<Row> =>
  subjectsOf(judge === undefined ? rows : standing(rows, former), judge)
    .map((subject) => ({ ...subject, ...standingOf(subject, former, tiers, now) }))
    .sort((a, b) => Number(b.core) - Number(a.core) || b.score - a.score || b.row.memory.born - a.row.memory.born)
    .map(({ row }) => row)

/** What no memory that was said later says is over. What somebody made core stands. */
const standing = (rows: ReadonlyArray<Row>, former: Former): ReadonlyArray<Row> => {
  const { isCommon } = wordsOf(rows)
  const changes = rows.flatMap((by) => {
    const change = changeOf(by, former(by), isCommon)
    return change.former.length === 0 ? [] : [{ by, change }]
  })
  return rows.filter(
    (row) =>
      isGiven(row) ||
      !changes.some(
        ({ by, change }) =>
          isKin(by, row) && saidAt(row) < saidAt(by) && saysFormer(change, row) && sharesWords(change, row)
      )
  )
}

/** The score of a subject: all that was said of it counts, what it took the place of too. */
const standingOf = ({ others, row }: Subject, former: Former, tiers: LifePolicy["tiers"], now: number) => {
  const all = [row, ...others].map(factsOf)
  const before = [row, ...others].flatMap(former).reduce((sum, { memory }) => sum + memory.mentions, 0)
  const facts: ScoreFacts = {
    type: row.memory.type,
    importance: Math.max(...all.map(({ importance }) => importance)),
    mentions: all.reduce((sum, { mentions }) => sum + mentions, before),
    accesses: all.reduce((sum, { accesses }) => sum + accesses, 0),
    seenAt: Math.max(...all.map(({ seenAt }) => seenAt))
  }
  return {
    score: scoreOf(facts, tiers, now).score,
    // What the rules made core was chosen by its score: what was said since then ranks with it.
    core: [row, ...others].some(isGiven)
  }
}

/** Whether somebody made it core. */
const isGiven = ({ memory }: Row): boolean => memory.tier === "core" && memory.coreFrom === undefined

/** How a memory stands in the profile. */
export const lineOf = ({ facts, title }: Pick<Memory, "title" | "facts">): string =>
  `- ${[title, ...facts].join("; ").replace(/\s+/gu, " ")}`

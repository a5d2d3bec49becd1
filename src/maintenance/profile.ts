import type { Memory } from "../../events/Memory.js"
import { canRead, type TrustLevel } from "../../events/Trust.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { findProfile } from "../../projections/profile.js"
import { findWordings } from "../../projections/wordings.js"
import { type WholeMemory, wholeOf } from "../model/wholeMemory.js"
import type { LifePolicy } from "../ports/policy/life.js"
import type { Judge } from "../ports/Reconciler.js"
import type { Evidence, Settlement, SettlerService } from "../ports/Settler.js"
import { type ScoreFacts, scoreOf } from "../search/score.js"
import { factsOf, type Row } from "./facts.js"
import { type Former, formerOf, maxWordings } from "./former.js"
import { contradictsBy } from "./pairs.js"
import { type Subject, subjectsOf } from "./subjects.js"

/** The core block of a system prompt. */
export interface Profile {
  /** What is core first, then what the score says; each a line. */
  readonly entries: ReadonlyArray<WholeMemory>
  /** Their titles, and facts as far as there is room for them, as a block of lines. */
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
    judge,
    settler
  }: {
    readonly budget?: number | undefined
    readonly judge?: Judge | undefined
    readonly settler?: SettlerService | undefined
  } = {}
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
  const wordings: Evidence["wordings"] = ({ memory: { born, mentions } }) =>
    mentions > 1 ? findWordings(db, born, maxWordings) : []
  const ranked = rankedBy(findProfile(db, level, now), { former, judge, settler, wordings }, tiers, now)
  const chosen = within(ranked, countTokens, budget, settler?.repeats)
  const lines = [...chosen.values()]
  return {
    entries: [...chosen.keys()].map(({ memory }) => wholeOf(memory)),
    text: lines.join("\n"),
    tokens: lines.reduce((sum, line) => sum + countTokens(line), 0),
    left: ranked.length - chosen.size
  }
}

/**
 * What a budget has room for, in its order, each with its line: all titles before any facts, but for what somebody made
 * core, and what says once more, in other words, what stands there already after all of that.
 */
export const within = (
  ranked: ReadonlyArray<Row>,
  countTokens: (text: string) => number,
  budget: number,
  repeatsIn: SettlerService["repeats"] = () => () => false
): ReadonlyMap<Row, string> => {
  const lines = new Map<Row, string>()
  let left = budget
  const take = (row: Row, line: string): void => {
    const before = lines.get(row)
    const cost = countTokens(line) - (before === undefined ? 0 : countTokens(before))
    // A shorter one further down may still fit.
    if (cost > left) return
    left -= cost
    lines.set(row, line)
  }
  const again = new Set<Row>()
  const repeats = repeatsIn(ranked)
  for (const row of ranked) {
    if (isGiven(row)) take(row, lineOf(row.memory))
    else if ([...lines.keys()].some((other) => repeats(row, other))) again.add(row)
    else take(row, lineOf({ ...row.memory, facts: [] }))
  }
  for (const row of ranked) if (lines.has(row)) take(row, lineOf(row.memory))
  for (const row of again) take(row, lineOf(row.memory))
  return new Map(ranked.flatMap((row) => (lines.has(row) ? [[row, lines.get(row)!]] : [])))
}

/** What may stand in a profile, what is core first, then by score. What somebody made core stands, whatever else is said. */
export const rankedBy = (
  rows: ReadonlyArray<Row>,
  known: Known,
  tiers: LifePolicy["tiers"],
  now: number
): ReadonlyArray<Row> => {
  const { subjects, superseded } = settlementOf(rows, known)
  const standing = rows.filter((row) => isGiven(row) || !superseded.has(row))
  const taken = new Map<Row, Array<Row>>()
  for (const [row, by] of superseded) {
    const all = taken.get(by)
    if (all === undefined) taken.set(by, [row])
    else all.push(row)
  }
  const former: Former = (row) => [...known.former(row), ...(taken.get(row) ?? [])]
  return subjectsOf(standing, known.judge, subjects)
    .map((subject) => ({ ...subject, ...standingOf(subject, former, tiers, now) }))
    .sort((a, b) => Number(b.core) - Number(a.core) || b.score - a.score || b.row.memory.born - a.row.memory.born)
    .map(({ row }) => row)
}

/** What the ranking knows of memories beside their rows. */
export interface Known extends Pick<Evidence, "wordings"> {
  readonly former: Former
  readonly judge: Judge | undefined
  readonly settler: SettlerService | undefined
}

/** Settles in one go; nothing is superseded without a judge or a settler. */
const settlementOf = (rows: ReadonlyArray<Row>, { former, judge, settler, wordings }: Known): Settlement => {
  if (judge === undefined || settler === undefined) return { superseded: new Map(), subjects: new Map() }
  const work = settler.settle(rows, { predecessors: former, wordings, contradicts: contradictsBy(judge) })
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value
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

import type { Link, Memory } from "../../events/Memory.js"
import { canRead, type TrustLevel } from "../../events/Trust.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { findProfile } from "../../projections/profile.js"
import type { LifePolicy } from "../policy/life.js"
import { type WholeMemory, wholeOf } from "../wholeMemory.js"
import { factsOf } from "./facts.js"
import type { Judge } from "./pairs.js"
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
 * until the budget is spent. Each subject once, as it was said last, with the score of all that was said of it. Below
 * full trust without the times that each was shown.
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
  const ranked = subjectsOf(findProfile(db, level, now), judge)
    .map((subject) => ({ ...subject, ...standingOf(db, level, subject, tiers, now) }))
    .sort((a, b) => Number(b.core) - Number(a.core) || b.score - a.score || b.row.memory.born - a.row.memory.born)
  const entries: Array<WholeMemory> = []
  const lines: Array<string> = []
  let tokens = 0
  for (const { row } of ranked) {
    const line = lineOf(row.memory)
    const cost = countTokens(line)
    // A shorter one further down may still fit.
    if (tokens + cost > budget) continue
    tokens += cost
    lines.push(line)
    entries.push(wholeOf(row.memory))
  }
  return { entries, text: lines.join("\n"), tokens, left: ranked.length - entries.length }
}

/** The score of a subject: all that was said of it counts, what it took the place of too. */
const standingOf = (db: Db, level: TrustLevel, { others, row }: Subject, tiers: LifePolicy["tiers"], now: number) => {
  const all = [row, ...others].map(factsOf)
  const former = [row, ...others].reduce((sum, { memory }) => sum + formerMentions(db, level, memory), 0)
  const facts: ScoreFacts = {
    type: row.memory.type,
    importance: Math.max(...all.map(({ importance }) => importance)),
    mentions: all.reduce((sum, { mentions }) => sum + mentions, former),
    accesses: all.reduce((sum, { accesses }) => sum + accesses, 0),
    seenAt: Math.max(...all.map(({ seenAt }) => seenAt))
  }
  return {
    score: scoreOf(facts, tiers, now).score,
    core: [row, ...others].some(({ memory }) => memory.tier === "core")
  }
}

/** How far back it is followed what took the place of what. */
const steps = 10

/** How often that was said which a memory took the place of, and what that had taken the place of. */
const formerMentions = (db: Db, level: TrustLevel, memory: Memory): number => {
  let mentions = 0
  let at: Memory | undefined = memory
  for (let step = 0; step < steps && at !== undefined; step++) {
    const link: Link | undefined = at.lineage?.find(({ kind }) => kind === "supersedes")
    const before: Memory | undefined = link === undefined ? undefined : findById(db, link.to)
    at = before !== undefined && before.status === "superseded" && canRead(level, before.store) ? before : undefined
    mentions += at?.mentions ?? 0
  }
  return mentions
}

/** How a memory stands in the profile. */
export const lineOf = ({ facts, title }: Pick<Memory, "title" | "facts">): string =>
  `- ${[title, ...facts].join("; ").replace(/\s+/gu, " ")}`

import type { Memory } from "../../events/Memory.js"
import type { TrustLevel } from "../../events/Trust.js"
import type { Db } from "../../projections/Projection.js"
import { findProfile } from "../../projections/profile.js"
import type { LifePolicy } from "../policy/life.js"
import { type WholeMemory, wholeOf } from "../wholeMemory.js"
import { factsOf } from "./facts.js"
import { scoreOf } from "./score.js"

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
 * until the budget is spent. Below full trust without the times that each was shown.
 */
export const profileOf = (
  db: Db,
  level: TrustLevel,
  { maintenance, tiers }: Pick<LifePolicy, "maintenance" | "tiers">,
  now: number,
  countTokens: (text: string) => number,
  budget = maintenance.profileTokens
): Profile => {
  const ranked = findProfile(db, level, now)
    .map((row) => ({ row, score: scoreOf(factsOf(row), tiers, now).score, core: row.memory.tier === "core" }))
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

/** How a memory stands in the profile. */
export const lineOf = ({ facts, title }: Pick<Memory, "title" | "facts">): string =>
  `- ${[title, ...facts].join("; ").replace(/\s+/gu, " ")}`

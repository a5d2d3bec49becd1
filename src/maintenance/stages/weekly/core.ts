import type { Memory } from "../../../../events/Memory.js"
import { profileTypes } from "../../../../projections/profile.js"
import type { DecidedEvent } from "../../../actor/Command.js"
import { scoreOf } from "../../../search/score.js"
import { factsOf } from "../../facts.js"
import { lineOf } from "../../profile.js"
import { changed, decided } from "../../Stage.js"
import type { MakePart } from "./Part.js"

/** All that is remembered of a memory that may be core. */
export interface Contender extends Pick<Memory, "born" | "type" | "tier" | "coreFrom"> {
  readonly score: number
  /** Tokens of its line in the profile. */
  readonly cost: number
  /** Whether it may be chosen: what is stale, or of another type by now, may not. */
  readonly fit: boolean
}

/**
 * Which of a store's memories are core: what somebody made core stays so and is paid for first; of identities,
 * preferences and decisions those with the highest scores, each type up to its share of the budget, then whatever is
 * left of it by score alone. Row numbers.
 */
export const chosen = (all: ReadonlyArray<Contender>, budget: number): ReadonlySet<number> => {
  const given = all.filter(({ coreFrom, tier }) => tier === "core" && coreFrom === undefined)
  const ranked = all
    .filter(({ coreFrom, fit, tier }) => fit && (tier !== "core" || coreFrom !== undefined))
    .sort((a, b) => b.score - a.score || b.born - a.born)
  const taken = new Set<number>()
  let left = Math.max(0, budget - given.reduce((sum, { cost }) => sum + cost, 0))
  const take = ({ born, cost }: Contender): void => {
    taken.add(born)
    left -= cost
  }
  for (const type of profileTypes) {
    let share = Math.floor(budget / profileTypes.length)
    for (const one of ranked) {
      if (one.type !== type || one.cost > share || one.cost > left) continue
      take(one)
      share -= one.cost
    }
  }
  for (const one of ranked) if (!taken.has(one.born) && one.cost <= left) take(one)
  return taken
}

/** Chooses anew what is core of a store. */
export const core: MakePart = (policy, now, { countTokens }) => {
  const { maintenance, tiers } = policy
  const all: Array<Contender> = []
  const changes = () => {
    const core = chosen(all, maintenance.profileTokens)
    return all.flatMap(({ born, coreFrom, tier }) => {
      if (tier === "core") return coreFrom !== undefined && !core.has(born) ? [{ born, rises: false }] : []
      return core.has(born) ? [{ born, rises: true }] : []
    })
  }
  return {
    take: (row) => {
      const { memory } = row
      const { born, coreFrom, stale, tier, type } = memory
      if (tier === "daily" || (tier !== "core" && !isContender(type))) return
      all.push({
        born,
        type,
        tier,
        coreFrom,
        score: scoreOf(factsOf(row), tiers, now).score,
        cost: countTokens(lineOf(memory)),
        fit: stale === undefined && isContender(type)
      })
    },
    wanted: () =>
      changes()
        .slice(0, maintenance.rows)
        .map(({ born }) => born),
    plan: (rows, room) => {
      const wanted = changes()
      const some = wanted.slice(0, room)
      const events = some.flatMap(({ born, rises }): ReadonlyArray<DecidedEvent> => {
        const row = rows.find(({ memory }) => memory.born === born)
        if (row === undefined) return []
        const { coreFrom = "long", ...rest } = row.memory
        const reason = rises ? "the profile has room for it" : "the profile has no room for it any more"
        return [
          {
            type: "UPDATE",
            payload: {
              memory: rises
                ? changed(row.memory, { tier: "core", coreFrom: row.memory.tier })
                : changed(rest, { tier: coreFrom, movedAt: now }),
              reason: rises ? "promoted" : "demoted",
              decision: decided("UPDATE", "weekly", reason, [row], policy, now)
            }
          }
        ]
      })
      const up = some.filter(({ rises }) => rises).length
      return {
        events,
        counts: { core: up, demoted: some.length - up },
        left: wanted.length > some.length,
        touched: some.length
      }
    }
  }
}

const isContender = (type: string): boolean => (profileTypes as ReadonlyArray<string>).includes(type)

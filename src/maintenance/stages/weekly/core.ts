import type { Memory } from "../../../../events/Memory.js"
import { isAtLeast, levelOf } from "../../../../events/Trust.js"
import { profileTypes } from "../../../../projections/profileReads.js"
import type { DecidedEvent } from "../../../actor/Command.js"
import { nextRevision } from "../../../model/nextRevision.js"
import { lifeScoreOf, scoreFactsOf } from "../../../search/score.js"
import { profileLine } from "../../profileLines.js"
import { ruleDecision } from "../../Stage.js"
import type { MakeWeeklyTask } from "./WeeklyTask.js"

/** The fields of a memory that decide whether it becomes core. */
export interface Contender extends Pick<Memory, "born" | "type" | "tier" | "coreFrom"> {
  readonly score: number
  /** Tokens of its line in the profile. */
  readonly cost: number
  /**
   * False if the memory is stale, no longer has a type of the profile, or has a lower level: it may not become core.
   */
  readonly mayBeChosen: boolean
}

/**
 * Chooses the core memories of a store; returns their row numbers. Memories that a user made core stay core, and their
 * cost is subtracted from the budget first. Then identities, preferences and decisions are chosen by score, each type
 * up to an equal share of the budget. The rest of the budget is spent by score alone.
 */
export const chooseContenders = (contenders: ReadonlyArray<Contender>, budget: number): ReadonlySet<number> => {
  const present = contenders.filter(({ coreFrom, tier }) => tier === "core" && coreFrom === undefined)
  const ranked = contenders
    .filter(({ coreFrom, mayBeChosen, tier }) => mayBeChosen && (tier !== "core" || coreFrom !== undefined))
    .sort((a, b) => b.score - a.score || b.born - a.born)
  const chosenRows = new Set<number>()
  let remainingTokens = Math.max(0, budget - present.reduce((sum, { cost }) => sum + cost, 0))
  const choose = ({ born, cost }: Contender): void => {
    chosenRows.add(born)
    remainingTokens -= cost
  }
  for (const type of profileTypes) {
    let share = Math.floor(budget / profileTypes.length)
    for (const contender of ranked) {
      if (contender.type !== type || contender.cost > share || contender.cost > remainingTokens) continue
      choose(contender)
      share -= contender.cost
    }
  }
  for (const contender of ranked)
    if (!chosenRows.has(contender.born) && contender.cost <= remainingTokens) choose(contender)
  return chosenRows
}

/** Chooses the core memories of a store again, from its memories at or above the level of `prompt.writers`. */
export const makeCoreTask: MakeWeeklyTask = (policy, now, { countTokens }) => {
  const { maintenance, prompt, tiers } = policy
  const contenders: Array<Contender> = []
  const changes = () => {
    const core = chooseContenders(contenders, maintenance.profileTokens)
    return contenders.flatMap(({ born, coreFrom, tier }) => {
      if (tier === "core") return coreFrom !== undefined && !core.has(born) ? [{ born, rises: false }] : []
      return core.has(born) ? [{ born, rises: true }] : []
    })
  }
  return {
    add: (row) => {
      const { memory } = row
      const { born, coreFrom, stale, tier, type } = memory
      if (tier === "daily" || (tier !== "core" && !isContender(type))) return
      const isTrusted = isAtLeast(levelOf(memory), prompt.writers)
      if (!isTrusted && coreFrom === undefined) return
      contenders.push({
        born,
        type,
        tier,
        coreFrom,
        score: lifeScoreOf(scoreFactsOf(row), tiers, now).score,
        cost: countTokens(profileLine(memory)),
        mayBeChosen: isTrusted && stale === undefined && isContender(type)
      })
    },
    neededRows: () =>
      changes()
        .slice(0, maintenance.rows)
        .map(({ born }) => born),
    plan: (rows, maxChanged) => {
      const changedRows = changes()
      const batch = changedRows.slice(0, maxChanged)
      const events = batch.flatMap(({ born, rises }): ReadonlyArray<DecidedEvent> => {
        const row = rows.find(({ memory }) => memory.born === born)
        if (row === undefined) return []
        const { coreFrom = "long", ...rest } = row.memory
        const reason = rises ? "the profile has room for it" : "the profile has no room for it any more"
        return [
          {
            type: "UPDATE",
            payload: {
              memory: rises
                ? nextRevision(row.memory, { tier: "core", coreFrom: row.memory.tier })
                : nextRevision(rest, { tier: coreFrom, movedAt: now }),
              reason: rises ? "promoted" : "demoted",
              decision: ruleDecision("UPDATE", "weekly", reason, [row], policy, now)
            }
          }
        ]
      })
      const promoted = batch.filter(({ rises }) => rises).length
      return {
        events,
        counts: { core: promoted, demoted: batch.length - promoted },
        left: changedRows.length > batch.length,
        changed: batch.length
      }
    }
  }
}

const isContender = (type: string): boolean => (profileTypes as ReadonlyArray<string>).includes(type)

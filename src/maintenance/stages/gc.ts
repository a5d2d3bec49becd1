import type { Memory } from "../../../events/Memory.js"
import type { DecidedEvent } from "../../actor/Command.js"
import { scoreOf } from "../../search/score.js"
import { factsOf, isKept, type Row } from "../facts.js"
import { type Fewest, fewest } from "../fewest.js"
import { verdictOf } from "../rules.js"
import { archiving, changed, decided, type Gathering, grouped, type Stage } from "../Stage.js"

/**
 * Scores what is kept for a while: promotes what is in use, demotes what was promoted and is left alone, removes what
 * is not worth its place; of mid memories beyond their capacity those with the lowest scores.
 */
export const gc: Stage = {
  name: "gc",
  kind: "working",
  before: (_, now) => now,
  gather: (policy, now): Gathering => {
    const { gc: rules, tiers } = policy
    // Of each no more than a run may take is held, and how many there are.
    const promoted = fewest(rules.rows, oldestFirst)
    const demoted = fewest(rules.rows, oldestFirst)
    const removed = fewest(rules.rows, lowestFirst)
    const staying = fewest(rules.rows, lowestFirst)
    const scored = (row: Row): Scored => ({ row, score: scoreOf(factsOf(row), tiers, now).score })
    return {
      take: (rows) => {
        for (const row of rows) {
          const { action } = verdictOf(row, policy, now)
          if (action === "promote") promoted.add(row)
          else if (action === "demote") demoted.add(row)
          else if (action === "remove") removed.add(scored(row))
          else if (row.memory.tier === "mid" && !isKept(row.memory, tiers.pin)) staying.add(scored(row))
        }
      },
      plan: () => {
        const beyondCapacity = Math.max(0, staying.count() - rules.capacity)
        // What is demoted takes a place: no more than there are.
        const demotable = Math.min(demoted.count(), Math.max(0, rules.capacity - staying.count()))
        let room = rules.rows
        const within = <A>(some: Fewest<A>, wanted: number): ReadonlyArray<A> => {
          const found = some.first(Math.min(room, wanted))
          room -= found.length
          return found
        }
        const up = within(promoted, promoted.count())
        const out = within(removed, removed.count())
        const beyond = within(staying, beyondCapacity)
        const down = within(demoted, demotable)
        const wanted = promoted.count() + removed.count() + beyondCapacity + demotable
        const because = (row: Row) => verdictOf(row, policy, now).rule
        const moved = (row: Row, tier: "long" | "mid"): DecidedEvent => {
          const { promotedAt: _, ...rest } = row.memory
          const marked: Memory = tier === "long" ? { ...rest, promotedAt: now } : rest
          return {
            type: "UPDATE",
            payload: {
              memory: changed(marked, { tier, movedAt: now }),
              reason: tier === "long" ? "promoted" : "demoted",
              decision: decided("UPDATE", "gc", because(row), [row], policy, now)
            }
          }
        }
        const reasons = new Map([
          ...out.map(({ row }) => [row, because(row)] as const),
          ...beyond.map(
            ({ row }) => [row, `more than ${rules.capacity} mid memories of a store: the lowest scores go`] as const
          )
        ])
        const going = [...reasons.keys()]
        const removing: ReadonlyArray<DecidedEvent> =
          rules.removal === "archive"
            ? archiving(
                "gc",
                grouped(going, (row) => reasons.get(row)!),
                policy,
                now
              )
            : going.map(
                (row): DecidedEvent => ({
                  type: "UPDATE",
                  payload: {
                    memory: changed(row.memory, { status: "expired", updatedAt: now }),
                    reason: "expired",
                    decision: decided("UPDATE", "gc", reasons.get(row)!, [row], policy, now)
                  }
                })
              )
        return {
          events: [...up.map((row) => moved(row, "long")), ...removing, ...down.map((row) => moved(row, "mid"))],
          counts: {
            promoted: up.length,
            [rules.removal === "archive" ? "archived" : "expired"]: going.length,
            demoted: down.length
          },
          left: up.length + going.length + down.length < wanted
        }
      }
    }
  }
}

interface Scored {
  readonly row: Row
  readonly score: number
}

const lowestFirst = (a: Scored, b: Scored): number => a.score - b.score || a.row.memory.born - b.row.memory.born

const oldestFirst = (a: Row, b: Row): number => a.memory.born - b.memory.born

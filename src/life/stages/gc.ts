import type { Memory } from "../../../events/Memory.js"
import type { Store } from "../../../events/Trust.js"
import type { DecidedEvent } from "../../commands/Command.js"
import { factsOf, isKept, type Row } from "../facts.js"
import { verdictOf } from "../rules.js"
import { archiving, changed, decided, type Gathering, grouped, type Stage } from "../Stage.js"
import { scoreOf } from "../score.js"

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
    const promoted: Array<Row> = []
    const demoted: Array<Row> = []
    const removed: Array<Scored> = []
    /** By store: no store's memories go for those of another, which may be for other eyes. */
    const shelves = new Map<Store, Shelf>()
    const shelfOf = ({ memory: { store } }: Row): Shelf => {
      const shelf = shelves.get(store) ?? { mid: 0, staying: [] }
      shelves.set(store, shelf)
      return shelf
    }
    const scored = (row: Row): Scored => ({ row, score: scoreOf(factsOf(row), tiers, now).score })
    return {
      take: (rows) => {
        for (const row of rows) {
          const { action } = verdictOf(row, policy, now)
          const counts = row.memory.tier === "mid" && !isKept(row.memory, tiers.pin)
          if (action === "promote") promoted.push(row)
          else if (action === "demote") demoted.push(row)
          else if (action === "remove") removed.push(scored(row))
          else if (counts) {
            const shelf = shelfOf(row)
            shelf.mid++
            shelf.staying.push(scored(row))
          }
        }
        for (const shelf of shelves.values()) {
          if (shelf.staying.length <= 2 * rules.rows) continue
          shelf.staying = shelf.staying.sort(lowestFirst).slice(0, rules.rows + 1)
        }
      },
      plan: () => {
        removed.sort(lowestFirst)
        const beyondCapacity = [...shelves.values()].flatMap(({ mid, staying }) =>
          staying.sort(lowestFirst).slice(0, Math.max(0, mid - rules.capacity))
        )
        // What is demoted takes a place: no more than there are.
        const demotable = [...grouped(demoted, ({ memory }) => memory.store).values()].flatMap((rows) =>
          rows.slice(0, Math.max(0, rules.capacity - shelfOf(rows[0]!).mid))
        )
        let room = rules.rows
        const within = <A>(rows: ReadonlyArray<A>): ReadonlyArray<A> => {
          const some = rows.slice(0, room)
          room -= some.length
          return some
        }
        const [up, out, beyond, down] = [within(promoted), within(removed), within(beyondCapacity), within(demotable)]
        const wanted = promoted.length + removed.length + beyondCapacity.length + demotable.length
        const because = (row: Row) => verdictOf(row, policy, now).rule
        const moved = (row: Row, tier: "long" | "mid"): DecidedEvent => {
          const { promotedAt: _, ...rest } = row.memory
          const marked: Memory = tier === "long" ? { ...rest, promotedAt: now } : rest
          return {
            type: "UPDATE",
            payload: {
              memory: changed(marked, { tier, updatedAt: now }),
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

interface Shelf {
  mid: number
  /** Mid memories that stay, no more of them than a run may take, and of those with the lowest scores. */
  staying: Array<Scored>
}

interface Scored {
  readonly row: Row
  readonly score: number
}

const lowestFirst = (a: Scored, b: Scored): number => a.score - b.score || a.row.memory.born - b.row.memory.born

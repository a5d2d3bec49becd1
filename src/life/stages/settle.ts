import type { Link } from "../../../events/Memory.js"
import { findById } from "../../../projections/observations.js"
import type { Db } from "../../../projections/Projection.js"
import type { DecidedEvent } from "../../commands/Command.js"
import { formerOf } from "../changes.js"
import { day, type Row } from "../facts.js"
import { type Outdated, type Outdating, outdating } from "../outdated.js"
import { saidAt } from "../pairs.js"
import { changed, decided, type Gathering, nothingPlanned, type Stage } from "../Stage.js"

/** What was said within so many days is held against what was said before it. */
const within = 3
/** Of all that the profile is chosen from, so many that were said last are looked at. */
const most = 2_000

/**
 * Looks once more at what was said of late: what is true of somebody or something by now retires all that says
 * otherwise, in whatever words. A memory that is written retires one, and is weighed against few. Where nobody judges,
 * nothing is done.
 */
export const settle: Stage = {
  name: "settle",
  kind: "profile",
  before: (_, now) => now,
  gather: (policy, now, { judge }): Gathering => {
    let rows: Array<Row> = []
    let round: Outdating | undefined
    let place = 0
    /** What is over, in the order in which it was found out. */
    const over = new Map<Row, Outdated>()
    const newest = (): Array<Row> => rows.sort((a, b) => saidAt(b) - saidAt(a)).slice(0, most)
    const begin = () => {
      rows = newest().filter((row) => !over.has(row))
      place = 0
      round = outdating(rows, judge!, {
        since: now - within * day,
        // What somebody made core, or pinned, is theirs to change.
        stays: ({ memory }) =>
          (memory.tier === "core" && memory.coreFrom === undefined) || memory.tags.includes(policy.tiers.pin)
      })
      return round
    }
    return {
      take: (some) => {
        if (judge === undefined) return
        rows.push(...some)
        if (rows.length > 2 * most) rows = newest()
      },
      look: (db) => {
        if (judge === undefined || rows.length === 0) return false
        const current = round ?? begin()
        const by = current.said[place++]
        if (by !== undefined) {
          current.hold(by, (row) => takenBy(db, row, over))
          return true
        }
        // Without what is over, what is left may be alike that was not: until nothing more is found.
        if (current.found.size === 0) return false
        for (const [row, one] of current.found) over.set(row, one)
        round = undefined
        return over.size < policy.maintenance.rows
      },
      plan: () => {
        if (over.size === 0) return nothingPlanned
        const events: Array<DecidedEvent> = []
        let room = policy.maintenance.rows
        let superseded = 0
        for (const [by, all] of byNewer(over)) {
          // One place is for what stays.
          const some = all.slice(0, Math.max(0, room - 1))
          if (some.length === 0) break
          for (const { reason, row, score } of some) {
            // What the rules made core is so no longer; its successor is.
            const { coreFrom, ...rest } = row.memory
            const memory = changed(rest, {
              status: "superseded",
              updatedAt: now,
              ...(coreFrom === undefined ? {} : { tier: coreFrom })
            })
            const { id, revision } = row.memory
            events.push({
              type: "DELETE",
              payload: {
                memory,
                reason: "replaced",
                decision: {
                  action: "DELETE",
                  by: { kind: "rule", name: "settle" },
                  reason,
                  candidates: [{ id, revision, score: Math.round(score * 10_000) / 10_000 }]
                }
              }
            })
          }
          room -= some.length
          superseded += some.length
          if (over.has(by)) continue
          room--
          events.push({
            type: "UPDATE",
            payload: {
              memory: changed(by.memory, { lineage: linked(by, some), ...coreOf(by, some) }),
              reason: "promoted",
              decision: decided("UPDATE", "settle", "takes the place of what is no longer so", [by], policy, now)
            }
          })
        }
        return { events, counts: { superseded }, left: superseded < over.size }
      }
    }
  }
}

/** The memories whose place one took, here or before. */
const takenBy = (db: Db, by: Row, over: ReadonlyMap<Row, Outdated>): ReadonlyArray<Row> => [
  ...formerOf(by.memory, (id) => findById(db, id)),
  ...[...over.values()].flatMap((one) => (one.by === by ? [one.row] : []))
]

/** By what was said since, the last said first. */
const byNewer = (over: ReadonlyMap<Row, Outdated>): ReadonlyMap<Row, ReadonlyArray<Outdated>> => {
  const groups = new Map<Row, Array<Outdated>>()
  for (const one of over.values()) {
    const group = groups.get(one.by)
    if (group === undefined) groups.set(one.by, [one])
    else group.push(one)
  }
  return groups
}

const linked = ({ memory }: Row, all: ReadonlyArray<Outdated>): ReadonlyArray<Link> => [
  ...(memory.lineage ?? []),
  ...all.map(({ row }): Link => ({ kind: "supersedes", to: row.memory.id, reason: "conflict" }))
]

/** What takes the place of something that is core is core. */
const coreOf = ({ memory }: Row, all: ReadonlyArray<Outdated>) =>
  memory.tier !== "core" && all.some(({ row }) => row.memory.tier === "core")
    ? ({ tier: "core", coreFrom: memory.tier } as const)
    : {}

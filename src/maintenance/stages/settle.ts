import type { Link } from "../../../events/Memory.js"
import { findById } from "../../../projections/observations.js"
import type { Db } from "../../../projections/Projection.js"
import { findWordings } from "../../../projections/wordings.js"
import { overlap, wordSet } from "../../../text/normalise/likeness.js"
import type { DecidedEvent } from "../../actor/Command.js"
import type { Settlement, SettlerService } from "../../ports/Settler.js"
import type { Row } from "../facts.js"
import { formerOf, maxWordings } from "../former.js"
import { contradictsBy, saidAt, textOf } from "../pairs.js"
import { changed, decided, type Gathering, nothingPlanned, type Stage } from "../Stage.js"

/** Of all that the profile is chosen from, so many that were said last are looked at. */
const most = 2_000
/** Memories, sentences or changes of one look. */
const portion = 200

/**
 * Looks once more at what was said: what is true of somebody or something by now retires all that says otherwise, in
 * whatever words. A memory that is written retires one, and is weighed against few. Where nobody judges, nothing is done.
 */
export const settle: Stage = {
  name: "settle",
  kind: "profile",
  before: (_, now) => now,
  gather: (policy, now, { judge, settler }): Gathering => {
    let rows: Array<Row> = []
    let round: Generator<void, Settlement> | undefined
    /** What is over, in the order in which it was found out. */
    const over = new Map<Row, Row>()
    const newest = (): Array<Row> => rows.sort((a, b) => saidAt(b) - saidAt(a)).slice(0, most)
    // What somebody made core, or pinned, is theirs to change.
    const stays = ({ memory }: Row): boolean =>
      (memory.tier === "core" && memory.coreFrom === undefined) || memory.tags.includes(policy.tiers.pin)
    const begin = (db: Db, { settle }: SettlerService): Generator<void, Settlement> => {
      rows = newest().filter((row) => !over.has(row))
      return settle(rows, {
        contradicts: contradictsBy(judge),
        predecessors: (row) => takenBy(db, row, over),
        wordings: ({ memory: { born, mentions } }) => (mentions > 1 ? findWordings(db, born, maxWordings) : [])
      })
    }
    return {
      take: (some) => {
        if (judge === undefined || settler === undefined) return
        rows.push(...some)
        if (rows.length > 2 * most) rows = newest()
      },
      look: (db) => {
        if (judge === undefined || settler === undefined || rows.length === 0) return false
        round ??= begin(db, settler)
        for (let steps = 0; steps < portion; steps++) {
          const step = round.next()
          if (step.done !== true) continue
          round = undefined
          // Without what is over, what is left may say what it did not: until nothing more is found.
          const news = [...step.value.superseded].filter(([row]) => !stays(row))
          for (const [row, by] of news) over.set(row, by)
          return news.length > 0 && over.size < policy.maintenance.rows
        }
        return true
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
          for (const row of some) {
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
                  reason: "no longer so by what was said since",
                  candidates: [{ id, revision, score: likenessOf(row, by) }]
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
const takenBy = (db: Db, by: Row, over: ReadonlyMap<Row, Row>): ReadonlyArray<Row> => [
  ...formerOf(by.memory, (id) => findById(db, id)),
  ...[...over].flatMap(([row, newer]) => (newer === by ? [row] : []))
]

/** How much of two is the same, by words: 0…1, to four places. */
const likenessOf = (row: Row, by: Row): number =>
  Math.round(overlap(wordSet(textOf(row)), wordSet(textOf(by))) * 10_000) / 10_000

/** By what was said since, the last said first. */
const byNewer = (over: ReadonlyMap<Row, Row>): ReadonlyMap<Row, ReadonlyArray<Row>> => {
  const groups = new Map<Row, Array<Row>>()
  for (const [row, by] of over) {
    const group = groups.get(by)
    if (group === undefined) groups.set(by, [row])
    else group.push(row)
  }
  return groups
}

const linked = ({ memory }: Row, all: ReadonlyArray<Row>): ReadonlyArray<Link> => [
  ...(memory.lineage ?? []),
  ...all.map((row): Link => ({ kind: "supersedes", to: row.memory.id, reason: "conflict" }))
]

/** What takes the place of something that is core is core. */
const coreOf = ({ memory }: Row, all: ReadonlyArray<Row>) =>
  memory.tier !== "core" && all.some((row) => row.memory.tier === "core")
    ? ({ tier: "core", coreFrom: memory.tier } as const)
    : {}

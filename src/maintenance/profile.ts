import type { Memory } from "../../events/Memory.js"
import { canRead, isAtLeast, levelOf, type TrustLevel } from "../../events/Trust.js"
import { type DisputeSide, findOpenDisputes, type OpenDispute } from "../../projections/disputeGroups.js"
import { findDisputeBetween } from "../../projections/disputePairs.js"
import { disputedFieldsOf } from "../../projections/disputeReads.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { findOftenMentioned, findProfile, findProfilePeople, profileTypes } from "../../projections/profileReads.js"
import { findWordings } from "../../projections/wordings.js"
import { toWholeMemory, type WholeMemory } from "../model/wholeMemory.js"
import type { MaintenancePolicy } from "../ports/policy/maintenance.js"
import type { Judge } from "../ports/Reconciler.js"
import type { Evidence, Settlement, SettlerService } from "../ports/Settler.js"
import { lifeScoreOf, type ScoreFacts, scoreFactsOf, toScoreFormula } from "../search/score.js"
import { makeContradictionTest } from "./pairs.js"
import { type FindPredecessors, maxWordings, predecessorsOf } from "./predecessors.js"
import { isUserMadeCore, selectLines } from "./profileLines.js"
import { selectNewPeople } from "./profilePeople.js"
import { lowestWriter, quotedLine } from "./quoted.js"
import type { Row } from "./stageRow.js"
import { groupBySubject, type Subject } from "./subjects.js"

/** The core block of a system prompt. */
export interface Profile {
  /** The memories, in the order of their lines: see `profileOf`. */
  readonly entries: ReadonlyArray<WholeMemory>
  /** One line per entry: its title, and its facts if the budget has room. */
  readonly text: string
  /** The text's length in tokens. */
  readonly tokens: number
  /** Number of memories left out for lack of budget. */
  readonly left: number
  /**
   * Memories from writers below the level of `prompt.writers`, one per line with their origin, as far as the budget
   * allows. Give them to a model only as quoted data.
   */
  readonly quoted: ReadonlyArray<string>
}

/**
 * Selects the memories for an agent's system prompt, until the budget is spent:
 * 1. memories that a user made core;
 * 2. other core memories, identities, preferences and decisions, if they were mentioned more than once;
 * 3. the rest of these memories, and memories of other types that were mentioned often;
 * 4. if there is room, the newest memories of people.
 *
 * Groups 1 to 3 are sorted by score. Only memories from writers at or above a level are included; memories from other
 * writers are quoted separately. Each subject has one line: its latest statement, with the score of all its statements.
 * Superseded statements are left out. If memories contradict each other, only the memory of the highest level has a
 * line, or the newest one of that level. This line names the earlier memories of the same level. Below full trust, the
 * score ignores how often a memory was shown.
 */
export const profileOf = (
  db: Db,
  level: TrustLevel,
  { maintenance, prompt, reconcile, tiers }: Pick<MaintenancePolicy, "maintenance" | "prompt" | "reconcile" | "tiers">,
  now: number,
  countTokens: (text: string) => number,
  {
    budget = maintenance.profileTokens,
    countsAccesses,
    judge,
    settler
  }: {
    readonly budget?: number | undefined
    /** True if the score counts how often a memory was shown. Default: true at full trust only. */
    readonly countsAccesses?: boolean | undefined
    readonly judge?: Judge | undefined
    readonly settler?: SettlerService | undefined
  } = {}
): Profile => {
  const writers = lowestWriter(prompt.writers, level)
  const predecessors = predecessorsIn(db, level)
  const wordings: Evidence["wordings"] = ({ memory: { born, mentions } }) =>
    mentions > 1 ? findWordings(db, born, maxWordings) : []
  const mayHide = (row: Row, by: Row) => findDisputeBetween(db, row.memory, by.memory) !== "settled"
  const rows = [
    ...findProfile(db, level, now, { writers, side: "from", countsAccesses }),
    ...findOftenMentioned(db, level, toScoreFormula(tiers), {
      ...{ now, writers, countsAccesses },
      mentions: maintenance.profileMentions
    })
  ]
  const repeatsIn = settler?.repeats
  /** Ranks the rows, and selects lines that fit into the budget. */
  const choose = (rows: ReadonlyArray<Row>, budget: number) => {
    const ids = rows.map(({ memory }) => memory.id)
    const disputes = findOpenDisputes(db, level, ids, now)
    const context = { predecessorsOf: predecessors, judge, settler, wordings, disputes, certainty: reconcile, mayHide }
    const ranked = rankProfileRows(rows, context, tiers, now)
    const earlierOf = ({ memory }: Row, maxNamed: number) => earlierSides(memory, disputes.get(memory.id), maxNamed)
    return { chosen: selectLines(ranked, countTokens, budget, { repeatsIn, earlierOf }), disputes, ranked }
  }
  const standing = choose(rows, budget)
  const hasRoom = standing.chosen.size === standing.ranked.length
  const others = hasRoom ? findProfilePeople(db, level, now, { writers, countsAccesses, known: rows }) : []
  const shown = selectNewPeople(db, level, now, others, { rows, repeatsIn })
  const people = choose(shown, budget - tokensOf(standing.chosen, countTokens))
  const chosen = new Map([...standing.chosen, ...people.chosen])
  const disputes = new Map([...standing.disputes, ...people.disputes])
  const ranked = [...standing.ranked, ...people.ranked]
  const lines = [...chosen.values()]
  const tokens = tokensOf(chosen, countTokens)
  const below = findProfile(db, level, now, { writers, side: "below" })
  return {
    entries: [...chosen.keys()].map(({ memory }) => ({
      ...toWholeMemory(memory),
      ...disputedFieldsOf(memory.id, disputes.get(memory.id))
    })),
    text: lines.join("\n"),
    tokens,
    left: ranked.length - chosen.size,
    quoted: quotedWithin(
      below.map(({ memory }) => memory),
      countTokens,
      budget - tokens
    )
  }
}

/**
 * Makes a cached lookup of the memories that a memory superseded. The lookup omits memories that the level may not
 * read, and memories of a lower level than their successor.
 */
const predecessorsIn = (db: Db, level: TrustLevel): FindPredecessors => {
  const formerById = new Map<string, ReadonlyArray<Row>>()
  return ({ memory }) => {
    let rows = formerById.get(memory.id)
    if (rows === undefined) {
      rows = predecessorsOf(memory, (id) => {
        const predecessor = findById(db, id)
        const counts =
          predecessor !== undefined &&
          canRead(level, predecessor.store) &&
          isAtLeast(levelOf(predecessor), levelOf(memory))
        return counts ? predecessor : undefined
      })
      formerById.set(memory.id, rows)
    }
    return rows
  }
}

const tokensOf = (lines: ReadonlyMap<Row, string>, countTokens: (text: string) => number): number =>
  [...lines.values()].reduce((sum, line) => sum + countTokens(line), 0)

/**
 * Names the memories that contradict a memory, have its level and rank below it, best first. At most `maxNamed` are
 * named; the others are counted. Empty if there are none.
 */
const earlierSides = (memory: Memory, dispute: OpenDispute | undefined, maxNamed: number): string => {
  if (dispute === undefined) return ""
  const { opponents, sides } = dispute
  const place = sides.findIndex(({ id }) => id === memory.id)
  const earlier = sides
    .slice(place + 1)
    .filter((side) => opponents.get(memory.id)?.has(side.id) === true && side.level === levelOf(memory))
    .map(({ title }) => title)
  if (earlier.length === 0) return ""
  // This text is short, because most lines of a full profile contain it.
  if (maxNamed === 0) return `(${earlier.length} earlier)`
  const unnamed = earlier.length - maxNamed
  const named = unnamed > 0 ? [...earlier.slice(0, maxNamed), `${unnamed} more`] : earlier
  return `(earlier: ${named.join("; ")})`
}

/** Returns the quoted lines that fit into the remaining budget, in the given order. */
const quotedWithin = (
  memories: ReadonlyArray<Memory>,
  countTokens: (text: string) => number,
  budget: number
): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let left = budget
  for (const memory of memories) {
    const line = quotedLine(levelOf(memory), memory.source, [memory.title, ...memory.facts].join("; "))
    left -= countTokens(line)
    if (left < 0) break
    lines.push(line)
  }
  return lines
}

/**
 * Ranks the rows that a profile may show: core first, then rows mentioned more than once, then by score. A memory that
 * a user made core always stays.
 */
export const rankProfileRows = (
  rows: ReadonlyArray<Row>,
  context: RankingContext,
  tiers: MaintenancePolicy["tiers"],
  now: number
): ReadonlyArray<Row> => {
  const { subjects, superseded: all } = settlementOf(rows, context)
  const isCertain = makeContradictionTest(context.judge, context.certainty)
  const isSuperseded = (row: Row, by: Row) =>
    isAtLeast(levelOf(by.memory), levelOf(row.memory)) && isCertain(by, row) && context.mayHide?.(row, by) !== false
  const superseded = new Map([...all].filter((pair) => isSuperseded(...pair)))
  const candidates = rows.filter((row) => isUserMadeCore(row) || !superseded.has(row))
  const hidden = hiddenRows(candidates, context.disputes)
  const current = candidates.filter((row) => !hidden.has(row))
  const former = Map.groupBy([...superseded, ...hidden], ([, by]) => by)
  const predecessors: FindPredecessors = (row) => [
    ...context.predecessorsOf(row),
    ...(former.get(row) ?? []).map(([earlier]) => earlier)
  ]
  return groupBySubject(current, context.judge, subjects)
    .map((subject) => ({ ...subject, ...rankOf(subject, predecessors, tiers, now) }))
    .sort(
      (a, b) =>
        Number(b.core) - Number(a.core) ||
        Number(b.isEstablished) - Number(a.isEstablished) ||
        b.score - a.score ||
        b.row.memory.born - a.row.memory.born
    )
    .map(({ row }) => row)
}

/**
 * Maps each hidden row to the contradicting row that the profile shows instead. The shown row is never hidden itself.
 */
const hiddenRows = (
  rows: ReadonlyArray<Row>,
  disputes: ReadonlyMap<string, OpenDispute> = new Map()
): ReadonlyMap<Row, Row> => {
  const byId = new Map(disputes.size === 0 ? [] : rows.map((row) => [row.memory.id, row]))
  const hidden = new Map<Row, Row>()
  for (const dispute of new Set(disputes.values())) {
    const { opponents, sides } = dispute
    const shown: Array<DisputeSide> = []
    for (const side of sides) {
      const row = byId.get(side.id)
      if (row === undefined) continue
      const by = shown.find((other) => opponents.get(side.id)?.has(other.id) === true)
      if (by === undefined || isUserMadeCore(row)) shown.push(side)
      else hidden.set(row, byId.get(by.id)!)
    }
  }
  return hidden
}

/** The inputs of the ranking, except the rows. */
export interface RankingContext extends Pick<Evidence, "wordings"> {
  readonly predecessorsOf: FindPredecessors
  readonly judge: Judge | undefined
  readonly settler: SettlerService | undefined
  readonly certainty: MaintenancePolicy["reconcile"]
  /** The open disputes of the rows, by memory id. */
  readonly disputes?: ReadonlyMap<string, OpenDispute> | undefined
  /** Returns true if `by` may hide `row`. Returns false if a person decided that both are true. */
  readonly mayHide?: (row: Row, by: Row) => boolean
}

/** Runs the settler to completion. Without a judge or a settler, no memory is superseded. */
const settlementOf = (
  rows: ReadonlyArray<Row>,
  { certainty, predecessorsOf: predecessors, judge, settler, wordings }: RankingContext
): Settlement => {
  if (judge === undefined || settler === undefined) return { superseded: new Map(), subjects: new Map() }
  const work = settler.settle(rows, { predecessors, wordings, contradicts: makeContradictionTest(judge, certainty) })
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value
}

/** Ranks a subject by all its statements and by the statements that they superseded. */
const rankOf = (
  { others, row }: Subject,
  predecessors: FindPredecessors,
  tiers: MaintenancePolicy["tiers"],
  now: number
) => {
  const allFacts = [row, ...others].map(scoreFactsOf)
  const formerMentions = [row, ...others].flatMap(predecessors).reduce((sum, { memory }) => sum + memory.mentions, 0)
  const facts: ScoreFacts = {
    type: row.memory.type,
    importance: Math.max(...allFacts.map(({ importance }) => importance)),
    mentions: allFacts.reduce((sum, { mentions }) => sum + mentions, formerMentions),
    accesses: allFacts.reduce((sum, { accesses }) => sum + accesses, 0),
    seenAt: Math.max(...allFacts.map(({ seenAt }) => seenAt))
  }
  return {
    score: lifeScoreOf(facts, tiers, now).score,
    /** True if the subject is core, an identity, a preference or a decision, and was mentioned more than once. */
    isEstablished:
      facts.mentions > 1 && [row, ...others].some(({ memory }) => memory.tier === "core" || isProfileType(memory.type)),
    // Counts only memories that a user made core. Maintenance chose the other core memories by score, so they compete
    // by score again.
    core: [row, ...others].some(isUserMadeCore)
  }
}

const isProfileType = (type: string): boolean => (profileTypes as ReadonlyArray<string>).includes(type)

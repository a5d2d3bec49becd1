import type { Memory } from "../../../events/Memory.js"
import type { DecidedEvent } from "../../actor/Command.js"
import { nextRevision } from "../../model/nextRevision.js"
import type { MaintenancePolicy } from "../../ports/policy/maintenance.js"
import { type Draft, memoriesRequest, memoryDraft } from "../applySummarizer.js"
import { dayOf, startOfDay } from "../calendar.js"
import { canJoinNote, headingOf, mergeIntoNotes, noteEvent, noteKindOf, temporaryTypes } from "../notes.js"
import { ruleDecision, type Stage, type StagePlan, type StagePlanner, type StageTools } from "../Stage.js"
import { isProtected, type Row } from "../stageRow.js"

/**
 * Merges the daily memories of each past day into one note for each store, level, type, project and topic. A memory
 * stays separate if there is no other to merge with or if its type is never merged. Notes and separate memories get
 * tier mid.
 */
export const daily: Stage = {
  name: "daily",
  kind: "daily",
  before: ({ maintenance }, now) => startOfDay(now, maintenance) - 1,
  gather: (policy, now, tools): StagePlanner => {
    const { maintenance, tiers } = policy
    const today = startOfDay(now, maintenance)
    /** Row numbers by day and kind, oldest first. A memory that is never merged has its own group. */
    const groups: Groups = new Map<string, Array<number>>()
    const keyOf = (memory: Memory): string | undefined => {
      const { born, createdAt, occurredAt, tier, type } = memory
      if (tier !== "daily" || createdAt >= today || temporaryTypes.has(type) || isProtected(memory, tiers.pin))
        return undefined
      const { level, project, store, topic } = noteKindOf(memory)
      const day = dayOf(occurredAt ?? createdAt, maintenance)
      return JSON.stringify(canJoinNote(memory, tools) ? [day, store, level, type, project, topic] : [born])
    }
    return {
      addRows: (rows) => {
        for (const { memory } of rows) {
          const key = keyOf(memory)
          if (key === undefined) continue
          const group = groups.get(key)
          if (group === undefined) groups.set(key, [memory.born])
          else group.push(memory.born)
        }
      },
      neededRows: () => {
        const neededRows: Array<number> = []
        for (const group of groups.values()) {
          if (neededRows.length >= maintenance.rows) break
          // Read whole groups, unless a group exceeds the limit of a run.
          neededRows.push(...group.slice(0, maintenance.rows))
        }
        return neededRows
      },
      plan: (_tools, rows) => {
        const byBorn = new Map(rows.map((row) => [row.memory.born, row]))
        // A memory may have moved to another group between the two reads.
        const membersOf = (key: string, group: ReadonlyArray<number>) =>
          group.flatMap((born) => byBorn.get(born) ?? []).filter(({ memory }) => keyOf(memory) === key)
        return planGroups(groups, membersOf, { policy, now, tools })
      }
    }
  }
}

type Groups = Map<string, Array<number>>

interface Context {
  readonly policy: MaintenancePolicy
  readonly now: number
  readonly tools: StageTools
}

const planGroups = (
  groups: Groups,
  membersOf: (key: string, group: ReadonlyArray<number>) => ReadonlyArray<Row>,
  { now, policy, tools }: Context
): StagePlan => {
  const { countTokens, newId } = tools
  const events: Array<DecidedEvent> = []
  const drafts: Array<Draft> = []
  const counts = { compressed: 0, made: 0, kept: 0 }
  let remainingRows = policy.maintenance.rows
  let pending = 0
  const keep = (row: Row, reason: string): void => {
    if (remainingRows === 0) return
    remainingRows--
    counts.kept++
    const memory = nextRevision(row.memory, { tier: "mid", movedAt: now })
    const decision = ruleDecision("UPDATE", "daily", reason, [row], policy, now)
    events.push({ type: "UPDATE", payload: { memory, reason: "promoted", decision } })
  }
  /** Merges the members into notes. Members that fit into no note stay. */
  const write = (members: ReadonlyArray<Row>, day: string): void => {
    const heading = headingOf(noteKindOf(members[0]!.memory), day)
    const { notes, others } = mergeIntoNotes(members, heading, countTokens)
    for (const note of notes) {
      if (note.sources.length >= remainingRows) continue
      const reason = `memories of ${day} with the same type, project and topic`
      const event = noteEvent(note, "daily", reason, newId(), policy, now)
      const request = memoriesRequest("daily", heading, event.payload.sources, note.summary.tokens)
      if (request !== undefined) drafts.push(memoryDraft(events.length, event, request))
      events.push(event)
      remainingRows -= note.sources.length + 1
      counts.compressed += note.sources.length
      counts.made++
    }
    for (const row of others) keep(row, "it does not fit into a note")
  }
  for (const [key, group] of groups) {
    pending += group.length
    const members = membersOf(key, group)
    const [first] = members
    if (first === undefined) continue
    if (group.length === 1) {
      keep(first, canJoinNote(first.memory, tools) ? noGroupReason : neverMergedReason)
      continue
    }
    // The limit also counts the note. A group that does not fit waits for the next run, unless it would not fit into
    // any run.
    const hasRoom = group.length < remainingRows
    if (!hasRoom && events.length > 0) continue
    if (!hasRoom && remainingRows < 3) {
      for (const row of members) keep(row, "the limit of a run leaves no room for a note")
      continue
    }
    // Cut a large group so that at least two members remain for the next run.
    const maxMembers = group.length === remainingRows && remainingRows > 3 ? remainingRows - 2 : remainingRows - 1
    const [day] = JSON.parse(key) as [string]
    write(hasRoom ? members : members.slice(0, maxMembers), day)
  }
  return { events, drafts, counts, left: pending > counts.compressed + counts.kept }
}

const noGroupReason = "no other memory of that day has its type, project and topic"
const neverMergedReason = "it is stale or disputed, or its type is never merged"

import type { Memory } from "../../../../events/Memory.js"
import type { DecidedEvent } from "../../../actor/Command.js"
import { type Draft, memoriesRequest, memoryDraft } from "../../applySummarizer.js"
import { dayOf, startOfWeek } from "../../calendar.js"
import { canJoinNote, headingOf, mergeIntoNotes, noteEvent, noteKindOf, temporaryTypes } from "../../notes.js"
import { verdictOf } from "../../rules.js"
import { dayMillis, isProtected, type Row } from "../../stageRow.js"
import type { MakeWeeklyTask } from "./WeeklyTask.js"

/** Merges the mid memories of each finished week into one note for each store, level, type, project and topic. */
export const makeMergeTask: MakeWeeklyTask = (policy, now, tools) => {
  const { countTokens, newId } = tools
  const { maintenance, tiers } = policy
  const currentWeek = startOfWeek(now, maintenance)
  /** Row numbers by week and kind, oldest first. */
  const groups = new Map<string, Array<number>>()
  const keyOf = (memory: Memory): string => {
    const { level, project, store, topic, type } = noteKindOf(memory)
    const monday = dayOf(startOfWeek(memory.createdAt, maintenance), maintenance)
    return JSON.stringify([monday, store, level, type, project, topic])
  }
  const isMergeable = (row: Row): boolean => {
    const { memory } = row
    const { createdAt, project, source, tier, topic, type } = memory
    if (tier !== "mid" || createdAt >= currentWeek || (project === undefined && topic === undefined)) return false
    // Weekly notes are not merged again. A memory in use stays separate, because it is about to be promoted to long.
    if (
      !canJoinNote(memory, tools) ||
      temporaryTypes.has(type) ||
      source.name === "weekly" ||
      isProtected(memory, tiers.pin)
    )
      return false
    return verdictOf(row, policy, now).action !== "promote"
  }
  const neededRows = () => neededRowsOf([...groups.values()], maintenance.rows, now)
  return {
    add: (row) => {
      if (!isMergeable(row)) return
      const key = keyOf(row.memory)
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [row.memory.born])
      else group.push(row.memory.born)
    },
    neededRows,
    plan: (rows, maxChanged) => {
      const byBorn = new Map(rows.map((row) => [row.memory.born, row]))
      const events: Array<DecidedEvent> = []
      const drafts: Array<Draft> = []
      let changedCount = 0
      let left = neededRows().length > maintenance.rows
      for (const [key, group] of groups) {
        const members = group.flatMap((born) => byBorn.get(born) ?? [])
        if (members.length < 2) continue
        const [monday] = JSON.parse(key) as [string]
        const heading = headingOf(noteKindOf(members[0]!.memory), `the week from ${monday}`)
        if (maxChanged - changedCount < 3) {
          left ||= maintenance.rows >= 3
          break
        }
        // The limit also counts the note.
        const mergedMembers = members.slice(0, maxChanged - changedCount - 1)
        if (mergedMembers.length < members.length) left = true
        for (const note of mergeIntoNotes(mergedMembers, heading, countTokens).notes) {
          if (changedCount + note.sources.length + 1 > maxChanged) {
            left = true
            continue
          }
          const event = noteEvent(note, "weekly", mergeReason, newId(), policy, now)
          const request = memoriesRequest("weekly", heading, event.payload.sources, note.summary.tokens)
          if (request !== undefined) drafts.push(memoryDraft(events.length, event, request))
          events.push(event)
          changedCount += note.sources.length + 1
        }
      }
      return {
        events,
        drafts,
        counts: { compressed: changedCount - events.length, made: events.length },
        left,
        changed: changedCount
      }
    }
  }
}

const mergeReason = "memories of one week with the same type, project and topic"

/** Returns the row numbers of groups with several members; at most `maxRows` + 1 numbers. */
const neededRowsOf = (
  groups: ReadonlyArray<ReadonlyArray<number>>,
  maxRows: number,
  now: number
): ReadonlyArray<number> => {
  const neededRows: Array<number> = []
  const repeatedGroups = groups.filter(({ length }) => length > 1)
  // One run may not reach all groups, so the first group changes daily.
  const first = repeatedGroups.length === 0 ? 0 : Math.floor(now / dayMillis) % repeatedGroups.length
  for (const group of [...repeatedGroups.slice(first), ...repeatedGroups.slice(0, first)]) {
    neededRows.push(...group)
    if (neededRows.length > maxRows) break
  }
  return neededRows.slice(0, maxRows + 1)
}

import type { Memory } from "../../../../events/Memory.js"
import type { DecidedEvent } from "../../../actor/Command.js"
import { type Draft, memoriesRequest, memoryDraft } from "../../applySummarizer.js"
import { dayOf, startOfWeek } from "../../calendar.js"
import { canJoinNote, headingOf, noteEvent, noteKindOf, notesOf, temporaryTypes } from "../../notes.js"
import { verdictOf } from "../../rules.js"
import { dayMillis, isProtected, type Row } from "../../stageRow.js"
import type { MakeWeeklyTask } from "./WeeklyTask.js"

/** Merges the mid memories of each finished week into one note for each store, type, project and topic. */
export const merge: MakeWeeklyTask = (policy, now, { countTokens, newId }) => {
  const { maintenance, tiers } = policy
  const currentWeek = startOfWeek(now, maintenance)
  /** Row numbers by week and kind, oldest first. */
  const groups = new Map<string, Array<number>>()
  const keyOf = ({ createdAt, project, store, topic, type }: Memory): string =>
    JSON.stringify([dayOf(startOfWeek(createdAt, maintenance), maintenance), store, type, project, topic])
  const isMergeable = (row: Row): boolean => {
    const { memory } = row
    const { createdAt, project, source, tier, topic, type } = memory
    if (tier !== "mid" || createdAt >= currentWeek || (project === undefined && topic === undefined)) return false
    // Notes of a week are not merged again. A memory in use is about to be promoted to long.
    if (!canJoinNote(memory) || temporaryTypes.has(type) || source.name === "weekly" || isProtected(memory, tiers.pin))
      return false
    return verdictOf(row, policy, now).action !== "promote"
  }
  const wanted = () => wantedOf([...groups.values()], maintenance.rows, now)
  return {
    take: (row) => {
      if (!isMergeable(row)) return
      const key = keyOf(row.memory)
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [row.memory.born])
      else group.push(row.memory.born)
    },
    wanted,
    plan: (rows, room) => {
      const byBorn = new Map(rows.map((row) => [row.memory.born, row]))
      const events: Array<DecidedEvent> = []
      const drafts: Array<Draft> = []
      let touched = 0
      let left = wanted().length > maintenance.rows
      for (const [key, group] of groups) {
        const members = group.flatMap((born) => byBorn.get(born) ?? [])
        if (members.length < 2) continue
        const [monday] = JSON.parse(key) as [string]
        const heading = headingOf(noteKindOf(members[0]!.memory), `the week from ${monday}`)
        if (room - touched < 3) {
          left ||= maintenance.rows >= 3
          break
        }
        // The limit counts the note as well.
        const fitting = members.slice(0, room - touched - 1)
        if (fitting.length < members.length) left = true
        for (const note of notesOf(fitting, heading, countTokens).notes) {
          if (touched + note.sources.length + 1 > room) {
            left = true
            continue
          }
          const event = noteEvent(note, "weekly", mergeReason, newId(), policy, now)
          const request = memoriesRequest("weekly", heading, event.payload.sources, note.summary.tokens)
          if (request !== undefined) drafts.push(memoryDraft(events.length, event, request))
          events.push(event)
          touched += note.sources.length + 1
        }
      }
      return { events, drafts, counts: { compressed: touched - events.length, made: events.length }, left, touched }
    }
  }
}

const mergeReason = "memories of one week with the same type, project and topic"

/** Row numbers of groups with several members, up to one more than `maxRows`. */
const wantedOf = (
  groups: ReadonlyArray<ReadonlyArray<number>>,
  maxRows: number,
  now: number
): ReadonlyArray<number> => {
  const wanted: Array<number> = []
  const several = groups.filter(({ length }) => length > 1)
  // One run may not reach all groups, so each day starts at another group.
  const first = several.length === 0 ? 0 : Math.floor(now / dayMillis) % several.length
  for (const group of [...several.slice(first), ...several.slice(0, first)]) {
    wanted.push(...group)
    if (wanted.length > maxRows) break
  }
  return wanted.slice(0, maxRows + 1)
}

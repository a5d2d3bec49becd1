import type { DecidedEvent } from "../../../actor/Command.js"
import { dayOf, startOfWeek } from "../../calendar.js"
import { day, isKept } from "../../facts.js"
import { headingOf, isNotable, kindOf, noted, notesOf, passing } from "../../notes.js"
import { verdictOf } from "../../rules.js"
import { type Draft, memoryDraft, requestAbout } from "../../summarize.js"
import type { MakePart } from "./Part.js"

/** Of each week that is over one note of a type, a project and a topic, of what was captured and what the days brought. */
export const merge: MakePart = (policy, now, { countTokens, newId }) => {
  const { maintenance, tiers } = policy
  const week = startOfWeek(now, maintenance)
  /** By week and kind, the row numbers, the oldest first. */
  const groups = new Map<string, Array<number>>()
  const wanted = () => {
    const found: Array<number> = []
    const several = [...groups.values()].filter(({ length }) => length > 1)
    // Where there are more than one run may touch, another day begins with others.
    const first = several.length === 0 ? 0 : Math.floor(now / day) % several.length
    for (const group of [...several.slice(first), ...several.slice(0, first)]) {
      found.push(...group)
      if (found.length > maintenance.rows) break
    }
    return found.slice(0, maintenance.rows + 1)
  }
  return {
    take: (row) => {
      const { memory } = row
      const { createdAt, project, source, store, tier, topic, type } = memory
      if (tier !== "mid" || createdAt >= week || (project === undefined && topic === undefined)) return
      // What a week came to is not merged with other weeks; what is in use is about to be long.
      if (!isNotable(memory) || passing.has(type) || source.name === "weekly" || isKept(memory, tiers.pin)) return
      if (verdictOf(row, policy, now).action === "promote") return
      const key = JSON.stringify([dayOf(startOfWeek(createdAt, maintenance), maintenance), store, type, project, topic])
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [memory.born])
      else group.push(memory.born)
    },
    wanted,
    plan: (rows, room) => {
      const byBorn = new Map(rows.map((row) => [row.memory.born, row]))
      const events: Array<DecidedEvent> = []
      const drafts: Array<Draft> = []
      let touched = 0
      let left = wanted().length > maintenance.rows
      for (const [key, group] of groups) {
        const found = group.flatMap((born) => byBorn.get(born) ?? [])
        if (found.length < 2) continue
        const [monday] = JSON.parse(key) as [string]
        const heading = headingOf(kindOf(found[0]!.memory), `the week from ${monday}`)
        if (room - touched < 3) {
          left ||= maintenance.rows >= 3
          break
        }
        // No more than there is room for, the note counted.
        const some = found.slice(0, room - touched - 1)
        if (some.length < found.length) left = true
        for (const note of notesOf(some, heading, countTokens).notes) {
          if (touched + note.sources.length + 1 > room) {
            left = true
            continue
          }
          const event = noted(
            note,
            "weekly",
            "what a week brought of one type, project and topic",
            newId(),
            policy,
            now
          )
          const request = requestAbout("weekly", heading, event.payload.sources, note.summary.tokens)
          if (request !== undefined) drafts.push(memoryDraft(events.length, event, request))
          events.push(event)
          touched += note.sources.length + 1
        }
      }
      return { events, drafts, counts: { compressed: touched - events.length, made: events.length }, left, touched }
    }
  }
}

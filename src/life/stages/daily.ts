import type { DecidedEvent } from "../../commands/Command.js"
import { dayOf, startOfDay } from "../calendar.js"
import { isKept, type Row } from "../facts.js"
import { headingOf, isNotable, kindOf, noted, notesOf, passing } from "../notes.js"
import { changed, decided, type Gathering, grouped, type Stage } from "../Stage.js"
import { type Draft, memoryDraft, requestAbout } from "../summarize.js"

/**
 * Makes knowledge of the log of the days that are over: of each day one note of a type, a project and a topic, in the
 * place of what it is made of. What stands for itself, or is alone, is kept as it is. Mid from then on.
 */
export const daily: Stage = {
  name: "daily",
  kind: "daily",
  before: ({ maintenance }, now) => startOfDay(now, maintenance) - 1,
  gather: (policy, now, { countTokens, newId }): Gathering => {
    const { maintenance, tiers } = policy
    const today = startOfDay(now, maintenance)
    const found: Array<Row> = []
    return {
      take: (rows) => {
        for (const row of rows) {
          const { createdAt, tier, type } = row.memory
          if (tier !== "daily" || createdAt >= today || passing.has(type) || isKept(row.memory, tiers.pin)) continue
          if (found.length <= maintenance.rows) found.push(row)
        }
      },
      full: () => found.length > maintenance.rows,
      plan: () => {
        const events: Array<DecidedEvent> = []
        const drafts: Array<Draft> = []
        const counts = { compressed: 0, made: 0, kept: 0 }
        let room = maintenance.rows
        const keep = (row: Row, reason: string): void => {
          if (room === 0) return
          room--
          counts.kept++
          const memory = changed(row.memory, { tier: "mid", updatedAt: now })
          const decision = decided("UPDATE", "daily", reason, [row], policy, now)
          events.push({ type: "UPDATE", payload: { memory, reason: "promoted", decision } })
        }
        const groups = grouped(found.slice(0, room), ({ memory }) => {
          const { occurredAt, createdAt } = memory
          const { project, store, topic, type } = kindOf(memory)
          const day = dayOf(occurredAt ?? createdAt, maintenance)
          return isNotable(memory) ? JSON.stringify([day, store, type, project, topic]) : ""
        })
        for (const [key, rows] of groups) {
          if (key === "") {
            for (const row of rows) keep(row, "what it says stands for itself")
            continue
          }
          const [day] = JSON.parse(key) as [string]
          const heading = headingOf(kindOf(rows[0]!.memory), day)
          // What this run has no room for waits for the next one, unless it would for ever.
          const whole = rows.length < room
          if (!whole && events.length > 0) continue
          if (!whole && room < 3) {
            for (const row of rows) keep(row, "there is no room for a note of it")
            continue
          }
          const { notes, others } = notesOf(whole ? rows : rows.slice(0, room - 1), heading, countTokens)
          for (const note of notes) {
            if (note.sources.length >= room) continue
            const reason = `what ${day} brought of one type, project and topic`
            const event = noted(note, "daily", reason, newId(), policy, now)
            const request = requestAbout("daily", heading, event.payload.sources, note.summary.tokens)
            if (request !== undefined) drafts.push(memoryDraft(events.length, event, request))
            events.push(event)
            room -= note.sources.length + 1
            counts.compressed += note.sources.length
            counts.made++
          }
          for (const row of others) keep(row, "nothing of its kind came that day")
        }
        return { events, drafts, counts, left: found.length > counts.compressed + counts.kept }
      }
    }
  }
}

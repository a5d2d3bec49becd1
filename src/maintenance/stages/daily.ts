import type { Memory } from "../../../events/Memory.js"
import type { DecidedEvent } from "../../actor/Command.js"
import { dayOf, startOfDay } from "../calendar.js"
import { isKept, type Row } from "../facts.js"
import { headingOf, isNotable, kindOf, noted, notesOf, passing } from "../notes.js"
import { changed, decided, type Gathering, type Stage } from "../Stage.js"
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
    /** What becomes one note, by day and kind, or stands alone: the row numbers, the oldest first. */
    const groups = new Map<string, Array<number>>()
    const keyOf = (memory: Memory): string | undefined => {
      const { born, createdAt, occurredAt, tier, type } = memory
      if (tier !== "daily" || createdAt >= today || passing.has(type) || isKept(memory, tiers.pin)) return undefined
      const { project, store, topic } = kindOf(memory)
      const day = dayOf(occurredAt ?? createdAt, maintenance)
      return JSON.stringify(isNotable(memory) ? [day, store, type, project, topic] : [born])
    }
    return {
      take: (rows) => {
        for (const { memory } of rows) {
          const key = keyOf(memory)
          if (key === undefined) continue
          const group = groups.get(key)
          if (group === undefined) groups.set(key, [memory.born])
          else group.push(memory.born)
        }
      },
      wanted: () => {
        const found: Array<number> = []
        for (const group of groups.values()) {
          if (found.length >= maintenance.rows) break
          // Whole groups, but for one that no run has room for.
          found.push(...group.slice(0, maintenance.rows))
        }
        return found
      },
      plan: (_tools, read) => {
        const byBorn = new Map(read.map((row) => [row.memory.born, row]))
        const events: Array<DecidedEvent> = []
        const drafts: Array<Draft> = []
        const counts = { compressed: 0, made: 0, kept: 0 }
        let room = maintenance.rows
        let waiting = 0
        const keep = (row: Row, reason: string): void => {
          if (room === 0) return
          room--
          counts.kept++
          const memory = changed(row.memory, { tier: "mid", movedAt: now })
          const decision = decided("UPDATE", "daily", reason, [row], policy, now)
          events.push({ type: "UPDATE", payload: { memory, reason: "promoted", decision } })
        }
        for (const [key, group] of groups) {
          waiting += group.length
          const rows = group.flatMap((born) => byBorn.get(born) ?? []).filter(({ memory }) => keyOf(memory) === key)
          const [first] = rows
          if (first === undefined) continue
          if (group.length === 1) {
            keep(
              first,
              isNotable(first.memory)
                ? "nothing else of its kind is in the log of that day"
                : "what it says stands for itself"
            )
            continue
          }
          const [day] = JSON.parse(key) as [string]
          const heading = headingOf(kindOf(first.memory), day)
          // What this run has no room for waits for the next one, unless it would for ever.
          const whole = group.length < room
          if (!whole && events.length > 0) continue
          if (!whole && room < 3) {
            for (const row of rows) keep(row, "there is no room for a note of it")
            continue
          }
          // Of what is cut, nothing is left alone if that can be helped.
          const most = group.length === room && room > 3 ? room - 2 : room - 1
          const { notes, others } = notesOf(whole ? rows : rows.slice(0, most), heading, countTokens)
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
          for (const row of others) keep(row, "no note has room for it")
        }
        return { events, drafts, counts, left: waiting > counts.compressed + counts.kept }
      }
    }
  }
}

import type { Memory } from "../../../events/Memory.js"
import { shortened } from "../../../text/normalise/sentences.js"
import type { DecidedEvent } from "../../actor/Command.js"
import { ageOf, day, isKept, type Row } from "../facts.js"
import { changed, decided, type Gathering, type Stage } from "../Stage.js"

/** Shortens narratives that are no longer new, and drops old ones. Titles and facts stay. */
export const retention: Stage = {
  name: "retention",
  kind: "narrative",
  before: ({ retention }, now) => now - retention.shortenAfter * day,
  gather: (policy, now): Gathering => {
    const { dropAfter, narrative: most, rows, shortenAfter } = policy.retention
    const found: Array<{ readonly row: Row; readonly narrative: string | undefined }> = []
    let left = false
    return {
      take: (page) => {
        for (const row of page) {
          const { memory } = row
          // What is core by the rules alone is read by title and facts there, and was shortened before.
          const { coreFrom: tier = memory.tier } = memory
          if (memory.narrative === undefined || isKept({ ...memory, tier }, policy.tiers.pin)) continue
          // What a person changed last counts, not what was done to it by age.
          const age = ageOf(Math.max(memory.createdAt, memory.updatedAt), now)
          if (age < shortenAfter) continue
          const narrative = age > dropAfter ? undefined : shortened(memory.narrative, most)
          if (narrative === memory.narrative) continue
          if (found.length < rows) found.push({ row, narrative })
          else left = true
        }
      },
      full: () => left,
      plan: ({ countTokens }) => ({
        events: found.map(({ narrative, row }): DecidedEvent => {
          const { narrative: _, ...rest } = row.memory
          const memory: Memory = narrative === undefined ? rest : { ...rest, narrative }
          const tokens = countTokens([memory.title, narrative ?? "", ...memory.facts].join("\n"))
          const reason =
            narrative === undefined
              ? `older than ${dropAfter} days: title and facts remain`
              : `older than ${shortenAfter} days: ${row.memory.narrative!.length} characters became ${narrative.length}`
          return {
            type: "UPDATE",
            payload: {
              memory: changed(memory, { tokens }),
              reason: "aged",
              decision: decided("UPDATE", "retention", reason, [row], policy, now)
            }
          }
        }),
        counts: {
          shortened: found.filter(({ narrative }) => narrative !== undefined).length,
          dropped: found.filter(({ narrative }) => narrative === undefined).length
        },
        left
      })
    }
  }
}

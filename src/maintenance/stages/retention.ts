import type { Memory } from "../../../events/Memory.js"
import { shortenText } from "../../../text/normalise/sentences.js"
import type { DecidedEvent } from "../../actor/Command.js"
import { memoryText } from "../../model/memoryText.js"
import { nextRevision } from "../../model/nextRevision.js"
import { ruleDecision, type Stage, type StagePlanner } from "../Stage.js"
import { ageInDays, dayMillis, isProtected, type Row } from "../stageRow.js"

/** Shortens older narratives and drops the oldest ones. Titles and facts stay. */
export const retention: Stage = {
  name: "retention",
  kind: "narrative",
  before: ({ retention }, now) => now - retention.shortenAfter * dayMillis,
  gather: (policy, now): StagePlanner => {
    const { dropAfter, narrative: maxLength, rows: maxRows, shortenAfter } = policy.retention
    const changes: Array<{ readonly row: Row; readonly narrative: string | undefined }> = []
    let left = false
    return {
      addRows: (page) => {
        for (const row of page) {
          const { memory } = row
          // A memory that the rules made core is treated like its former tier, because the profile shows no narratives.
          // Only a memory that the user made core is protected.
          const { coreFrom: tier = memory.tier } = memory
          if (memory.narrative === undefined || isProtected({ ...memory, tier }, policy.tiers.pin)) continue
          // The age starts at the last change of content. Changes by maintenance do not reset it.
          const age = ageInDays(Math.max(memory.createdAt, memory.updatedAt), now)
          if (age < shortenAfter) continue
          const narrative = age > dropAfter ? undefined : shortenText(memory.narrative, maxLength)
          if (narrative === memory.narrative) continue
          if (changes.length < maxRows) changes.push({ row, narrative })
          else left = true
        }
      },
      isFull: () => left,
      plan: ({ countTokens }) => ({
        events: changes.map(({ narrative, row }): DecidedEvent => {
          const { narrative: _, ...rest } = row.memory
          const memory: Memory = narrative === undefined ? rest : { ...rest, narrative }
          const tokens = countTokens(memoryText(memory))
          const reason =
            narrative === undefined
              ? `older than ${dropAfter} days: title and facts remain`
              : `older than ${shortenAfter} days: ${row.memory.narrative!.length} characters became ${narrative.length}`
          return {
            type: "UPDATE",
            payload: {
              memory: nextRevision(memory, { tokens }),
              reason: "aged",
              decision: ruleDecision("UPDATE", "retention", reason, [row], policy, now)
            }
          }
        }),
        counts: {
          shortened: changes.filter(({ narrative }) => narrative !== undefined).length,
          dropped: changes.filter(({ narrative }) => narrative === undefined).length
        },
        left
      })
    }
  }
}

import type { SessionSummary } from "../../../events/SessionSummary.js"
import type { Db } from "../../../projections/Projection.js"
import { findSummary, findSummaryTurns, findUnsummarized, type SessionKey } from "../../../projections/summaries.js"
import type { DecidedEvent } from "../../actor/Command.js"
import type { Draft } from "../applySummarizer.js"
import { emptyPlan, type Stage, type StagePlanner } from "../Stage.js"
import { replaceSummaryTexts, sessionRequest, summarizeByRules } from "../sessionSummary.js"

/**
 * Summarizes quiet sessions: one summary for each session and store. The summary replaces an older one that covers
 * fewer turns. A session without text from the user or the assistant gets no summary.
 */
export const sessions: Stage = {
  name: "sessions",
  kind: "working",
  readsTurns: true,
  before: (_, now) => now,
  read: () => [],
  gather: ({ prompt: { writers }, sessions: { quiet, rows: maxRows } }, now, { statements }, store): StagePlanner => {
    const quietSince = now - quiet * 60_000
    let page = noSessions
    let next = 0
    const planned: Array<PlannedSummary> = []
    let current: { readonly key: SessionKey; readonly steps: ReturnType<typeof summarizeByRules> } | undefined
    const takeStep = (db: Db, { key, steps }: NonNullable<typeof current>): boolean => {
      const step = steps.next()
      if (step.done !== true) return true
      current = undefined
      if (step.value === null) return true
      const { summary } = step.value
      // A substring keeps its whole source text in memory. A copy through JSON frees the texts of the turns.
      const copy = JSON.parse(JSON.stringify({ summary, request: sessionRequest(step.value) }))
      planned.push({ ...key, ...copy, before: findSummary(db, key.session, key.store) })
      return planned.length < maxRows
    }
    return {
      addRows: () => {},
      readMore: (db) => {
        if (current !== undefined) return takeStep(db, current)
        const key = page.sessions[next++]
        if (key === undefined) {
          // Sessions that get no summary stay in this list forever, so the stage reads page by page to reach later
          // sessions.
          page = findUnsummarized(db, store, quietSince, page.last, keysPerRead)
          next = 0
          return page.sessions.length > 0
        }
        current = { key, steps: summarizeByRules(findSummaryTurns(db, key, turnLimits), statements, writers) }
        return takeStep(db, current)
      },
      plan: () => {
        if (planned.length === 0) return emptyPlan
        const drafts: Array<Draft> = []
        const events = planned.map((plannedSummary, index): DecidedEvent => {
          const reason = `no turn for ${quiet} minutes or more`
          const event = (summary: SessionSummary): DecidedEvent => summaryEvent(plannedSummary, summary, reason)
          const { request, summary } = plannedSummary
          drafts.push({ eventIndex: index, request, write: (lines) => event(replaceSummaryTexts(summary, lines)) })
          return event(summary)
        })
        return {
          events,
          counts: { summarized: events.length },
          left: planned.length === maxRows && (next < page.sessions.length || page.sessions.length === keysPerRead),
          drafts
        }
      }
    }
  }
}

interface PlannedSummary extends SessionKey {
  readonly before: ReturnType<typeof findSummary>
  readonly summary: SessionSummary
  readonly request: Draft["request"]
}

/** Maximum session keys per read. */
const keysPerRead = 1_000
const noSessions: ReturnType<typeof findUnsummarized> = { sessions: [], last: 0 }
/**
 * Maximum turns read from a session (its first and its last ones), and characters from each turn (its start and end).
 */
export const turnLimits = { first: 10, last: 190, characters: 4_000 }

/** Makes the event that writes a summary, or replaces the previous one. */
export const summaryEvent = (
  { before, session, store }: Pick<PlannedSummary, "before" | keyof SessionKey>,
  summary: SessionSummary,
  reason: string
): DecidedEvent => ({
  type: "SUMMARIZE",
  payload: {
    session,
    store,
    summary,
    ...(before === undefined ? {} : { was: before.summary, replaces: before.version }),
    decision: {
      action: "SUMMARIZE",
      by: { kind: "rule", name: "sessions" },
      reason,
      candidates: []
    }
  }
})

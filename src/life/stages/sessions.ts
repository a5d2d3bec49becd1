import type { SessionSummary } from "../../../events/SessionSummary.js"
import { findSaid, findSummary, findUnsummarized, type SessionKey } from "../../../projections/summaries.js"
import type { DecidedEvent } from "../../commands/Command.js"
import { type Gathering, nothingPlanned, type Stage } from "../Stage.js"
import { ruledSummary, sessionRequest, withLines } from "../sessionSummary.js"
import type { Draft } from "../summarize.js"

/**
 * Writes down what conversations came to that nobody went on with for a while: one summary for a session and store, in
 * place of the one that knew fewer turns. Sessions in which neither side said anything have none.
 */
export const sessions: Stage = {
  name: "sessions",
  kind: "working",
  before: (_, now) => now,
  read: () => [],
  gather: ({ sessions: { quiet, rows: most } }, now, _, store): Gathering => {
    let waiting: ReadonlyArray<SessionKey> | undefined
    let next = 0
    const found: Array<Found> = []
    return {
      take: () => {},
      look: (db) => {
        if (waiting === undefined) {
          waiting = findUnsummarized(db, store, now - quiet * 60_000, mostLooked)
          return waiting.length > 0
        }
        const key = waiting[next++]!
        const ruled = ruledSummary(findSaid(db, key, turns))
        if (ruled !== null) {
          const before = findSummary(db, key.session, key.store)
          found.push({ ...key, before, ruled, request: sessionRequest(ruled) })
        }
        return found.length < most && next < waiting.length
      },
      plan: () => {
        if (found.length === 0) return nothingPlanned
        const drafts: Array<Draft> = []
        const events = found.map((one, at): DecidedEvent => {
          const event = (summary: SessionSummary): DecidedEvent => summarizing(one, summary, quiet)
          const { request, ruled } = one
          drafts.push({ at, request, write: (lines) => event(withLines(ruled.summary, lines)) })
          return event(ruled.summary)
        })
        return {
          events,
          counts: { summarized: events.length },
          left: next < (waiting ?? []).length || next === mostLooked,
          drafts
        }
      }
    }
  }
}

interface Found extends SessionKey {
  readonly before: ReturnType<typeof findSummary>
  readonly ruled: NonNullable<ReturnType<typeof ruledSummary>>
  readonly request: Draft["request"]
}

/** Sessions that are looked at in one run. */
const mostLooked = 10_000
/** Turns of one that are read, and characters of each: of longer ones the beginning and the end. */
const turns = { first: 10, last: 190, characters: 4_000 }

const summarizing = ({ before, session, store }: Found, summary: SessionSummary, quiet: number): DecidedEvent => ({
  type: "SUMMARIZE",
  payload: {
    session,
    store,
    summary,
    ...(before === undefined ? {} : { was: before.summary, replaces: before.version }),
    decision: {
      action: "SUMMARIZE",
      by: { kind: "rule", name: "sessions" },
      reason: `no turn for ${quiet} minutes or more`,
      candidates: []
    }
  }
})

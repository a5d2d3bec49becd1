import type { SessionSummary } from "../../../events/SessionSummary.js"
import { findSaid, findSummary, findUnsummarized, type SessionKey } from "../../../projections/summaries.js"
import type { DecidedEvent } from "../../actor/Command.js"
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
    const quietSince = now - quiet * 60_000
    let page = noSessions
    let next = 0
    const found: Array<Found> = []
    return {
      take: () => {},
      look: (db) => {
        const key = page.sessions[next++]
        if (key === undefined) {
          // Those in which neither side said anything wait for ever: behind a page of them there may be others.
          page = findUnsummarized(db, store, quietSince, page.last, looked)
          next = 0
          return page.sessions.length > 0
        }
        const ruled = ruledSummary(findSaid(db, key, turns))
        if (ruled === null) return true
        const { summary } = ruled
        // Nothing of the turns but what is told: a piece of a text would hold all of it, and many texts are much.
        const kept = JSON.parse(JSON.stringify({ summary, request: sessionRequest(ruled) }))
        found.push({ ...key, ...kept, before: findSummary(db, key.session, key.store) })
        return found.length < most
      },
      plan: () => {
        if (found.length === 0) return nothingPlanned
        const drafts: Array<Draft> = []
        const events = found.map((one, at): DecidedEvent => {
          const event = (summary: SessionSummary): DecidedEvent => summarizing(one, summary, quiet)
          const { request, summary } = one
          drafts.push({ at, request, write: (lines) => event(withLines(summary, lines)) })
          return event(summary)
        })
        return {
          events,
          counts: { summarized: events.length },
          left: found.length === most && (next < page.sessions.length || page.sessions.length === looked),
          drafts
        }
      }
    }
  }
}

interface Found extends SessionKey {
  readonly before: ReturnType<typeof findSummary>
  readonly summary: SessionSummary
  readonly request: Draft["request"]
}

/** Sessions whose keys are read at once. */
const looked = 1_000
const noSessions: ReturnType<typeof findUnsummarized> = { sessions: [], last: 0 }
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

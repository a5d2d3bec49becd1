import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { SessionSummary } from "../../events/SessionSummary.js"
import type { Store } from "../../events/Trust.js"
import { traceEvent } from "../../events/tracing.js"
import { runInTurns } from "../../events/turns.js"
import { findLastTurn, findSessionStores } from "../../projections/sessionReads.js"
import { findSummaries, findSummary, findSummaryTurns, type SessionKey } from "../../projections/summaries.js"
import type { CommandError } from "../actor/Actor.js"
import { requireUnparked } from "../actor/Command.js"
import { type InvalidInput, type LevelTooLow, SessionNotFound } from "../model/errors.js"
import { failureNames } from "../model/failureNames.js"
import { randomId } from "../model/ids.js"
import { decodeKey } from "../model/input.js"
import { requireLevel } from "../remember/levels.js"
import type { Writer } from "../remember/remember.js"
import { applySummarizer } from "./applySummarizer.js"
import type { Maintainer } from "./maintain.js"
import { portionCommand } from "./portionCommand.js"
import { replaceSummaryTexts, sessionRequest, summarizeByRules } from "./sessionSummary.js"
import { summaryEvent, turnLimits } from "./stages/sessions.js"

/** The result of summarising a session in one store. */
export interface SummarizedSession {
  readonly store: Store
  /**
   * `written`: the summary now covers all turns. `unchanged`: the summary already covered all turns. `skipped`: neither
   * user nor assistant said anything, the session changed in the meantime, or its turns cannot be read because their
   * projection is parked.
   */
  readonly outcome: "written" | "unchanged" | "skipped"
  /** The id of the run, for undoing it; absent when nothing was written. */
  readonly run?: string
}

export type SummarizeError = CommandError | InvalidInput | LevelTooLow | SessionNotFound

export type SummarizeServices = Pick<Maintainer, "policy" | "read" | "run" | "statements" | "summarizing">

/**
 * Updates the summaries of a session, in each store that the level can read, or only in the given stores. A session
 * that has memories but no turns needs no summary: reads list its memories.
 */
export const summarizeSession = Effect.fnUntraced(function* (
  services: SummarizeServices,
  writer: Writer,
  session: string,
  only?: ReadonlyArray<Store>
): Effect.fn.Return<ReadonlyArray<SummarizedSession>, SummarizeError> {
  yield* decodeKey("session", session)
  const { isKnown, stores } = yield* services.read(({ db, now }) => ({
    stores: findSessionStores(db, writer.level, session),
    isKnown: findSummaries(db, writer.level, now, { session, limit: 1, offset: 0 }).length > 0
  }))
  if (stores.length === 0 && !isKnown) return yield* new SessionNotFound({ session })
  return yield* Effect.forEach(only ?? stores, (store) =>
    summarizeIn(services, writer, { session, store }).pipe(
      Effect.tap(({ outcome }) =>
        outcome === "written"
          ? traceEvent("session_summary.written")
          : traceEvent("session_summary.skipped", { reason: outcome })
      ),
      Effect.tapErrorCause((cause) => traceEvent("session_summary.failed", { reason: failureNames(cause) }))
    )
  )
})

const summarizeIn = Effect.fnUntraced(function* (
  { policy, read, run, statements, summarizing }: SummarizeServices,
  writer: Writer,
  key: SessionKey
) {
  const { session, store } = key
  const { before, conversation, generation, isParked, last } = yield* read(({ db }) => ({
    isParked: Either.isLeft(requireUnparked(db, "conversation")),
    before: findSummary(db, session, store),
    conversation: findSummaryTurns(db, key, turnLimits),
    last: findLastTurn(db, session, store),
    generation: db.name
  }))
  const result = (outcome: SummarizedSession["outcome"]): SummarizedSession => ({ store, outcome })
  if (last === undefined || isParked) return result("skipped")
  if (before?.summary.until === last.born) return result("unchanged")
  const draft = yield* runInTurns(summarizeByRules(conversation, statements, policy.prompt.writers), Effect.sync)
  if (draft === null) return result("skipped")
  const what = `summary of session ${session}`
  if (before !== undefined) yield* requireLevel(writer.level, { ...before.summary, store }, what)
  yield* requireLevel(writer.level, { ...draft.summary, store }, what)
  const eventOf = (summary: SessionSummary) => summaryEvent({ ...key, before }, summary, "asked to summarise it")
  const request = sessionRequest(draft)
  const drafts = [
    {
      eventIndex: 0,
      request,
      write: (lines: Parameters<typeof replaceSummaryTexts>[1]) => eventOf(replaceSummaryTexts(draft.summary, lines))
    }
  ]
  const events = yield* applySummarizer(summarizing, [eventOf(draft.summary)], drafts, writer.countTokens)
  const id = randomId()
  const written = yield* run(portionCommand({ run: id, actor: writer.actor, started: undefined, events, generation }))
  return written.events.length === 0 ? result("skipped") : { ...result("written"), run: id }
})

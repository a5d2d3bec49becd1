import * as Effect from "effect/Effect"
import { findSessionStores, isAnswered } from "../../projections/sessionReads.js"
import type { Background } from "../actor/Background.js"
import type { ReaderSource } from "../actor/ReaderSource.js"
import { failureNames } from "../model/failureNames.js"
import type { Writer } from "../remember/remember.js"
import type { Runner } from "../remember/runner.js"
import type { Maintainer } from "./maintain.js"
import { makeRollingWriter } from "./rolling/Rolling.js"

export interface AfterTurnServices
  extends Pick<ReaderSource, "agent" | "read">,
    Pick<Maintainer, "policy" | "run" | "statements" | "summarizing"> {
  readonly background: Background
}

/** Keeps the summaries of a session up to date while turns are added. */
export interface AfterTurn {
  /** Updates the summaries in the background, after a short pause. */
  readonly later: (session: string) => void
  /** Updates the summaries now. A failure is logged. */
  readonly now: (session: string) => Effect.Effect<void>
}

/** Milliseconds between a turn and the update. Turns that are added during this pause are summarised together. */
const pause = 2_000

const message = "a session could not be summarised yet"

/**
 * Creates the work that follows a turn: condensing the oldest turns if they fill their budget, and summarising the
 * session if the assistant spoke last. Like maintenance, this work has full trust. The level of a summary depends on
 * its turns, not on the writer of the last turn.
 */
export const makeAfterTurn = (services: AfterTurnServices, runner: Runner, caller: Writer): AfterTurn => {
  const { agent, background, policy, read } = services
  const writer: Writer = { ...caller, level: "full", actor: "sessions" }
  const rolling = makeRollingWriter(runner, writer, services)
  const key = (session: string) => JSON.stringify(["sessions", agent, session])

  /** True if a summary was written. */
  const refresh = Effect.fnUntraced(function* (session: string) {
    const { answered, stores } = yield* read(({ db }) => {
      const stores = findSessionStores(db, "full", session)
      return { stores, answered: stores.filter((store) => isAnswered(db, session, store)) }
    })
    if (policy.summary.enabled) for (const store of stores) yield* rolling.roll(session, { store })
    if (!policy.sessions.after_turn || answered.length === 0) return false
    const { summarizeSession } = yield* Effect.promise(() => import("./summarizeSession.js"))
    const results = yield* summarizeSession(services, writer, session, answered)
    return results.some(({ outcome }) => outcome === "written")
  })

  const later = (session: string): void =>
    background.startSoon(key(session), pause, {
      // The next check summarises turns that were added while this summary was written.
      effect: Effect.map(refresh(session), (isWritten) => (isWritten ? later(session) : undefined)),
      message
    })

  return {
    later,
    now: (session) =>
      Effect.catchAllCause(Effect.asVoid(refresh(session)), (cause) =>
        Effect.logWarning(message, { failure: failureNames(cause) })
      )
  }
}

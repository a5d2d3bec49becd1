import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent } from "../../events/catalogue.js"
import type { EventLog } from "../../events/EventLog.js"
import { yieldIfDue } from "../../events/turns.js"
import type { Transaction } from "../../projections/view/Views.js"
import type { AnyCommand, Outcome } from "./Command.js"

/**
 * Returns the outcome of each command whose id is already in the log: the first answer, or the error with which the log
 * refuses the id.
 */
export const findAnswersInLog = Effect.fnUntraced(function* (
  agent: string,
  commands: ReadonlyArray<AnyCommand>,
  { db }: Transaction,
  { codec, log }: { readonly codec: Codec; readonly log: Context.Tag.Service<EventLog> }
) {
  const now = yield* Clock.currentTimeMillis
  const answers = new Map<AnyCommand, Outcome>()
  for (const command of commands) {
    if (command.commandId === undefined) continue
    yield* yieldIfDue
    const stored = yield* Effect.either(log.command(agent, command.commandId, command.request()))
    if (Either.isLeft(stored)) {
      if (stored.left._tag === "StorageError") return yield* stored.left
      answers.set(command, stored)
    } else if (Option.isSome(stored.right)) {
      const events: Array<DaybookEvent> = []
      for (const row of stored.right.value.events) events.push((yield* codec.decode(row)) as DaybookEvent)
      answers.set(command, Either.right(command.answer(events, true, { db, now })))
    }
  }
  return answers
})

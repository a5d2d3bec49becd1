import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Payload } from "../../events/catalogue.js"
import type { EventLog } from "../../events/EventLog.js"
import type { StorageError } from "../../events/errors.js"
import { isClockConfirmed } from "../../projections/configuration.js"
import { toIso } from "../../text/when/dates.js"
import type { Command, DecidedEvent } from "./Command.js"

/** The time of a batch of commands, milliseconds since the epoch. */
export interface ClockReading {
  /** The time that decisions use. */
  readonly now: number
  /** The recording time of the events. */
  readonly recordedAt: number
  /** The CLOCK event to record before the events of the batch, if the clock jumped. */
  readonly jump?: DecidedEvent
}

interface NewestEvent {
  readonly position: number
  readonly recordedAt: number
}

const dayMillis = 86_400_000
/**
 * Milliseconds that a clock may be behind the newest event. The clocks of several machines differ, and a time zone may
 * be set wrong.
 */
const maxBehindMillis = dayMillis
/** Milliseconds that a clock may be ahead of the newest event. Beyond it, the clock may have jumped. */
const maxAheadMillis = 366 * dayMillis
/** A clock that reads an earlier time than Daybook's first release is wrong. */
const firstReleaseMillis = Date.UTC(2026, 0, 1)

/** Whether a reading is more than a year after the newest event. */
export const isFarAhead = ({ position, recordedAt }: NewestEvent, reading: number): boolean =>
  position > 0 && reading > recordedAt + maxAheadMillis

/** Whether a reading is more than a day before the newest event. */
export const isFarBehind = ({ recordedAt }: NewestEvent, reading: number): boolean =>
  reading < recordedAt - maxBehindMillis

/** Interprets a clock reading that is after the newest event, or at most a day before it. */
export const interpretReading = (newest: NewestEvent, reading: number): ClockReading =>
  isFarAhead(newest, reading)
    ? { now: reading, recordedAt: reading, jump: clockEvent({ change: "ahead" }) }
    : { now: reading, recordedAt: Math.max(reading, newest.recordedAt) }

/**
 * Interprets a reading that is more than a day behind the newest event. If the clock returned from a jump forward, a
 * CLOCK event names the events since the jump. These events then count as recorded at this reading. This is the only
 * case in which recording times decrease. In all other cases the reading is wrong: a warning is logged, and the newest
 * event's time is used.
 */
export const interpretReadingBehind = Effect.fnUntraced(function* (
  log: Context.Tag.Service<EventLog>,
  agent: string,
  { recordedAt }: NewestEvent,
  reading: number
): Effect.fn.Return<ClockReading, StorageError> {
  const since = (yield* log.versionAt(agent, reading)) + 1
  const jumpedTo = yield* log.earliest(agent, since)
  // If events surround the reading without a gap, the clock is wrong now. A jump leaves a gap between events.
  const hasReturned = jumpedTo - reading > maxBehindMillis && (since > 1 || reading >= firstReleaseMillis)
  if (hasReturned) return { now: reading, recordedAt: reading, jump: clockEvent({ change: "returned", since }) }
  const [read, newest] = [toIso(reading), toIso(recordedAt)]
  yield* Effect.logWarning(`the clock reads ${read}, before the newest event: ${newest} is used instead`, { agent })
  return { now: recordedAt, recordedAt }
})

const clockEvent = (payload: Payload<"CLOCK">): DecidedEvent => ({ type: "CLOCK", payload })

/** Makes the command that confirms a clock which jumped ahead. */
export const confirmClock = (actor: string): Command<void, never> => ({
  actor,
  request: () => "",
  decide: ({ db }) =>
    Either.right(
      isClockConfirmed(db) ? { answer: undefined } : { events: [clockEvent({ change: "confirmed" })] as const }
    ),
  answer: () => undefined
})

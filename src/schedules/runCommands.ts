import * as Either from "effect/Either"
import type { Payload } from "../../events/catalogue.js"
import { isClockConfirmed } from "../../projections/configuration.js"
import { findDueSchedules, findSchedule, nextDueAt } from "../../projections/scheduleReads.js"
import type { ScheduleRow } from "../../projections/schedules.js"
import { type Command, type DecidedEvent, requireUnparked, runCause } from "../actor/Command.js"
import { LeaseLost, type ProjectionParked } from "../model/errors.js"
import type { PolicyValues } from "../ports/Policy.js"
import { decideDue, shouldNotify, stateAfterRun } from "./decide.js"
import type { Claimed, ClaimResult, Finished, Outcome, RunAttempt } from "./Runner.js"
import { scheduleOf } from "./Schedule.js"

/** The policy, its digest and the handlers without a failure limit. Each run records the digest. */
type Policy = PolicyValues["schedules"] & { readonly digest: string; readonly protectedHandlers: ReadonlySet<string> }

// The commands of the runner. No caller of the memory requests them, so the log names the scheduler as their actor.

const actor = "scheduler"
const noRequest = () => ""

type RunPayload = Payload<"RUN">

const started = ({ attempt, occurrence, run, schedule }: RunAttempt, lease: number, policy: string): DecidedEvent => ({
  type: "RUN",
  payload: { run, kind: "schedule", phase: "started", name: schedule, occurrence, attempt, lease, policy }
})

const finished = (
  { attempt, occurrence, run, schedule }: RunAttempt,
  policy: string,
  rest: Pick<RunPayload, "status"> & Partial<RunPayload>
): DecidedEvent => ({
  type: "RUN",
  payload: { run, kind: "schedule", phase: "finished", name: schedule, occurrence, attempt, policy, ...rest }
})

/** Makes the event that sets the state of a schedule after a run. */
const scheduleChanged = (row: ScheduleRow, run: string, state: ReturnType<typeof stateAfterRun>): DecidedEvent => ({
  type: "SCHEDULE",
  payload: { schedule: row.id, change: "ran", state },
  cause: runCause(run)
})

/** The failure limit of one schedule; 0 means no limit. */
const policyFor = ({ definition }: ScheduleRow, { failures, protectedHandlers }: Policy) => ({
  failures: protectedHandlers.has(definition.handler) ? 0 : failures
})

const currentRun = (row: ScheduleRow): RunAttempt => ({
  schedule: row.id,
  run: row.run ?? "",
  occurrence: row.occurrence ?? 0,
  attempt: row.attempt
})

/**
 * Claims due runs for these handlers; the map gives each handler's lease in milliseconds. Marks runs whose lease
 * expired as abandoned, and starts them again if they are still due.
 */
export const claimRuns = (
  handlers: ReadonlyMap<string, number>,
  limit: number,
  policy: Policy
): Command<ClaimResult, ProjectionParked> => {
  let claims: ClaimResult = { claimed: [], next: null, waitsForClock: false }
  return {
    actor,
    request: noRequest,
    decide: ({ db, newId, now }) =>
      Either.gen(function* () {
        yield* requireUnparked(db, "schedules")
        claims = { claimed: [], next: null, waitsForClock: !isClockConfirmed(db) }
        if (claims.waitsForClock) return { answer: claims }
        const events: Array<DecidedEvent> = []
        const claimed: Array<Claimed> = []
        for (const row of findDueSchedules(db, { until: now, handlers: [...handlers.keys()], limit })) {
          const decision = decideDue(row, now, policy)
          if (decision === undefined) continue
          const current = currentRun(row)
          if (decision.abandon) events.push(finished(current, policy.digest, { status: "abandoned" }))
          if (decision.giveUp) {
            const error = `was begun ${row.abandoned + 1} times and never ended`
            events.push(finished(current, policy.digest, { status: "failed", error }))
            events.push(scheduleChanged(row, current.run, stateAfterRun(row, "failed", now, policyFor(row, policy))))
          }
          if (decision.start === undefined) continue
          const run = { schedule: row.id, run: newId(), ...decision.start }
          const lease = now + handlers.get(row.definition.handler)!
          events.push(started(run, lease, policy.digest))
          claimed.push({ ...run, lease, definition: scheduleOf(row) })
        }
        claims = { claimed, next: nextDueAt(db, [...handlers.keys()], now), waitsForClock: false }
        const [first, ...rest] = events
        return first === undefined ? { answer: claims } : { events: [first, ...rest] }
      }),
    answer: () => claims
  }
}

const ifLeaseHeld = (row: ScheduleRow | undefined, { run }: RunAttempt): Either.Either<ScheduleRow, LeaseLost> =>
  row?.run === run ? Either.right(row) : Either.left(new LeaseLost({ run }))

/** Starts another attempt of the same run with a new lease (milliseconds since the epoch). */
export const renewRun = (run: RunAttempt, lease: number, policy: string): Command<void, LeaseLost> => ({
  actor,
  request: noRequest,
  decide: ({ db }) =>
    Either.map(ifLeaseHeld(findSchedule(db, run.schedule), run), () => ({
      events: [started(run, lease, policy)] as const
    })),
  answer: () => undefined
})

/** Releases a run, so that another process may start it immediately. The count `released` marks such a run. */
export const releaseRun = (run: RunAttempt, policy: string): Command<void, LeaseLost> => ({
  actor,
  request: noRequest,
  decide: ({ db }) =>
    Either.map(ifLeaseHeld(findSchedule(db, run.schedule), run), () => ({
      events: [finished(run, policy, { status: "abandoned", counts: { released: 1 } })] as const
    })),
  answer: () => undefined
})

/** Records how a run ended and when its schedule is next due, in one append. */
export const finishRun = (run: RunAttempt, outcome: Outcome, policy: Policy): Command<Finished, LeaseLost> => ({
  actor,
  request: noRequest,
  decide: ({ db, now }) =>
    Either.gen(function* () {
      const row = yield* ifLeaseHeld(findSchedule(db, run.schedule), run)
      const notify = shouldNotify(row.definition.notify, outcome, row)
      const counts = { ...outcome.counts, ...(notify ? { notified: 1 } : {}) }
      const ended = finished(run, policy.digest, { ...outcome, counts })
      return {
        events: [
          ended,
          scheduleChanged(row, run.run, stateAfterRun(row, outcome.status, now, policyFor(row, policy)))
        ] as const
      }
    }),
  answer: ([ended, after]) => ({
    notify: ended?.type === "RUN" && (ended.payload.counts?.notified ?? 0) > 0,
    state: after?.type === "SCHEDULE" ? after.payload.state : undefined
  })
})

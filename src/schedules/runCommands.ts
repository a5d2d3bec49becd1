import * as Either from "effect/Either"
import type { Payload } from "../../events/catalogue.js"
import { findDue, findSchedule, nextDue } from "../../projections/scheduleReads.js"
import type { ScheduleRow } from "../../projections/schedules.js"
import { type Command, type DecidedEvent, runCause, whileSound } from "../actor/Command.js"
import { LeaseLost, type ProjectionParked } from "../model/errors.js"
import type { PolicyValues } from "../ports/Policy.js"
import { due, ran, tells } from "./decide.js"
import type { Claimed, Claims, Finished, Outcome, RunOf } from "./Runner.js"
import { scheduleOf } from "./reads.js"

/** What the policy says, its digest, under which each run is on record, and handlers whose schedules are never given up. */
type Policy = PolicyValues["schedules"] & { readonly digest: string; readonly lasting: ReadonlySet<string> }

// What a runner does to schedules. None of it is asked for by a caller of the memory: the log names the runner as its actor.

const actor = "scheduler"
const noRequest = () => ""

type RunPayload = Payload<"RUN">

const started = ({ attempt, occurrence, run, schedule }: RunOf, lease: number, policy: string): DecidedEvent => ({
  type: "RUN",
  payload: { run, kind: "schedule", phase: "started", name: schedule, occurrence, attempt, lease, policy }
})

const finished = (
  { attempt, occurrence, run, schedule }: RunOf,
  policy: string,
  rest: Pick<RunPayload, "status"> & Partial<RunPayload>
): DecidedEvent => ({
  type: "RUN",
  payload: { run, kind: "schedule", phase: "finished", name: schedule, occurrence, attempt, policy, ...rest }
})

/** How a schedule stands from here on, as a consequence of a run. */
const moved = (row: ScheduleRow, run: string, state: ReturnType<typeof ran>): DecidedEvent => ({
  type: "SCHEDULE",
  payload: { schedule: row.id, change: "ran", state },
  cause: runCause(run)
})

/** The policy as far as it goes for a schedule. */
const policyFor = ({ definition }: ScheduleRow, { failures, lasting }: Policy) => ({
  failures: lasting.has(definition.handler) ? 0 : failures
})

const underWay = (row: ScheduleRow): RunOf => ({
  schedule: row.id,
  run: row.run ?? "",
  occurrence: row.occurrence ?? 0,
  attempt: row.attempt
})

/**
 * Takes what is due, as far as one of these handlers does it: how long each may keep it, in milliseconds. Runs whose
 * lease ran out are ended as abandoned, and taken over where they are still to be done.
 */
export const claimRuns = (
  handlers: ReadonlyMap<string, number>,
  limit: number,
  policy: Policy
): Command<Claims, ProjectionParked> => {
  let claims: Claims = { claimed: [], next: null }
  return {
    actor,
    request: noRequest,
    decide: ({ db, newId, now }) =>
      Either.gen(function* () {
        yield* whileSound(db, "schedules")
        const events: Array<DecidedEvent> = []
        const taken: Array<Claimed> = []
        for (const row of findDue(db, { until: now, handlers: [...handlers.keys()], limit })) {
          const what = due(row, now, policy)
          if (what === undefined) continue
          const left = underWay(row)
          if (what.abandon) events.push(finished(left, policy.digest, { status: "abandoned" }))
          if (what.giveUp) {
            const error = `was begun ${row.abandoned + 1} times and never ended`
            events.push(finished(left, policy.digest, { status: "failed", error }))
            events.push(moved(row, left.run, ran(row, "failed", now, policyFor(row, policy))))
          }
          if (what.start === undefined) continue
          const run = { schedule: row.id, run: newId(), ...what.start }
          const lease = now + handlers.get(row.definition.handler)!
          events.push(started(run, lease, policy.digest))
          taken.push({ ...run, lease, definition: scheduleOf(row) })
        }
        claims = { claimed: taken, next: nextDue(db, [...handlers.keys()], now) }
        const [first, ...rest] = events
        return first === undefined ? { answer: claims } : { events: [first, ...rest] }
      }),
    answer: () => claims
  }
}

const stillMine = (row: ScheduleRow | undefined, { run }: RunOf): Either.Either<ScheduleRow, LeaseLost> =>
  row?.run === run ? Either.right(row) : Either.left(new LeaseLost({ run }))

/** Another attempt of the same run, under a new lease (milliseconds since the epoch). */
export const renewRun = (run: RunOf, lease: number, policy: string): Command<void, LeaseLost> => ({
  actor,
  request: noRequest,
  decide: ({ db }) =>
    Either.map(stillMine(findSchedule(db, run.schedule), run), () => ({
      events: [started(run, lease, policy)] as const
    })),
  answer: () => undefined
})

/** Gives back what was taken and not done: somebody else may begin it at once. That it was is told by its count. */
export const releaseRun = (run: RunOf, policy: string): Command<void, LeaseLost> => ({
  actor,
  request: noRequest,
  decide: ({ db }) =>
    Either.map(stillMine(findSchedule(db, run.schedule), run), () => ({
      events: [finished(run, policy, { status: "abandoned", counts: { released: 1 } })] as const
    })),
  answer: () => undefined
})

/** Puts on record how a run ended, and when its schedule is due next: one append. */
export const finishRun = (run: RunOf, outcome: Outcome, policy: Policy): Command<Finished, LeaseLost> => ({
  actor,
  request: noRequest,
  decide: ({ db, now }) =>
    Either.gen(function* () {
      const row = yield* stillMine(findSchedule(db, run.schedule), run)
      const notify = tells(row.definition.notify, outcome, row)
      const counts = { ...outcome.counts, ...(notify ? { notified: 1 } : {}) }
      const ended = finished(run, policy.digest, { ...outcome, counts })
      return { events: [ended, moved(row, run.run, ran(row, outcome.status, now, policyFor(row, policy)))] as const }
    }),
  answer: ([ended, after]) => ({
    notify: ended?.type === "RUN" && (ended.payload.counts?.notified ?? 0) > 0,
    state: after?.type === "SCHEDULE" ? after.payload.state : undefined
  })
})

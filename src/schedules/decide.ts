import type { Payload } from "../../events/catalogue.js"
import type { Cadence, Notify, ScheduleDefinition, ScheduleState } from "../../events/Schedule.js"
import { outputDigest, type ScheduleRow, type ScheduleRunRow } from "../../projections/schedules.js"
import type { PolicyValues } from "../ports/Policy.js"
import { nextAfter } from "./cadence.js"

type Policy = PolicyValues["schedules"]

/** The initial state of a schedule. */
export const initialState = (cadence: Cadence, now: number): ScheduleState => ({
  status: "active",
  next: nextAfter(cadence, now),
  failures: 0
})

/** Returns the state of a schedule after a change, or a `problem` if the change is not possible. */
export const stateAfterChange = (
  { definition: before, state }: Pick<ScheduleRow, "definition" | "state">,
  definition: ScheduleDefinition,
  requested: "active" | "paused" | undefined,
  now: number
): ScheduleState | { readonly problem: string } => {
  const { cadence } = definition
  const newTime = cadence !== before.cadence
  // A new time restarts a completed schedule.
  const status = requested ?? (newTime && state.status === "completed" ? "active" : state.status)
  if (status !== "active") return { status, next: null, failures: state.failures }
  if (!newTime && state.status === "active") return state
  const failures = state.status === "active" ? state.failures : 0
  if (!newTime && state.status === "completed")
    return {
      problem: "cannot be changed, because the schedule has ended: pass a new `cron`, `at` or `every` to restart it"
    }
  // A paused one-time schedule whose time has passed runs immediately.
  const next = nextAfter(cadence, now) ?? (cadence.kind === "once" ? cadence.at : null)
  return next === null
    ? { problem: "cannot be changed, because the schedule has ended: pass a new `cron`, `at` or `every` to restart it" }
    : { status, next, failures }
}

/** Decides the state of a schedule after a run. */
export const stateAfterRun = (
  { definition: { cadence, missed }, occurrence, state }: ScheduleRow,
  status: ScheduleRunRow["status"],
  now: number,
  policy: Pick<Policy, "failures">
): ScheduleState => {
  const failed = status !== "ok"
  const failures = failed ? state.failures + 1 : 0
  // A caller paused the schedule during the run.
  if (state.status !== "active") return { ...state, failures }
  const giveUp = policy.failures > 0 && failures >= policy.failures
  const endedState = (status: "completed" | "failed"): ScheduleState => ({ status, next: null, failures })
  // A caller changed the schedule's time during the run.
  if (state.next !== occurrence) return giveUp ? endedState("failed") : { ...state, failures }
  if (cadence.kind === "once") return endedState(failed ? "failed" : "completed")
  if (giveUp) return endedState("failed")
  const from = missed === "each" || occurrence === null ? (occurrence ?? now) : Math.max(occurrence, now)
  const next = nextAfter(cadence, from)
  return next === null ? endedState("completed") : { status: "active", next, failures }
}

/** Returns true if the user must be notified of a run. */
export const shouldNotify = (
  notify: Notify,
  run: Pick<Payload<"RUN">, "status" | "output" | "summary">,
  { lastOutput, lastStatus }: Pick<ScheduleRow, "lastOutput" | "lastStatus">
): boolean => {
  switch (notify) {
    case "always":
      return true
    case "never":
      return false
    case "on-failure":
      return run.status !== "ok"
    case "on-change":
      return run.status !== lastStatus || outputDigest(run) !== lastOutput
  }
}

/** The decision on a due schedule. */
export type DueDecision =
  /** The current run lost its lease, and the schedule is not due now. */
  | { readonly abandon: true; readonly start?: undefined; readonly giveUp?: undefined }
  /** Too many runs lost their lease, so the occurrence counts as failed. */
  | { readonly abandon: false; readonly start?: undefined; readonly giveUp: true }
  /** Start now. With `abandon`, end the run that lost its lease first. */
  | {
      readonly abandon: boolean
      readonly start: { readonly occurrence: number; readonly attempt: number }
      readonly giveUp?: undefined
    }

/** Decides what to do with a schedule whose `due` has passed; see `projections/schedules.ts`. */
export const decideDue = (
  row: ScheduleRow,
  now: number,
  { takeovers }: Pick<Policy, "takeovers">
): DueDecision | undefined => {
  const { next, status } = row.state
  const hasRun = row.run !== null
  const sameOccurrence = row.occurrence === next
  if (status !== "active" || next === null || next > now) return hasRun ? { abandon: true } : undefined
  if (hasRun && sameOccurrence && row.abandoned + 1 >= takeovers) return { abandon: false, giveUp: true }
  return { abandon: hasRun, start: { occurrence: next, attempt: sameOccurrence ? row.attempt + 1 : 1 } }
}

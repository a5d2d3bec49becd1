import type { Payload } from "../../events/catalogue.js"
import type { Cadence, Notify, ScheduleDefinition, ScheduleState } from "../../events/Schedule.js"
import { outputDigest, type ScheduleRow, type ScheduleRunRow } from "../../projections/schedules.js"
import type { PolicyValues } from "../ports/Policy.js"
import { nextAfter } from "./cadence.js"

type Policy = PolicyValues["schedules"]

/** How a schedule stands at first. */
export const created = (cadence: Cadence, now: number): ScheduleState => ({
  status: "active",
  next: nextAfter(cadence, now),
  failures: 0
})

/** What can become of a schedule that is changed; `problem` where it cannot be as asked. */
export const changed = (
  { definition: before, state }: Pick<ScheduleRow, "definition" | "state">,
  definition: ScheduleDefinition,
  asked: "active" | "paused" | undefined,
  now: number
): ScheduleState | { readonly problem: string } => {
  const { cadence } = definition
  const moved = cadence !== before.cadence
  // Another time makes what is over begin again.
  const status = asked ?? (moved && state.status === "completed" ? "active" : state.status)
  if (status !== "active") return { status, next: null, failures: state.failures }
  if (!moved && state.status === "active") return state
  const failures = state.status === "active" ? state.failures : 0
  if (!moved && state.status === "completed") return { problem: "is over: name another time" }
  // What was put off beyond its one time is done at once.
  const next = nextAfter(cadence, now) ?? (cadence.kind === "once" ? cadence.at : null)
  return next === null ? { problem: "is over: name another time" } : { status, next, failures }
}

/** How a schedule stands after a run of it. */
export const ran = (
  { definition: { cadence, missed }, occurrence, state }: ScheduleRow,
  status: ScheduleRunRow["status"],
  now: number,
  policy: Pick<Policy, "failures">
): ScheduleState => {
  const failed = status !== "ok"
  const failures = failed ? state.failures + 1 : 0
  // Paused meanwhile.
  if (state.status !== "active") return { ...state, failures }
  const given = policy.failures > 0 && failures >= policy.failures
  const over = (status: "completed" | "failed"): ScheduleState => ({ status, next: null, failures })
  // It was given another time meanwhile.
  if (state.next !== occurrence) return given ? over("failed") : { ...state, failures }
  if (cadence.kind === "once") return over(failed ? "failed" : "completed")
  if (given) return over("failed")
  const from = missed === "each" || occurrence === null ? (occurrence ?? now) : Math.max(occurrence, now)
  const next = nextAfter(cadence, from)
  return next === null ? over("completed") : { status: "active", next, failures }
}

/** Whether somebody is to be told of a run. */
export const tells = (
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

/** What is to be done about a schedule that is due. */
export type Due =
  /** Nobody finished what is under way, and it is not to be tried again, or not now. */
  | { readonly abandon: true; readonly start?: undefined; readonly giveUp?: undefined }
  /** Nobody ever will: it counts as failed. */
  | { readonly abandon: false; readonly start?: undefined; readonly giveUp: true }
  /** To be done now, and perhaps what somebody else left is to be ended before. */
  | {
      readonly abandon: boolean
      readonly start: { readonly occurrence: number; readonly attempt: number }
      readonly giveUp?: undefined
    }

/** Decides on a schedule whose `due` has come: see `projections/schedules.ts`. */
export const due = (row: ScheduleRow, now: number, { takeovers }: Pick<Policy, "takeovers">): Due | undefined => {
  const { next, status } = row.state
  const left = row.run !== null
  const again = row.occurrence === next
  if (status !== "active" || next === null || next > now) return left ? { abandon: true } : undefined
  if (left && again && row.abandoned + 1 >= takeovers) return { abandon: false, giveUp: true }
  return { abandon: left, start: { occurrence: next, attempt: again ? row.attempt + 1 : 1 } }
}

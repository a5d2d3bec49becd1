/** The types of `memory.schedules`, and when a cadence is due next. */
export type { Scheduled } from "../../src/schedules/addSchedule.js"
export { nextAfter } from "../../src/schedules/cadence.js"
export type { CadenceInput, ScheduleChanges, ScheduleInput } from "../../src/schedules/input.js"
export type { Claimed, Finished, Outcome, RunAttempt, Runner } from "../../src/schedules/Runner.js"
export type * from "../../src/schedules/Schedule.js"

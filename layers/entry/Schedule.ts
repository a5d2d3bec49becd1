/** The types of `memory.schedules`, and the function that finds a cadence's next time. */
export { nextAfter } from "../../src/schedules/cadence.js"
export type { Claimed, Finished, Outcome, RunAttempt, Runner } from "../../src/schedules/Runner.js"
export type * from "../../src/schedules/Schedules.js"

import { runStatements } from "./runStatements.js"

/**
 * Stores when each stream is due next, so that due streams are found without opening an agent. Events from before this
 * migration contain no schedules, so no existing stream is due.
 */
export const statements = [
  `CREATE TABLE timers (stream TEXT PRIMARY KEY, due INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE INDEX timers_due ON timers (due, stream)`
]

export default runStatements(statements)

import log, { statements as logStatements } from "./0001_log.js"
import timers, { statements as timersStatements } from "./0002_timers.js"
import integrity, { statements as integrityStatements } from "./0003_integrity.js"

/** Every migration of the log's schema, by number and name. Forward only: a released one is never edited. */
export const migrations = { "0001_log": log, "0002_timers": timers, "0003_integrity": integrity }

/** The statements that made the schema, by migration. They stand in `sqlite_master` as they stand here. */
export const schemaStatements: ReadonlyArray<ReadonlyArray<string>> = [
  logStatements,
  timersStatements,
  integrityStatements
]

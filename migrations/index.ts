import log, { statements as logStatements } from "./0001_log.js"
import timers, { statements as timersStatements } from "./0002_timers.js"
import integrity, { statements as integrityStatements } from "./0003_integrity.js"
import newest, { statements as newestStatements } from "./0004_newest.js"
import erasure, { statements as erasureStatements } from "./0005_erasure.js"
import chain, { statements as chainStatements } from "./0006_chain.js"

/** Every migration of the log's schema, by number and name. Migrations only go forward. Never edit a released one. */
export const migrations = {
  "0001_log": log,
  "0002_timers": timers,
  "0003_integrity": integrity,
  "0004_newest": newest,
  "0005_erasure": erasure,
  "0006_chain": chain
}

/** The statements that create the schema, by migration. The schema of a log is the result of these statements. */
export const schemaStatements: ReadonlyArray<ReadonlyArray<string>> = [
  logStatements,
  timersStatements,
  integrityStatements,
  newestStatements,
  erasureStatements,
  chainStatements
]

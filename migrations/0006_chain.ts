import { runStatements } from "./runStatements.js"

/**
 * Chain version 2, in which actor, cause and command id can be erased: the hash covers salted digests of them. `names` has
 * the salts. Older events keep version 1. Repeated commands are found by `command_key`; those of version 1, which have
 * none, by `command_id`.
 */
export const statements = [
  `ALTER TABLE events ADD COLUMN chain INTEGER NOT NULL DEFAULT 1`,
  `ALTER TABLE events ADD COLUMN command_key BLOB`,
  `ALTER TABLE events ADD COLUMN names BLOB`,
  `DROP INDEX events_command`,
  `CREATE UNIQUE INDEX events_command ON events (stream, command_id, ordinal)
    WHERE command_id IS NOT NULL AND chain = 1`,
  `CREATE UNIQUE INDEX events_command_key ON events (stream, command_key, ordinal) WHERE command_key IS NOT NULL`
]

export default runStatements(statements)

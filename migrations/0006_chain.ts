import { runStatements } from "./runStatements.js"

/**
 * Chain version 2. Its hash covers salted digests of actor, cause and command id, so that they can be erased. `names`
 * has the salts. Older events keep chain version 1. Repeated commands are found by `command_key`. Events of chain
 * version 1 have no `command_key`, so their commands are found by `command_id`.
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

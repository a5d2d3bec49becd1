import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/**
 * When each stream is due next, as its writers said. Due streams are found without opening an agent. Events written
 * before this migration schedule nothing, so no existing stream is due.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE timers (stream TEXT PRIMARY KEY, due INTEGER NOT NULL) WITHOUT ROWID`
  yield* sql`CREATE INDEX timers_due ON timers (due, stream)`
})

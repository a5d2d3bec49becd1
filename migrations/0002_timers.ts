import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/**
 * When each stream is to be looked at next, as its writers said: what is due is found without opening an agent.
 * Nothing that was written before can be due.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE timers (stream TEXT PRIMARY KEY, due INTEGER NOT NULL) WITHOUT ROWID`
  yield* sql`CREATE INDEX timers_due ON timers (due, stream)`
})

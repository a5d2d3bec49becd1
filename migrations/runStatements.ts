import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Runs statements in order. A migration keeps them as text, so that a log's schema can be compared with it. */
export const runStatements = (statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  )

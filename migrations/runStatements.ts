import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Runs statements in order. They are stored as text, so that the schema of a log can be compared with them. */
export const runStatements = (statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  )

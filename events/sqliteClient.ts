import type * as Reactivity from "@effect/experimental/Reactivity"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * The SQL client that runs migrations. `dist` bundles this file and the package that it imports, because
 * @effect/sql-sqlite-node 0.53.0 depends on better-sqlite3 12. Otherwise an installation would have two releases of
 * better-sqlite3.
 */
export const make: (options: {
  readonly filename: string
}) => Effect.Effect<SqlClient.SqlClient, never, Scope.Scope | Reactivity.Reactivity> = SqliteClient.make

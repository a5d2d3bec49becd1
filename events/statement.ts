import type Database from "better-sqlite3"

export type Db = Database.Database

// biome-ignore lint/suspicious/noExplicitAny: a row has the columns of its SELECT, which TypeScript cannot read.
type Statement = Database.Statement<Array<any>, any>

const statements = new WeakMap<Db, Map<string, Statement>>()

/** Maximum cached statements per connection. Filters produce many variants of a query. */
const maxStatements = 200

/** The most recently used cache. It is kept here because consecutive calls usually use the same connection. */
let newest: { readonly db: Db; readonly prepared: Map<string, Statement> } | undefined

const preparedOf = (db: Db): Map<string, Statement> => {
  const prepared = statements.get(db) ?? new Map<string, Statement>()
  statements.set(db, prepared)
  newest = { db, prepared }
  return prepared
}

/** Returns a prepared statement from the cache of its connection. */
export const sql = (db: Db, text: string): Statement => {
  const prepared = newest?.db === db ? newest.prepared : preparedOf(db)
  let statement = prepared.get(text)
  if (statement === undefined) {
    if (prepared.size >= maxStatements) prepared.clear()
    statement = db.prepare(text) as Statement
    prepared.set(text, statement)
  }
  return statement
}
